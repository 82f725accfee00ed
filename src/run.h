/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of a script for a request: take the thread's interpreter, show it the request, call,
 * and turn what comes out into a status and a line in the log.
 *
 * Floor 4.  Knows everything below.  Must not know which phase of httpd it is called from.
 */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include <apr_file_info.h>
#include <httpd.h>
#include <mruby.h>

#include "api.h"
#include "conf.h"
#include "interp.h"
#include "script.h"

struct bench_run_t;

/* What is to happen in Ruby; may raise.  Its value is of no interest. */
typedef mrb_value bench_run_body_t(mrb_state *mrb, struct bench_run_t *run);

/* One run, as its body sees it. */
typedef struct bench_run_t {
    bench_interp_t *interp;
    bench_run_body_t *body;
    const bench_file_t *file;
    bench_fault_t fault; /* why the file could not be loaded, if loaded is 0 */
    int loaded;
    int status; /* of the request when the run began: not 200 in an ErrorDocument */
    bench_call_t call;
} bench_run_t;

/* Runs body for a request whose content is made by file; mount as in bench_call_t.
 * OK: there is a response, whole or broken off.  Otherwise nothing was sent, and httpd is to
 * answer with the status returned: 403, 404, 500, 503, or that of a body that cannot be read. */
int bench_run(request_rec *r, const bench_dir_conf_t *conf, const bench_file_t *file,
              const char *mount, bench_run_body_t *body);

/* Loads the file of a run.  NULL if that cannot be done; run->fault says why, and the body is to
 * return at once.  May raise (NoMemoryError). */
struct RProc *bench_run_load(bench_run_t *run);

/* A body: runs the file from top to bottom, with a self of its own. */
mrb_value bench_run_script(mrb_state *mrb, bench_run_t *run);

#endif
