/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What went wrong in Ruby, in words that a log can take.
 *
 * Floor 1.  Knows mruby and APR.  Must not know httpd, a request or a directive.
 */
#ifndef BENCH_RBERR_H
#define BENCH_RBERR_H

#include <apr_pools.h>
#include <mruby.h>

#include "interp.h"

typedef struct {
    const char *where;      /* "path:line", or "" if the exception does not know */
    const char *message;    /* without NUL, at most BENCH_RBERR_MESSAGE bytes */
    const char *class_name; /* "RuntimeError" */
    const char *backtrace;  /* "a.mrb:3:in f <- a.mrb:9", innermost first; "" if there is none */
} bench_rberr_t;

#define BENCH_RBERR_MESSAGE 2000
#define BENCH_RBERR_FRAMES 30

/* Describes an exception, in memory from pool.  Runs its #message, protected: one that raises is
 * replaced by a word about that. */
void bench_rberr_describe(bench_interp_t *interp, mrb_value exception, apr_pool_t *pool,
                          bench_rberr_t *described);

#endif
