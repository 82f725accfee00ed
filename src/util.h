/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words that rooms on both sides of the wall between httpd and mruby share.
 *
 * Floor 0.  Knows C.  Must not know httpd or mruby.
 */
#ifndef BENCH_UTIL_H
#define BENCH_UTIL_H

#define BENCH_VERSION "0.1.0"

/* BenchCodeCache: when a script file is looked at again. */
typedef enum {
    BENCH_CACHE_STAT,    /* when the file has changed */
    BENCH_CACHE_FOREVER, /* never, once it was read */
    BENCH_CACHE_NEVER    /* at every run */
} bench_cache_e;

/* What a file is written in. */
typedef enum {
    BENCH_RUBY,
    BENCH_ERB /* text with Ruby in it, which prints itself */
} bench_language_e;

/* BenchIsolation: how long an interpreter lives. */
typedef enum {
    BENCH_ISOLATION_THREAD, /* as long as its thread */
    BENCH_ISOLATION_REQUEST /* one request */
} bench_isolation_e;

#endif
