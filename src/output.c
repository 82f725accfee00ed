/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include <string.h>

#include <apr_strings.h>
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

/* The script's own Content-Length decides how the client finds the end, so it has to be true. */
static void note_declared(bench_output_t *out)
{
    const char *length;

    if (apr_is_empty_table(out->r->headers_out)) {
        return;
    }
    length = apr_table_get(out->r->headers_out, "Content-Length");

    if (length && !out->r->header_only) {
        out->declared = (apr_off_t)apr_atoi64(length);
    }
}

/* If-None-Match and its relatives, by the ETag and Last-Modified that are set: nothing of the body
 * goes out when httpd answers 304 or 412. */
static int meets_conditions(bench_output_t *out)
{
    request_rec *r = out->r;

    if (r->status != HTTP_OK || apr_is_empty_table(r->headers_out) ||
        (!apr_table_get(r->headers_out, "ETag") &&
         !apr_table_get(r->headers_out, "Last-Modified"))) {
        return 1;
    }
    out->answer = ap_meets_conditions(r);
    if (out->answer != OK) {
        bench_output_discard(out);
    }
    return out->answer == OK;
}

static apr_status_t pass(bench_output_t *out)
{
    apr_status_t rv;

    if (!out->sent) {
        if (!meets_conditions(out)) {
            return BENCH_OUTPUT_NOT_WANTED;
        }
        note_declared(out);
        if (out->declared >= 0 && out->total > out->declared) {
            return APR_EINVAL;
        }
    }
    rv = ap_pass_brigade(out->r->output_filters, out->brigade);

    out->sent = 1;
    if (rv != APR_SUCCESS || out->r->connection->aborted) {
        out->refused = BENCH_OUTPUT_GONE;
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

static apr_status_t refusal(const bench_output_t *out)
{
    return out->refused == BENCH_OUTPUT_COMPLETE ? APR_EOF : APR_ECONNABORTED;
}

apr_status_t bench_output_write(bench_output_t *out, const char *data, apr_size_t size)
{
    if (out->refused) {
        return refusal(out);
    }
    out->total += (apr_off_t)size;
    if (out->declared >= 0 && out->total > out->declared) {
        return APR_EINVAL;
    }
    if (size > out->size - out->used) {
        apr_status_t rv;

        if (size >= out->size) {
            return send_on(out, data, size);
        }
        rv = send_on(out, NULL, 0);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    memcpy(out->buffer + out->used, data, size);
    out->used += size;
    return APR_SUCCESS;
}

apr_status_t bench_output_file(bench_output_t *out, apr_file_t *file, apr_off_t offset,
                               apr_off_t size)
{
    apr_bucket_brigade *brigade = brigade_of(out);

    if (out->refused) {
        return refusal(out);
    }
    if (out->used > 0) {
        /* A copy: the buffer goes on being written to while this waits for the end. */
        APR_BRIGADE_INSERT_TAIL(
            brigade, apr_bucket_heap_create(out->buffer, out->used, NULL, brigade->bucket_alloc));
        out->used = 0;
    }
    out->total += size;
    if (out->declared >= 0 && out->total > out->declared) {
        return APR_EINVAL;
    }
    if (size > 0) {
        apr_brigade_insert_file(brigade, file, offset, size, out->r->pool);
    }
    return APR_SUCCESS;
}

apr_status_t bench_output_flush(bench_output_t *out)
{
    apr_bucket_brigade *brigade;

    if (out->refused) {
        return refusal(out);
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
        return refusal(out);
    }
    brigade = brigade_of(out);
    lend(out, out->buffer, out->used);
    out->used = 0;
    if (!out->sent && !apr_is_empty_table(out->r->headers_out) &&
        (out->total > 0 || !out->r->header_only)) {
        /* All of it is here: httpd counts for itself. */
        apr_table_unset(out->r->headers_out, "Content-Length");
    }
    APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_eos_create(brigade->bucket_alloc));
    if (out->declared >= 0 && out->total != out->declared) {
        return APR_EINVAL;
    }
    return pass(out);
}

void bench_output_discard(bench_output_t *out)
{
    out->used = 0;
    out->total = 0;
    if (out->brigade) {
        apr_brigade_cleanup(out->brigade);
    }
}

void bench_output_cut(bench_output_t *out)
{
    request_rec *r = out->r;
    apr_bucket_brigade *brigade = brigade_of(out);

    out->used = 0;
    if (!r->main) {
        r->connection->keepalive = AP_CONN_CLOSE;
    }
    if (out->refused) {
        return;
    }
    out->refused = BENCH_OUTPUT_GONE;
    apr_brigade_cleanup(brigade);
    /* The way of mod_proxy: httpd's chunking filter leaves out the final chunk for this one. */
    APR_BRIGADE_INSERT_TAIL(
        brigade, ap_bucket_error_create(HTTP_BAD_GATEWAY, NULL, r->pool, brigade->bucket_alloc));
    APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_eos_create(brigade->bucket_alloc));
    ap_pass_brigade(r->output_filters, brigade);
}
