/* SPDX-License-Identifier: Apache-2.0 */
/* An interpreter: opens, accounts for its memory, keeps what it is told to, closes. */
#include "unit.h"

static void closed_it_holds_nothing(void **state)
{
    bench_interp_t *interp = unit_open();
    mrb_value value;

    (void)state;
    assert_int_equal(
        unit_eval(interp, "$a = Array.new(1000) { |i| \"entry #{i}\" }; $a.size", &value),
        APR_SUCCESS);
    assert_int_equal(mrb_integer(value), 1000);
    unit_close(interp);
}

static void the_account_follows_what_is_held(void **state)
{
    bench_interp_t *interp = unit_open();
    apr_size_t before = interp->held;
    mrb_value value;

    (void)state;
    unit_eval(interp, "$big = 'x' * 1_000_000; nil", &value);
    assert_in_range(interp->held - before, 1000000, 1200000);
    unit_eval(interp, "$big = nil; GC.start", &value);
    assert_in_range(interp->held, 0, before + 100000);
    unit_close(interp);
}

static void an_idle_one_is_small(void **state)
{
    bench_interp_t *interp = unit_open();

    (void)state;
    assert_in_range(interp->held, 1, 250 * 1024);
    unit_close(interp);
}

static void what_is_raised_stays_inside(void **state)
{
    bench_interp_t *interp = unit_open();
    mrb_value value;

    (void)state;
    assert_int_equal(unit_eval(interp, "raise 'x'", &value), APR_EGENERAL);
    assert_string_equal(mrb_obj_classname(interp->mrb, value), "RuntimeError");
    assert_int_equal(unit_eval(interp, "raise Exception", &value), APR_EGENERAL);
    assert_int_equal(unit_eval(interp, "1 + 1", &value), APR_SUCCESS);
    assert_int_equal(mrb_integer(value), 2);
    unit_close(interp);
}

static void the_arena_does_not_grow(void **state)
{
    bench_interp_t *interp = unit_open();
    int arena = mrb_gc_arena_save(interp->mrb);
    mrb_value value;
    int i;

    (void)state;
    for (i = 0; i < 100; i++) {
        unit_eval(interp, i % 2 ? "'a' + 'b'" : "raise 'x'", &value);
    }
    assert_int_equal(mrb_gc_arena_save(interp->mrb), arena);
    unit_close(interp);
}

static void random_numbers_are_its_own(void **state)
{
    static const char *const draws[] = {"rand(2**30)", "[*1..50].shuffle.inspect.hash",
                                        "Random.bytes(4).unpack('N')[0]"};
    unsigned i;

    (void)state;
    for (i = 0; i < sizeof(draws) / sizeof(draws[0]); i++) {
        bench_interp_t *one = unit_open();
        bench_interp_t *other = unit_open();
        mrb_value a, b;

        unit_eval(one, draws[i], &a);
        unit_eval(other, draws[i], &b);
        assert_int_not_equal(mrb_integer(a), mrb_integer(b));
        unit_close(one);
        unit_close(other);
    }
}

static void what_is_kept_survives_a_collection(void **state)
{
    bench_interp_t *interp = unit_open();
    mrb_value value;
    mrb_int place;

    (void)state;
    unit_eval(interp, "'kept ' + 'text'", &value);
    place = bench_interp_keep(interp, value);
    mrb_full_gc(interp->mrb);
    unit_eval(interp, "Array.new(5000) { 'other' }; nil", &value);
    value = RARRAY_PTR(interp->roots)[place];
    assert_memory_equal(RSTRING_PTR(value), "kept text", 9);
    unit_close(interp);
}

static void calls_nest(void **state)
{
    bench_interp_t *interp = unit_open();

    (void)state;
    bench_interp_enter(interp);
    bench_interp_enter(interp);
    bench_interp_leave(interp);
    assert_int_equal(interp->depth, 1);
    bench_interp_leave(interp);
    assert_int_equal(interp->depth, 0);
    assert_int_equal(interp->runs, 1);
    unit_close(interp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_it_holds_nothing),
        cmocka_unit_test(the_account_follows_what_is_held),
        cmocka_unit_test(an_idle_one_is_small),
        cmocka_unit_test(what_is_raised_stays_inside),
        cmocka_unit_test(the_arena_does_not_grow),
        cmocka_unit_test(random_numbers_are_its_own),
        cmocka_unit_test(what_is_kept_survives_a_collection),
        cmocka_unit_test(calls_nest),
    };

    apr_initialize();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
