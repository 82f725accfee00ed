/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request: what the client asked for.
 *
 * Floor 2.  mrblib builds on these: whatever can be said in terms of them stands there.
 */
#include "api.h"

#include <string.h>

#include <apr_lib.h>
#include <apr_strings.h>
#include <http_core.h>
#include <http_protocol.h>
#include <http_request.h>
#include <util_script.h>
#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/hash.h>
#include <mruby/string.h>
#include <mruby/variable.h>

#include "params.h"

static mrb_value kernel_request(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return bench_api_handle(mrb, bench_api_of(mrb)->request, bench_api_call(mrb));
}

/* ---- fields of the request record ------------------------------------------------------- */

/* Strings of httpd's that Ruby may read and, where httpd is meant to look again, write. */
static const struct {
    const char *name;
    size_t offset;
    int writable; /* 1: text; 2: text or nil */
} fields[BENCH_API_FIELDS] = {
    {"request_method", offsetof(request_rec, method), 0},
    {"the_request", offsetof(request_rec, the_request), 0},
    {"unparsed_uri", offsetof(request_rec, unparsed_uri), 0},
    {"protocol", offsetof(request_rec, protocol), 0},
    {"server_hostname", offsetof(request_rec, hostname), 0},
    {"uri", offsetof(request_rec, uri), 1},
    {"args", offsetof(request_rec, args), 2},
    {"filename", offsetof(request_rec, filename), 1},
    {"canonical_filename", offsetof(request_rec, canonical_filename), 1},
    {"handler", offsetof(request_rec, handler), 2},
    {"user", offsetof(request_rec, user), 2},
    {"auth_type", offsetof(request_rec, ap_auth_type), 2},
    {"content_encoding", offsetof(request_rec, content_encoding), 2},
};

/* Which field the method that was called stands for. */
static unsigned field_of(mrb_state *mrb, const mrb_sym *symbols)
{
    mrb_sym called = mrb->c->ci->mid;
    unsigned i;

    for (i = 0; i < BENCH_API_FIELDS; i++) {
        if (symbols[i] == called) {
            return i;
        }
    }
    mrb_raisef(mrb, E_NAME_ERROR, "%n is no field of a request", called);
    return 0;
}

static const char **field_in(request_rec *r, unsigned field)
{
    return (const char **)(void *)((char *)r + fields[field].offset);
}

static mrb_value request_get_field(mrb_state *mrb, mrb_value self)
{
    request_rec *r = bench_api_call_of(mrb, self)->r;

    return bench_api_string(mrb, *field_in(r, field_of(mrb, bench_api_of(mrb)->getters)));
}

static mrb_value request_set_field(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);
    unsigned field = field_of(mrb, bench_api_of(mrb)->setters);
    mrb_value value;

    mrb_get_args(mrb, "o", &value);
    if (mrb_nil_p(value) && fields[field].writable == 1) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "%s cannot be nil", fields[field].name);
    }
    *field_in(call->r, field) =
        mrb_nil_p(value)
            ? NULL
            : bench_api_header_text(mrb, call, mrb_obj_as_string(mrb, value), fields[field].name);
    return value;
}

static void define_fields(mrb_state *mrb, bench_api_t *api, struct RClass *klass)
{
    unsigned i;

    for (i = 0; i < BENCH_API_FIELDS; i++) {
        api->getters[i] = mrb_intern_static(mrb, fields[i].name, strlen(fields[i].name));
        mrb_define_method_id(mrb, klass, api->getters[i], request_get_field, MRB_ARGS_NONE());
        if (fields[i].writable) {
            char setter[32];

            apr_snprintf(setter, sizeof(setter), "%s=", fields[i].name);
            api->setters[i] = mrb_intern_cstr(mrb, setter);
            mrb_define_method_id(mrb, klass, api->setters[i], request_set_field, MRB_ARGS_REQ(1));
        }
    }
}

/* ---- the URL and where it led ----------------------------------------------------------- */

/* As in Rack: "" where there is none. */
static mrb_value request_query_string(mrb_state *mrb, mrb_value self)
{
    const char *args = bench_api_call_of(mrb, self)->r->args;

    return mrb_str_new_cstr(mrb, args ? args : "");
}

