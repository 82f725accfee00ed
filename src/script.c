/* SPDX-License-Identifier: Apache-2.0 */
#include "script.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>
#include <mruby/array.h>
#include <mruby/class.h>

#include "code.h"

#define BUCKETS 64

typedef struct entry_t entry_t;

/* A file as this interpreter has loaded it. */
struct entry_t {
    entry_t *next;
    bench_stamp_t stamp;
    bench_code_t *code; /* what proc was loaded from; NULL under BenchCodeCache never */
    struct RProc *proc; /* kept in the interpreter's roots */
    mrb_int root;
    int required;
    entry_t *next_required;
    bench_language_e language;
    mrb_int value; /* its place in the roots; 0: none, since the first root is a procedure */
    apr_size_t length;
    char path[];
};

struct bench_script_table_t {
    entry_t *bucket[BUCKETS];
    entry_t *required; /* those that are */
};

apr_status_t bench_script_child_init(apr_pool_t *pchild)
{
    return bench_code_child_init(pchild);
}

apr_status_t bench_script_attach(bench_interp_t *interp)
{
    interp->scripts = calloc(1, sizeof(*interp->scripts));
    return interp->scripts ? APR_SUCCESS : APR_ENOMEM;
}

void bench_script_detach(bench_interp_t *interp)
{
    int i;

    if (!interp->scripts) {
        return;
    }
    for (i = 0; i < BUCKETS; i++) {
        entry_t *entry = interp->scripts->bucket[i];

        while (entry) {
            entry_t *next = entry->next;

            bench_code_release(entry->code);
            free(entry);
            entry = next;
        }
    }
    free(interp->scripts);
    interp->scripts = NULL;
}

/* Paths in one docroot differ near their ends, so the last bytes and the length tell them apart
 * for less than hashing the whole would cost at each request. */
static entry_t **bucket_of(bench_interp_t *interp, const char *path, apr_size_t length)
{
    apr_uint64_t tail = 0;
    apr_size_t n = length < sizeof(tail) ? length : sizeof(tail);

    memcpy(&tail, path + length - n, n);
    if (length >= 2 * sizeof(tail)) {
        apr_uint64_t before;

        memcpy(&before, path + length - 2 * sizeof(tail), sizeof(before));
        tail ^= before << 1;
    }
    tail = (tail ^ length) * APR_UINT64_C(0x9E3779B97F4A7C15);
    return &interp->scripts->bucket[tail >> 58];
}

static entry_t *find(bench_interp_t *interp, const char *path, apr_size_t length)
{
    entry_t *entry;

    for (entry = *bucket_of(interp, path, length); entry; entry = entry->next) {
        if (entry->length == length && memcmp(entry->path, path, length) == 0) {
            return entry;
        }
    }
    return NULL;
}

/* May raise (NoMemoryError). */
static entry_t *find_or_create(bench_interp_t *interp, const char *path)
{
    apr_size_t length = strlen(path);
    entry_t *entry = find(interp, path, length);
    entry_t **bucket;
    mrb_int root;

    if (entry) {
        return entry;
    }
    root = bench_interp_keep(interp, mrb_nil_value());
    entry = calloc(1, sizeof(*entry) + length + 1);
    if (!entry) {
        return NULL;
    }
    entry->length = length;
    entry->root = root;
    memcpy(entry->path, path, length + 1);
    bucket = bucket_of(interp, path, length);
    entry->next = *bucket;
    *bucket = entry;
    return entry;
}

/* Into the place that find_or_create() has made for it: this must not allocate. */
static void keep_proc(bench_interp_t *interp, entry_t *entry, struct RProc *proc)
{
    mrb_state *mrb = interp->mrb;

    MRB_PROC_SET_TARGET_CLASS(proc, mrb->object_class);
    mrb_ary_set(mrb, interp->roots, entry->root, mrb_obj_value(proc));
    entry->proc = proc;
}

/* Takes over the caller's reference to code, also when loading raises. */
static struct RProc *load(bench_interp_t *interp, entry_t *entry, bench_code_t *code,
                          const bench_stamp_t *stamp)
{
    if (entry->code == code) {
        bench_code_release(code);
    } else {
        bench_code_release(entry->code);
        entry->code = code;
        entry->proc = NULL;
    }
    if (!entry->proc) {
        keep_proc(interp, entry, bench_code_load(interp->mrb, code));
    }
    entry->stamp = *stamp;
    return entry->proc;
}

static struct RProc *compile_anew(bench_interp_t *interp, entry_t *entry, const bench_file_t *file,
                                  bench_fault_t *fault)
{
    struct RProc *proc;

    bench_code_release(entry->code);
    entry->code = NULL;
    entry->proc = NULL;
    proc = bench_code_compile_file(interp, file, &entry->stamp, fault);
    if (proc) {
        keep_proc(interp, entry, proc);
    }
    return proc;
}

