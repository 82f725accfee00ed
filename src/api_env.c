/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of a request as CGI and Rack have it: request.env, and what an application gets.
 *
 * Floor 2.
 *
 * What is the same for every request stands in a Hash of the interpreter's own, of which each
 * request gets a copy; names and symbols are made once.
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
    mrb_value hash = mrb_hash_new_capa(mrb, 32);
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

static void set(mrb_state *mrb, mrb_value env, int name, const char *value)
{
    mrb_value key = RARRAY_PTR(bench_api_of(mrb)->env_names)[name];

    mrb_hash_set(mrb, env, key, mrb_str_new_cstr(mrb, value));
}

static void set_if(mrb_state *mrb, mrb_value env, int name, const char *value)
{
    if (value) {
        set(mrb, env, name, value);
    }
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

/* A header that says what CGI has a name for, or that must not be one: HTTP_PROXY would be taken
 * for a setting (httpoxy). */
static int special(mrb_state *mrb, mrb_value env, const char *name, const char *value)
{
    if (ap_cstr_casecmp(name, "Content-Type") == 0) {
        set(mrb, env, CONTENT_TYPE, value);
        return 1;
    }
    if (ap_cstr_casecmp(name, "Content-Length") == 0) {
        set(mrb, env, CONTENT_LENGTH, value);
        return 1;
    }
    return ap_cstr_casecmp(name, "Proxy") == 0;
}

static void set_headers(mrb_state *mrb, const bench_call_t *call, mrb_value env)
{
    const apr_array_header_t *entries = apr_table_elts(call->r->headers_in);
    int i;

    for (i = 0; i < entries->nelts; i++) {
        const apr_table_entry_t *entry = &APR_ARRAY_IDX(entries, i, apr_table_entry_t);
        int arena = mrb_gc_arena_save(mrb);

        if (((entry->key[0] | 0x20) != 'c' && (entry->key[0] | 0x20) != 'p') ||
            !special(mrb, env, entry->key, entry->val)) {
            mrb_hash_set(mrb, env, header_key(mrb, call, entry->key),
                         mrb_str_new_cstr(mrb, entry->val));
        }
        mrb_gc_arena_restore(mrb, arena);
    }
}

/* SCRIPT_NAME is where the application is mounted, PATH_INFO the rest. */
static void set_paths(mrb_state *mrb, const bench_call_t *call, mrb_value env)
{
    const request_rec *r = call->r;
    apr_size_t split;

    if (call->mount) {
        split = strlen(call->mount);
        split = strncmp(r->uri, call->mount, split) == 0 ? split : 0;
    } else {
        split = r->path_info && *r->path_info ? (apr_size_t)ap_find_path_info(r->uri, r->path_info)
                                              : strlen(r->uri);
    }
    set(mrb, env, SCRIPT_NAME, apr_pstrmemdup(call->pool, r->uri, split));
    set(mrb, env, PATH_INFO, r->uri + split);
}

mrb_value bench_api_env(mrb_state *mrb, const bench_call_t *call)
{
    bench_api_t *api = bench_interp_of(mrb)->api;
    request_rec *r = call->r;
    const char *scheme = ap_http_scheme(r);
    mrb_value env;
    int arena;

    if (mrb_nil_p(api->env_template)) {
        prepare(mrb, api);
    }
    env = mrb_hash_dup(mrb, api->env_template);
    arena = mrb_gc_arena_save(mrb);
    set(mrb, env, REQUEST_METHOD, r->method);
    set_paths(mrb, call, env);
    set(mrb, env, QUERY_STRING, r->args ? r->args : "");
    set(mrb, env, REQUEST_URI, r->unparsed_uri);
    set(mrb, env, SERVER_NAME, ap_get_server_name_for_url(r));
    set(mrb, env, SERVER_PORT, apr_itoa(call->pool, ap_get_server_port(r)));
    set(mrb, env, SERVER_PROTOCOL, r->protocol);
    set(mrb, env, REMOTE_ADDR, r->useragent_ip);
    set(mrb, env, REMOTE_PORT, apr_itoa(call->pool, r->useragent_addr->port));
    set_if(mrb, env, REMOTE_USER, r->user);
    set_if(mrb, env, AUTH_TYPE, r->ap_auth_type);
    set_if(mrb, env, HTTPS, strcmp(scheme, "https") == 0 ? "on" : NULL);
    set(mrb, env, URL_SCHEME, scheme);
    mrb_hash_set(mrb, env, RARRAY_PTR(api->env_names)[INPUT],
                 bench_api_handle(mrb, api->body, call));
    mrb_gc_arena_restore(mrb, arena);
    set_headers(mrb, call, env);
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
    api->env_template = mrb_nil_value();
    mrb_define_method(mrb, api->request, "env", request_env, MRB_ARGS_NONE());
}
