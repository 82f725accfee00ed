/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Apache::Request, Server, Connection and Finfo read from httpd's records, and what Request
 * writes to its own.
 *
 * Floor 2.
 *
 * A field is found by the name of the method that was called, so that nothing is to be kept for
 * it in an interpreter but the name itself.
 */
#include "api.h"

#include <stddef.h>
#include <string.h>

#include <apr_strings.h>
#include <http_config.h>
#include <http_core.h>
#include <http_protocol.h>
#include <mruby/class.h>
#include <mruby/string.h>

typedef enum { TEXT, SIGNED, UNSIGNED, FLOAT } kind_e;

typedef struct {
    const char *name;
    kind_e kind;
    unsigned offset;
    unsigned size;
    int writable; /* 1: text; 2: text or nil */
} field_t;

#define FIELD(record, name, kind, member, writable)                                      \
    {                                                                                    \
        name, kind, offsetof(record, member), sizeof(((record *)NULL)->member), writable \
    }
#define REQUEST(name, kind, writable) FIELD(request_rec, #name, kind, name, writable)
#define SERVER(name, kind, member) FIELD(server_rec, #name, kind, member, 0)
#define CONNECTION(name, kind, member) FIELD(conn_rec, #name, kind, member, 0)
#define FINFO(name, kind, member) FIELD(apr_finfo_t, #name, kind, member, 0)

static const field_t of_request[] = {
    REQUEST(the_request, TEXT, 1),
    REQUEST(protocol, TEXT, 1),
    REQUEST(vlist_validator, TEXT, 2),
    REQUEST(user, TEXT, 2),
    REQUEST(ap_auth_type, TEXT, 2),
    REQUEST(unparsed_uri, TEXT, 1),
    REQUEST(uri, TEXT, 1),
    REQUEST(filename, TEXT, 1),
    REQUEST(canonical_filename, TEXT, 2),
    REQUEST(path_info, TEXT, 2),
    REQUEST(args, TEXT, 2),
    REQUEST(hostname, TEXT, 2),
    REQUEST(status_line, TEXT, 2),
    REQUEST(method, TEXT, 1),
    REQUEST(range, TEXT, 2),
    REQUEST(content_type, TEXT, 2),
    REQUEST(handler, TEXT, 2),
    REQUEST(content_encoding, TEXT, 2),
    REQUEST(proxyreq, SIGNED, 0),
    REQUEST(status, SIGNED, 0),
    FIELD(request_rec, "content_length", SIGNED, clength, 0),
    REQUEST(assbackwards, SIGNED, 0),
    REQUEST(header_only, SIGNED, 0),
    REQUEST(proto_num, SIGNED, 0),
    REQUEST(method_number, SIGNED, 0),
    REQUEST(chunked, SIGNED, 0),
    REQUEST(read_body, SIGNED, 0),
    REQUEST(read_chunked, SIGNED, 0),
    REQUEST(used_path_info, SIGNED, 0),
    REQUEST(eos_sent, SIGNED, 0),
    REQUEST(no_cache, SIGNED, 0),
    REQUEST(no_local_copy, SIGNED, 0),
};

static const field_t of_server[] = {
    SERVER(error_fname, TEXT, error_fname),
    SERVER(loglevel, SIGNED, log.level),
    SERVER(hostname, TEXT, server_hostname),
    SERVER(path, TEXT, path),
    SERVER(admin, TEXT, server_admin),
    SERVER(redirect_server_scheme, TEXT, server_scheme),
    SERVER(redirect_server_port, UNSIGNED, port),
    SERVER(defn_name, TEXT, defn_name),
    SERVER(defn_line_number, UNSIGNED, defn_line_number),
    SERVER(is_virtual, SIGNED, is_virtual),
    SERVER(keep_alive_max, SIGNED, keep_alive_max),
    SERVER(keep_alive, SIGNED, keep_alive),
    SERVER(pathlen, SIGNED, pathlen),
    SERVER(limit_req_line, SIGNED, limit_req_line),
    SERVER(limit_req_fieldsize, SIGNED, limit_req_fieldsize),
    SERVER(limit_req_fields, SIGNED, limit_req_fields),
    SERVER(timeout, SIGNED, timeout),
    SERVER(keep_alive_timeout, SIGNED, keep_alive_timeout),
};

