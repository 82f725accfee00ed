/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <errno.h>

#include <apr_strings.h>
#include <http_log.h>
#include <http_protocol.h>
#include <http_request.h>
#include <mruby.h>
#include <mruby/class.h>
#include <mruby/proc.h>
#include <mruby/variable.h>

#include "api.h"
#include "errorpage.h"
#include "handover.h"
#include "local.h"
#include "rberr.h"
#include "script.h"

APLOG_USE_MODULE(bench);

struct RProc *bench_run_load(bench_run_t *run)
{
    struct RProc *proc =
        bench_script_get(run->interp, run->file, bench_conf_cache(run->call.conf), &run->fault);

    run->loaded = proc != NULL;
    return proc;
}

/* Each run has a self of its own, so that its instance variables end with it. */
mrb_value bench_run_script(mrb_state *mrb, bench_run_t *run)
{
    struct RProc *proc = bench_run_load(run);
    mrb_value self;

    if (!proc) {
        return mrb_nil_value();
    }
    self = mrb_obj_value(mrb_obj_alloc(mrb, MRB_TT_OBJECT, bench_api_of(mrb)->main));
    return mrb_yield_with_class(mrb, mrb_obj_value(proc), 0, NULL, self, mrb->object_class);
}

static mrb_value body_of_run(mrb_state *mrb, void *run)
{
    return ((bench_run_t *)run)->body(mrb, run);
}

/* ---- what came out ---------------------------------------------------------------------- */

/* Nothing of a failed script is sent: httpd answers, or BenchErrorPage's page does, or the response
 * is cut off. */
static int fail(bench_run_t *run, int status, const bench_errorpage_t *page)
{
    request_rec *r = run->call.r;

    if (run->call.out.sent) {
        bench_output_cut(&run->call.out);
        return OK;
    }
    bench_output_discard(&run->call.out);
    r->status_line = NULL;
    if (page && run->call.conf->error_page == 1) {
        r->status = status;
        apr_table_clear(r->headers_out);
        bench_errorpage_write(&run->call.out, page);
        bench_output_finish(&run->call.out);
        return OK;
    }
    /* By this httpd sees an ErrorDocument that fails itself, and does not ask for it again. */
    r->status = run->status;
    return status;
}

/* Of a script that could not be had. */
static int fail_to_load(bench_run_t *run)
{
    request_rec *r = run->call.r;
    const char *path = run->call.script;
    apr_status_t rv = run->fault.status;

    if (rv == APR_EGENERAL) {
        const char *where = apr_psprintf(r->pool, "%s:%s", path, run->fault.message);
        bench_errorpage_t page = {"Syntax error", run->fault.message, where, ""};

        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "BENCH0011: %s", where);
        return fail(run, HTTP_INTERNAL_SERVER_ERROR, &page);
    }
    if (rv == APR_EAGAIN) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r,
                      "BENCH0014: %s: the file kept changing while it was read", path);
        return fail(run, HTTP_SERVICE_UNAVAILABLE, NULL);
    }
    if (APR_STATUS_IS_ENOENT(rv) || APR_STATUS_IS_ENOTDIR(rv)) {
        ap_log_rerror(APLOG_MARK, APLOG_INFO, rv, r, "BENCH0012: no such script: %s", path);
        return fail(run, HTTP_NOT_FOUND, NULL);
    }
    ap_log_rerror(APLOG_MARK, APLOG_ERR, rv, r, "BENCH0013: cannot read the script %s", path);
    return fail(run,
                APR_STATUS_IS_EACCES(rv) || rv == EISDIR || rv == EINVAL
                    ? HTTP_FORBIDDEN
                    : HTTP_INTERNAL_SERVER_ERROR,
                NULL);
}

static int is_a(const bench_interp_t *interp, mrb_value exception, struct RClass *klass)
{
    return mrb_obj_is_kind_of(interp->mrb, exception, klass);
}

static int fail_to_run(bench_run_t *run, mrb_value exception)
{
    request_rec *r = run->call.r;
    bench_rberr_t error;
    bench_errorpage_t page;

    bench_rberr_describe(run->interp, exception, r->pool, &error);
    page.what = error.class_name;
    page.message = error.message;
    page.where = *error.where ? error.where : run->call.script;
    page.backtrace = error.backtrace;
    ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "BENCH0010: %s: %s (%s); backtrace: %s%s",
                  page.where, error.message, error.class_name, error.backtrace,
                  run->call.out.sent ? "; the response was cut off in the middle" : "");
    return fail(run, HTTP_INTERNAL_SERVER_ERROR, &page);
}

/* It is the client's fault, who gets a status for it. */
static int fail_the_client(bench_run_t *run, mrb_value exception)
{
    request_rec *r = run->call.r;
    mrb_state *mrb = run->interp->mrb;
    mrb_value value = mrb_iv_get(mrb, exception, mrb_intern_lit(mrb, "@status"));
    int status = mrb_integer_p(value) ? (int)mrb_integer(value) : HTTP_BAD_REQUEST;
    bench_rberr_t error;

    bench_rberr_describe(run->interp, exception, r->pool, &error);
    ap_log_rerror(APLOG_MARK, APLOG_INFO, 0, r,
                  "BENCH0017: %s: what the client sent cannot be used: %s: status %d",
                  *error.where ? error.where : run->call.script, error.message, status);
    return fail(run, bench_input_answered(r) ? AP_FILTER_ERROR : status, NULL);
}

