/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a file to a procedure that an interpreter can call.
 *
 * Floor 1.  Knows mruby and APR.  Must not know httpd, a request or a directive.
 *
 * A file is compiled once in a child, whatever the number of its threads.  The bytecode is shared;
 * each interpreter loads it once and keeps the procedure.
 *
 *     bench_script_child_init()    once in a child, before its threads start
 *     bench_script_attach()        an interpreter gets its table of loaded files
 *       bench_script_get()         path -> procedure, inside of bench_interp_protect()
 *     bench_script_detach()        before the interpreter closes
 */
#ifndef BENCH_SCRIPT_H
#define BENCH_SCRIPT_H

#include <apr_file_info.h>
#include <apr_pools.h>
#include <mruby.h>
#include <mruby/proc.h>

#include "code.h"
#include "interp.h"
#include "util.h"

/* Starts the cache of this child.  Any status of APR's mutexes. */
apr_status_t bench_script_child_init(apr_pool_t *pchild);

/* Gives the interpreter its table.  APR_SUCCESS or APR_ENOMEM. */
apr_status_t bench_script_attach(bench_interp_t *interp);
void bench_script_detach(bench_interp_t *interp);

/* The procedure of a file, ready to be called, or NULL with the reason in *fault.  May raise
 * (NoMemoryError). */
struct RProc *bench_script_get(bench_interp_t *interp, const bench_file_t *file,
                               bench_cache_e cache, bench_fault_t *fault);

/* Files that are loaded once in an interpreter: whether path is one; to make it one or not. */
int bench_script_is_required(bench_interp_t *interp, const char *path);
void bench_script_set_required(bench_interp_t *interp, const char *path, int required);

/* What a file that is loaded once has made (a Rack application), kept from the collector as long as
 * the interpreter; undef if there is nothing yet.  Setting it may raise (NoMemoryError). */
mrb_value bench_script_value(bench_interp_t *interp, const char *path);
void bench_script_set_value(bench_interp_t *interp, const char *path, mrb_value value);

/* The path of a required file that is not what it was when it was loaded, or NULL.
 * One stat for each; none at all where nothing was required. */
const char *bench_script_outdated(bench_interp_t *interp, apr_pool_t *pool);

/* What a file is written in whose name is all that is known: ".erb" is a template. */
bench_language_e bench_script_language(const char *path);

/* Compiles the file at path in a bare interpreter and throws the result away.  NULL if that went
 * well, or a message from pool: "path:line:column: text", "cannot open path: reason". */
const char *bench_script_check(const char *path, apr_pool_t *pool);

#endif
