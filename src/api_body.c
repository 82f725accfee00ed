/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.body: the bytes that the client sends, as an IO that can be rewound.
 *
 * Floor 2.
 */
#include "api.h"

#include <string.h>

#include <mruby/class.h>
#include <mruby/string.h>
#include <mruby/variable.h>

void bench_api_check_input(mrb_state *mrb, const bench_call_t *call, apr_status_t rv)
{
    const bench_api_t *api = bench_api_of(mrb);

    if (rv == APR_ECONNABORTED) {
        mrb_raise(mrb, api->disconnected, "the client has gone");
    }
    if (rv == APR_EGENERAL) {
        int status = bench_input_status(bench_input_of(call->r));
        mrb_value exception =
            mrb_exc_new_lit(mrb, api->client_error, "the request body cannot be read");

        mrb_iv_set(mrb, exception, mrb_intern_lit(mrb, "@status"), mrb_fixnum_value(status));
        mrb_exc_raise(mrb, exception);
    }
    if (rv != APR_SUCCESS && rv != APR_EOF) {
        char reason[128];

        apr_strerror(rv, reason, sizeof(reason));
        mrb_raisef(mrb, api->error, "the request body cannot be kept in a temporary file: %s",
                   reason);
    }
}

/* Appends up to limit bytes to text, which may be longer than that. */
static void read_into(mrb_state *mrb, bench_call_t *call, mrb_value text, apr_size_t limit)
{
    bench_input_t *in = bench_input_of(call->r);
    const char *data;
    apr_size_t size;
    apr_status_t rv = APR_SUCCESS;

    while (limit > 0 &&
           (rv = bench_input_read(in, call->body_at, limit, &data, &size)) == APR_SUCCESS) {
        mrb_str_cat(mrb, text, data, size);
        call->body_at += (apr_off_t)size;
        limit -= size;
    }
    bench_api_check_input(mrb, call, rv);
}

/* read -> the rest, "" at the end; read(n) -> up to n bytes, nil at the end; read(n, buffer) ->
 * into buffer: as IO#read has it. */
static mrb_value body_read(mrb_state *mrb, mrb_value self)
{
    bench_call_t *call = bench_api_call_of(mrb, self);
    mrb_value limit_value = mrb_nil_value();
    mrb_value text = mrb_nil_value();
    apr_size_t limit = APR_SIZE_MAX;

    mrb_get_args(mrb, "|oS!", &limit_value, &text);
    if (!mrb_nil_p(limit_value)) {
        mrb_int n = mrb_as_int(mrb, limit_value);

        if (n < 0) {
            mrb_raisef(mrb, E_ARGUMENT_ERROR, "negative length %i given", n);
        }
        limit = (apr_size_t)n;
    }
    if (mrb_nil_p(text)) {
        text = mrb_str_new_capa(mrb, 0);
    } else {
        mrb_str_resize(mrb, text, 0);
    }
    read_into(mrb, call, text, limit);
    if (limit > 0 && RSTRING_LEN(text) == 0 && !mrb_nil_p(limit_value)) {
        return mrb_nil_value();
    }
    return text;
}

/* gets -> the next line with its line feed, nil at the end. */
static mrb_value body_gets(mrb_state *mrb, mrb_value self)
{
    bench_call_t *call = bench_api_call_of(mrb, self);
    bench_input_t *in = bench_input_of(call->r);
    mrb_value line = mrb_str_new_capa(mrb, 0);
    apr_status_t rv;
    const char *data;
    apr_size_t size;

    while ((rv = bench_input_read(in, call->body_at, APR_SIZE_MAX, &data, &size)) == APR_SUCCESS) {
        const char *feed = memchr(data, '\n', size);

        size = feed ? (apr_size_t)(feed - data) + 1 : size;
        mrb_str_cat(mrb, line, data, size);
        call->body_at += (apr_off_t)size;
        if (feed) {
            return line;
        }
    }
    bench_api_check_input(mrb, call, rv);
    return RSTRING_LEN(line) > 0 ? line : mrb_nil_value();
}

static mrb_value body_rewind(mrb_state *mrb, mrb_value self)
{
    bench_api_call_of(mrb, self)->body_at = 0;
    return mrb_fixnum_value(0);
}

static mrb_value body_pos(mrb_state *mrb, mrb_value self)
{
    return mrb_int_value(mrb, (mrb_int)bench_api_call_of(mrb, self)->body_at);
}

/* Whether nothing is left: asks, but takes nothing. */
static mrb_value body_is_at_end(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);
    const char *data;
    apr_size_t size;
    apr_status_t rv = bench_input_read(bench_input_of(call->r), call->body_at, 1, &data, &size);

    bench_api_check_input(mrb, call, rv);
    return mrb_bool_value(rv == APR_EOF);
}

void bench_api_body_define(mrb_state *mrb, bench_api_t *api)
{
    api->body = bench_api_define_handle(mrb, api, "Body");
    mrb_define_method(mrb, api->body, "read", body_read, MRB_ARGS_OPT(2));
    mrb_define_method(mrb, api->body, "gets", body_gets, MRB_ARGS_NONE());
    mrb_define_method(mrb, api->body, "rewind", body_rewind, MRB_ARGS_NONE());
    mrb_define_method(mrb, api->body, "eof?", body_is_at_end, MRB_ARGS_NONE());
    mrb_define_method(mrb, api->body, "pos", body_pos, MRB_ARGS_NONE());
}
