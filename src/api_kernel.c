/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output and the end of a script: print puts p putc, $stdout, warn and $stderr, exit, sleep.
 *
 * Floor 2.
 */
#include "api.h"

#include <string.h>

#include <apr_time.h>
#include <http_log.h>
#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/string.h>
#include <mruby/variable.h>

APLOG_USE_MODULE(bench);

/* Where a method of $stdout or Kernel writes to. */
typedef void write_t(mrb_state *mrb, const char *data, mrb_int size);

static void write_output(mrb_state *mrb, const char *data, mrb_int size)
{
    bench_call_t *call = bench_api_call(mrb);

    bench_api_check_output(mrb, bench_output_write(&call->out, data, (apr_size_t)size));
}

/* A line for each line: httpd would write a line feed as "\n" into one. */
static void write_error(mrb_state *mrb, const char *data, mrb_int size)
{
    const bench_call_t *call = bench_interp_of(mrb)->call;
    const char *end = data + size;

    while (data < end) {
        const char *feed = memchr(data, '\n', (size_t)(end - data));
        int length = (int)((feed ? feed : end) - data);

        if (call && call->r) {
            ap_log_rerror(APLOG_MARK, APLOG_WARNING, 0, call->r, "%s: %.*s", call->script, length,
                          data);
        } else {
            ap_log_error(APLOG_MARK, APLOG_WARNING, 0, call ? call->server : NULL, "%s: %.*s",
                         call ? call->script : "mod_bench", length, data);
        }
        data = feed ? feed + 1 : end;
    }
}

/* ---- print, puts, p: the same for each place to write to -------------------------------- */

static mrb_int write_value(mrb_state *mrb, write_t *write, mrb_value value)
{
    if (!mrb_string_p(value)) {
        value = mrb_obj_as_string(mrb, value);
    }
    write(mrb, RSTRING_PTR(value), RSTRING_LEN(value));
    return RSTRING_LEN(value);
}

static void put_line(mrb_state *mrb, write_t *write, mrb_value value)
{
    if (!mrb_string_p(value)) {
        value = mrb_obj_as_string(mrb, value);
    }
    write(mrb, RSTRING_PTR(value), RSTRING_LEN(value));
    if (write != write_error && /* there, each write is a line */
        (RSTRING_LEN(value) == 0 || RSTRING_PTR(value)[RSTRING_LEN(value) - 1] != '\n')) {
        write(mrb, "\n", 1);
    }
}

/* The arrays that are being written, from the inside out. */
typedef struct outer_t {
    const struct outer_t *next;
    const void *array;
    int depth;
} outer_t;

/* C calls itself for each level, so there has to be an end. */
#define DEEPEST_ARRAY 1000

static int is_inside(const outer_t *outer, mrb_value array)
{
    if (outer && outer->depth == DEEPEST_ARRAY) {
        return 1;
    }
    for (; outer; outer = outer->next) {
        if (outer->array == mrb_ptr(array)) {
            return 1;
        }
    }
    return 0;
}

static void put(mrb_state *mrb, write_t *write, mrb_value value, const outer_t *outer)
{
    int arena = mrb_gc_arena_save(mrb);

    if (!mrb_array_p(value)) {
        put_line(mrb, write, value);
    } else if (is_inside(outer, value)) {
        put_line(mrb, write, mrb_str_new_lit(mrb, "[...]"));
    } else {
        outer_t inner = {outer, mrb_ptr(value), outer ? outer->depth + 1 : 1};
        mrb_int i;

        for (i = 0; i < RARRAY_LEN(value); i++) {
            put(mrb, write, RARRAY_PTR(value)[i], &inner);
        }
    }
    mrb_gc_arena_restore(mrb, arena);
}

static mrb_value print_to(mrb_state *mrb, write_t *write)
{
    const mrb_value *values;
    mrb_int n, i;

    mrb_get_args(mrb, "*", &values, &n);
    for (i = 0; i < n; i++) {
        write_value(mrb, write, values[i]);
    }
    return mrb_nil_value();
}

static mrb_value puts_to(mrb_state *mrb, write_t *write)
{
    const mrb_value *values;
    mrb_int n, i;

    mrb_get_args(mrb, "*", &values, &n);
    if (n == 0) {
        put_line(mrb, write, mrb_str_new_lit(mrb, ""));
    }
    for (i = 0; i < n; i++) {
        put(mrb, write, values[i], NULL);
    }
    return mrb_nil_value();
}

