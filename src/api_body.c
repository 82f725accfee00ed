/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.body: the bytes that the client sends.
 *
 * Floor 2.
 */
#include "api.h"

#include <mruby/class.h>
#include <mruby/string.h>
#include <mruby/variable.h>

static void check_input(mrb_state *mrb, const bench_call_t *call, apr_status_t rv)
{
    const bench_api_t *api = bench_api_of(mrb);

    if (rv == APR_ECONNABORTED) {
        mrb_raise(mrb, api->disconnected, "the client has gone");
    }
    if (rv != APR_SUCCESS && rv != APR_EOF) {
        mrb_value text =
            mrb_format(mrb, "the request body cannot be read: status %d", call->in.status);
        mrb_value exception = mrb_exc_new_str(mrb, api->client_error, text);

        mrb_iv_set(mrb, exception, mrb_intern_lit(mrb, "@status"),
                   mrb_fixnum_value(call->in.status));
        mrb_exc_raise(mrb, exception);
    }
}

/* read -> the rest, "" at the end; read(n) -> up to n bytes, nil at the end, as IO#read has it. */
static mrb_value body_read(mrb_state *mrb, mrb_value self)
{
    bench_call_t *call = bench_api_call_of(mrb, self);
    mrb_value limit_value = mrb_nil_value();
    mrb_value text = mrb_str_new_capa(mrb, 0);
    apr_size_t left = APR_SIZE_MAX;
    const char *data;
    apr_size_t size;
    apr_status_t rv = APR_SUCCESS;

    mrb_get_args(mrb, "|o", &limit_value);
    if (!mrb_nil_p(limit_value)) {
        mrb_int limit = mrb_as_int(mrb, limit_value);

        if (limit < 0) {
            mrb_raisef(mrb, E_ARGUMENT_ERROR, "negative length %i given", limit);
        }
        left = (apr_size_t)limit;
    }
    while (left > 0 && (rv = bench_input_next(&call->in, &data, &size, left)) == APR_SUCCESS) {
        mrb_str_cat(mrb, text, data, size);
        left -= size;
    }
    check_input(mrb, call, rv);
    if (rv == APR_EOF && RSTRING_LEN(text) == 0 && !mrb_nil_p(limit_value)) {
        return mrb_nil_value();
    }
    return text;
}

void bench_api_body_define(mrb_state *mrb, bench_api_t *api)
{
    api->body = mrb_define_class_under(mrb, api->bench, "Body", mrb->object_class);
    MRB_SET_INSTANCE_TT(api->body, MRB_TT_CDATA);
    mrb_undef_class_method(mrb, api->body, "new");
    mrb_define_method(mrb, api->body, "read", body_read, MRB_ARGS_OPT(1));
}
