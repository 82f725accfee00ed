/* SPDX-License-Identifier: Apache-2.0 */
#include "rberr.h"

#include <string.h>

#include <apr_strings.h>
#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/error.h>
#include <mruby/string.h>

typedef struct {
    mrb_value exception;
    apr_pool_t *pool;
    bench_rberr_t *described;
} description_t;

/* A C string of the bytes: NUL becomes the two characters that Ruby writes for it. */
static const char *printable(apr_pool_t *pool, const char *bytes, apr_size_t size)
{
    apr_size_t room = size > BENCH_RBERR_MESSAGE ? BENCH_RBERR_MESSAGE : size;
    char *text = apr_palloc(pool, 2 * room + 1);
    char *out = text;
    apr_size_t i;

    for (i = 0; i < room; i++) {
        if (bytes[i]) {
            *out++ = bytes[i];
        } else {
            *out++ = '\\';
            *out++ = '0';
        }
    }
    *out = '\0';
    return text;
}

static mrb_value describe_message(mrb_state *mrb, void *data)
{
    description_t *d = data;
    mrb_value message = mrb_funcall(mrb, d->exception, "message", 0);

    if (mrb_string_p(message)) {
        d->described->message =
            printable(d->pool, RSTRING_PTR(message), (apr_size_t)RSTRING_LEN(message));
    }
    return mrb_nil_value();
}

static mrb_value describe_class(mrb_state *mrb, void *data)
{
    description_t *d = data;

    d->described->class_name = apr_pstrdup(d->pool, mrb_obj_classname(mrb, d->exception));
    return mrb_nil_value();
}

static mrb_value describe_backtrace(mrb_state *mrb, void *data)
{
    description_t *d = data;
    mrb_value trace = mrb_exc_backtrace(mrb, d->exception);
    const char *text = "";
    mrb_int i;

    if (!mrb_array_p(trace)) {
        return mrb_nil_value();
    }
    for (i = 0; i < RARRAY_LEN(trace) && i < BENCH_RBERR_FRAMES; i++) {
        mrb_value frame = mrb_ary_entry(trace, i);
        const char *line;

        if (!mrb_string_p(frame)) {
            continue;
        }
        line = printable(d->pool, RSTRING_PTR(frame), (apr_size_t)RSTRING_LEN(frame));
        if (strncmp(line, "(unknown)", 9) == 0) {
            continue; /* code that has no lines: mrblib's */
        }
        if (!*d->described->where) {
            const char *method = strstr(line, ":in ");

            d->described->where =
                method ? apr_pstrmemdup(d->pool, line, (apr_size_t)(method - line)) : line;
        }
        text = apr_pstrcat(d->pool, text, *text ? " <- " : "", line, NULL);
    }
    if (i < RARRAY_LEN(trace)) {
        text = apr_psprintf(d->pool, "%s <- %" APR_INT64_T_FMT " more", text,
                            (apr_int64_t)(RARRAY_LEN(trace) - i));
    }
    d->described->backtrace = text;
    return mrb_nil_value();
}

void bench_rberr_describe(bench_interp_t *interp, mrb_value exception, apr_pool_t *pool,
                          bench_rberr_t *described)
{
    description_t d = {exception, pool, described};
    int arena = mrb_gc_arena_save(interp->mrb);
    mrb_value ignored;

    described->where = "";
    described->message = "(its message cannot be had)";
    described->class_name = "Exception";
    described->backtrace = "";
    mrb_gc_protect(interp->mrb, exception);
    bench_interp_protect(interp, describe_class, &d, &ignored);
    bench_interp_protect(interp, describe_backtrace, &d, &ignored);
    bench_interp_protect(interp, describe_message, &d, &ignored);
    mrb_gc_arena_restore(interp->mrb, arena);
}
