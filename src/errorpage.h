/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BenchErrorPage: what went wrong, for the developer who has just caused it.
 *
 * Floor 1.  Knows httpd.  Must not know mruby.
 */
#ifndef BENCH_ERRORPAGE_H
#define BENCH_ERRORPAGE_H

#include <httpd.h>

#include "output.h"

typedef struct {
    const char *what; /* "ZeroDivisionError", "syntax error" */
    const char *message;
    const char *where;     /* "path:line" or "path:line:column", or "" */
    const char *backtrace; /* frames with " <- " between them, innermost first; "" */
} bench_errorpage_t;

/* Writes the page to out, which nothing has been sent through, as HTML or, for a client that does
 * not accept that, as text.  Sets the content type.  Everything that comes from outside is
 * escaped. */
void bench_errorpage_write(bench_output_t *out, const bench_errorpage_t *error);

#endif
