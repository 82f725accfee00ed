/* SPDX-License-Identifier: Apache-2.0 */
#include "api.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>
#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/data.h>
#include <mruby/error.h>
#include <mruby/hash.h>
#include <mruby/string.h>
#include <mruby/variable.h>

/* The data pointer is the serial number itself: there is nothing to free and nothing to dangle. */
static const mrb_data_type handle_type = {"Bench handle", NULL};

/* As in Ruby: `self.class.constants` at the top of a script are those of Object. */
static mrb_value main_class(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_obj_value(mrb->object_class);
}

/* A script may remove the constant that keeps a class from the collector. */
static void keep_classes(mrb_state *mrb, const bench_api_t *api)
{
    struct RClass *const classes[] = {
        api->bench,
        api->error,
        api->stale,
        api->client_error,
        api->disconnected,
        api->halt,
        api->system_exit,
        api->main,
        api->request,
        api->response,
        api->body,
        api->request_headers,
        api->notes,
        api->subprocess_env,
        api->response_headers,
        api->multipart,
        api->params.type,
        api->params.invalid,
        api->params.limit,
        api->params.malformed,
        api->params.upload,
        api->env,
    };
    unsigned i;

    for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        mrb_gc_register(mrb, mrb_obj_value(classes[i]));
    }
}

void bench_api_install(bench_interp_t *interp)
{
    mrb_state *mrb = interp->mrb;
    bench_api_t *api = mrb_calloc(mrb, 1, sizeof(*api));
    struct RClass *exception = mrb->eException_class;

    interp->api = api;
    api->mrb = mrb;
    api->kept = mrb_ary_new(mrb);
    mrb_gc_register(mrb, api->kept);
    api->bench = mrb_define_module(mrb, "Bench");
    api->error = mrb_define_class_under(mrb, api->bench, "Error", E_STANDARD_ERROR);
    api->stale = mrb_define_class_under(mrb, api->bench, "StaleError", api->error);
    api->client_error = mrb_define_class_under(mrb, api->bench, "ClientError", api->error);
    api->disconnected = mrb_define_class_under(mrb, api->bench, "Disconnected", exception);
    api->halt = mrb_define_class_under(mrb, api->bench, "Halt", exception);
    api->main = mrb_define_class_under(mrb, api->bench, "Main", mrb->object_class);
    mrb_define_method(mrb, api->main, "class", main_class, MRB_ARGS_NONE());
    bench_api_kernel_define(mrb, api);
    bench_api_table_define(mrb, api);
    bench_api_body_define(mrb, api);
    bench_api_request_define(mrb, api);
    bench_api_env_define(mrb, api);
    bench_api_upload_define(mrb, api);
    bench_api_subrequest_define(mrb, api);
    bench_api_response_define(mrb, api);
    bench_api_bench_define(mrb, api);
    bench_api_require_define(mrb, api);
    bench_api_later_define(mrb, api);
    keep_classes(mrb, api);
}

void bench_api_uninstall(bench_interp_t *interp)
{
    mrb_free(interp->mrb, interp->api);
    interp->api = NULL;
}

static void put_back(bench_interp_t *interp, mrb_sym name, struct RObject *object)
{
    mrb_value now = mrb_gv_get(interp->mrb, name);

    if (mrb_immediate_p(now) || mrb_obj_ptr(now) != object) {
        mrb_gv_set(interp->mrb, name, mrb_obj_value(object));
    }
}

mrb_value bench_api_kept(mrb_state *mrb, bench_call_t *call)
{
    mrb_value kept = bench_api_of(mrb)->kept;

    if (call->kept_at < 0) {
        mrb_ary_push(mrb, kept, mrb_hash_new(mrb));
        call->kept_at = RARRAY_LEN(kept) - 1;
    }
    return mrb_ary_entry(kept, call->kept_at);
}

void bench_api_pop(bench_interp_t *interp, bench_call_t *call)
{
    interp->call = call->outer;
    if (call->kept_at >= 0) {
        /* An outer call may have begun to keep something later: then the last ones to go take
         * these along. */
        mrb_ary_set(interp->mrb, interp->api->kept, call->kept_at, mrb_nil_value());
        if (!call->outer) {
            mrb_ary_clear(interp->mrb, interp->api->kept);
        }
    }
    put_back(interp, interp->api->stdout_name, interp->api->output);
    put_back(interp, interp->api->stderr_name, interp->api->errors);
}

bench_call_t *bench_api_call(mrb_state *mrb)
{
    bench_call_t *call = bench_interp_of(mrb)->call;

    if (!call || !call->r) {
        mrb_raise(mrb, bench_api_of(mrb)->error,
                  "there is no request here: this code runs while an interpreter opens");
    }
    return call;
}

struct RClass *bench_api_define_handle(mrb_state *mrb, const bench_api_t *api, const char *name)
{
    struct RClass *klass = mrb_define_class_under(mrb, api->bench, name, mrb->object_class);

    MRB_SET_INSTANCE_TT(klass, MRB_TT_CDATA);
    mrb_undef_class_method(mrb, klass, "new");
    return klass;
}

mrb_value bench_api_handle(mrb_state *mrb, struct RClass *klass, const bench_call_t *call)
{
    void *serial = (void *)(uintptr_t)call->serial;

    return mrb_obj_value(mrb_data_object_alloc(mrb, klass, serial, &handle_type));
}

void bench_api_handle_init(mrb_state *mrb, mrb_value self, const bench_call_t *call)
{
    (void)mrb;
    mrb_data_init(self, (void *)(uintptr_t)call->serial, &handle_type);
}

bench_call_t *bench_api_call_of(mrb_state *mrb, mrb_value handle)
{
    apr_uint64_t serial = (uintptr_t)mrb_data_get_ptr(mrb, handle, &handle_type);
    bench_call_t *call;

    for (call = bench_interp_of(mrb)->call; call; call = call->outer) {
        if (call->serial == serial) {
            return call;
        }
    }
    mrb_raisef(mrb, bench_api_of(mrb)->stale, "the request of this %T has ended", handle);
    return NULL;
}

const char *bench_api_header_text(mrb_state *mrb, const bench_call_t *call, mrb_value string,
                                  const char *what)
{
    const char *bytes = RSTRING_PTR(string);
    apr_size_t size = (apr_size_t)RSTRING_LEN(string);
    apr_size_t i;

    for (i = 0; i < size; i++) {
        if (bytes[i] == '\r' || bytes[i] == '\n' || bytes[i] == '\0') {
            mrb_raisef(mrb, E_ARGUMENT_ERROR, "%s must not contain CR, LF or NUL: %!v", what,
                       string);
        }
    }
    return apr_pstrmemdup(call->pool, bytes, size);
}

void bench_api_check_output(mrb_state *mrb, apr_status_t rv)
{
    if (rv == BENCH_OUTPUT_NOT_WANTED) {
        mrb_raise(mrb, bench_api_of(mrb)->halt, "the client has this already");
    }
    if (rv == APR_EINVAL) {
        mrb_raise(mrb, bench_api_of(mrb)->error,
                  "the response is longer than the Content-Length that was sent with it");
    }
    if (rv == APR_EOF) {
        mrb_raise(mrb, bench_api_of(mrb)->error,
                  "the response is complete: another handler has sent it");
    }
    if (rv != APR_SUCCESS) {
        mrb_raise(mrb, bench_api_of(mrb)->disconnected, "the client has gone");
    }
}
