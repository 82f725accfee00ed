/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One mruby interpreter and the account of what it holds.
 *
 * Floor 1.  Knows mruby and APR.  Must not know httpd, a request or a directive.
 *
 *     bench_interp_open()        on the thread that will use it
 *       bench_interp_enter()
 *         bench_interp_protect() ... any number of calls into Ruby ...
 *       bench_interp_leave()     same thread; nests: a script may cause another one to run
 *     bench_interp_close()       same thread, outside of enter and leave
 *
 * An interpreter belongs to one thread.  Nothing here is locked, nothing needs to be.
 */
#ifndef BENCH_INTERP_H
#define BENCH_INTERP_H

#include <apr.h>
#include <apr_errno.h>
#include <mruby.h>
#include <mruby/error.h>

#include "compat.h"
#include "util.h"

/* Output up to this size is sent in one piece, with its length. */
#define BENCH_BUFFER_SIZE 8192

typedef struct bench_interp_t bench_interp_t;
struct bench_script_table_t; /* script: what is loaded */
struct bench_api_t;          /* api: classes and symbols */
struct bench_call_t;         /* api: what is running */

struct bench_interp_t {
    mrb_state *mrb;
    unsigned id;               /* unlike that of any other in this process */
    unsigned depth;            /* how many calls are under way; 0: idle */
    apr_uint64_t runs;         /* outermost calls so far */
    apr_size_t held;           /* bytes that mruby has from the allocator now */
    apr_size_t collected;      /* what it held when the collector was last asked to run, or less */
    const char *doomed;        /* why it must not be used again; NULL: it may be */
    apr_uint64_t calls;        /* serial number of the newest call */
    struct bench_call_t *call; /* the innermost call; owner: api */
    struct bench_api_t *api;   /* owner: api */
    struct bench_script_table_t *scripts; /* owner: script */
    mrb_value roots;                      /* an Array: what C needs kept from the collector */
    char buffer[BENCH_BUFFER_SIZE];       /* output of the outermost call */
};

/* Opens an interpreter with the core gems and random numbers of its own.
 * APR_SUCCESS; APR_ENOMEM; or what the system's source of random bytes returned. */
apr_status_t bench_interp_open(bench_interp_t **interp);

/* Closes it.  Returns the bytes that were still on its account: 0, or there is a leak. */
apr_size_t bench_interp_close(bench_interp_t *interp);

/* The interpreter that a mrb_state belongs to. */
static inline bench_interp_t *bench_interp_of(mrb_state *mrb)
{
    return (bench_interp_t *)mrb->ud;
}

static inline void bench_interp_enter(bench_interp_t *interp)
{
    if (interp->depth++ == 0) {
        interp->runs++;
    }
}

static inline void bench_interp_leave(bench_interp_t *interp)
{
    interp->depth--;
}

/* Calls body(mrb, data), so that nothing raised in it goes past this call.
 * APR_SUCCESS with its value in *value, or APR_EGENERAL with the exception there.
 * Leaves no object in the collector's arena: keep *value if it must live on. */
apr_status_t bench_interp_protect(bench_interp_t *interp, mrb_protect_error_func *body, void *data,
                                  mrb_value *value);

/* Keeps value from the collector until the interpreter closes.  Returns its place in roots. */
mrb_int bench_interp_keep(bench_interp_t *interp, mrb_value value);

#endif
