/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.headers and response.headers.
 *
 * Floor 2.
 */
#include "api.h"

#include <string.h>

#include <http_protocol.h>
#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/hash.h>
#include <mruby/string.h>

static mrb_value request_headers_get(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);
    const char *name;

    mrb_get_args(mrb, "z", &name);
    return bench_api_string(mrb, apr_table_get(call->r->headers_in, name));
}

/* Content-Type is a field of the request record, not a header, until httpd writes the header. */
static int is_content_type(const char *name)
{
    return ap_cstr_casecmp(name, "Content-Type") == 0;
}

static mrb_value response_headers_get(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);
    const char *name;

    mrb_get_args(mrb, "z", &name);
    if (is_content_type(name)) {
        return bench_api_string(mrb, call->r->content_type);
    }
    return bench_api_string(mrb, apr_table_get(call->r->headers_out, name));
}

/* A name is a token of RFC 9110, or httpd would answer 500 for the whole response. */
static const char *header_name(mrb_state *mrb, const bench_call_t *call, mrb_value value)
{
    const char *name = bench_api_header_text(mrb, call, value, "a header's name");
    const char *end = ap_scan_http_token(name);

    if (!*name || *end) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "not a header's name: %!v", value);
    }
    return name;
}

static mrb_value response_headers_set(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);
    mrb_value name_value, value;
    const char *name, *text;

    mrb_get_args(mrb, "So", &name_value, &value);
    name = header_name(mrb, call, name_value);
    text = mrb_nil_p(value) ? NULL
                            : bench_api_header_text(mrb, call, mrb_obj_as_string(mrb, value),
                                                    "a header's value");
    if (is_content_type(name)) {
        if (text) {
            ap_set_content_type(call->r, text);
        } else {
            call->r->content_type = NULL;
        }
    } else if (text) {
        apr_table_setn(call->r->headers_out, name, text);
    } else {
        apr_table_unset(call->r->headers_out, name);
    }
    return value;
}

void bench_api_headers_define(mrb_state *mrb, bench_api_t *api)
{
    struct RClass *object = mrb->object_class;
    struct RClass *in, *out;

    in = mrb_define_class_under(mrb, api->bench, "RequestHeaders", object);
    out = mrb_define_class_under(mrb, api->bench, "ResponseHeaders", object);
    MRB_SET_INSTANCE_TT(in, MRB_TT_CDATA);
    MRB_SET_INSTANCE_TT(out, MRB_TT_CDATA);
    mrb_undef_class_method(mrb, in, "new");
    mrb_undef_class_method(mrb, out, "new");
    mrb_define_method(mrb, in, "[]", request_headers_get, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, out, "[]", response_headers_get, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, out, "[]=", response_headers_set, MRB_ARGS_REQ(2));
    api->request_headers = in;
    api->response_headers = out;
}
