/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench itself: the log, the values of BenchSet, the interpreter.
 *
 * Floor 2.
 */
#include "api.h"

#include <ap_mpm.h>
#include <apr_strings.h>
#include <http_log.h>
#include <mruby/class.h>
#include <mruby/hash.h>
#include <mruby/string.h>
#include <mruby/variable.h>

APLOG_USE_MODULE(bench);

/* Bench::Log.write(level, text): mrblib names the levels. */
static mrb_value log_write(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_interp_of(mrb)->call;
    mrb_int level;
    mrb_value text;
    const char *line;

    (void)self;
    mrb_get_args(mrb, "iS", &level, &text);
    if (!call) {
        return mrb_nil_value();
    }
    line = apr_pstrmemdup(call->pool, RSTRING_PTR(text), (apr_size_t)RSTRING_LEN(text));
    if (call->r) {
        ap_log_rerror(APLOG_MARK, (int)level, 0, call->r, "%s: %s", call->script, line);
    } else {
        ap_log_error(APLOG_MARK, (int)level, 0, call->server, "%s: %s", call->script, line);
    }
    return mrb_nil_value();
}

static mrb_value bench_config(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_interp_of(mrb)->call;
    mrb_value config = mrb_hash_new(mrb);
    apr_hash_index_t *i;

    (void)self;
    if (!call || !call->conf->set) {
        return config;
    }
    for (i = apr_hash_first(call->pool, call->conf->set); i; i = apr_hash_next(i)) {
        mrb_hash_set(mrb, config, mrb_str_new_cstr(mrb, apr_hash_this_key(i)),
                     mrb_str_new_cstr(mrb, apr_hash_this_val(i)));
    }
    return config;
}

static void set(mrb_state *mrb, mrb_value hash, const char *key, mrb_value value)
{
    mrb_hash_set(mrb, hash, mrb_symbol_value(mrb_intern_cstr(mrb, key)), value);
}

static mrb_value bench_interpreter(mrb_state *mrb, mrb_value self)
{
    const bench_interp_t *interp = bench_interp_of(mrb);
    mrb_value hash = mrb_hash_new(mrb);
    int threaded = 0;

    (void)self;
    set(mrb, hash, "id", mrb_int_value(mrb, interp->id));
    set(mrb, hash, "requests", mrb_int_value(mrb, (mrb_int)interp->runs));
    set(mrb, hash, "bytes", mrb_int_value(mrb, (mrb_int)interp->held));
    ap_mpm_query(AP_MPMQ_IS_THREADED, &threaded);
    set(mrb, hash, "mpm_threaded", mrb_bool_value(threaded != 0));
    if (interp->call) {
        set(mrb, hash, "group", mrb_str_new_cstr(mrb, bench_conf_group(interp->call->conf)));
    }
    return hash;
}

void bench_api_bench_define(mrb_state *mrb, bench_api_t *api)
{
    struct RClass *log = mrb_define_module_under(mrb, api->bench, "Log");

    mrb_define_module_function(mrb, log, "write", log_write, MRB_ARGS_REQ(2));
    mrb_define_module_function(mrb, api->bench, "config", bench_config, MRB_ARGS_NONE());
    mrb_define_module_function(mrb, api->bench, "interpreter", bench_interpreter, MRB_ARGS_NONE());
    mrb_define_const(mrb, api->bench, "VERSION", mrb_str_new_lit(mrb, BENCH_VERSION));
}
