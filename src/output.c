/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include <string.h>

#include <http_protocol.h>
#include <util_filter.h>

/* A script that says nothing else writes text. */
#define DEFAULT_TYPE "text/html; charset=utf-8"

static apr_bucket_brigade *brigade_of(bench_output_t *out)
{
    if (!out->brigade) {
        out->brigade = apr_brigade_create(out->r->pool, out->r->connection->bucket_alloc);
    }
    return out->brigade;
}

/* The memory is lent: filters that keep it after they return make a copy. */
static void lend(bench_output_t *out, const char *data, apr_size_t size)
{
    apr_bucket_brigade *brigade = brigade_of(out);

    if (size > 0) {
        APR_BRIGADE_INSERT_TAIL(brigade,
                                apr_bucket_transient_create(data, size, brigade->bucket_alloc));
        if (!out->r->content_type) {
            ap_set_content_type(out->r, DEFAULT_TYPE);
        }
    }
}

static apr_status_t pass(bench_output_t *out)
{
    apr_status_t rv = ap_pass_brigade(out->r->output_filters, out->brigade);

    out->sent = 1;
    if (rv != APR_SUCCESS || out->r->connection->aborted) {
        out->refused = 1;
        return APR_ECONNABORTED;
    }
    apr_brigade_cleanup(out->brigade);
    return APR_SUCCESS;
}

/* Passes on the buffer and, behind it, data. */
static apr_status_t send_on(bench_output_t *out, const char *data, apr_size_t size)
{
    lend(out, out->buffer, out->used);
    out->used = 0;
    lend(out, data, size);
    return pass(out);
}

apr_status_t bench_output_write(bench_output_t *out, const char *data, apr_size_t size)
{
    if (out->refused) {
        return APR_ECONNABORTED;
    }
    if (size > out->size - out->used) {
        if (size >= out->size) {
            return send_on(out, data, size);
        }
        if (send_on(out, NULL, 0) != APR_SUCCESS) {
            return APR_ECONNABORTED;
        }
    }
    memcpy(out->buffer + out->used, data, size);
    out->used += size;
    return APR_SUCCESS;
}

apr_status_t bench_output_flush(bench_output_t *out)
{
    apr_bucket_brigade *brigade;

    if (out->refused) {
        return APR_ECONNABORTED;
    }
    brigade = brigade_of(out);
    lend(out, out->buffer, out->used);
    out->used = 0;
    APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_flush_create(brigade->bucket_alloc));
    return pass(out);
}

apr_status_t bench_output_finish(bench_output_t *out)
{
    apr_bucket_brigade *brigade;

    if (out->refused) {
        return APR_ECONNABORTED;
    }
    brigade = brigade_of(out);
    lend(out, out->buffer, out->used);
    out->used = 0;
    APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_eos_create(brigade->bucket_alloc));
    return pass(out);
}

void bench_output_cut(bench_output_t *out)
{
    request_rec *r = out->r;
    apr_bucket_brigade *brigade = brigade_of(out);

    out->used = 0;
    r->connection->keepalive = AP_CONN_CLOSE;
    if (out->refused) {
        return;
    }
    out->refused = 1;
    apr_brigade_cleanup(brigade);
    /* The way of mod_proxy: httpd's chunking filter leaves out the final chunk for this one. */
    APR_BRIGADE_INSERT_TAIL(
        brigade, ap_bucket_error_create(HTTP_BAD_GATEWAY, NULL, r->pool, brigade->bucket_alloc));
    APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_eos_create(brigade->bucket_alloc));
    ap_pass_brigade(r->output_filters, brigade);
}
