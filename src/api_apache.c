/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Apache: what the classes of mod_mruby do, for scripts that were written for it.
 *
 * Floor 2.  Loaded with mrblib/later/apache.rb, which has the thin half; api_fields.c has what is
 * read from and written to httpd's records, api_constants.c the numbers.
 */
#include "api.h"

#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include <apr_strings.h>
#include <http_config.h>
#include <http_core.h>
#include <http_log.h>
#include <http_protocol.h>
#include <http_request.h>
#include <scoreboard.h>
#include <util_script.h>
#include <mruby/class.h>
#include <mruby/string.h>
#include <mruby/variable.h>

#include "handover.h"

APLOG_USE_MODULE(bench);

/* ---- the answer ------------------------------------------------------------------------- */

/* Apache.rputs(object) */
static mrb_value apache_rputs(mrb_state *mrb, mrb_value self)
{
    bench_call_t *call = bench_api_call(mrb);
    mrb_value text;

    mrb_get_args(mrb, "o", &text);
    text = mrb_obj_as_string(mrb, text);
    bench_api_check_output(
        mrb, bench_output_write(&call->out, RSTRING_PTR(text), (apr_size_t)RSTRING_LEN(text)));
    return self;
}

/* Apache.return(answer): OK, DECLINED, DONE or a status; the script goes on. */
static mrb_value apache_return(mrb_state *mrb, mrb_value self)
{
    bench_call_t *call = bench_api_call(mrb);
    mrb_int answer;

    mrb_get_args(mrb, "i", &answer);
    if (answer != OK && answer != DECLINED && answer != DONE) {
        bench_api_set_status(mrb, call, answer);
    }
    call->said |= BENCH_SAID_ANSWER;
    call->answer = (int)answer;
    return self;
}

/* request.run_handler: has the handler that r->handler names answer now. */
static mrb_value request_run_handler(mrb_state *mrb, mrb_value self)
{
    bench_call_t *call = bench_api_call_of(mrb, self);
    int what = (call->said & BENCH_SAID_FILE ? BENCH_HANDOVER_FILE : 0) |
               (call->said & BENCH_SAID_HANDLER ? BENCH_HANDOVER_HANDLER : 0);
    int status;

    if (call->out.sent || call->out.total > 0) {
        mrb_raise(mrb, bench_api_of(mrb)->error,
                  "run_handler: this script has written to the response already");
    }
    if (!what) {
        mrb_raise(
            mrb, bench_api_of(mrb)->error,
            "run_handler: the handler is this script itself; set another handler or filename");
    }
    status = bench_handover(call->r, call->script, what);
    if (status == OK || status == DONE || status == AP_FILTER_ERROR) {
        bench_output_complete(&call->out);
        status = OK;
    } else if (status >= HTTP_OK) {
        bench_api_set_status(mrb, call, status);
    }
    call->said = BENCH_SAID_ANSWER;
    call->answer = status;
    return mrb_fixnum_value(status);
}

/* request.__has_proxy? */
static mrb_value request_has_proxy(mrb_state *mrb, mrb_value self)
{
    (void)mrb;
    (void)self;
    return mrb_bool_value(ap_find_linked_module("mod_proxy.c") != NULL);
}

/* ---- logs ------------------------------------------------------------------------------- */

/* In a request's pool: the file that error_log_into has opened. */
#define LOG_FILE "bench-error-log-into"

static const char *const levels[] = {"emerg", "alert",  "crit", "error",
                                     "warn",  "notice", "info", "debug"};

static void log_into(const bench_call_t *call, apr_file_t *file, mrb_int level, const char *text)
{
    char date[APR_CTIME_LEN];
    const char *line;

    apr_ctime(date, apr_time_now());
    line = apr_psprintf(call->pool, "[%s] [%s] %s: %s\n", date, level < 8 ? levels[level] : "trace",
                        call->script, text);
    apr_file_write_full(file, line, strlen(line), NULL);
}

static void log_line(mrb_state *mrb, const bench_call_t *call, mrb_int level, mrb_value value)
{
    mrb_value string = mrb_obj_as_string(mrb, value);
    const char *text;
    void *file = NULL;

    if (level < APLOG_EMERG || level > APLOG_TRACE8) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "not a log level: %i (APLOG_EMERG is %i, APLOG_DEBUG %i)",
                   level, (mrb_int)APLOG_EMERG, (mrb_int)APLOG_DEBUG);
    }
    text = apr_pstrmemdup(call->pool, RSTRING_PTR(string), (apr_size_t)RSTRING_LEN(string));
    apr_pool_userdata_get(&file, LOG_FILE, call->pool);
    if (file) {
        log_into(call, file, level, text);
    } else if (call->r) {
        ap_log_rerror(APLOG_MARK, (int)level, 0, call->r, "%s: %s", call->script, text);
    } else {
        ap_log_error(APLOG_MARK, (int)level, 0, call->server, "%s: %s", call->script, text);
    }
}