static mrb_value write_to(mrb_state *mrb, write_t *write)
{
    const mrb_value *values;
    mrb_int n, i;
    mrb_int written = 0;

    mrb_get_args(mrb, "*", &values, &n);
    for (i = 0; i < n; i++) {
        written += write_value(mrb, write, values[i]);
    }
    return mrb_int_value(mrb, written);
}

/* ---- $stdout ---------------------------------------------------------------------------- */

static mrb_value output_print(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return print_to(mrb, write_output);
}

static mrb_value output_puts(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return puts_to(mrb, write_output);
}

static mrb_value output_write(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return write_to(mrb, write_output);
}

static mrb_value output_flush(mrb_state *mrb, mrb_value self)
{
    bench_call_t *call = bench_api_call(mrb);

    bench_api_check_output(mrb, bench_output_flush(&call->out));
    return self;
}

/* ---- $stderr ---------------------------------------------------------------------------- */

static mrb_value errors_print(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return print_to(mrb, write_error);
}

static mrb_value errors_puts(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return puts_to(mrb, write_error);
}

static mrb_value errors_write(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return write_to(mrb, write_error);
}

/* ---- Kernel ----------------------------------------------------------------------------- */

/* Whether a script has put an object of its own into $stdout; *own gets it. */
static int is_redirected(mrb_state *mrb, mrb_value *own)
{
    const bench_api_t *api = bench_api_of(mrb);

    *own = mrb_gv_get(mrb, api->stdout_name);
    return mrb_immediate_p(*own) || mrb_obj_ptr(*own) != api->output;
}

static mrb_value delegate(mrb_state *mrb, mrb_value to, const char *method)
{
    const mrb_value *values;
    mrb_int n;

    mrb_get_args(mrb, "*", &values, &n);
    return mrb_funcall_argv(mrb, to, mrb_intern_cstr(mrb, method), n, values);
}

static mrb_value kernel_print(mrb_state *mrb, mrb_value self)
{
    mrb_value own;

    (void)self;
    if (mrb_get_argc(mrb) == 1 && mrb_string_p(mrb_get_argv(mrb)[0]) && !is_redirected(mrb, &own)) {
        /* What nearly every call is: needs no array of its arguments. */
        mrb_value text = mrb_get_argv(mrb)[0];

        write_output(mrb, RSTRING_PTR(text), RSTRING_LEN(text));
        return mrb_nil_value();
    }
    return is_redirected(mrb, &own) ? delegate(mrb, own, "print") : print_to(mrb, write_output);
}

static mrb_value kernel_puts(mrb_state *mrb, mrb_value self)
{
    mrb_value own;

    (void)self;
    return is_redirected(mrb, &own) ? delegate(mrb, own, "puts") : puts_to(mrb, write_output);
}

static mrb_value kernel_p(mrb_state *mrb, mrb_value self)
{
    const mrb_value *values;
    mrb_value own;
    mrb_int n, i;

    (void)self;
    mrb_get_args(mrb, "*", &values, &n);
    for (i = 0; i < n; i++) {
        mrb_value text = mrb_inspect(mrb, values[i]);

        if (is_redirected(mrb, &own)) {
            mrb_funcall(mrb, own, "puts", 1, text);
        } else {
            put_line(mrb, write_output, text);
        }
    }
    if (n == 0) {
        return mrb_nil_value();
    }
    return n == 1 ? values[0] : mrb_ary_new_from_values(mrb, n, values);
}

static mrb_value kernel_warn(mrb_state *mrb, mrb_value self)
{
    const mrb_value *values;
    mrb_int n;

    (void)self;
    mrb_get_args(mrb, "*", &values, &n);
    if (n > 0) {
        mrb_funcall_argv(mrb, mrb_gv_get(mrb, bench_api_of(mrb)->stderr_name),
                         mrb_intern_lit(mrb, "puts"), n, values);
    }
    return mrb_nil_value();
}

static mrb_value kernel_exit(mrb_state *mrb, mrb_value self)
{
    mrb_value status;
    mrb_value exception;
    struct RClass *klass = bench_api_of(mrb)->system_exit;

    (void)self;
    if (mrb_get_args(mrb, "|o", &status) == 0 || mrb_true_p(status)) {
        status = mrb_fixnum_value(0);
    } else if (mrb_false_p(status)) {
        status = mrb_fixnum_value(1);
    } else if (!mrb_integer_p(status)) {
        mrb_raisef(mrb, E_TYPE_ERROR, "exit takes true, false or a number, not %T", status);
    }
    exception = mrb_exc_new_lit(mrb, klass, "exit");
    mrb_iv_set(mrb, exception, mrb_intern_lit(mrb, "@status"), status);
    mrb_exc_raise(mrb, exception);
    return mrb_nil_value();
}

