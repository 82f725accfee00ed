/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The response body on its way out: a small buffer, then httpd's output filters.
 *
 * Floor 1.  Knows httpd.  Must not know mruby.
 *
 *     bench_output_init()
 *       bench_output_write() ... bench_output_flush() ...
 *     bench_output_finish()    the answer is whole, or
 *     bench_output_discard()   nothing has been sent: httpd answers instead, or
 *     bench_output_cut()       it broke off in the middle, and the client must be able to tell
 */
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include <apr_buckets.h>
#include <httpd.h>

typedef struct {
    request_rec *r;
    apr_bucket_brigade *brigade; /* NULL until something is sent */
    char *buffer;
    apr_size_t size;
    apr_size_t used;
    int sent;    /* something has been passed on: the header is no longer ours */
    int refused; /* the client has gone, or a filter wants no more */
} bench_output_t;

static inline void bench_output_init(bench_output_t *out, request_rec *r, char *buffer,
                                     apr_size_t size)
{
    out->r = r;
    out->brigade = NULL;
    out->buffer = buffer;
    out->size = size;
    out->used = 0;
    out->sent = 0;
    out->refused = 0;
}

/* Each of these: APR_SUCCESS, or APR_ECONNABORTED when nobody takes any more. */

apr_status_t bench_output_write(bench_output_t *out, const char *data, apr_size_t size);
/* Sends what there is, header included, and has the filters below send it, too. */
apr_status_t bench_output_flush(bench_output_t *out);
/* Sends the rest and the end. */
apr_status_t bench_output_finish(bench_output_t *out);

static inline void bench_output_discard(bench_output_t *out)
{
    out->used = 0;
}

/* Ends a response that cannot be completed so that it is not taken for a whole one: no final
 * chunk and the connection closed under HTTP/1.1, a reset stream under HTTP/2. */
void bench_output_cut(bench_output_t *out);

#endif