static const field_t of_connection[] = {
    CONNECTION(remote_ip, TEXT, client_ip),
    CONNECTION(remote_host, TEXT, remote_host),
    CONNECTION(remote_logname, TEXT, remote_logname),
    CONNECTION(local_ip, TEXT, local_ip),
    CONNECTION(local_host, TEXT, local_host),
    CONNECTION(keepalives, SIGNED, keepalives),
    CONNECTION(data_in_input_filters, SIGNED, data_in_input_filters),
};

static const field_t of_finfo[] = {
    FINFO(permission, SIGNED, protection),
    FINFO(filetype, UNSIGNED, filetype),
    FINFO(group, UNSIGNED, group),
    FINFO(user, UNSIGNED, user),
    FINFO(device, UNSIGNED, device),
    FINFO(inode, UNSIGNED, inode),
    FINFO(nlink, SIGNED, nlink),
    FINFO(size, FLOAT, size),
    FINFO(csize, FLOAT, csize),
    FINFO(atime, FLOAT, atime),
    FINFO(ctime, FLOAT, ctime),
    FINFO(mtime, FLOAT, mtime),
};

#define SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* ---- reading and writing ---------------------------------------------------------------- */

/* The field that the method which was called stands for: NAME or NAME=. */
static const field_t *called(mrb_state *mrb, const field_t *fields, size_t n)
{
    const char *name = mrb_sym_name(mrb, mrb->c->ci->mid);
    size_t size = strcspn(name, "=");
    size_t i;

    for (i = 0; i < n; i++) {
        if (strncmp(fields[i].name, name, size) == 0 && fields[i].name[size] == '\0') {
            return &fields[i];
        }
    }
    mrb_raisef(mrb, E_NAME_ERROR, "%n is no field of httpd's", mrb->c->ci->mid);
    return NULL;
}

/* A whole number of any width. */
static apr_int64_t number(const field_t *field, const char *at)
{
    int is_signed = field->kind != UNSIGNED;
    apr_int32_t four;
    apr_int16_t two;
    apr_int64_t eight;

    switch (field->size) {
    case 1:
        return is_signed ? *at : (unsigned char)*at;
    case 2:
        memcpy(&two, at, sizeof(two));
        return is_signed ? two : (apr_uint16_t)two;
    case 4:
        memcpy(&four, at, sizeof(four));
        return is_signed ? (apr_int64_t)four : (apr_int64_t)(apr_uint32_t)four;
    default:
        memcpy(&eight, at, sizeof(eight));
        return eight;
    }
}

static mrb_value get(mrb_state *mrb, const field_t *field, const void *record)
{
    const char *at = (const char *)record + field->offset;
    const char *text;

    if (field->kind == TEXT) {
        memcpy(&text, at, sizeof(text));
        return bench_api_string(mrb, text);
    }
    if (field->kind == FLOAT) {
        return mrb_float_value(mrb, (mrb_float)number(field, at));
    }
    return mrb_int_value(mrb, (mrb_int)number(field, at));
}

static mrb_value get_of_request(mrb_state *mrb, mrb_value self)
{
    const request_rec *r = bench_api_call_of(mrb, self)->r;

    return get(mrb, called(mrb, of_request, SIZE(of_request)), r);
}

static mrb_value get_of_server(mrb_state *mrb, mrb_value self)
{
    const server_rec *server = bench_api_call_of(mrb, self)->server;

    return get(mrb, called(mrb, of_server, SIZE(of_server)), server);
}

static mrb_value get_of_connection(mrb_state *mrb, mrb_value self)
{
    const conn_rec *connection = bench_api_call_of(mrb, self)->r->connection;

    return get(mrb, called(mrb, of_connection, SIZE(of_connection)), connection);
}

static mrb_value get_of_finfo(mrb_state *mrb, mrb_value self)
{
    const request_rec *r = bench_api_call_of(mrb, self)->r;

    return get(mrb, called(mrb, of_finfo, SIZE(of_finfo)), &r->finfo);
}

