/* SPDX-License-Identifier: Apache-2.0 */
#include "rx.h"

#include <string.h>
#include <time.h>

#include <mruby/error.h>
#include <mruby/string.h>
#include <mruby/variable.h>

/* A pattern is worth the JIT, which takes 20 to 60 microseconds, after that much work without. */
#define WORTH_JIT 20000

/* How many steps may be taken from one place on.  In the JIT, 5 million take some 10 milliseconds;
 * for PCRE2's interpreter, it is 10 times that. */
#define STEPS_COLD 100000
#define STEPS_JIT 5000000
#define STEPS_PATIENT 20000000

/* KiB that PCRE2's interpreter may take to remember what else it could try. */
#define HEAP_COLD 64
#define HEAP_PATIENT (64 * 1024)

#define JIT_STACK_MOST (512 * 1024)

/* PCRE2 counts steps anew for each place at which a match could begin.  So those are tried in
 * portions, with a look at the clock between them; in small ones when it takes long. */
#define PORTION 1024
#define PORTION_SMALL 16
#define LONG 0.01

size_t rx_code_hash(const char *source, size_t length, unsigned options)
{
    uint64_t hash = length * UINT64_C(0x9e3779b97f4a7c15) + options;
    uint64_t word;
    size_t i;

    for (i = 0; i + 8 <= length; i += 8) {
        memcpy(&word, source + i, 8);
        hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    for (; i < length; i++) {
        hash = (hash ^ (unsigned char)source[i]) * UINT64_C(0xff51afd7ed558ccd);
    }
    return (size_t)(hash ^ hash >> 29);
}

/* ---- errors ---- */

static mrb_noreturn void raise_no_memory(mrb_state *mrb)
{
    mrb_exc_raise(mrb, mrb_obj_value(mrb->nomem_err));
}

static mrb_noreturn void raise_pattern(mrb_state *mrb, const char *source, size_t length,
                                       const char *reason, size_t at)
{
    rx_text_t text = {source, length, RX_BYTES};

    mrb_raisef(mrb, E_REGEXP_ERROR, "%s: /%l/ (at character %i)", reason, source, length,
               (mrb_int)rx_text_chars(&text, at < length ? at : length));
}

static mrb_noreturn void raise_limit(mrb_state *mrb, rx_code_t *code, const char *what)
{
    struct RClass *regexp = rx_class(code->state, RX_ROOT_REGEXP);

    mrb_raisef(mrb, mrb_class_get_under(mrb, regexp, "TimeoutError"), "%s: /%l/", what,
               code->source, code->length);
}

static mrb_noreturn void raise_match(mrb_state *mrb, rx_code_t *code, int error)
{
    PCRE2_UCHAR reason[128];

    switch (error) {
    case PCRE2_ERROR_MATCHLIMIT:
    case PCRE2_ERROR_DEPTHLIMIT:
        raise_limit(mrb, code, "regexp match takes too many steps");
    case PCRE2_ERROR_HEAPLIMIT:
    case PCRE2_ERROR_JIT_STACKLIMIT:
        raise_limit(mrb, code, "regexp match takes too much memory");
    case PCRE2_ERROR_NOMEMORY:
        raise_no_memory(mrb);
    default:
        pcre2_get_error_message(error, reason, sizeof(reason));
        mrb_raisef(mrb, E_REGEXP_ERROR, "regexp match failed, %s: /%l/", (char *)reason,
                   code->source, code->length);
    }
}

/* ---- compiling ---- */

static bool property_known(void *data, const char *property)
{
    rx_state_t *state = data;
    pcre2_code *code;
    size_t at;
    int error;

    code = pcre2_compile((PCRE2_SPTR)property, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &error, &at,
                         state->compiling);
    pcre2_code_free(code);
    return code != NULL;
}

static void begin_syntax(mrb_state *mrb, rx_code_t *code, rx_syntax_t *syntax)
{
    rx_syntax_init(syntax, mrb, code->source, code->length, code->options);
    syntax->known = property_known;
    syntax->data = code->state;
    syntax->groups = code->groups;
    syntax->named = code->names_length > 0;
    syntax->names = mrb_str_new(mrb, rx_code_names(code), (mrb_int)code->names_length);
}

static void compile_variant(mrb_state *mrb, rx_code_t *code, unsigned which)
{
    bool bytes = !(which & RX_VARIANT_UTF);
    uint32_t options = PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;
    int arena = mrb_gc_arena_save(mrb);
    rx_syntax_t syntax;
    size_t at = 0;
    int error = 0;

    options |= bytes ? 0 : PCRE2_UTF | PCRE2_NO_UTF_CHECK;
    options |= which & RX_VARIANT_ANCHORED ? PCRE2_ANCHORED : 0;
    options |= code->options & RX_IGNORECASE ? PCRE2_CASELESS : 0;
    options |= code->options & RX_MULTILINE ? PCRE2_DOTALL : 0;
    begin_syntax(mrb, code, &syntax);
    if (!rx_syntax_translate(&syntax, bytes)) {
        raise_pattern(mrb, code->source, code->length, syntax.error, syntax.error_at);
    }
    options |= syntax.ahead && code->state->wary_of_ahead ? PCRE2_NO_START_OPTIMIZE : 0;
    code->variants[which].code =
        pcre2_compile((PCRE2_SPTR)RSTRING_PTR(syntax.out), (size_t)RSTRING_LEN(syntax.out), options,
                      &error, &at, code->state->compiling);
    if (!code->variants[which].code) {
        PCRE2_UCHAR reason[160];

        if (error == 121) {
            raise_no_memory(mrb);
        }
        pcre2_get_error_message(error, reason, sizeof(reason));
        raise_pattern(mrb, code->source, code->length, (const char *)reason,
                      rx_syntax_source_of(&syntax, bytes, at));
    }
    mrb_gc_arena_restore(mrb, arena);
}

void rx_code_new(mrb_state *mrb, rx_state_t *state, mrb_value source, unsigned options,
                 mrb_value regexp)
{
    size_t length = (size_t)RSTRING_LEN(source);
    int arena = mrb_gc_arena_save(mrb);
    rx_syntax_t syntax;
    rx_code_t *code;
    size_t names;

    rx_syntax_init(&syntax, mrb, RSTRING_PTR(source), length, options);
    syntax.known = property_known;
    syntax.data = state;
    if (!rx_syntax_scan(&syntax)) {
        raise_pattern(mrb, RSTRING_PTR(source), length, syntax.error, syntax.error_at);
    }
    names = (size_t)RSTRING_LEN(syntax.names);
    code = mrb_malloc(mrb, sizeof(*code) + length + names);
    memset(code, 0, sizeof(*code));
    code->refs = 1;
    code->state = state;
    code->options = options;
    code->groups = syntax.groups;
    code->wide = syntax.wide;
    code->bytes_only = syntax.bytes_only;
    code->from_here = syntax.from_here;
    code->hash = rx_code_hash(RSTRING_PTR(source), length, options);
    code->length = length;
    code->names_length = names;
    memcpy(code->source, RSTRING_PTR(source), length);
    memcpy(code->source + length, RSTRING_PTR(syntax.names), names);
    mrb_data_init(regexp, code, &rx_regexp_type);
    /* A pattern that does not compile is found out now.  The other variants may never be needed. */
    compile_variant(mrb, code, code->wide && !code->bytes_only ? RX_VARIANT_UTF : 0);
    mrb_gc_arena_restore(mrb, arena);
}

void rx_code_release(mrb_state *mrb, rx_code_t *code)
{
    unsigned i;

    if (code && --code->refs == 0) {
        for (i = 0; i < 4; i++) {
            pcre2_code_free(code->variants[i].code);
        }
        mrb_free(mrb, code);
    }
}

/* ---- matching ---- */

typedef struct {
    mrb_state *mrb;
    rx_state_t *state;
    rx_variant_t *variant;
    const rx_text_t *text;
} rx_attempt_t;

static int run(const rx_attempt_t *a, size_t start, uint32_t options, pcre2_match_data *data)
{
    return pcre2_match(a->variant->code, (PCRE2_SPTR)a->text->ptr, a->text->len, start,
                       options | PCRE2_NO_UTF_CHECK, data, a->state->matching);
}

static bool make_jit(rx_variant_t *variant)
{
    if (variant->jit == RX_JIT_NOT_YET) {
        variant->jit = pcre2_jit_compile(variant->code, PCRE2_JIT_COMPLETE) == 0 ? RX_JIT_READY
                                                                                 : RX_JIT_REFUSED;
    }
    return variant->jit == RX_JIT_READY;
}

static int run_jit(const rx_attempt_t *a, size_t start)
{
    rx_state_t *state = a->state;
    int rc;

    pcre2_set_match_limit(state->matching, STEPS_JIT);
    rc = run(a, start, 0, state->data);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT && !state->stack) {
        /* Up to here, 32 KiB of the thread's own stack were enough. */
        state->stack = pcre2_jit_stack_create(32 * 1024, JIT_STACK_MOST, state->general);
        if (state->stack) {
            pcre2_jit_stack_assign(state->matching, NULL, state->stack);
            rc = run(a, start, 0, state->data);
        }
    }
    return rc;
}