/* Apache.errlogger(level, text) */
static mrb_value apache_errlogger(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_interp_of(mrb)->call;
    mrb_int level;
    mrb_value text;

    mrb_get_args(mrb, "io", &level, &text);
    if (call) {
        log_line(mrb, call, level, text);
    }
    return self;
}

/* request.error_log(level, text) */
static mrb_value request_error_log(mrb_state *mrb, mrb_value self)
{
    mrb_int level;
    mrb_value text;

    mrb_get_args(mrb, "io", &level, &text);
    log_line(mrb, bench_api_call_of(mrb, self), level, text);
    return text;
}

/* request.error_log_into(path): Apache's log lines of this request go there.  Only those: httpd's
 * own function of the kind takes away the standard error of all that the process does. */
static mrb_value request_error_log_into(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);
    const char *path;
    const char *full;
    apr_file_t *file;
    apr_status_t rv;
    char reason[128];

    mrb_get_args(mrb, "z", &path);
    full = ap_server_root_relative(call->pool, path);
    rv = full ? apr_file_open(&file, full, APR_FOPEN_WRITE | APR_FOPEN_CREATE | APR_FOPEN_APPEND,
                              APR_FPROT_OS_DEFAULT, call->pool)
              : APR_EBADPATH;
    if (rv != APR_SUCCESS) {
        mrb_raisef(mrb, bench_api_of(mrb)->error, "error_log_into: cannot open %s: %s", path,
                   apr_strerror(rv, reason, sizeof(reason)));
    }
    apr_pool_userdata_setn(file, LOG_FILE, NULL, call->pool);
    return mrb_fixnum_value(0);
}

static const struct {
    const char *name;
    int priority;
} priorities[] = {
    {"emerg", LOG_EMERG},   {"panic", LOG_EMERG}, {"alert", LOG_ALERT},     {"crit", LOG_CRIT},
    {"err", LOG_ERR},       {"error", LOG_ERR},   {"warning", LOG_WARNING}, {"warn", LOG_WARNING},
    {"notice", LOG_NOTICE}, {"info", LOG_INFO},   {"debug", LOG_DEBUG},
};

/* "warn", or the number that LOG_WARN is. */
static int priority_of(mrb_state *mrb, mrb_value value)
{
    size_t i;

    if (mrb_integer_p(value) && mrb_integer(value) >= LOG_EMERG &&
        mrb_integer(value) <= LOG_DEBUG) {
        return (int)mrb_integer(value);
    }
    for (i = 0; mrb_string_p(value) && i < sizeof(priorities) / sizeof(priorities[0]); i++) {
        if (strlen(priorities[i].name) == (size_t)RSTRING_LEN(value) &&
            memcmp(priorities[i].name, RSTRING_PTR(value), (size_t)RSTRING_LEN(value)) == 0) {
            return priorities[i].priority;
        }
    }
    mrb_raisef(
        mrb, E_ARGUMENT_ERROR,
        "not a priority of syslog: %!v (emerg, alert, crit, err, warning, notice, info, debug)",
        value);
    return 0;
}

/* Apache.syslogger(priority, text).  Without openlog(), which would change what httpd itself and
 * everything else in the process sends to syslog. */
static mrb_value apache_syslogger(mrb_state *mrb, mrb_value self)
{
    mrb_value priority, text;

    mrb_get_args(mrb, "oo", &priority, &text);
    text = mrb_obj_as_string(mrb, text);
    syslog(LOG_SYSLOG | priority_of(mrb, priority), "%.*s", (int)RSTRING_LEN(text),
           RSTRING_PTR(text));
    return self;
}

/* ---- the server and the interpreter ----------------------------------------------------- */

static mrb_value apache_module_name(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_str_new_lit(mrb, "mod_bench");
}

static mrb_value apache_module_version(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_str_new_lit(mrb, BENCH_VERSION);
}

static mrb_value apache_server_version(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_str_new_cstr(mrb, ap_get_server_description());
}

static mrb_value apache_server_build(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_str_new_cstr(mrb, ap_get_server_built());
}

static mrb_value apache_count_arena(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_fixnum_value(mrb_gc_arena_save(mrb));
}

static mrb_value apache_get_tid(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_int_value(mrb, (mrb_int)gettid());
}

/* remove_global_variable(name): what is left. */
static mrb_value apache_remove_global(mrb_state *mrb, mrb_value self)
{
    mrb_sym name;

    mrb_get_args(mrb, "n", &name);
    mrb_gv_remove(mrb, name);
    return mrb_funcall(mrb, self, "global_variables", 0);
}