static mrb_value request_path_info(mrb_state *mrb, mrb_value self)
{
    const char *info = bench_api_call_of(mrb, self)->r->path_info;

    return mrb_str_new_cstr(mrb, info ? info : "");
}

/* The URL's path without the part that is path_info. */
static mrb_value request_script_name(mrb_state *mrb, mrb_value self)
{
    const request_rec *r = bench_api_call_of(mrb, self)->r;
    const char *uri = r->uri ? r->uri : "";
    int end =
        r->path_info && *r->path_info ? ap_find_path_info(uri, r->path_info) : (int)strlen(uri);

    return mrb_str_new(mrb, uri, end);
}

static mrb_value request_path(mrb_state *mrb, mrb_value self)
{
    return bench_api_string(mrb, bench_api_call_of(mrb, self)->r->uri);
}

static mrb_value request_server_scheme(mrb_state *mrb, mrb_value self)
{
    return bench_api_string(mrb, ap_http_scheme(bench_api_call_of(mrb, self)->r));
}

static mrb_value request_server_name(mrb_state *mrb, mrb_value self)
{
    return bench_api_string(mrb, ap_get_server_name_for_url(bench_api_call_of(mrb, self)->r));
}

static mrb_value request_server_port(mrb_state *mrb, mrb_value self)
{
    return mrb_fixnum_value(ap_get_server_port(bench_api_call_of(mrb, self)->r));
}

static mrb_value request_remote_addr(mrb_state *mrb, mrb_value self)
{
    return bench_api_string(mrb, bench_api_call_of(mrb, self)->r->useragent_ip);
}

static mrb_value request_remote_port(mrb_state *mrb, mrb_value self)
{
    return mrb_fixnum_value(bench_api_call_of(mrb, self)->r->useragent_addr->port);
}

/* ---- parts ------------------------------------------------------------------------------ */

static mrb_value part(mrb_state *mrb, mrb_value self, struct RClass *klass)
{
    return bench_api_handle(mrb, klass, bench_api_call_of(mrb, self));
}

static mrb_value request_headers(mrb_state *mrb, mrb_value self)
{
    return part(mrb, self, bench_api_of(mrb)->request_headers);
}

static mrb_value request_notes(mrb_state *mrb, mrb_value self)
{
    return part(mrb, self, bench_api_of(mrb)->notes);
}

static mrb_value request_subprocess_env(mrb_state *mrb, mrb_value self)
{
    return part(mrb, self, bench_api_of(mrb)->subprocess_env);
}

static mrb_value request_body(mrb_state *mrb, mrb_value self)
{
    return part(mrb, self, bench_api_of(mrb)->body);
}

/* __header("HTTP_X_Y"): the header of that CGI name, or nil. */
static mrb_value request_cgi_header(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);
    const char *name;
    char *header, *p;

    mrb_get_args(mrb, "z", &name);
    header = apr_pstrdup(call->pool, strncmp(name, "HTTP_", 5) == 0 ? name + 5 : name);
    for (p = header; *p; p++) {
        *p = *p == '_' ? '-' : *p;
    }
    return bench_api_string(mrb, apr_table_get(call->r->headers_in, header));
}

/* __keep(name) { value }: the block's value, the same one as long as the request lasts. */
static mrb_value request_keep(mrb_state *mrb, mrb_value self)
{
    mrb_value kept = bench_api_kept(mrb, bench_api_call_of(mrb, self));
    mrb_value block, value;
    mrb_sym name;

    mrb_get_args(mrb, "n&!", &name, &block);
    value = mrb_hash_fetch(mrb, kept, mrb_symbol_value(name), mrb_undef_value());
    if (mrb_undef_p(value)) {
        value = mrb_yield(mrb, block, mrb_nil_value());
        mrb_hash_set(mrb, kept, mrb_symbol_value(name), value);
    }
    return value;
}

/* ---- parameters ------------------------------------------------------------------------- */

