/* SPDX-License-Identifier: Apache-2.0 */
/*
 * response: what the client gets.
 *
 * Floor 2.
 */
#include "api.h"

#include <string.h>

#include <apr_strings.h>
#include <http_protocol.h>
#include <mruby/class.h>
#include <mruby/string.h>

static mrb_value kernel_response(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return bench_api_handle(mrb, bench_api_of(mrb)->response, bench_api_call(mrb));
}

static mrb_value response_status(mrb_state *mrb, mrb_value self)
{
    return mrb_fixnum_value(bench_api_call_of(mrb, self)->r->status);
}

/* NULL: httpd knows the reason.  It would send a status that it does not know as 500. */
static const char *status_line(const bench_call_t *call, int status)
{
    const char *known = ap_get_status_line(status);
    const char *line = apr_psprintf(call->pool, "%d ", status);

    return strncmp(known, line, 4) == 0 ? NULL : line;
}

static mrb_value response_set_status(mrb_state *mrb, mrb_value self)
{
    bench_call_t *call = bench_api_call_of(mrb, self);
    mrb_int status;

    mrb_get_args(mrb, "i", &status);
    if (status < 200 || status > 599) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "not the status of a response: %i", status);
    }
    call->r->status = (int)status;
    call->r->status_line = status_line(call, (int)status);
    return mrb_fixnum_value(status);
}

static mrb_value response_headers(mrb_state *mrb, mrb_value self)
{
    return bench_api_handle(mrb, bench_api_of(mrb)->response_headers, bench_api_call_of(mrb, self));
}

static mrb_value response_write(mrb_state *mrb, mrb_value self)
{
    bench_call_t *call = bench_api_call_of(mrb, self);
    mrb_value value;

    mrb_get_args(mrb, "o", &value);
    value = mrb_obj_as_string(mrb, value);
    bench_api_check_output(
        mrb, bench_output_write(&call->out, RSTRING_PTR(value), (apr_size_t)RSTRING_LEN(value)));
    return mrb_int_value(mrb, RSTRING_LEN(value));
}

static mrb_value response_flush(mrb_state *mrb, mrb_value self)
{
    bench_api_check_output(mrb, bench_output_flush(&bench_api_call_of(mrb, self)->out));
    return self;
}

void bench_api_response_define(mrb_state *mrb, bench_api_t *api)
{
    struct RClass *klass = mrb_define_class_under(mrb, api->bench, "Response", mrb->object_class);

    api->response = klass;
    MRB_SET_INSTANCE_TT(klass, MRB_TT_CDATA);
    mrb_undef_class_method(mrb, klass, "new");
    mrb_define_method(mrb, klass, "status", response_status, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "status=", response_set_status, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, klass, "headers", response_headers, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "write", response_write, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, klass, "flush", response_flush, MRB_ARGS_NONE());
    mrb_define_method(mrb, mrb->kernel_module, "response", kernel_response, MRB_ARGS_NONE());
    mrb_define_module_function(mrb, api->bench, "response", kernel_response, MRB_ARGS_NONE());
}
