/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of a request as CGI and Rack have it: request.env, and what an application gets.
 *
 * Floor 2.
 *
 * An application looks at a few of some thirty values.  So a Rack::Env begins as a copy of what is
 * the same for every request, and gets the rest when it is looked at: one value when that is asked
 * for, all of them when somebody wants to see what there is (mrblib has a list of those methods).
 */
#include "api.h"

#include <string.h>

#include <ap_mpm.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <http_core.h>
#include <http_protocol.h>
#include <util_script.h>
#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/hash.h>
#include <mruby/string.h>
#include <mruby/variable.h>

/* Names of what differs from request to request: places in the interpreter's array of them. */
enum {
    REQUEST_METHOD,
    SCRIPT_NAME,
    PATH_INFO,
    QUERY_STRING,
    REQUEST_URI,
    SERVER_NAME,
    SERVER_PORT,
    SERVER_PROTOCOL,
    REMOTE_ADDR,
    REMOTE_PORT,
    REMOTE_USER,
    AUTH_TYPE,
    HTTPS,
    CONTENT_TYPE,
    CONTENT_LENGTH,
    URL_SCHEME,
    INPUT,
    NAMES
};

static const char *const names[NAMES] = {
    "REQUEST_METHOD",  "SCRIPT_NAME", "PATH_INFO",       "QUERY_STRING", "REQUEST_URI",
    "SERVER_NAME",     "SERVER_PORT", "SERVER_PROTOCOL", "REMOTE_ADDR",  "REMOTE_PORT",
    "REMOTE_USER",     "AUTH_TYPE",   "HTTPS",           "CONTENT_TYPE", "CONTENT_LENGTH",
    "rack.url_scheme", "rack.input",
};

/* A Hash's key is copied unless it is frozen. */
static mrb_value frozen(mrb_state *mrb, const char *text)
{
    mrb_value string = mrb_str_new_static(mrb, text, strlen(text));

    return mrb_obj_freeze(mrb, string);
}

static mrb_value template(mrb_state *mrb)
{
    mrb_value hash = mrb_obj_new(mrb, bench_api_of(mrb)->env, 0, NULL);
    mrb_value version[2] = {mrb_fixnum_value(1), mrb_fixnum_value(3)};
    int threaded = 0;
    int forked = 0;

    ap_mpm_query(AP_MPMQ_IS_THREADED, &threaded);
    ap_mpm_query(AP_MPMQ_IS_FORKED, &forked);
    mrb_hash_set(mrb, hash, frozen(mrb, "rack.version"), mrb_ary_new_from_values(mrb, 2, version));
    mrb_hash_set(mrb, hash, frozen(mrb, "rack.errors"), mrb_obj_value(bench_api_of(mrb)->errors));
    mrb_hash_set(mrb, hash, frozen(mrb, "rack.multithread"), mrb_bool_value(threaded != 0));
    mrb_hash_set(mrb, hash, frozen(mrb, "rack.multiprocess"), mrb_bool_value(forked != 0));
    mrb_hash_set(mrb, hash, frozen(mrb, "rack.run_once"), mrb_false_value());
    mrb_hash_set(mrb, hash, frozen(mrb, "rack.hijack?"), mrb_false_value());
    mrb_hash_set(mrb, hash, frozen(mrb, "SERVER_SOFTWARE"),
                 mrb_str_new_cstr(mrb, ap_get_server_banner()));
    mrb_hash_set(mrb, hash, frozen(mrb, "GATEWAY_INTERFACE"), frozen(mrb, "CGI/1.1"));
    return hash;
}

/* Makes the template and the names at the first use: a script without env need not pay. */
static void prepare(mrb_state *mrb, bench_api_t *api)
{
    mrb_value keys = mrb_ary_new_capa(mrb, NAMES);
    int i;

    for (i = 0; i < NAMES; i++) {
        mrb_ary_push(mrb, keys, frozen(mrb, names[i]));
    }
    mrb_gc_register(mrb, keys);
    api->env_names = keys;
    api->env_headers = mrb_hash_new(mrb);
    mrb_gc_register(mrb, api->env_headers);
    api->env_template = template(mrb);
    mrb_gc_register(mrb, api->env_template);
}

static void set(mrb_state *mrb, mrb_value env, int name, mrb_value value)
{
    mrb_hash_set(mrb, env, RARRAY_PTR(bench_api_of(mrb)->env_names)[name], value);
}

/* How many names of headers an interpreter remembers: clients choose them. */
#define MOST_HEADERS 128

