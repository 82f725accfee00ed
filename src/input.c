/* SPDX-License-Identifier: Apache-2.0 */
#include "input.h"

#include <http_protocol.h>
#include <util_filter.h>

#define PIECE 65536

static apr_status_t failed(bench_input_t *in, apr_status_t rv)
{
    in->ended = 1;
    if (in->r->connection->aborted || APR_STATUS_IS_ECONNABORTED(rv) ||
        APR_STATUS_IS_ECONNRESET(rv) || APR_STATUS_IS_EOF(rv) || APR_STATUS_IS_EPIPE(rv)) {
        return APR_ECONNABORTED;
    }
    in->status = ap_map_http_request_error(rv, HTTP_BAD_REQUEST);
    if (in->status == AP_FILTER_ERROR) {
        in->answered = 1;
        in->status = in->r->status;
    }
    return APR_EGENERAL;
}

static apr_status_t fill(bench_input_t *in)
{
    apr_status_t rv;

    if (!in->brigade) {
        in->brigade = apr_brigade_create(in->r->pool, in->r->connection->bucket_alloc);
    }
    rv =
        ap_get_brigade(in->r->input_filters, in->brigade, AP_MODE_READBYTES, APR_BLOCK_READ, PIECE);
    if (rv == APR_SUCCESS && APR_BRIGADE_EMPTY(in->brigade)) {
        rv = APR_EOF; /* a filter that blocks and gives nothing has nothing left to give */
    }
    return rv;
}

/* Moves on to the next bucket with data, or to the end. */
static apr_status_t advance(bench_input_t *in)
{
    apr_status_t rv = APR_SUCCESS;

    while (rv == APR_SUCCESS && in->size == 0 && !in->ended) {
        apr_bucket *bucket;

        if (in->current) {
            apr_bucket_delete(in->current);
            in->current = NULL;
        }
        if (!in->brigade || APR_BRIGADE_EMPTY(in->brigade)) {
            rv = fill(in);
            continue;
        }
        bucket = APR_BRIGADE_FIRST(in->brigade);
        in->current = bucket;
        if (APR_BUCKET_IS_EOS(bucket)) {
            in->ended = 1;
        } else if (!APR_BUCKET_IS_METADATA(bucket)) {
            rv = apr_bucket_read(bucket, &in->data, &in->size, APR_BLOCK_READ);
        }
    }
    return rv;
}

apr_status_t bench_input_next(bench_input_t *in, const char **data, apr_size_t *size,
                              apr_size_t limit)
{
    apr_status_t rv;

    if (in->size == 0 && !in->ended) {
        rv = advance(in);
        if (rv != APR_SUCCESS) {
            return failed(in, rv);
        }
    }
    if (in->size == 0) {
        return in->status ? APR_EGENERAL : APR_EOF;
    }
    *data = in->data;
    *size = in->size < limit ? in->size : limit;
    in->data += *size;
    in->size -= *size;
    return APR_SUCCESS;
}
