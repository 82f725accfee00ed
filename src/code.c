/* SPDX-License-Identifier: Apache-2.0 */
#include "code.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>
#include <apr_thread_cond.h>
#include <apr_thread_mutex.h>
#include <mruby/compile.h>
#include <mruby/dump.h>
#include <mruby/error.h>
#include <mruby/irep.h>
#include <mruby/class.h>
#include <mruby/string.h>
#include <mruby/proc.h>

struct bench_code_t {
    atomic_uint references;
    bench_language_e language;
    int failed; /* bytes holds a message, not bytecode */
    apr_size_t size;
    unsigned char source[BENCH_SOURCE_DIGEST]; /* of the text that was compiled */
    uint8_t bytes[];
};

/* A file in the cache.  All fields: under the cache's lock. */
typedef struct {
    bench_code_t *code;
    bench_stamp_t stamp;
    int busy; /* a thread is reading and compiling it */
} slot_t;

static struct {
    apr_pool_t *pool;
    apr_thread_mutex_t *lock;
    apr_thread_cond_t *ready; /* some slot is no longer busy */
    apr_hash_t *slots;        /* path -> slot_t */
} cache;

static apr_status_t close_cache(void *data)
{
    apr_hash_index_t *i;

    (void)data;
    for (i = apr_hash_first(cache.pool, cache.slots); i; i = apr_hash_next(i)) {
        slot_t *slot = apr_hash_this_val(i);

        bench_code_release(slot->code);
    }
    memset(&cache, 0, sizeof(cache));
    return APR_SUCCESS;
}

apr_status_t bench_code_child_init(apr_pool_t *pchild)
{
    apr_status_t rv = apr_pool_create(&cache.pool, pchild);

    if (rv == APR_SUCCESS) {
        rv = apr_thread_mutex_create(&cache.lock, APR_THREAD_MUTEX_DEFAULT, cache.pool);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_thread_cond_create(&cache.ready, cache.pool);
    }
    if (rv == APR_SUCCESS) {
        cache.slots = apr_hash_make(cache.pool);
        apr_pool_cleanup_register(cache.pool, NULL, close_cache, apr_pool_cleanup_null);
    }
    return rv;
}

static bench_code_t *create_code(const void *bytes, apr_size_t size, int failed,
                                 const bench_file_t *file, const bench_source_t *source)
{
    bench_code_t *code = malloc(sizeof(*code) + size);

    if (code) {
        atomic_init(&code->references, 1);
        code->language = file->language;
        code->failed = failed;
        code->size = size;
        memcpy(code->source, source->digest, sizeof(code->source));
        memcpy(code->bytes, bytes, size);
    }
    return code;
}

static bench_code_t *reference(bench_code_t *code)
{
    atomic_fetch_add(&code->references, 1);
    return code;
}

void bench_code_release(bench_code_t *code)
{
    if (code && atomic_fetch_sub(&code->references, 1) == 1) {
        free(code);
    }
}

int bench_code_is_same(const bench_code_t *a, const bench_code_t *b)
{
    return a && b && a->language == b->language &&
           memcmp(a->source, b->source, sizeof(a->source)) == 0;
}

/* ---- compiling -------------------------------------------------------------------------- */

/* What a compilation holds, so that the caller can free it whatever is raised. */
typedef struct {
    const char *path;
    bench_language_e language;
    const char *text;
    apr_size_t size;
    mrb_ccontext *context;
    struct mrb_parser_state *parser;
    uint8_t *dump;
    size_t dump_size;
    int want_dump;
    struct RProc *proc;
    bench_fault_t *fault;
} compilation_t;

static void set_fault(bench_fault_t *fault, int line, int column, const char *message)
{
    fault->status = APR_EGENERAL;
    apr_snprintf(fault->message, sizeof(fault->message), "%d:%d: %s", line, column, message);
}

/* What the compiler has said on this thread since it was asked to compile something. */
static _Thread_local char said[256];