/* Whether what is loaded is what a run wants. */
static int is_good(const entry_t *entry, const bench_file_t *file, bench_cache_e cache)
{
    if (!entry->proc || !entry->code || entry->language != file->language) {
        return 0;
    }
    return cache == BENCH_CACHE_FOREVER || (cache == BENCH_CACHE_STAT && file->finfo &&
                                            bench_stamp_holds(&entry->stamp, file->finfo));
}

struct RProc *bench_script_get(bench_interp_t *interp, const bench_file_t *file,
                               bench_cache_e cache, bench_fault_t *fault)
{
    entry_t *entry = find(interp, file->path, strlen(file->path));
    bench_stamp_t stamp;
    bench_code_t *code;

    if (entry && is_good(entry, file, cache)) {
        return entry->proc;
    }
    fault->message[0] = '\0';
    entry = find_or_create(interp, file->path);
    if (!entry) {
        fault->status = APR_ENOMEM;
        return NULL;
    }
    entry->language = file->language;
    if (cache == BENCH_CACHE_NEVER) {
        return compile_anew(interp, entry, file, fault);
    }
    code = bench_code_get(interp, file, cache, &stamp, fault);
    return code ? load(interp, entry, code, &stamp) : NULL;
}

int bench_script_is_required(bench_interp_t *interp, const char *path)
{
    entry_t *entry = find(interp, path, strlen(path));

    return entry && entry->required;
}

void bench_script_set_required(bench_interp_t *interp, const char *path, int required)
{
    entry_t *entry = find(interp, path, strlen(path));

    entry_t **link;

    if (!entry || entry->required == required) {
        return;
    }
    entry->required = required;
    for (link = &interp->scripts->required; *link && *link != entry;
         link = &(*link)->next_required) {
    }
    if (required) {
        entry->next_required = interp->scripts->required;
        interp->scripts->required = entry;
    } else {
        *link = entry->next_required;
    }
}

mrb_value bench_script_value(bench_interp_t *interp, const char *path)
{
    const entry_t *entry = find(interp, path, strlen(path));

    return entry && entry->value ? RARRAY_PTR(interp->roots)[entry->value] : mrb_undef_value();
}

void bench_script_set_value(bench_interp_t *interp, const char *path, mrb_value value)
{
    entry_t *entry = find(interp, path, strlen(path));

    if (entry) {
        entry->value = bench_interp_keep(interp, value);
    }
}

static int is_outdated(bench_interp_t *interp, entry_t *entry, apr_pool_t *pool)
{
    apr_finfo_t finfo;
    bench_file_t file;
    bench_fault_t fault;
    bench_stamp_t stamp;
    bench_code_t *code;
    int same;

    if (apr_stat(&finfo, entry->path, BENCH_STAMP_WANTS, pool) != APR_SUCCESS) {
        return 1;
    }
    if (bench_stamp_holds(&entry->stamp, &finfo)) {
        return 0;
    }
    file.path = entry->path;
    file.language = entry->language;
    file.finfo = &finfo;
    code = bench_code_get(interp, &file, BENCH_CACHE_STAT, &stamp, &fault);
    same = bench_code_is_same(code, entry->code);
    if (same) {
        entry->stamp = stamp;
    }
    bench_code_release(code);
    return !same;
}

const char *bench_script_outdated(bench_interp_t *interp, apr_pool_t *pool)
{
    entry_t *entry;

    for (entry = interp->scripts->required; entry; entry = entry->next_required) {
        if (is_outdated(interp, entry, pool)) {
            return entry->path;
        }
    }
    return NULL;
}

bench_language_e bench_script_language(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && strcmp(dot, ".erb") == 0 ? BENCH_ERB : BENCH_RUBY;
}

const char *bench_script_check(const char *path, apr_pool_t *pool)
{
    bench_file_t file = {path, bench_script_language(path), NULL};
    bench_interp_t *interp;
    bench_fault_t fault;
    bench_stamp_t stamp;
    const char *message = NULL;
    apr_status_t rv = bench_interp_open(&interp);

    if (rv != APR_SUCCESS) {
        return apr_psprintf(pool, "no interpreter can be opened to check %s: %pm", path, &rv);
    }
    if (!bench_code_compile_file(interp, &file, &stamp, &fault)) {
        message = fault.status == APR_EGENERAL
                      ? apr_psprintf(pool, "%s:%s", path, fault.message)
                      : apr_psprintf(pool, "cannot open %s: %pm", path, &fault.status);
    }
    bench_interp_close(interp);
    return message;
}
