/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions in words: every message, however odd, comes out as text. */
#include "unit.h"

#include "rberr.h"

static apr_pool_t *pool;

static void describe(bench_interp_t *interp, const char *text, bench_rberr_t *error)
{
    mrb_value exception;

    assert_int_equal(unit_eval(interp, text, &exception), APR_EGENERAL);
    bench_rberr_describe(interp, exception, pool, error);
}

static void every_message_comes_out(void **state)
{
    static const struct {
        const char *text, *class_name, *message;
    } cases[] = {
        {"raise 'boom'", "RuntimeError", "boom"},
        {"raise 'x'", "RuntimeError", "x"}, /* short enough to stand inside of the object */
        {"raise ''", "RuntimeError", ""},
        {"raise ArgumentError", "ArgumentError", "ArgumentError"},
        {"raise \"a\\0b\"", "RuntimeError", "a\\0b"},
        {"raise \"\\xff\\xfe\"", "RuntimeError", "\xff\xfe"},
        {"raise 'y' * 5000", "RuntimeError", NULL},
        {"class Own < Exception; end; raise Own, 'mine'", "Own", "mine"},
        {"class Odd < StandardError; def message; raise 'again'; end; end; raise Odd", "Odd",
         "(its message cannot be had)"},
        {"class Num < StandardError; def message; 7; end; end; raise Num", "Num",
         "(its message cannot be had)"},
        {"nil.none", "NoMethodError", "undefined method 'none'"},
    };
    bench_interp_t *interp = unit_open();
    unsigned i;

    (void)state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bench_rberr_t error;

        describe(interp, cases[i].text, &error);
        assert_string_equal(error.class_name, cases[i].class_name);
        if (cases[i].message) {
            assert_string_equal(error.message, cases[i].message);
        } else {
            assert_int_equal(strlen(error.message), BENCH_RBERR_MESSAGE);
        }
    }
    unit_close(interp);
}

static mrb_value raise_in_file(mrb_state *mrb, void *text)
{
    mrb_ccontext *context = mrb_ccontext_new(mrb);

    mrb_ccontext_filename(mrb, context, "file.mrb");
    mrb_load_string_cxt(mrb, text, context);
    mrb_ccontext_free(mrb, context);
    if (mrb->exc) {
        mrb_value raised = mrb_obj_value(mrb->exc);

        mrb->exc = NULL;
        mrb_exc_raise(mrb, raised);
    }
    return mrb_nil_value();
}

static void it_says_where(void **state)
{
    bench_interp_t *interp = unit_open();
    bench_rberr_t error;
    mrb_value exception;

    (void)state;
    assert_int_equal(bench_interp_protect(interp, raise_in_file,
                                          (void *)"def f\n  raise 'x'\nend\n\nf\n", &exception),
                     APR_EGENERAL);
    bench_rberr_describe(interp, exception, pool, &error);
    assert_string_equal(error.where, "file.mrb:2");
    assert_string_equal(error.backtrace, "file.mrb:2:in f <- file.mrb:5");
    unit_close(interp);
}

static void a_long_way_down_is_cut(void **state)
{
    bench_interp_t *interp = unit_open();
    bench_rberr_t error;
    mrb_value exception;

    (void)state;
    assert_int_equal(bench_interp_protect(interp, raise_in_file,
                                          (void *)"def f(n)\n n == 0 ? raise('x') : f(n - 1)\nend\n"
                                                  "f(99)\n",
                                          &exception),
                     APR_EGENERAL);
    bench_rberr_describe(interp, exception, pool, &error);
    assert_non_null(strstr(error.backtrace, " <- 71 more"));
    unit_close(interp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_comes_out),
        cmocka_unit_test(it_says_where),
        cmocka_unit_test(a_long_way_down_is_cut),
    };
    int failed;

    apr_initialize();
    apr_pool_create(&pool, NULL);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    apr_pool_destroy(pool);
    return failed;
}