/* See tools/compiler-says.h. */
int bench_compiler_says(FILE *stream, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int bench_compiler_says(FILE *stream, const char *format, ...)
{
    va_list arguments;
    int n;

    (void)stream;
    va_start(arguments, format);
    n = vsnprintf(said, sizeof(said), format, arguments);
    va_end(arguments);
    return n;
}

/* "path:3: message\n" as a fault. */
static void set_fault_from_said(compilation_t *c)
{
    size_t length = strlen(c->path);
    const char *message = "the compiler cannot make code of this";
    int line = 0;
    char *end;

    said[strcspn(said, "\n")] = '\0';
    if (strncmp(said, c->path, length) == 0 && said[length] == ':') {
        line = (int)strtol(said + length + 1, &end, 10);
        message = *end == ':' ? end + 2 : message;
    } else if (*said) {
        message = said;
    }
    set_fault(c->fault, line, 0, message);
}

/* mruby's lexer takes a NUL for the end of the file and would run the half before it. */
static int has_nul(compilation_t *c)
{
    const char *nul = memchr(c->text, '\0', c->size);
    const char *p;
    int line = 1;

    if (!nul) {
        return 0;
    }
    for (p = c->text; p < nul; p++) {
        line += *p == '\n';
    }
    set_fault(c->fault, line, 0, "there is a NUL byte: this is not a text file");
    return 1;
}

/* A template becomes Ruby that prints it, line by line the same. */
static void translate(mrb_state *mrb, compilation_t *c)
{
    mrb_value arguments[3] = {mrb_str_new(mrb, c->text, (mrb_int)c->size),
                              mrb_str_new_lit(mrb, "-"), mrb_str_new_lit(mrb, "print")};
    mrb_value ruby = mrb_funcall_argv(mrb, mrb_obj_value(mrb_class_get(mrb, "ERB")),
                                      mrb_intern_lit(mrb, "__compile"), 3, arguments);

    if (!mrb_string_p(ruby)) {
        mrb_raise(mrb, E_TYPE_ERROR, "a template that does not become text");
    }
    /* In the arena until the parser is done with it. */
    c->text = RSTRING_PTR(ruby);
    c->size = (apr_size_t)RSTRING_LEN(ruby);
}

static mrb_value compile_body(mrb_state *mrb, void *data)
{
    compilation_t *c = data;

    if (c->language == BENCH_ERB) {
        translate(mrb, c);
    }
    c->context = mrb_ccontext_new(mrb);
    mrb_ccontext_filename(mrb, c->context, c->path);
    c->context->capture_errors = TRUE;
    c->parser = mrb_parse_nstring(mrb, c->text, c->size, c->context);
    if (!c->parser) {
        mrb_exc_raise(mrb, mrb_obj_value(mrb->nomem_err));
    }
    if (c->parser->nerr > 0 || !c->parser->tree) {
        const struct mrb_parser_message *first = &c->parser->error_buffer[0];

        set_fault(c->fault, first->lineno, first->column,
                  first->message ? first->message : "syntax error");
        return mrb_nil_value();
    }
    c->proc = mrb_generate_code(mrb, c->parser);
    if (!c->proc) {
        set_fault_from_said(c);
        return mrb_nil_value();
    }
    if (c->want_dump && mrb_dump_irep(mrb, c->proc->body.irep, MRB_DUMP_DEBUG_INFO, &c->dump,
                                      &c->dump_size) != MRB_DUMP_OK) {
        set_fault(c->fault, 0, 0, "the compiler cannot write the code of this");
    }
    return mrb_obj_value(c->proc);
}

static mrb_value message_of(mrb_state *mrb, void *exception)
{
    return mrb_funcall(mrb, *(mrb_value *)exception, "message", 0);
}

/* ERB raises a SyntaxError for a template, "line 3: text".  Anything else that is raised here is
 * mruby's lack of memory. */
static void set_fault_from_error(bench_interp_t *interp, compilation_t *c, mrb_value exception)
{
    mrb_state *mrb = interp->mrb;
    mrb_value message;
    const char *text;
    char *end;
    long line;

    c->fault->status = APR_ENOMEM;
    if (c->language != BENCH_ERB ||
        !mrb_obj_is_kind_of(mrb, exception, mrb_class_get(mrb, "SyntaxError")) ||
        bench_interp_protect(interp, message_of, &exception, &message) != APR_SUCCESS ||
        !mrb_string_p(message)) {
        return;
    }
    text = RSTRING_CSTR(mrb, message);
    line = strncmp(text, "line ", 5) == 0 ? strtol(text + 5, &end, 10) : 0;
    set_fault(c->fault, (int)line, 0, line > 0 && *end == ':' ? end + 2 : text);
}

/* APR_SUCCESS, or *fault says why not.  The caller frees c->dump with mrb_free(). */
static apr_status_t compile(bench_interp_t *interp, compilation_t *c)
{
    mrb_value value;

    c->fault->status = APR_SUCCESS;
    c->fault->message[0] = '\0';
    said[0] = '\0';
    if (c->size >= 3 && memcmp(c->text, "\xEF\xBB\xBF", 3) == 0) {
        c->text += 3;
        c->size -= 3;
    }
    if (c->language == BENCH_RUBY && has_nul(c)) {
        return c->fault->status;
    }
    if (bench_interp_protect(interp, compile_body, c, &value) != APR_SUCCESS) {
        set_fault_from_error(interp, c, value);
    }
    if (c->parser) {
        mrb_parser_free(c->parser);
    }
    if (c->context) {
        mrb_ccontext_free(interp->mrb, c->context);
    }
    return c->fault->status;
}

struct RProc *bench_code_compile_file(bench_interp_t *interp, const bench_file_t *file,
                                      bench_stamp_t *stamp, bench_fault_t *fault)
{
    bench_source_t source = {0};
    compilation_t c = {0};

    fault->status = bench_source_read(file->path, &source);
    fault->message[0] = '\0';
    if (fault->status == APR_SUCCESS) {
        *stamp = source.stamp;
        c.path = file->path;
        c.language = file->language;
        c.text = source.text;
        c.size = source.size;
        c.fault = fault;
        compile(interp, &c);
    }
    if (source.pool) {
        apr_pool_destroy(source.pool);
    }
    return fault->status == APR_SUCCESS ? c.proc : NULL;
}

/* Code for the text, or for the message that it is wrong.  NULL: *fault is about something that
 * the text is not to blame for. */
static bench_code_t *compile_source(bench_interp_t *interp, const bench_file_t *file,
                                    const bench_source_t *source, bench_fault_t *fault)
{
    compilation_t c = {0};
    bench_code_t *code = NULL;

    c.path = file->path;
    c.language = file->language;
    c.text = source->text;
    c.size = source->size;
    c.want_dump = 1;
    c.fault = fault;
    if (compile(interp, &c) == APR_SUCCESS) {
        code = create_code(c.dump, c.dump_size, 0, file, source);
    } else if (fault->status == APR_EGENERAL) {
        code = create_code(fault->message, strlen(fault->message) + 1, 1, file, source);
    }
    if (!code && fault->status == APR_SUCCESS) {
        fault->status = APR_ENOMEM;
    }
    mrb_free(interp->mrb, c.dump);
    return code;
}

/* ---- sharing ---------------------------------------------------------------------------- */

/* Under the lock.  Waits until no other thread is busy with it. */
static slot_t *slot_for(const char *path)
{
    slot_t *slot = apr_hash_get(cache.slots, path, APR_HASH_KEY_STRING);

    if (!slot) {
        slot = apr_pcalloc(cache.pool, sizeof(*slot));
        apr_hash_set(cache.slots, apr_pstrdup(cache.pool, path), APR_HASH_KEY_STRING, slot);
    }
    while (slot->busy) {
        apr_thread_cond_wait(cache.ready, cache.lock);
    }
    return slot;
}

/* Without the lock, on a slot that is busy for this thread: reads the file and, if its text is not
 * what *code was made of, compiles it.  Leaves in *code what is now, and in *stamp since when. */
static void refresh(bench_interp_t *interp, const bench_file_t *file, bench_code_t **code,
                    bench_stamp_t *stamp, bench_fault_t *fault)
{
    bench_source_t source = {0};
    bench_code_t *old = *code;

    fault->status = bench_source_read(file->path, &source);
    if (fault->status != APR_SUCCESS) {
        *code = NULL;
    } else if (!old || old->language != file->language ||
               memcmp(old->source, source.digest, sizeof(source.digest)) != 0) {
        *code = compile_source(interp, file, &source, fault);
    }
    *stamp = source.stamp;
    if (*code != old) {
        bench_code_release(old);
    }
    if (source.pool) {
        apr_pool_destroy(source.pool);
    }
}

/* Hands out a slot's code, which may be a message. */
static bench_code_t *hand_out(bench_code_t *code, bench_fault_t *fault)
{
    if (!code->failed) {
        return code;
    }
    fault->status = APR_EGENERAL;
    apr_cpystrn(fault->message, (const char *)code->bytes, sizeof(fault->message));
    bench_code_release(code);
    return NULL;
}

bench_code_t *bench_code_get(bench_interp_t *interp, const bench_file_t *file, bench_cache_e when,
                             bench_stamp_t *stamp, bench_fault_t *fault)
{
    bench_code_t *code = NULL;
    slot_t *slot;

    fault->message[0] = '\0';
    apr_thread_mutex_lock(cache.lock);
    slot = slot_for(file->path);
    if (slot->code && slot->code->language == file->language &&
        (when == BENCH_CACHE_FOREVER ||
         (file->finfo && bench_stamp_holds(&slot->stamp, file->finfo)))) {
        code = reference(slot->code);
        *stamp = slot->stamp;
        apr_thread_mutex_unlock(cache.lock);
        return hand_out(code, fault);
    }
    slot->busy = 1;
    code = slot->code;
    slot->code = NULL;
    apr_thread_mutex_unlock(cache.lock);

    refresh(interp, file, &code, stamp, fault);

    apr_thread_mutex_lock(cache.lock);
    slot->code = code ? reference(code) : NULL;
    slot->stamp = *stamp;
    slot->busy = 0;
    apr_thread_cond_broadcast(cache.ready);
    apr_thread_mutex_unlock(cache.lock);
    return code ? hand_out(code, fault) : NULL;
}

struct RProc *bench_code_load(mrb_state *mrb, const bench_code_t *code)
{
    mrb_ccontext context = {0};
    mrb_value proc;

    context.no_exec = TRUE;
    proc = mrb_load_irep_buf_cxt(mrb, code->bytes, code->size, &context);
    if (mrb->exc || !mrb_proc_p(proc)) {
        mrb_raise(mrb, E_SCRIPT_ERROR, "bytecode that cannot be loaded");
    }
    return mrb_proc_ptr(proc);
}
