/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs Ruby test files, each in an interpreter of its own without httpd.
 *
 *     rubytest FILE...
 *
 * A file says `test "what holds" do ... end` with `assert_equal expected, actual` and
 * `assert_raise Class do ... end` inside.  A file without a test is a failure.
 */
#include <stdio.h>
#include <stdlib.h>

#include <apr_general.h>
#include <mruby.h>
#include <mruby/array.h>
#include <mruby/compile.h>
#include <mruby/string.h>
#include <mruby/variable.h>

#include "rberr.h"
#include "script.h"

static const char prelude[] =
    "$passed = 0\n"
    "$failed = []\n"
    "def test(name)\n"
    "  yield\n"
    "  $passed += 1\n"
    "rescue Exception => e\n"
    "  $failed << \"#{name}: #{e.message} (#{e.class}) #{e.backtrace.first}\"\n"
    "end\n"
    "def assert_equal(expected, actual)\n"
    "  raise \"expected #{expected.inspect}, got #{actual.inspect}\" unless expected == actual\n"
    "end\n"
    "def assert_raise(klass)\n"
    "  yield\n"
    "rescue klass\n"
    "else\n"
    "  raise \"expected #{klass}, nothing was raised\"\n"
    "end\n";

typedef struct {
    bench_interp_t *interp;
    const char *path;
    bench_fault_t fault;
} run_t;

static mrb_value run_body(mrb_state *mrb, void *data)
{
    run_t *run = data;
    bench_file_t file = {run->path, BENCH_RUBY, NULL};
    struct RProc *proc;

    mrb_load_string(mrb, prelude);
    proc = bench_script_get(run->interp, &file, BENCH_CACHE_NEVER, &run->fault);
    if (!proc) {
        mrb_raisef(mrb, mrb_class_get(mrb, "SyntaxError"), "%s", run->fault.message);
    }
    return mrb_yield_with_class(mrb, mrb_obj_value(proc), 0, NULL, mrb_top_self(mrb),
                                mrb->object_class);
}

/* The number of tests that failed; counts those that passed. */
static int run_file(const char *path, apr_pool_t *pool, int *passed)
{
    run_t run = {NULL, path, {0, ""}};
    mrb_value value, names;
    bench_rberr_t error;
    int failed = 0;
    mrb_int i;

    if (bench_interp_open(&run.interp) != APR_SUCCESS ||
        bench_script_attach(run.interp) != APR_SUCCESS) {
        return 1;
    }
    if (bench_interp_protect(run.interp, run_body, &run, &value) != APR_SUCCESS) {
        bench_rberr_describe(run.interp, value, pool, &error);
        printf("%s: %s (%s) %s\n", path, error.message, error.class_name, error.backtrace);
        failed++;
    } else {
        mrb_state *mrb = run.interp->mrb;
        mrb_int n = mrb_integer(mrb_gv_get(mrb, mrb_intern_lit(mrb, "$passed")));

        names = mrb_gv_get(mrb, mrb_intern_lit(mrb, "$failed"));
        for (i = 0; i < RARRAY_LEN(names); i++, failed++) {
            printf("%s: %s\n", path, mrb_string_cstr(mrb, RARRAY_PTR(names)[i]));
        }
        if (n + failed == 0) {
            printf("%s: no test in it\n", path);
            failed++;
        }
        *passed += (int)n;
    }
    bench_script_detach(run.interp);
    if (bench_interp_close(run.interp) != 0) {
        printf("%s: the interpreter did not give all of its memory back\n", path);
        failed++;
    }
    return failed;
}

int main(int argc, char **argv)
{
    apr_pool_t *pool;
    int passed = 0;
    int failed = 0;
    int i;

    apr_initialize();
    apr_pool_create(&pool, NULL);
    bench_script_child_init(pool);
    for (i = 1; i < argc; i++) {
        failed += run_file(argv[i], pool, &passed);
    }
    printf("test-ruby: %d passed, %d failed\n", passed, failed);
    apr_pool_destroy(pool);
    return failed > 0 || passed == 0;
}