/* "User-Agent" -> "HTTP_USER_AGENT", the same String each time. */
static mrb_value header_key(mrb_state *mrb, const bench_call_t *call, const char *name)
{
    mrb_value known = bench_api_of(mrb)->env_headers;
    mrb_sym symbol = mrb_intern_check_cstr(mrb, name);
    mrb_value key;
    char *text, *p;

    if (symbol) {
        key = mrb_hash_fetch(mrb, known, mrb_symbol_value(symbol), mrb_nil_value());
        if (!mrb_nil_p(key)) {
            return key;
        }
    }
    text = apr_pstrcat(call->pool, "HTTP_", name, NULL);
    for (p = text; *p; p++) {
        *p = apr_isalnum(*p) ? (char)apr_toupper(*p) : '_';
    }
    key = mrb_obj_freeze(mrb, mrb_str_new_cstr(mrb, text));
    if (mrb_hash_size(mrb, known) < MOST_HEADERS) {
        mrb_hash_set(mrb, known, mrb_symbol_value(mrb_intern_cstr(mrb, name)), key);
    }
    return key;
}

/* A header that CGI has another name for, or that must not be one: HTTP_PROXY would be taken for a
 * setting (httpoxy). */
static int is_special(const char *name)
{
    return ap_cstr_casecmp(name, "Content-Type") == 0 ||
           ap_cstr_casecmp(name, "Content-Length") == 0 || ap_cstr_casecmp(name, "Proxy") == 0;
}

static void set_headers(mrb_state *mrb, const bench_call_t *call, mrb_value env)
{
    const apr_array_header_t *entries = apr_table_elts(call->r->headers_in);
    int i;

    for (i = 0; i < entries->nelts; i++) {
        const apr_table_entry_t *entry = &APR_ARRAY_IDX(entries, i, apr_table_entry_t);
        int arena = mrb_gc_arena_save(mrb);

        if (!is_special(entry->key)) {
            mrb_value key = header_key(mrb, call, entry->key);

            if (!mrb_hash_key_p(mrb, env, key)) {
                mrb_hash_set(mrb, env, key, mrb_str_new_cstr(mrb, entry->val));
            }
        }
        mrb_gc_arena_restore(mrb, arena);
    }
}

/* Where in the path the application's mount ends: SCRIPT_NAME is what stands before. */
static apr_size_t mount_size(const bench_call_t *call)
{
    const request_rec *r = call->r;
    apr_size_t size;

    if (!call->mount) {
        return r->path_info && *r->path_info ? (apr_size_t)ap_find_path_info(r->uri, r->path_info)
                                             : strlen(r->uri);
    }
    size = strlen(call->mount);
    return strncmp(r->uri, call->mount, size) == 0 ? size : 0;
}

/* NULL: there is nothing of that name in this request. */
static const char *text_of(const bench_call_t *call, int name)
{
    request_rec *r = call->r;

    switch (name) {
    case REQUEST_METHOD:
        return r->method;
    case SCRIPT_NAME:
        return apr_pstrmemdup(call->pool, r->uri, mount_size(call));
    case PATH_INFO:
        return r->uri + mount_size(call);
    case QUERY_STRING:
        return r->args ? r->args : "";
    case REQUEST_URI:
        return r->unparsed_uri;
    case SERVER_NAME:
        return ap_get_server_name_for_url(r);
    case SERVER_PORT:
        return apr_itoa(call->pool, ap_get_server_port(r));
    case SERVER_PROTOCOL:
        return r->protocol;
    case REMOTE_ADDR:
        return r->useragent_ip;
    case REMOTE_PORT:
        return apr_itoa(call->pool, r->useragent_addr->port);
    case REMOTE_USER:
        return r->user;
    case AUTH_TYPE:
        return r->ap_auth_type;
    case HTTPS:
        return strcmp(ap_http_scheme(r), "https") == 0 ? "on" : NULL;
    case CONTENT_TYPE:
        return apr_table_get(r->headers_in, "Content-Type");
    case CONTENT_LENGTH:
        return apr_table_get(r->headers_in, "Content-Length");
    default:
        return ap_http_scheme(r);
    }
}

/* nil: the environment has no such key. */
static mrb_value value_of(mrb_state *mrb, const bench_call_t *call, int name)
{
    if (name == INPUT) {
        return bench_api_handle(mrb, bench_api_of(mrb)->body, call);
    }
    return bench_api_string(mrb, text_of(call, name));
}

/* ---- Rack::Env -------------------------------------------------------------------------- */