/* PCRE2's interpreter takes longer, but what it needs to remember is on the heap.  It leaves that
 * with the match data, which therefore is one of its own. */
static int run_patient(const rx_attempt_t *a, size_t start)
{
    rx_state_t *state = a->state;
    pcre2_match_data *data = pcre2_match_data_create(state->pairs, state->general);
    int rc;

    if (!data) {
        return PCRE2_ERROR_NOMEMORY;
    }
    pcre2_set_match_limit(state->matching, STEPS_PATIENT);
    pcre2_set_heap_limit(state->matching, HEAP_PATIENT);
    rc = run(a, start, PCRE2_NO_JIT, data);
    if (rc > 0) {
        memcpy(pcre2_get_ovector_pointer(state->data), pcre2_get_ovector_pointer(data),
               2 * state->pairs * sizeof(size_t));
    }
    pcre2_match_data_free(data);
    return rc;
}

static bool too_much(int rc)
{
    return rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_HEAPLIMIT ||
           rc == PCRE2_ERROR_DEPTHLIMIT || rc == PCRE2_ERROR_JIT_STACKLIMIT;
}

/* What is quick is tried first.  The outcome does not depend on how often a pattern has been used.
 */
static int attempt(const rx_attempt_t *a, size_t start)
{
    rx_variant_t *variant = a->variant;
    int rc;

    if (variant->jit == RX_JIT_NOT_YET) {
        variant->work += 100 + (a->text->len - start);
        if (variant->work < WORTH_JIT) {
            pcre2_set_match_limit(a->state->matching, STEPS_COLD);
            pcre2_set_heap_limit(a->state->matching, HEAP_COLD);
            rc = run(a, start, 0, a->state->data);
            if (!too_much(rc)) {
                return rc;
            }
        }
    }
    if (make_jit(variant)) {
        rc = run_jit(a, start);
        if (rc != PCRE2_ERROR_JIT_STACKLIMIT) {
            return rc;
        }
    }
    return run_patient(a, start);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int search_in_portions(const rx_attempt_t *a, rx_code_t *code, size_t start)
{
    const rx_text_t *text = a->text;
    pcre2_match_context *matching = a->state->matching;
    double begin = now(), before = begin, after;
    size_t portion = PORTION;
    int rc = PCRE2_ERROR_NOMATCH;

    while (rc == PCRE2_ERROR_NOMATCH && text->len - start > portion) {
        pcre2_set_offset_limit(matching, start + portion - 1);
        rc = attempt(a, start);
        start += portion;
        while (text->kind == RX_UTF8 && ((unsigned char)text->ptr[start] & 0xc0) == 0x80) {
            start--;
        }
        after = now();
        portion = after - before > LONG ? PORTION_SMALL : PORTION;
        before = after;
        if (rc == PCRE2_ERROR_NOMATCH && a->state->timeout > 0 &&
            after - begin > a->state->timeout) {
            pcre2_set_offset_limit(matching, PCRE2_UNSET);
            raise_limit(a->mrb, code, "regexp match timeout");
        }
    }
    pcre2_set_offset_limit(matching, PCRE2_UNSET);
    return rc == PCRE2_ERROR_NOMATCH ? attempt(a, start) : rc;
}

static void make_room(mrb_state *mrb, rx_state_t *state, unsigned pairs)
{
    pcre2_match_data *data;

    if (state->pairs >= pairs) {
        return;
    }
    pairs = pairs < 8 ? 8 : pairs;
    data = pcre2_match_data_create(pairs, state->general);
    if (!data) {
        raise_no_memory(mrb);
    }
    pcre2_match_data_free(state->data);
    state->data = data;
    state->pairs = pairs;
}

bool rx_search(mrb_state *mrb, rx_code_t *code, const rx_text_t *text, size_t start, bool anchored)
{
    rx_attempt_t a = {mrb, code->state, NULL, text};
    unsigned which = anchored ? RX_VARIANT_ANCHORED : 0;
    int rc;

    if (!code->bytes_only && (text->kind == RX_UTF8 || (text->kind == RX_ASCII && code->wide))) {
        which |= RX_VARIANT_UTF;
    }
    if (!code->variants[which].code) {
        compile_variant(mrb, code, which);
    }
    a.variant = &code->variants[which];
    make_room(mrb, code->state, code->groups + 1);
    if (anchored || code->from_here || text->len - start <= PORTION) {
        rc = attempt(&a, start);
    } else {
        rc = search_in_portions(&a, code, start);
    }
    if (rc > 0) {
        return true;
    }
    if (rc != PCRE2_ERROR_NOMATCH) {
        raise_match(mrb, code, rc);
    }
    return false;
}
