/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request body on its way in, piece by piece, to its end.
 *
 * Floor 1.  Knows httpd.  Must not know mruby.
 *
 * What Content-Length says is not asked: chunked and HTTP/2 bodies have none.  The end is where
 * httpd's input filters say that it is.
 */
#ifndef BENCH_INPUT_H
#define BENCH_INPUT_H

#include <apr_buckets.h>
#include <httpd.h>

typedef struct {
    request_rec *r;
    apr_bucket_brigade *brigade; /* NULL until the first read */
    apr_bucket *current;         /* the bucket that data lies in, first of the brigade */
    const char *data;            /* what is left of it */
    apr_size_t size;
    int ended;
    int status;   /* what the client gets for a body that cannot be read; 0: nothing is wrong */
    int answered; /* it has got that already, by httpd's own input filter */
} bench_input_t;

static inline void bench_input_init(bench_input_t *in, request_rec *r)
{
    in->r = r;
    in->brigade = NULL;
    in->current = NULL;
    in->data = NULL;
    in->size = 0;
    in->ended = 0;
    in->status = 0;
    in->answered = 0;
}

/* Lends the next piece of the body, at most limit bytes of it, until the next call.
 * APR_SUCCESS; APR_EOF after the last; APR_ECONNABORTED if the client has gone;
 * APR_EGENERAL if the body is too large, malformed or late: see in->status. */
apr_status_t bench_input_next(bench_input_t *in, const char **data, apr_size_t *size,
                              apr_size_t limit);

#endif