/* The argument as it goes into the call's pool; NULL for nil. */
static const char *text_argument(mrb_state *mrb, const bench_call_t *call, const char *name,
                                 int may_be_nil)
{
    mrb_value value = mrb_get_arg1(mrb);

    if (mrb_nil_p(value)) {
        if (!may_be_nil) {
            mrb_raisef(mrb, E_ARGUMENT_ERROR, "%s cannot be nil", name);
        }
        return NULL;
    }
    return bench_api_header_text(mrb, call, mrb_obj_as_string(mrb, value), name);
}

static mrb_value set_of_request(mrb_state *mrb, mrb_value self)
{
    bench_call_t *call = bench_api_call_of(mrb, self);
    const field_t *field = called(mrb, of_request, SIZE(of_request));
    const char *text = text_argument(mrb, call, field->name, field->writable == 2);

    memcpy((char *)call->r + field->offset, &text, sizeof(text));
    if (field->offset == offsetof(request_rec, filename)) {
        call->said |= BENCH_SAID_FILE;
    } else if (field->offset == offsetof(request_rec, handler)) {
        call->said |= BENCH_SAID_HANDLER;
    }
    return mrb_get_arg1(mrb);
}

/* ---- what is more than a field ---------------------------------------------------------- */

static mrb_value request_set_method(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);
    request_rec *r = call->r;

    r->method = text_argument(mrb, call, "method", 0);
    r->method_number = ap_method_number_of(r->method);
    return mrb_get_arg1(mrb);
}

static mrb_value request_set_content_type(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);
    const char *type = text_argument(mrb, call, "content_type", 1);

    if (type) {
        ap_set_content_type(call->r, type);
    } else {
        call->r->content_type = NULL;
    }
    return mrb_get_arg1(mrb);
}

static mrb_value request_set_content_length(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);
    mrb_int length;

    mrb_get_args(mrb, "i", &length);
    if (length < 0) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "not a Content-Length: %i", length);
    }
    ap_set_content_length(call->r, (apr_off_t)length);
    return mrb_get_arg1(mrb);
}

static mrb_value request_set_status(mrb_state *mrb, mrb_value self)
{
    mrb_int status;

    mrb_get_args(mrb, "i", &status);
    bench_api_set_status(mrb, bench_api_call_of(mrb, self), status);
    return mrb_get_arg1(mrb);
}

static mrb_value request_set_proxyreq(mrb_state *mrb, mrb_value self)
{
    request_rec *r = bench_api_call_of(mrb, self)->r;
    mrb_int kind;

    mrb_get_args(mrb, "i", &kind);
    if (kind < PROXYREQ_NONE || kind > PROXYREQ_RESPONSE) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "not one of PROXYREQ_NONE, PROXY, REVERSE, RESPONSE: %i",
                   kind);
    }
    r->proxyreq = (int)kind;
    return mrb_get_arg1(mrb);
}

static mrb_value request_scheme(mrb_state *mrb, mrb_value self)
{
    return bench_api_string(mrb, ap_http_scheme(bench_api_call_of(mrb, self)->r));
}

static mrb_value request_document_root(mrb_state *mrb, mrb_value self)
{
    return bench_api_string(mrb, ap_document_root(bench_api_call_of(mrb, self)->r));
}

/* For this request only: so httpd keeps it. */
static mrb_value request_set_document_root(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);

    ap_set_document_root(call->r, text_argument(mrb, call, "document_root", 0));
    return mrb_get_arg1(mrb);
}

/* Seconds since the request came in. */
static mrb_value request_response_time(mrb_state *mrb, mrb_value self)
{
    const request_rec *r = bench_api_call_of(mrb, self)->r;

    return mrb_float_value(mrb, (mrb_float)(apr_time_now() - r->request_time) / APR_USEC_PER_SEC);
}

static mrb_value request_is_sub_request(mrb_state *mrb, mrb_value self)
{
    return mrb_bool_value(bench_api_call_of(mrb, self)->r->main != NULL);
}

