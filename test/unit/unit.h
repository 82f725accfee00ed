/* SPDX-License-Identifier: Apache-2.0 */
/* What every unit test needs: cmocka, APR started, an interpreter that runs a line of Ruby. */
#ifndef BENCH_TEST_UNIT_H
#define BENCH_TEST_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <apr_general.h>
#include <apr_pools.h>
#include <mruby.h>
#include <mruby/array.h>
#include <mruby/compile.h>
#include <mruby/string.h>

#include "interp.h"

/* Evaluates the text of a body for bench_interp_protect(). */
static inline mrb_value unit_eval_body(mrb_state *mrb, void *text)
{
    mrb_value value = mrb_load_string(mrb, text);

    if (mrb->exc) {
        mrb_value raised = mrb_obj_value(mrb->exc);

        mrb->exc = NULL;
        mrb_exc_raise(mrb, raised);
    }
    return value;
}

static inline apr_status_t unit_eval(bench_interp_t *interp, const char *text, mrb_value *value)
{
    return bench_interp_protect(interp, unit_eval_body, (void *)text, value);
}

static inline bench_interp_t *unit_open(void)
{
    bench_interp_t *interp;

    assert_int_equal(bench_interp_open(&interp), APR_SUCCESS);
    return interp;
}

/* Every test ends like this: an interpreter that is closed holds nothing any more. */
static inline void unit_close(bench_interp_t *interp)
{
    assert_int_equal(bench_interp_close(interp), 0);
}

#endif
