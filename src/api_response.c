/* SPDX-License-Identifier: Apache-2.0 */
/*
 * response: what the client gets.
 *
 * Floor 2.  mrblib builds on these.
 */
#include "api.h"

#include <string.h>

#include <apr_strings.h>
#include <http_core.h>
#include <http_protocol.h>
#include <http_request.h>
#include <mruby/class.h>
#include <mruby/string.h>

static mrb_value kernel_response(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return bench_api_handle(mrb, bench_api_of(mrb)->response, bench_api_call(mrb));
}

/* ---- status and header ------------------------------------------------------------------ */

static mrb_value response_status(mrb_state *mrb, mrb_value self)
{
    return mrb_fixnum_value(bench_api_call_of(mrb, self)->r->status);
}

/* NULL: httpd knows the reason.  It would send a status that it does not know as 500. */
static const char *status_line(const bench_call_t *call, int status)
{
    const char *known = ap_get_status_line(status);

    if (known[0] == '0' + status / 100 && known[1] == '0' + status / 10 % 10 &&
        known[2] == '0' + status % 10) {
        return NULL;
    }
    return apr_psprintf(call->pool, "%d ", status);
}

void bench_api_set_status(mrb_state *mrb, bench_call_t *call, mrb_int status)
{
    if (status < 200 || status > 599) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "not the status of a response: %i", status);
    }
    call->r->status = (int)status;
    call->r->status_line = status_line(call, (int)status);
}

static mrb_value response_set_status(mrb_state *mrb, mrb_value self)
{
    bench_call_t *call = bench_api_call_of(mrb, self);
    mrb_int status;

    mrb_get_args(mrb, "i", &status);
    bench_api_set_status(mrb, call, status);
    return mrb_fixnum_value(status);
}

static mrb_value response_headers(mrb_state *mrb, mrb_value self)
{
    return bench_api_handle(mrb, bench_api_of(mrb)->response_headers, bench_api_call_of(mrb, self));
}

static mrb_value response_is_sent(mrb_state *mrb, mrb_value self)
{
    return mrb_bool_value(bench_api_call_of(mrb, self)->out.sent);
}

/* Raises if it is too late to say something else. */
static bench_call_t *unsent(mrb_state *mrb, mrb_value self)
{
    bench_call_t *call = bench_api_call_of(mrb, self);

    if (call->out.sent) {
        mrb_raise(mrb, bench_api_of(mrb)->error, "too late: the response is on its way");
    }
    return call;
}

/* error_document!: httpd answers with its own page, or ErrorDocument's, for the status. */
static mrb_value response_error_document(mrb_state *mrb, mrb_value self)
{
    unsent(mrb, self)->said |= BENCH_SAID_ERROR_DOCUMENT;
    return self;
}

/* not_modified?: whether what the client has is still good, by the ETag and Last-Modified that are
 * set and the conditions in the request, as httpd judges them. */
static mrb_value response_is_not_modified(mrb_state *mrb, mrb_value self)
{
    request_rec *r = bench_api_call_of(mrb, self)->r;

    return mrb_bool_value(ap_meets_conditions(r) == HTTP_NOT_MODIFIED);
}

/* ---- body ------------------------------------------------------------------------------- */

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

/* Forgets what was written and not sent. */
static mrb_value response_reset(mrb_state *mrb, mrb_value self)
{
    bench_output_discard(&unsent(mrb, self)->out);
    return self;
}

/* The type that the server's configuration gives to a file of that name.  Asked of a copy of the
 * request: a lookup by a subrequest would also ask whether the client may have the file, which is
 * for the script to say. */
static void set_type_of(request_rec *r, const char *path, const apr_finfo_t *finfo)
{
    request_rec named = *r;

    named.filename = apr_pstrdup(r->pool, path);
    named.finfo = *finfo;
    named.content_type = NULL;
    named.handler = NULL;
    named.path_info = NULL;
    ap_run_type_checker(&named);
    ap_set_content_type(r, named.content_type ? named.content_type : "application/octet-stream");
}

void bench_api_send_file(mrb_state *mrb, bench_call_t *call, const char *path)
{
    request_rec *r = call->r;
    apr_finfo_t finfo;
    apr_file_t *file;
    /* A look first: to open a pipe would wait for somebody to write to it. */
    apr_status_t rv = apr_stat(&finfo, path, APR_FINFO_TYPE, r->pool);
    char reason[128];

    if (rv == APR_SUCCESS && finfo.filetype != APR_REG) {
        rv = finfo.filetype == APR_DIR ? EISDIR : EINVAL;
    }
    if (rv == APR_SUCCESS) {
        rv = apr_file_open(&file, path, APR_FOPEN_READ | APR_FOPEN_BINARY, 0, r->pool);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_file_info_get(&finfo, APR_FINFO_NORM, file);
        rv = rv == APR_INCOMPLETE ? APR_SUCCESS : rv;
    }
    if (rv != APR_SUCCESS) {
        mrb_raisef(mrb, bench_api_of(mrb)->error, "cannot send %s: %s", path,
                   apr_strerror(rv, reason, sizeof(reason)));
    }
    if (!r->content_type) {
        set_type_of(r, path, &finfo);
    }
    if (!call->out.sent && call->out.total == 0) {
        if (!apr_table_get(r->headers_out, "Last-Modified")) {
            ap_update_mtime(r, finfo.mtime);
            ap_set_last_modified(r);
        }
        ap_set_accept_ranges(r);
    }
    bench_api_check_output(mrb, bench_output_file(&call->out, file, 0, finfo.size));
}

static mrb_value response_send_file(mrb_state *mrb, mrb_value self)
{
    bench_call_t *call = bench_api_call_of(mrb, self);
    const char *path;

    mrb_get_args(mrb, "z", &path);
    bench_api_send_file(mrb, call, path);
    return self;
}

/* __redirect_to(uri): once this script has ended, httpd serves uri in its place. */
static mrb_value response_redirect_inside(mrb_state *mrb, mrb_value self)
{
    bench_call_t *call = unsent(mrb, self);
    mrb_value uri;
    const char *text;

    mrb_get_args(mrb, "S", &uri);
    text = bench_api_header_text(mrb, call, uri, "a URL");
    if (*text != '/') {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "an internal redirect goes to a path of this server: %!v",
                   uri);
    }
    call->redirect = text;
    return self;
}

void bench_api_response_define(mrb_state *mrb, bench_api_t *api)
{
    struct RClass *klass = bench_api_define_handle(mrb, api, "Response");

    api->response = klass;
    mrb_define_method(mrb, klass, "status", response_status, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "status=", response_set_status, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, klass, "headers", response_headers, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "sent?", response_is_sent, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "error_document!", response_error_document, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "not_modified?", response_is_not_modified, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "write", response_write, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, klass, "flush", response_flush, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "reset", response_reset, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "send_file", response_send_file, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, klass, "__redirect_to", response_redirect_inside, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, mrb->kernel_module, "response", kernel_response, MRB_ARGS_NONE());
    mrb_define_module_function(mrb, api->bench, "response", kernel_response, MRB_ARGS_NONE());
}
