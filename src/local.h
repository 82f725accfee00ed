/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interpreters of the current thread.
 *
 * Floor 3.  Knows httpd and mruby.  Must not know what is run.
 *
 *     bench_local_child_init()     in child_init
 *       bench_local_take()         the interpreter for a request, opened on first use
 *         ... bench_interp_enter, Ruby, bench_interp_leave ...
 *       bench_local_done()         same thread
 *
 * Threads are whatever calls: those of the MPM, mod_http2's own.  A thread's interpreters are
 * closed on that thread when it ends.
 */
#ifndef BENCH_LOCAL_H
#define BENCH_LOCAL_H

#include <httpd.h>

#include "conf.h"
#include "interp.h"

/* Any status of pthread keys, APR's mutexes and pools. */
apr_status_t bench_local_child_init(apr_pool_t *pchild, server_rec *server);

/* The interpreter that this request asks for: this thread's for its group, or with BenchIsolation
 * request a new one.  NULL if it cannot be opened; the reason has been logged. */
bench_interp_t *bench_local_take(request_rec *r, const bench_dir_conf_t *conf);

/* After the outermost call: closes it if it must not or need not be used again. */
void bench_local_done(bench_interp_t *interp);

#endif
