/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run a subrequest and keep its response instead of sending it.
 *
 * Floor 1.  Knows httpd.  Must not know mruby.
 */
#ifndef BENCH_CAPTURE_H
#define BENCH_CAPTURE_H

#include <httpd.h>

#include "spool.h"

typedef struct {
    int status;
    const char *content_type; /* NULL: none */
    apr_table_t *headers;
    bench_spool_t body;
} bench_capture_t;

void bench_capture_register(void);

/* Asks this server for uri, as mod_include's "virtual" does: a path, with or without a query.
 * APR_SUCCESS, whatever the status is that it answers with; any status of a temporary file. */
apr_status_t bench_capture_run(request_rec *r, const char *method, const char *uri,
                               bench_capture_t *capture);

#endif