static mrb_value request_has_prev(mrb_state *mrb, mrb_value self)
{
    return mrb_bool_value(bench_api_call_of(mrb, self)->r->prev != NULL);
}

static mrb_value request_has_next(mrb_state *mrb, mrb_value self)
{
    return mrb_bool_value(bench_api_call_of(mrb, self)->r->next != NULL);
}

static mrb_value server_document_root(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);
    const core_server_config *core = ap_get_core_module_config(call->server->module_config);

    return bench_api_string(mrb, call->r ? ap_document_root(call->r) : core->ap_document_root);
}

static mrb_value connection_remote_port(mrb_state *mrb, mrb_value self)
{
    return mrb_fixnum_value(bench_api_call_of(mrb, self)->r->connection->client_addr->port);
}

static mrb_value connection_local_port(mrb_state *mrb, mrb_value self)
{
    return mrb_fixnum_value(bench_api_call_of(mrb, self)->r->connection->local_addr->port);
}

/* initialize: of the request that is under way. */
static mrb_value initialize(mrb_state *mrb, mrb_value self)
{
    bench_api_handle_init(mrb, self, bench_api_call(mrb));
    return self;
}

/* There is a server also where there is no request. */
static mrb_value server_initialize(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_interp_of(mrb)->call;

    bench_api_handle_init(mrb, self, call ? call : bench_api_call(mrb));
    return self;
}

/* ---- definition ------------------------------------------------------------------------- */

static struct RClass *define(mrb_state *mrb, const char *name, mrb_func_t init)
{
    struct RClass *apache = mrb_class_get(mrb, "Apache");
    struct RClass *klass = mrb_define_class_under(mrb, apache, name, mrb->object_class);

    MRB_SET_INSTANCE_TT(klass, MRB_TT_CDATA);
    mrb_define_method(mrb, klass, "initialize", init, MRB_ARGS_NONE());
    return klass;
}

static void define_fields(mrb_state *mrb, struct RClass *klass, mrb_func_t getter,
                          const field_t *fields, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        mrb_define_method_id(mrb, klass,
                             mrb_intern_static(mrb, fields[i].name, strlen(fields[i].name)), getter,
                             MRB_ARGS_NONE());
        if (fields[i].writable) {
            char setter[32];

            apr_snprintf(setter, sizeof(setter), "%s=", fields[i].name);
            mrb_define_method_id(mrb, klass, mrb_intern_cstr(mrb, setter), set_of_request,
                                 MRB_ARGS_REQ(1));
        }
    }
}

static void define_request(mrb_state *mrb)
{
    struct RClass *klass = define(mrb, "Request", initialize);

    define_fields(mrb, klass, get_of_request, of_request, SIZE(of_request));
    mrb_define_method(mrb, klass, "method=", request_set_method, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, klass, "content_type=", request_set_content_type, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, klass, "content_length=", request_set_content_length, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, klass, "status=", request_set_status, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, klass, "proxyreq=", request_set_proxyreq, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, klass, "scheme", request_scheme, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "document_root", request_document_root, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "document_root=", request_set_document_root, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, klass, "response_time", request_response_time, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "main?", request_is_sub_request, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "sub_request?", request_is_sub_request, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "prev?", request_has_prev, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "internal_redirect?", request_has_prev, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "next?", request_has_next, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "external_redirect?", request_has_next, MRB_ARGS_NONE());
}

void bench_api_fields_define(mrb_state *mrb, bench_api_t *api)
{
    struct RClass *klass;

    (void)api;
    define_request(mrb);
    klass = define(mrb, "Server", server_initialize);
    define_fields(mrb, klass, get_of_server, of_server, SIZE(of_server));
    mrb_define_method(mrb, klass, "document_root", server_document_root, MRB_ARGS_NONE());
    klass = define(mrb, "Connection", initialize);
    define_fields(mrb, klass, get_of_connection, of_connection, SIZE(of_connection));
    mrb_define_method(mrb, klass, "remote_port", connection_remote_port, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "local_port", connection_local_port, MRB_ARGS_NONE());
    klass = define(mrb, "Finfo", initialize);
    define_fields(mrb, klass, get_of_finfo, of_finfo, SIZE(of_finfo));
}
