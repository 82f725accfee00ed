/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.subrequest: what this server would answer to another URL.
 *
 * Floor 2.
 */
#include "api.h"

#include <mruby/array.h>
#include <mruby/string.h>

#include "capture.h"

static mrb_value body_of(mrb_state *mrb, bench_capture_t *capture)
{
    mrb_value body = mrb_str_new_capa(mrb, 0);
    apr_off_t at = 0;
    const char *data;
    apr_size_t size;

    while (bench_spool_read(&capture->body, at, APR_SIZE_MAX, &data, &size) == APR_SUCCESS) {
        mrb_str_cat(mrb, body, data, size);
        at += (apr_off_t)size;
    }
    return body;
}

/* request.__subrequest(method, uri) -> [status, content type or nil, [[name, value], ...], body] */
static mrb_value request_subrequest(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);
    bench_capture_t *capture = apr_palloc(call->pool, sizeof(*capture));
    mrb_value method, uri;
    mrb_value headers = mrb_ary_new(mrb);
    mrb_value result[4];
    const apr_array_header_t *entries;
    const char *path;
    int i;

    mrb_get_args(mrb, "SS", &method, &uri);
    path = bench_api_header_text(mrb, call, uri, "a URL");
    if (*path != '/') {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "a subrequest goes to a path of this server: %!v", uri);
    }
    bench_capture_run(call->r, bench_api_header_text(mrb, call, method, "a method"), path, capture);
    entries = apr_table_elts(capture->headers);
    for (i = 0; i < entries->nelts; i++) {
        const apr_table_entry_t *entry = &APR_ARRAY_IDX(entries, i, apr_table_entry_t);

        mrb_ary_push(mrb, headers,
                     mrb_assoc_new(mrb, mrb_str_new_cstr(mrb, entry->key),
                                   mrb_str_new_cstr(mrb, entry->val)));
    }
    result[0] = mrb_fixnum_value(capture->status);
    result[1] = bench_api_string(mrb, capture->content_type);
    result[2] = headers;
    result[3] = body_of(mrb, capture);
    return mrb_ary_new_from_values(mrb, 4, result);
}

void bench_api_subrequest_define(mrb_state *mrb, bench_api_t *api)
{
    mrb_define_method(mrb, api->request, "__subrequest", request_subrequest, MRB_ARGS_REQ(2));
}
