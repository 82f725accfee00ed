/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <errno.h>

#include <http_log.h>
#include <http_protocol.h>
#include <mruby.h>
#include <mruby/class.h>
#include <mruby/proc.h>
#include <mruby/variable.h>

#include "api.h"
#include "local.h"
#include "rberr.h"
#include "script.h"

APLOG_USE_MODULE(bench);

typedef struct {
    bench_interp_t *interp;
    bench_call_t call;
    const apr_finfo_t *finfo;
    bench_fault_t fault;
    int loaded;
    int status; /* of the request when the run began: not 200 in an ErrorDocument */
} job_t;

/* Each run has a self of its own, so that its instance variables end with it. */
static mrb_value run_body(mrb_state *mrb, void *data)
{
    job_t *job = data;
    struct RProc *proc = bench_script_get(job->interp, job->call.script, job->finfo,
                                          bench_conf_cache(job->call.conf), &job->fault);
    mrb_value self;

    if (!proc) {
        return mrb_nil_value();
    }
    job->loaded = 1;
    self = mrb_obj_value(mrb_obj_alloc(mrb, MRB_TT_OBJECT, bench_api_of(mrb)->main));
    return mrb_yield_with_class(mrb, mrb_obj_value(proc), 0, NULL, self, mrb->object_class);
}

/* ---- what came out ---------------------------------------------------------------------- */

/* Of a script that could not be had. */
static int log_fault(const job_t *job)
{
    request_rec *r = job->call.r;
    const char *path = job->call.script;
    apr_status_t rv = job->fault.status;

    if (rv == APR_EGENERAL) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "BENCH0011: %s:%s", path, job->fault.message);
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if (rv == APR_EAGAIN) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r,
                      "BENCH0014: %s: the file kept changing while it was read", path);
        return HTTP_SERVICE_UNAVAILABLE;
    }
    if (APR_STATUS_IS_ENOENT(rv) || APR_STATUS_IS_ENOTDIR(rv)) {
        ap_log_rerror(APLOG_MARK, APLOG_INFO, rv, r, "BENCH0012: no such script: %s", path);
        return HTTP_NOT_FOUND;
    }
    ap_log_rerror(APLOG_MARK, APLOG_ERR, rv, r, "BENCH0013: cannot read the script %s", path);
    return APR_STATUS_IS_EACCES(rv) || rv == EISDIR || rv == EINVAL ? HTTP_FORBIDDEN
                                                                    : HTTP_INTERNAL_SERVER_ERROR;
}

static int is_a(const bench_interp_t *interp, mrb_value exception, struct RClass *klass)
{
    return mrb_obj_is_kind_of(interp->mrb, exception, klass);
}

static int log_error(const job_t *job, mrb_value exception)
{
    request_rec *r = job->call.r;
    bench_rberr_t error;

    bench_rberr_describe(job->interp, exception, r->pool, &error);
    ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "BENCH0010: %s: %s (%s); backtrace: %s%s",
                  *error.where ? error.where : job->call.script, error.message, error.class_name,
                  error.backtrace,
                  job->call.out.sent ? "; the response was cut off in the middle" : "");
    return HTTP_INTERNAL_SERVER_ERROR;
}

static int log_client_error(const job_t *job, mrb_value exception)
{
    mrb_state *mrb = job->interp->mrb;
    mrb_value value = mrb_iv_get(mrb, exception, mrb_intern_lit(mrb, "@status"));
    int status = mrb_integer_p(value) ? (int)mrb_integer(value) : HTTP_BAD_REQUEST;

    ap_log_rerror(APLOG_MARK, APLOG_INFO, 0, job->call.r,
                  "BENCH0017: %s: the request body cannot be read: status %d", job->call.script,
                  status);
    return job->call.in.answered ? AP_FILTER_ERROR : status;
}

/* Nothing of a failed script is sent: httpd answers, or the response is cut off. */
static int fail(job_t *job, int status)
{
    request_rec *r = job->call.r;

    if (job->call.out.sent) {
        bench_output_cut(&job->call.out);
        return OK;
    }
    bench_output_discard(&job->call.out);
    /* By this httpd sees an ErrorDocument that fails itself, and does not ask for it again. */
    r->status = job->status;
    r->status_line = NULL;
    return status;
}

static int finish(job_t *job)
{
    if (job->call.in.answered) {
        bench_output_discard(&job->call.out);
        return AP_FILTER_ERROR;
    }
    if (bench_output_finish(&job->call.out) != APR_SUCCESS) {
        ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, job->call.r, "BENCH0015: %s: the client has gone",
                      job->call.script);
    }
    return OK;
}

static int conclude(job_t *job, mrb_value exception)
{
    const bench_api_t *api = job->interp->api;

    if (is_a(job->interp, exception, api->system_exit)) {
        return finish(job);
    }
    if (is_a(job->interp, exception, api->disconnected)) {
        ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, job->call.r,
                      "BENCH0015: %s: the client has gone, the script was stopped",
                      job->call.script);
        job->call.r->connection->keepalive = AP_CONN_CLOSE;
        bench_output_cut(&job->call.out);
        return OK;
    }
    if (is_a(job->interp, exception, api->client_error)) {
        return fail(job, log_client_error(job, exception));
    }
    return fail(job, log_error(job, exception));
}

/* ---- running ---------------------------------------------------------------------------- */

static void begin(job_t *job, request_rec *r)
{
    bench_interp_t *interp = job->interp;
    char *buffer = interp->depth == 0 ? interp->buffer : apr_palloc(r->pool, BENCH_BUFFER_SIZE);

    job->call.r = r;
    job->call.server = r->server;
    job->call.pool = r->pool;
    job->loaded = 0;
    job->status = r->status;
    bench_output_init(&job->call.out, r, buffer, BENCH_BUFFER_SIZE);
    bench_input_init(&job->call.in, r);
    bench_interp_enter(interp);
    bench_api_push(interp, &job->call);
}

static void end(job_t *job)
{
    bench_api_pop(job->interp, &job->call);
    bench_interp_leave(job->interp);
    bench_local_done(job->interp);
}

int bench_run_script(request_rec *r, const bench_dir_conf_t *conf, const char *path,
                     const apr_finfo_t *finfo)
{
    job_t job;
    mrb_value value;
    int status;

    job.interp = bench_local_take(r, conf);
    if (!job.interp) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    job.call.script = path;
    job.call.conf = conf;
    job.finfo = finfo;
    begin(&job, r);
    if (bench_interp_protect(job.interp, run_body, &job, &value) != APR_SUCCESS) {
        status = conclude(&job, value);
    } else {
        status = job.loaded ? finish(&job) : log_fault(&job);
    }
    end(&job);
    return status;
}
