/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytecode: read a file, compile it, share the result among the threads of a child.
 *
 * Floor 1.  Knows mruby and APR.  Must not know httpd, a request or a directive.
 *
 *     bench_code_child_init()    once in a child, before its threads start
 *       bench_code_get()         file -> bytecode; any thread
 *         bench_code_load()      bytecode -> procedure; the interpreter's thread
 *       bench_code_release()
 *
 * The cache's lock is held to look something up or to put it there, never while a file is read or
 * compiled: threads that want a file that another thread is compiling wait for it without the lock.
 */
#ifndef BENCH_CODE_H
#define BENCH_CODE_H

#include <apr_file_info.h>
#include <apr_pools.h>
#include <mruby.h>

#include "interp.h"
#include "source.h"
#include "util.h"

/* What is wrong with a script that cannot be had. */
typedef struct {
    apr_status_t status; /* APR_EGENERAL: see message; APR_EAGAIN: it kept changing while it was
                          * read; otherwise why the file could not be read */
    char message[512];   /* of a syntax error, as "line:column: text"; otherwise empty */
} bench_fault_t;

/* A script that is wanted. */
typedef struct {
    const char *path;
    bench_language_e language;
    const apr_finfo_t *finfo; /* what a stat of path has just said, or NULL */
} bench_file_t;

/* Bytecode, or the reason why there is none.  Never changes, shared by counting references. */
typedef struct bench_code_t bench_code_t;

apr_status_t bench_code_child_init(apr_pool_t *pchild);

/* The bytecode of the file as it is now, with a reference for the caller, and when it was read in
 * *stamp.  NULL with the reason in *fault if it cannot be read or is not Ruby.  Does not raise. */
bench_code_t *bench_code_get(bench_interp_t *interp, const bench_file_t *file, bench_cache_e cache,
                             bench_stamp_t *stamp, bench_fault_t *fault);

/* Gives a reference back.  code may be NULL. */
void bench_code_release(bench_code_t *code);

/* Whether two were made of the same text.  Either may be NULL. */
int bench_code_is_same(const bench_code_t *a, const bench_code_t *b);

/* Loads bytecode into an interpreter.  May raise (NoMemoryError). */
struct RProc *bench_code_load(mrb_state *mrb, const bench_code_t *code);

/* Reads and compiles without any cache.  Does not raise.  Nothing keeps the procedure yet: the
 * caller does that before mruby allocates anything else. */
struct RProc *bench_code_compile_file(bench_interp_t *interp, const bench_file_t *file,
                                      bench_stamp_t *stamp, bench_fault_t *fault);

#endif