static bench_call_t *call_of_env(mrb_state *mrb, mrb_value env)
{
    return bench_api_call_of(mrb, mrb_iv_get(mrb, env, bench_api_of(mrb)->env_request));
}

static mrb_value look_up(mrb_state *mrb, const bench_call_t *call, const char *key, mrb_int size)
{
    int name;

    for (name = 0; name < NAMES; name++) {
        if (strlen(names[name]) == (size_t)size && memcmp(names[name], key, (size_t)size) == 0) {
            return value_of(mrb, call, name);
        }
    }
    if (size > 5 && memcmp(key, "HTTP_", 5) == 0 && memchr(key, '\0', (size_t)size) == NULL) {
        char *header = apr_pstrmemdup(call->pool, key + 5, (apr_size_t)size - 5);
        char *p;

        for (p = header; *p; p++) {
            *p = *p == '_' ? '-' : *p;
        }
        return is_special(header)
                   ? mrb_nil_value()
                   : bench_api_string(mrb, apr_table_get(call->r->headers_in, header));
    }
    return mrb_nil_value();
}

/* default(key): mruby asks this for a key that is not there yet.  What the request has goes into
 * the Hash, so that it is made once. */
static mrb_value env_default(mrb_state *mrb, mrb_value self)
{
    mrb_value key = mrb_nil_value();
    mrb_value value = mrb_nil_value();

    mrb_get_args(mrb, "|o", &key);
    if (mrb_string_p(key) && !mrb_nil_p(mrb_iv_get(mrb, self, bench_api_of(mrb)->env_request))) {
        value = look_up(mrb, call_of_env(mrb, self), RSTRING_PTR(key), RSTRING_LEN(key));
    }
    if (mrb_nil_p(value)) {
        return mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "@default"));
    }
    mrb_hash_set(mrb, self, key, value);
    return value;
}

/* __fill: everything that is not there yet; from now on this is a plain Hash. */
static mrb_value env_fill(mrb_state *mrb, mrb_value self)
{
    const bench_api_t *api = bench_api_of(mrb);
    bench_call_t *call;
    int name;

    if (mrb_nil_p(mrb_iv_get(mrb, self, api->env_request))) {
        return self;
    }
    call = call_of_env(mrb, self);
    for (name = 0; name < NAMES; name++) {
        mrb_value key = RARRAY_PTR(api->env_names)[name];
        int arena = mrb_gc_arena_save(mrb);

        if (!mrb_hash_key_p(mrb, self, key)) {
            mrb_value value = value_of(mrb, call, name);

            if (!mrb_nil_p(value)) {
                set(mrb, self, name, value);
            }
        }
        mrb_gc_arena_restore(mrb, arena);
    }
    set_headers(mrb, call, self);
    mrb_iv_set(mrb, self, api->env_request, mrb_nil_value());
    return self;
}

mrb_value bench_api_env(mrb_state *mrb, const bench_call_t *call)
{
    bench_api_t *api = bench_interp_of(mrb)->api;
    mrb_value env;

    if (mrb_nil_p(api->env_template)) {
        prepare(mrb, api);
    }
    env = mrb_hash_dup(mrb, api->env_template);
    mrb_iv_set(mrb, env, api->env_request, bench_api_handle(mrb, api->request, call));
    return env;
}

/* The same Hash as long as the request lasts. */
static mrb_value request_env(mrb_state *mrb, mrb_value self)
{
    bench_call_t *call = bench_api_call_of(mrb, self);
    mrb_value kept = bench_api_kept(mrb, call);
    mrb_value name = mrb_symbol_value(mrb_intern_lit(mrb, "env"));
    mrb_value env = mrb_hash_get(mrb, kept, name);

    if (mrb_nil_p(env)) {
        env = bench_api_env(mrb, call);
        mrb_hash_set(mrb, kept, name, env);
    }
    return env;
}

void bench_api_env_define(mrb_state *mrb, bench_api_t *api)
{
    struct RClass *env =
        mrb_define_class_under(mrb, mrb_define_module(mrb, "Rack"), "Env", mrb->hash_class);

    api->env = env;
    api->env_request = mrb_intern_lit(mrb, "__request");
    mrb_define_method(mrb, env, "default", env_default, MRB_ARGS_OPT(1));
    mrb_define_method(mrb, env, "__fill", env_fill, MRB_ARGS_NONE());
    api->env_template = mrb_nil_value();
    mrb_define_method(mrb, api->request, "env", request_env, MRB_ARGS_NONE());
}
