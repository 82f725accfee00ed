/* SPDX-License-Identifier: Apache-2.0 */
#include "interp.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/error.h>
#include <mruby/istruct.h>
#include <mruby/variable.h>

static atomic_uint last_id;

/* mruby's collector counts objects, and a String of a megabyte is one.  So that large ones do not
 * pile up as garbage, it is made to take a step when the account has grown by a quarter. */
#define LEAST_GROWTH 1048576

static void ask_collector(bench_interp_t *interp)
{
    apr_size_t growth = interp->collected / 4;

    if (interp->held - interp->collected > (growth > LEAST_GROWTH ? growth : LEAST_GROWTH) &&
        interp->mrb) {
        interp->collected = interp->held;
        interp->mrb->gc.threshold = 0; /* at the next object that is made */
    }
}

/* The account counts what the allocator really gave, not what was asked for: that is what the
 * process has to hold. */
static void *account(mrb_state *mrb, void *old, size_t size, void *data)
{
    bench_interp_t *interp = data;
    apr_size_t had = old ? malloc_usable_size(old) : 0;
    void *got;

    (void)mrb;
    if (size == 0) {
        free(old);
        interp->held -= had;
        if (interp->held < interp->collected) {
            interp->collected = interp->held;
        }
        return NULL;
    }
    got = realloc(old, size);
    if (got) {
        interp->held += malloc_usable_size(got) - had;
        ask_collector(interp);
    }
    return got;
}

/* The state of the generator behind rand(), or NULL: mruby 3.1 keeps it elsewhere. */
static void *generator_state(mrb_state *mrb)
{
    mrb_sym name = mrb_intern_lit(mrb, "mruby_Random");
    mrb_value generator;

    if (!mrb_const_defined(mrb, mrb_obj_value(mrb->object_class), name)) {
        return NULL;
    }
    generator = mrb_iv_get(mrb, mrb_obj_value(mrb_class_get_id(mrb, name)), name);
    return mrb_type(generator) == MRB_TT_ISTRUCT ? mrb_istruct_ptr(generator) : NULL;
}

/* mruby seeds its generator with the time and an address.  Both are the same in children that
 * were forked in the same second, so all of its state is replaced. */
static mrb_value seed_random(mrb_state *mrb, void *data)
{
    unsigned char bytes[ISTRUCT_DATA_SIZE];
    void *state = generator_state(mrb);

    *(apr_status_t *)data = apr_generate_random_bytes(bytes, sizeof(bytes));
    if (state) {
        memcpy(state, bytes, sizeof(bytes));
    } else {
        mrb_int seed;

        memcpy(&seed, bytes, sizeof(seed));
        mrb_funcall(mrb, mrb_nil_value(), "srand", 1, mrb_fixnum_value(seed & 0x7fffffff));
    }
    return mrb_nil_value();
}

static mrb_value create_roots(mrb_state *mrb, void *data)
{
    bench_interp_t *interp = data;

    interp->roots = mrb_ary_new(mrb);
    mrb_gc_register(mrb, interp->roots);
    return mrb_nil_value();
}

apr_status_t bench_interp_open(bench_interp_t **opened)
{
    bench_interp_t *interp = calloc(1, sizeof(*interp));
    apr_status_t rv = APR_SUCCESS;
    mrb_value value;

    *opened = NULL;
    if (!interp) {
        return APR_ENOMEM;
    }
    interp->mrb = mrb_open_allocf(account, interp);
    if (!interp->mrb) {
        free(interp);
        return APR_ENOMEM;
    }
    if (interp->mrb->eException_class != mrb_class_get(interp->mrb, "Exception")) {
        /* mrb_state is laid out by macros: this module was not built with those of the library. */
        abort();
    }
    interp->mrb->ud = interp;
    interp->id = atomic_fetch_add(&last_id, 1) + 1;
    if (bench_interp_protect(interp, create_roots, interp, &value) != APR_SUCCESS ||
        bench_interp_protect(interp, seed_random, &rv, &value) != APR_SUCCESS) {
        rv = APR_ENOMEM;
    }
    if (rv != APR_SUCCESS) {
        bench_interp_close(interp);
        return rv;
    }
    *opened = interp;
    return APR_SUCCESS;
}

apr_size_t bench_interp_close(bench_interp_t *interp)
{
    apr_size_t left;

    mrb_close(interp->mrb);
    left = interp->held;
    free(interp);
    return left;
}

apr_status_t bench_interp_protect(bench_interp_t *interp, mrb_protect_error_func *body, void *data,
                                  mrb_value *value)
{
    mrb_state *mrb = interp->mrb;
    int arena = mrb_gc_arena_save(mrb);
    mrb_bool raised;

    *value = mrb_protect_error(mrb, body, data, &raised);
    mrb_gc_arena_restore(mrb, arena);
    return raised ? APR_EGENERAL : APR_SUCCESS;
}

mrb_int bench_interp_keep(bench_interp_t *interp, mrb_value value)
{
    mrb_ary_push(interp->mrb, interp->roots, value);
    return RARRAY_LEN(interp->roots) - 1;
}