static mrb_value kernel_sleep(mrb_state *mrb, mrb_value self)
{
    apr_time_t begin = apr_time_now();
    mrb_float seconds;

    (void)self;
    mrb_get_args(mrb, "f", &seconds);
    if (!(seconds >= 0 && seconds < 1e9)) {
        mrb_raise(mrb, E_ARGUMENT_ERROR, "sleep takes a number of seconds, 0 or more");
    }
    apr_sleep((apr_interval_time_t)(seconds * APR_USEC_PER_SEC));
    return mrb_int_value(
        mrb, (mrb_int)((apr_time_now() - begin + APR_USEC_PER_SEC / 2) / APR_USEC_PER_SEC));
}

/* Bench.__stdout and __stderr: what the global variables hold.  mrblib is constant data, and cannot
 * name these itself. */
static mrb_value bench_stdout(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_gv_get(mrb, bench_api_of(mrb)->stdout_name);
}

static mrb_value bench_stderr(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_gv_get(mrb, bench_api_of(mrb)->stderr_name);
}

static struct RObject *define_stream(mrb_state *mrb, struct RClass *klass, mrb_sym global,
                                     const char *constant)
{
    mrb_value object = mrb_obj_new(mrb, klass, 0, NULL);

    mrb_gv_set(mrb, global, object);
    mrb_gc_register(mrb, object);
    mrb_const_set(mrb, mrb_obj_value(mrb->object_class), mrb_intern_cstr(mrb, constant), object);
    return mrb_obj_ptr(object);
}

void bench_api_kernel_define(mrb_state *mrb, bench_api_t *api)
{
    struct RClass *kernel = mrb->kernel_module;
    struct RClass *output = mrb_define_class_under(mrb, api->bench, "Output", mrb->object_class);
    struct RClass *errors = mrb_define_class_under(mrb, api->bench, "Errors", mrb->object_class);

    api->system_exit = mrb_define_class(mrb, "SystemExit", mrb->eException_class);
    api->stdout_name = mrb_intern_lit(mrb, "$stdout");
    api->call_name = mrb_intern_lit(mrb, "call");
    api->stderr_name = mrb_intern_lit(mrb, "$stderr");

    mrb_define_method(mrb, output, "print", output_print, MRB_ARGS_ANY());
    mrb_define_method(mrb, output, "puts", output_puts, MRB_ARGS_ANY());
    mrb_define_method(mrb, output, "write", output_write, MRB_ARGS_ANY());
    mrb_define_method(mrb, output, "flush", output_flush, MRB_ARGS_NONE());
    api->output = define_stream(mrb, output, api->stdout_name, "STDOUT");

    mrb_define_method(mrb, errors, "print", errors_print, MRB_ARGS_ANY());
    mrb_define_method(mrb, errors, "puts", errors_puts, MRB_ARGS_ANY());
    mrb_define_method(mrb, errors, "write", errors_write, MRB_ARGS_ANY());
    api->errors = define_stream(mrb, errors, api->stderr_name, "STDERR");

    mrb_define_module_function(mrb, api->bench, "__stdout", bench_stdout, MRB_ARGS_NONE());
    mrb_define_module_function(mrb, api->bench, "__stderr", bench_stderr, MRB_ARGS_NONE());
    mrb_gv_set(mrb, mrb_intern_lit(mrb, "$stdin"),
               mrb_const_get(mrb, mrb_obj_value(mrb->object_class), mrb_intern_lit(mrb, "STDIN")));

    mrb_define_method(mrb, kernel, "print", kernel_print, MRB_ARGS_ANY());
    mrb_define_method(mrb, kernel, "puts", kernel_puts, MRB_ARGS_ANY());
    mrb_define_method(mrb, kernel, "p", kernel_p, MRB_ARGS_ANY());
    mrb_define_method(mrb, kernel, "warn", kernel_warn, MRB_ARGS_ANY());
    mrb_define_method(mrb, kernel, "exit", kernel_exit, MRB_ARGS_OPT(1));
    mrb_define_method(mrb, kernel, "sleep", kernel_sleep, MRB_ARGS_REQ(1));
}
