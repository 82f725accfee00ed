/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd's tables: request.headers, request.notes, request.subprocess_env, response.headers.
 *
 * Floor 2.
 */
#include "api.h"

#include <string.h>

#include <apr_strings.h>
#include <http_protocol.h>
#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/hash.h>
#include <mruby/string.h>

/* Content-Type is a field of the request record, not a header, until httpd writes the header. */
static int is_content_type(const char *name)
{
    return ap_cstr_casecmp(name, "Content-Type") == 0;
}

static apr_table_t *table_of(mrb_state *mrb, mrb_value self, const bench_call_t **call)
{
    const bench_api_t *api = bench_api_of(mrb);
    struct RClass *klass = mrb_obj_class(mrb, self);
    request_rec *r;

    *call = bench_api_call_of(mrb, self);
    r = (*call)->r;
    if (klass == api->request_headers) {
        return r->headers_in;
    }
    if (klass == api->notes) {
        return r->notes;
    }
    return klass == api->subprocess_env ? r->subprocess_env : r->headers_out;
}

/* ---- reading ---------------------------------------------------------------------------- */

static mrb_value table_get(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call;
    const apr_table_t *table = table_of(mrb, self, &call);
    const char *name;

    mrb_get_args(mrb, "z", &name);
    return bench_api_string(mrb, apr_table_get(table, name));
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

static void push_pair(mrb_state *mrb, mrb_value pairs, const char *name, const char *value)
{
    int arena = mrb_gc_arena_save(mrb);

    mrb_ary_push(mrb, pairs,
                 mrb_assoc_new(mrb, mrb_str_new_cstr(mrb, name), mrb_str_new_cstr(mrb, value)));
    mrb_gc_arena_restore(mrb, arena);
}

/* to_a: every entry, those of the same name in the order in which they were added. */
static mrb_value table_to_a(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call;
    const apr_table_t *table = table_of(mrb, self, &call);
    const apr_array_header_t *entries = apr_table_elts(table);
    mrb_value pairs = mrb_ary_new_capa(mrb, entries->nelts);
    int i;

    if (table == call->r->headers_out && call->r->content_type) {
        push_pair(mrb, pairs, "Content-Type", call->r->content_type);
    }
    for (i = 0; i < entries->nelts; i++) {
        const apr_table_entry_t *entry = &APR_ARRAY_IDX(entries, i, apr_table_entry_t);

        if (entry->key && entry->val) {
            push_pair(mrb, pairs, entry->key, entry->val);
        }
    }
    return pairs;
}

/* ---- writing ---------------------------------------------------------------------------- */

/* notes and subprocess_env: any text without NUL. */
static mrb_value table_set(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call;
    apr_table_t *table = table_of(mrb, self, &call);
    const char *name;
    mrb_value value;

    mrb_get_args(mrb, "zo", &name, &value);
    if (mrb_nil_p(value)) {
        apr_table_unset(table, name);
    } else {
        mrb_value text = mrb_obj_as_string(mrb, value);

        apr_table_set(table, name, mrb_string_cstr(mrb, text));
    }
    return value;
}

/* A name is a token of RFC 9110, or httpd would answer 500 for the whole response. */
static const char *header_name(mrb_state *mrb, const bench_call_t *call, mrb_value value)
{
    const char *name = bench_api_header_text(mrb, call, value, "a header's name");
    const char *end = ap_scan_http_token(name);

    if (!*name || *end) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "not a header's name: %!v", value);
    }
    if (ap_cstr_casecmp(name, "Transfer-Encoding") == 0) {
        mrb_raise(mrb, E_ARGUMENT_ERROR,
                  "Transfer-Encoding is httpd's: it says how the response is framed");
    }
    return name;
}

static void check_length(mrb_state *mrb, const char *name, const char *text)
{
    if (ap_cstr_casecmp(name, "Content-Length") == 0 &&
        (!*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 18)) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "not a Content-Length: %s", text);
    }
}

static void put_header(mrb_state *mrb, const bench_call_t *call, const char *name, mrb_value value,
                       int add)
{
    const char *text = bench_api_header_text(mrb, call, value, "a header's value");

    check_length(mrb, name, text);
    if (is_content_type(name)) {
        ap_set_content_type(call->r, text);
    } else if (add) {
        apr_table_addn(call->r->headers_out, name, text);
    } else {
        apr_table_setn(call->r->headers_out, name, text);
    }
}