/* ---- tables ----------------------------------------------------------------------------- */

/* request.__part(name): the object of our own that Notes and its relatives are made of. */
static mrb_value request_part(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);
    const bench_api_t *api = bench_api_of(mrb);
    struct RClass *apache = mrb_class_get(mrb, "Apache");
    mrb_sym name;

    mrb_get_args(mrb, "n", &name);
    if (name == mrb_intern_lit(mrb, "notes")) {
        return bench_api_handle(mrb, api->notes, call);
    }
    if (name == mrb_intern_lit(mrb, "headers_in")) {
        return bench_api_handle(mrb, api->request_headers, call);
    }
    if (name == mrb_intern_lit(mrb, "headers_out")) {
        return bench_api_handle(mrb, api->response_headers, call);
    }
    if (name == mrb_intern_lit(mrb, "body")) {
        return bench_api_handle(mrb, api->body, call);
    }
    return bench_api_handle(mrb, mrb_class_get_under(mrb, apache, "Finfo"), call);
}

/* request.headers.__set(name, value): our own Ruby reads these only. */
static mrb_value request_headers_set(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = bench_api_call_of(mrb, self);
    mrb_value name_value, value;
    const char *name;

    mrb_get_args(mrb, "So", &name_value, &value);
    name = bench_api_header_text(mrb, call, name_value, "a header's name");
    if (!*name || *ap_scan_http_token(name)) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "not a header's name: %!v", name_value);
    }
    if (mrb_nil_p(value)) {
        apr_table_unset(call->r->headers_in, name);
    } else {
        apr_table_setn(
            call->r->headers_in, name,
            bench_api_header_text(mrb, call, mrb_obj_as_string(mrb, value), "a header's value"));
    }
    return value;
}

/* Apache.__fill_env: the variables of CGI, into request.subprocess_env. */
static mrb_value apache_fill_env(mrb_state *mrb, mrb_value self)
{
    request_rec *r = bench_api_call(mrb)->r;

    ap_add_common_vars(r);
    ap_add_cgi_vars(r);
    return self;
}

/* ----------------------------------------------------------------------------------------- */

static void define_request(mrb_state *mrb, const bench_api_t *api, struct RClass *apache)
{
    struct RClass *request = mrb_class_get_under(mrb, apache, "Request");

    mrb_define_method(mrb, request, "run_handler", request_run_handler, MRB_ARGS_NONE());
    mrb_define_method(mrb, request, "error_log", request_error_log, MRB_ARGS_REQ(2));
    mrb_define_method(mrb, request, "log", request_error_log, MRB_ARGS_REQ(2));
    mrb_define_method(mrb, request, "error_log_into", request_error_log_into, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, request, "__has_proxy?", request_has_proxy, MRB_ARGS_NONE());
    mrb_define_method(mrb, request, "__part", request_part, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, api->request_headers, "__set", request_headers_set, MRB_ARGS_REQ(2));
}

static const struct {
    const char *name;
    mrb_func_t function;
    mrb_aspec arguments;
} functions[] = {
    {"rputs", apache_rputs, MRB_ARGS_REQ(1)},
    {"return", apache_return, MRB_ARGS_REQ(1)},
    {"errlogger", apache_errlogger, MRB_ARGS_REQ(2)},
    {"log", apache_errlogger, MRB_ARGS_REQ(2)},
    {"syslogger", apache_syslogger, MRB_ARGS_REQ(2)},
    {"syslog", apache_syslogger, MRB_ARGS_REQ(2)},
    {"module_name", apache_module_name, MRB_ARGS_NONE()},
    {"module_version", apache_module_version, MRB_ARGS_NONE()},
    {"server_version", apache_server_version, MRB_ARGS_NONE()},
    {"server_build", apache_server_build, MRB_ARGS_NONE()},
    {"remove_global_variable", apache_remove_global, MRB_ARGS_REQ(1)},
    {"global_remove", apache_remove_global, MRB_ARGS_REQ(1)},
    {"count_arena", apache_count_arena, MRB_ARGS_NONE()},
    {"get_tid", apache_get_tid, MRB_ARGS_NONE()},
    {"__fill_env", apache_fill_env, MRB_ARGS_NONE()},
};

void bench_api_apache_define(mrb_state *mrb, bench_api_t *api)
{
    struct RClass *apache = mrb_define_class(mrb, "Apache", mrb->object_class);
    size_t i;

    for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        mrb_define_class_method(mrb, apache, functions[i].name, functions[i].function,
                                functions[i].arguments);
    }
    bench_api_constants_define(mrb, api);
    bench_api_fields_define(mrb, api);
    bench_api_scoreboard_define(mrb, api);
    define_request(mrb, api, apache);
}