/* In place of a status: another handler is to answer, once Ruby has been left. */
#define PASS_ON (-1000)

/* What becomes of the request by what the script has said besides writing.  OK: nothing else; what
 * it has written is the response. */
static int settle(bench_run_t *run)
{
    const bench_call_t *call = &run->call;
    int answer = call->said & BENCH_SAID_ANSWER ? call->answer : OK;
    request_rec *r = call->r;

    if (call->said & BENCH_SAID_ERROR_DOCUMENT && ap_is_HTTP_ERROR(r->status)) {
        answer = r->status;
    } else if (call->out.total > 0 || call->redirect) {
        return OK;
    }
    if (ap_is_HTTP_REDIRECT(answer) || ap_is_HTTP_ERROR(answer)) {
        r->status = run->status;
        return answer;
    }
    if (answer == DECLINED ||
        (answer == OK && call->said & (BENCH_SAID_FILE | BENCH_SAID_HANDLER))) {
        return PASS_ON;
    }
    return OK;
}

/* Whether httpd is to answer in place of what the script has written, with *status; only as long
 * as nothing has been sent. */
static int answers_instead(bench_run_t *run, int *status)
{
    request_rec *r = run->call.r;

    *status = OK;
    if (bench_input_answered(r)) {
        *status = AP_FILTER_ERROR;
    } else if (run->call.said) {
        *status = settle(run);
    }
    return *status != OK || run->call.redirect;
}

/* The script has ended as it wanted to. */
static int finish(bench_run_t *run)
{
    request_rec *r = run->call.r;
    bench_output_t *out = &run->call.out;
    apr_status_t rv;
    int status;

    if (!out->sent && answers_instead(run, &status)) {
        bench_output_discard(out);
        return status;
    }
    rv = bench_output_finish(out);
    if (rv == BENCH_OUTPUT_NOT_WANTED) {
        return out->answer;
    }
    if (rv == APR_EOF) {
        return OK; /* another handler has answered while the script ran */
    }
    if (rv == APR_EINVAL) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r,
                      "BENCH0018: %s: Content-Length said %" APR_OFF_T_FMT
                      " bytes, and %" APR_OFF_T_FMT " were written; the response was cut off",
                      run->call.script, out->declared, out->total);
        bench_output_cut(out);
    } else if (rv != APR_SUCCESS && r->connection->aborted) {
        ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, r, "BENCH0015: %s: the client has gone",
                      run->call.script);
    }
    return OK;
}

static int conclude(bench_run_t *run, mrb_value exception)
{
    const bench_api_t *api = run->interp->api;

    if (is_a(run->interp, exception, api->system_exit) || is_a(run->interp, exception, api->halt)) {
        return finish(run);
    }
    if (is_a(run->interp, exception, api->disconnected)) {
        ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, run->call.r,
                      "BENCH0015: %s: the client has gone, the script was stopped",
                      run->call.script);
        run->call.r->connection->keepalive = AP_CONN_CLOSE;
        bench_output_cut(&run->call.out);
        return OK;
    }
    if (is_a(run->interp, exception, api->client_error)) {
        return fail_the_client(run, exception);
    }
    return fail_to_run(run, exception);
}

/* ---- running ---------------------------------------------------------------------------- */

static void begin(bench_run_t *run, request_rec *r)
{
    bench_interp_t *interp = run->interp;
    char *buffer = interp->depth == 0 ? interp->buffer : apr_palloc(r->pool, BENCH_BUFFER_SIZE);

    run->call.r = r;
    run->call.server = r->server;
    run->call.pool = r->pool;
    run->loaded = 0;
    run->status = r->status;
    bench_output_init(&run->call.out, r, buffer, BENCH_BUFFER_SIZE);
    run->call.body_at = 0;
    run->call.redirect = NULL;
    run->call.said = 0;
    bench_interp_enter(interp);
    bench_api_push(interp, &run->call);
}

static void end(bench_run_t *run)
{
    bench_api_pop(run->interp, &run->call);
    bench_interp_leave(run->interp);
    bench_local_done(run->interp);
}

/* Outside of Ruby, so that the other handler may run a script as well. */
static int pass_on(const bench_run_t *run)
{
    int said = run->call.said;

    return bench_handover(run->call.r, run->call.script,
                          (said & BENCH_SAID_FILE ? BENCH_HANDOVER_FILE : 0) |
                              (said & BENCH_SAID_HANDLER ? BENCH_HANDOVER_HANDLER : 0));
}

int bench_run(request_rec *r, const bench_dir_conf_t *conf, const bench_file_t *file,
              const char *mount, bench_run_body_t *body)
{
    bench_run_t run;
    mrb_value value;
    int status;

    run.interp = bench_local_take(r, conf);
    if (!run.interp) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    run.body = body;
    run.file = file;
    run.call.script = file->path;
    run.call.conf = conf;
    run.call.mount = mount;
    begin(&run, r);
    if (bench_interp_protect(run.interp, body_of_run, &run, &value) != APR_SUCCESS) {
        status = conclude(&run, value);
    } else {
        status = run.loaded ? finish(&run) : fail_to_load(&run);
    }
    end(&run);
    if (status == PASS_ON) {
        status = pass_on(&run);
    }
    if (!run.call.redirect) {
        bench_input_done(r);
    }
    if (status == OK && run.call.redirect && !run.call.out.sent) {
        ap_internal_redirect(run.call.redirect, r);
    }
    return status;
}