static mrb_value set_header(mrb_state *mrb, mrb_value self, int add)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);
    mrb_value name_value, value;
    const char *name;

    mrb_get_args(mrb, "So", &name_value, &value);
    name = header_name(mrb, call, name_value);
    if (!mrb_nil_p(value)) {
        put_header(mrb, call, name, mrb_obj_as_string(mrb, value), add);
    } else if (is_content_type(name)) {
        call->r->content_type = NULL;
    } else if (!add) {
        apr_table_unset(call->r->headers_out, name);
    }
    return value;
}

/* Each line of a value is one of its own: so Rack 2 has several cookies. */
static void add_lines(mrb_state *mrb, const bench_call_t *call, const char *name, mrb_value value)
{
    const char *at = RSTRING_PTR(value);
    const char *end = at + RSTRING_LEN(value);
    const char *feed;

    while ((feed = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        put_header(mrb, call, name, mrb_str_new(mrb, at, (mrb_int)(feed - at)), 1);
        at = feed + 1;
    }
    put_header(mrb, call, name,
               at == RSTRING_PTR(value) ? value : mrb_str_new(mrb, at, (mrb_int)(end - at)), 1);
}

void bench_api_rack_header(mrb_state *mrb, bench_call_t *call, mrb_value name_value,
                           mrb_value value)
{
    const char *name;
    mrb_int i;

    if (!mrb_string_p(name_value) || (!mrb_string_p(value) && !mrb_array_p(value))) {
        mrb_raisef(mrb, E_TYPE_ERROR,
                   "a header of a Rack response is a String and a String (or an Array of them), "
                   "not %!v and %!v",
                   name_value, value);
    }
    if (RSTRING_LEN(name_value) > 5 && memcmp(RSTRING_PTR(name_value), "rack.", 5) == 0) {
        return; /* between the application and its server */
    }
    name = header_name(mrb, call, name_value);
    if (mrb_string_p(value)) {
        add_lines(mrb, call, name, value);
        return;
    }
    for (i = 0; i < RARRAY_LEN(value); i++) {
        add_lines(mrb, call, name, mrb_obj_as_string(mrb, RARRAY_PTR(value)[i]));
    }
}

/* response.__rack_header(name, value) */
static mrb_value response_headers_rack(mrb_state *mrb, mrb_value self)
{
    mrb_value name, value;

    mrb_get_args(mrb, "oo", &name, &value);
    bench_api_rack_header(mrb, bench_api_call_of(mrb, self), name, value);
    return value;
}

static mrb_value response_headers_set(mrb_state *mrb, mrb_value self)
{
    return set_header(mrb, self, 0);
}

static mrb_value response_headers_add(mrb_state *mrb, mrb_value self)
{
    return set_header(mrb, self, 1);
}

static struct RClass *define(mrb_state *mrb, bench_api_t *api, const char *name)
{
    struct RClass *klass = bench_api_define_handle(mrb, api, name);

    mrb_define_method(mrb, klass, "[]", table_get, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, klass, "to_a", table_to_a, MRB_ARGS_NONE());
    return klass;
}

void bench_api_table_define(mrb_state *mrb, bench_api_t *api)
{
    api->request_headers = define(mrb, api, "RequestHeaders");
    api->notes = define(mrb, api, "Notes");
    mrb_define_method(mrb, api->notes, "[]=", table_set, MRB_ARGS_REQ(2));
    api->subprocess_env = define(mrb, api, "SubprocessEnv");
    mrb_define_method(mrb, api->subprocess_env, "[]=", table_set, MRB_ARGS_REQ(2));
    api->response_headers = define(mrb, api, "ResponseHeaders");
    mrb_define_method(mrb, api->response_headers, "[]", response_headers_get, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, api->response_headers, "[]=", response_headers_set, MRB_ARGS_REQ(2));
    mrb_define_method(mrb, api->response_headers, "__rack", response_headers_rack, MRB_ARGS_REQ(2));
    mrb_define_method(mrb, api->response_headers, "add", response_headers_add, MRB_ARGS_REQ(2));
}
