/* SPDX-License-Identifier: Apache-2.0 */
#include "capture.h"

#include <apr_buckets.h>
#include <apr_strings.h>
#include <http_config.h>
#include <http_protocol.h>
#include <http_request.h>
#include <util_filter.h>

#define FILTER "BENCH_CAPTURE"

static apr_status_t keep(ap_filter_t *filter, apr_bucket_brigade *brigade)
{
    bench_capture_t *capture = filter->ctx;
    apr_bucket *bucket;
    apr_status_t rv = APR_SUCCESS;

    for (bucket = APR_BRIGADE_FIRST(brigade);
         rv == APR_SUCCESS && bucket != APR_BRIGADE_SENTINEL(brigade);
         bucket = APR_BUCKET_NEXT(bucket)) {
        const char *data;
        apr_size_t size;

        if (AP_BUCKET_IS_ERROR(bucket)) {
            capture->status = ((ap_bucket_error *)bucket->data)->status;
        } else if (!APR_BUCKET_IS_METADATA(bucket)) {
            rv = apr_bucket_read(bucket, &data, &size, APR_BLOCK_READ);
            if (rv == APR_SUCCESS) {
                rv = bench_spool_append(&capture->body, data, size);
            }
        }
    }
    apr_brigade_cleanup(brigade);
    return rv;
}

apr_status_t bench_capture_run(request_rec *r, const char *method, const char *uri,
                               bench_capture_t *capture)
{
    request_rec *sub = ap_sub_req_method_uri(method, uri, r, NULL);
    int answer;

    capture->status = 0;
    capture->content_type = NULL;
    capture->headers = apr_table_make(r->pool, 4);
    bench_spool_init(&capture->body, r->pool);
    if (sub->status == HTTP_OK) {
        /* It is made without filters but those of the connection: ours takes their place. */
        sub->proto_output_filters = ap_add_output_filter(FILTER, capture, sub, sub->connection);
        sub->output_filters = sub->proto_output_filters;
        answer = ap_run_sub_req(sub);
        if (capture->status == 0) {
            capture->status = ap_is_HTTP_ERROR(answer) ? answer : sub->status;
        }
        capture->content_type = sub->content_type ? apr_pstrdup(r->pool, sub->content_type) : NULL;
        capture->headers = apr_table_overlay(r->pool, sub->err_headers_out, sub->headers_out);
        capture->headers = apr_table_clone(r->pool, capture->headers);
    } else {
        capture->status = sub->status;
    }
    ap_destroy_sub_req(sub);
    return APR_SUCCESS;
}

void bench_capture_register(void)
{
    /* With the filters of the protocol, which a redirect inside of the subrequest keeps. */
    ap_register_output_filter(FILTER, keep, NULL, AP_FTYPE_PROTOCOL);
}