bench_params_rules_t bench_api_rules(mrb_state *mrb)
{
    const bench_call_t *call = bench_interp_of(mrb)->call;
    bench_params_rules_t rules = bench_api_of(mrb)->params;

    rules.bytes = bench_conf_form_size(call->conf, BENCH_CONF_FORM_SIZE);
    rules.count = (size_t)bench_conf_or(call->conf->param_limit, BENCH_CONF_PARAM_LIMIT);
    rules.depth = bench_conf_or(call->conf->param_depth, BENCH_CONF_PARAM_DEPTH);
    return rules;
}

/* Bench::Params.query(text, separators) */
static mrb_value params_query(mrb_state *mrb, mrb_value self)
{
    const bench_params_rules_t rules = bench_api_rules(mrb);
    const char *separators;
    mrb_value text;

    (void)self;
    mrb_get_args(mrb, "Sz", &text, &separators);
    return bench_params_parse(mrb, &rules, RSTRING_PTR(text), (size_t)RSTRING_LEN(text),
                              separators);
}

/* Bench::Params.cookies(text) */
static mrb_value params_cookies(mrb_state *mrb, mrb_value self)
{
    mrb_value text;

    (void)self;
    mrb_get_args(mrb, "S", &text);
    return bench_params_cookies(mrb, RSTRING_PTR(text), (size_t)RSTRING_LEN(text));
}

/* Bench::Params.add(params, name, value) */
static mrb_value params_add(mrb_state *mrb, mrb_value self)
{
    const bench_params_rules_t rules = bench_api_rules(mrb);
    mrb_value params, name, value;

    (void)self;
    mrb_get_args(mrb, "HSo", &params, &name, &value);
    bench_params_add(mrb, &rules, params, name, value);
    return params;
}

/* Bench::Params.form_size: bytes that a form may have here. */
static mrb_value params_form_size(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_int_value(mrb, (mrb_int)bench_api_rules(mrb).bytes);
}

static void define_params(mrb_state *mrb, bench_api_t *api)
{
    struct RClass *params = mrb_define_module_under(mrb, api->bench, "Params");
    struct RClass *error = mrb_define_class_under(mrb, params, "Error", api->client_error);

    api->params.type = mrb_define_class_under(mrb, params, "TypeError", error);
    api->params.invalid = mrb_define_class_under(mrb, params, "InvalidError", error);
    api->params.limit = mrb_define_class_under(mrb, params, "LimitError", error);
    api->params.malformed = mrb_define_class_under(mrb, params, "MalformedError", error);
    api->params.upload = mrb_define_class_under(mrb, params, "Upload", mrb->hash_class);
    mrb_define_module_function(mrb, params, "query", params_query, MRB_ARGS_REQ(2));
    mrb_define_module_function(mrb, params, "form_size", params_form_size, MRB_ARGS_NONE());
    mrb_define_module_function(mrb, params, "add", params_add, MRB_ARGS_REQ(3));
    mrb_define_module_function(mrb, params, "cookies", params_cookies, MRB_ARGS_REQ(1));
}

void bench_api_request_define(mrb_state *mrb, bench_api_t *api)
{
    struct RClass *klass = bench_api_define_handle(mrb, api, "Request");

    api->request = klass;
    define_fields(mrb, api, klass);
    mrb_define_method(mrb, klass, "query_string", request_query_string, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "path_info", request_path_info, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "script_name", request_script_name, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "path", request_path, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "server_scheme", request_server_scheme, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "server_name", request_server_name, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "server_port", request_server_port, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "remote_addr", request_remote_addr, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "remote_port", request_remote_port, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "headers", request_headers, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "notes", request_notes, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "subprocess_env", request_subprocess_env, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "body", request_body, MRB_ARGS_NONE());
    mrb_define_method(mrb, klass, "get_header", request_cgi_header, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, klass, "__keep", request_keep, MRB_ARGS_REQ(1) | MRB_ARGS_BLOCK());
    define_params(mrb, api);
    mrb_define_method(mrb, mrb->kernel_module, "request", kernel_request, MRB_ARGS_NONE());
    mrb_define_module_function(mrb, api->bench, "request", kernel_request, MRB_ARGS_NONE());
}
