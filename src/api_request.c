/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request: what the client asked for.
 *
 * Floor 2.
 */
#include "api.h"

#include <mruby/class.h>
#include <mruby/string.h>

static mrb_value kernel_request(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return bench_api_handle(mrb, bench_api_of(mrb)->request, bench_api_call(mrb));
}

static mrb_value request_method(mrb_state *mrb, mrb_value self)
{
    return bench_api_string(mrb, bench_api_call_of(mrb, self)->r->method);
}

static mrb_value request_path(mrb_state *mrb, mrb_value self)
{
    return bench_api_string(mrb, bench_api_call_of(mrb, self)->r->uri);
}

/* As in Rack: "" where there is none. */
static mrb_value request_query_string(mrb_state *mrb, mrb_value self)
{
    const char *args = bench_api_call_of(mrb, self)->r->args;

    return mrb_str_new_cstr(mrb, args ? args : "");
}

static mrb_value request_headers(mrb_state *mrb, mrb_value self)
{
    return bench_api_handle(mrb, bench_api_of(mrb)->request_headers, bench_api_call_of(mrb, self));
}

static mrb_value request_body(mrb_state *mrb, mrb_value self)
{
    return bench_api_handle(mrb, bench_api_of(mrb)->body, bench_api_call_of(mrb, self));
}

void bench_api_request_define(mrb_state *mrb, bench_api_t *api)
{
    struct RClass *klass = mrb_define_class_under(mrb, api->bench, "Request", mrb->object_class);

    api->request = klass;
    MRB_SET_INSTANCE_TT(klass, MRB_TT_CDATA);
    mrb_undef_class_method(mrb, klass, "new");
    mrb_define_method(mrb, klass, "request_method", request_method, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "path", request_path, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "query_string", request_query_string, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "headers", request_headers, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "body", request_body, MRB_ARGS_NONE());
    mrb_define_method(mrb, mrb->kernel_module, "request", kernel_request, MRB_ARGS_NONE());
    mrb_define_module_function(mrb, api->bench, "request", kernel_request, MRB_ARGS_NONE());
}
