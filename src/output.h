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

#define BENCH_OUTPUT_NOT_WANTED (APR_OS_START_USERERR + 1)

typedef struct {
    request_rec *r;
    apr_bucket_brigade *brigade; /* NULL until something is sent */
    char *buffer;
    apr_size_t size;
    apr_size_t used;
    apr_off_t total;    /* bytes of the body so far */
    apr_off_t declared; /* what the script's Content-Length has promised the client; -1: nothing */
    int sent;           /* something has been passed on: the header is no longer ours */
    int answer;  /* what httpd is to answer instead, by the client's conditions; 0: nothing */
    int refused; /* not 0: bench_output_refused_e */
} bench_output_t;

typedef enum {
    BENCH_OUTPUT_GONE = 1, /* the client has gone, or a filter wants no more */
    BENCH_OUTPUT_COMPLETE  /* another handler has sent a whole response */
} bench_output_refused_e;

static inline void bench_output_init(bench_output_t *out, request_rec *r, char *buffer,
                                     apr_size_t size)
{
    out->r = r;
    out->brigade = NULL;
    out->buffer = buffer;
    out->size = size;
    out->used = 0;
    out->total = 0;
    out->declared = -1;
    out->sent = 0;
    out->answer = 0;
    out->refused = 0;
}

/* Each of these: APR_SUCCESS; BENCH_OUTPUT_NOT_WANTED if the client has this already (see answer);
 * APR_ECONNABORTED when nobody takes any more; APR_EINVAL when the
 * body is not as long as the Content-Length that has gone out; APR_EOF after
 * bench_output_complete(). */

apr_status_t bench_output_write(bench_output_t *out, const char *data, apr_size_t size);
/* Adds a part of an open file, which httpd sends with its own sendfile.  The file must stay open
 * as long as the request. */
apr_status_t bench_output_file(bench_output_t *out, apr_file_t *file, apr_off_t offset,
                               apr_off_t size);
/* Sends what there is, header included, and has the filters below send it, too. */
apr_status_t bench_output_flush(bench_output_t *out);
/* Sends the rest and the end. */
apr_status_t bench_output_finish(bench_output_t *out);

void bench_output_discard(bench_output_t *out);

/* Another handler has sent the response. */
static inline void bench_output_complete(bench_output_t *out)
{
    out->sent = 1;
    out->refused = BENCH_OUTPUT_COMPLETE;
}

/* Ends a response that cannot be completed so that it is not taken for a whole one: no final
 * chunk and the connection closed under HTTP/1.1, a reset stream under HTTP/2. */
void bench_output_cut(bench_output_t *out);

#endif
