/* SPDX-License-Identifier: Apache-2.0 */
#include "handler.h"

#include <string.h>

#include <httpd.h>
#include <http_config.h>
#include <http_log.h>
#include <http_protocol.h>
#include <http_request.h>

#include "capture.h"
#include "conf.h"
#include "input.h"
#include "rack.h"
#include "run.h"

#define PREFIX "bench-"
#define SCRIPT PREFIX "script"
#define RACK PREFIX "rack"

APLOG_USE_MODULE(bench);

/* What serves the file that a URL maps to. */
typedef int serve_file_t(request_rec *r, const bench_dir_conf_t *conf, const char *path,
                         const char *mount, const apr_finfo_t *finfo);

static int serve_script(request_rec *r, const bench_dir_conf_t *conf, const char *path,
                        const char *mount, const apr_finfo_t *finfo)
{
    return bench_run(r, conf, path, mount, finfo, bench_run_script);
}

/* A Location with BenchScript or BenchRack is served by it, whatever httpd has made of the URL:
 * without this, mod_dir would redirect a Location that is also the name of a directory. */
static int claim(request_rec *r)
{
    const bench_dir_conf_t *conf = bench_conf_dir(r->per_dir_config);

    if (conf->script || conf->rack) {
        r->handler = conf->script ? SCRIPT : RACK;
        if (r->finfo.filetype == APR_DIR) {
            r->finfo.filetype = APR_NOFILE;
        }
    }
    return DECLINED;
}

/* A file that a directive names.  httpd has not looked at it. */
static int serve_named(request_rec *r, const bench_dir_conf_t *conf)
{
    const char *path = conf->script ? conf->script : conf->rack;
    serve_file_t *serve_file = conf->script ? serve_script : bench_rack_serve;
    apr_finfo_t finfo;

    if (bench_conf_cache(conf) == BENCH_CACHE_STAT &&
        apr_stat(&finfo, path, APR_FINFO_MIN, r->pool) == APR_SUCCESS) {
        return serve_file(r, conf, path, conf->mount, &finfo);
    }
    return serve_file(r, conf, path, conf->mount, NULL);
}

static int refuses_path_info(const request_rec *r)
{
    return r->used_path_info == AP_REQ_REJECT_PATH_INFO && r->path_info && *r->path_info;
}

static int serve(request_rec *r)
{
    const bench_dir_conf_t *conf;
    serve_file_t *serve_file;

    if (!r->handler || strncmp(r->handler, PREFIX, sizeof(PREFIX) - 1) != 0) {
        return DECLINED;
    }
    if (strcmp(r->handler, SCRIPT) == 0) {
        serve_file = serve_script;
    } else if (strcmp(r->handler, RACK) == 0) {
        serve_file = bench_rack_serve;
    } else {
        return DECLINED;
    }
    conf = bench_conf_dir(r->per_dir_config);
    if (conf->script || conf->rack) {
        return serve_named(r, conf);
    }
    if (r->finfo.filetype == APR_NOFILE || refuses_path_info(r)) {
        ap_log_rerror(APLOG_MARK, APLOG_INFO, 0, r, "BENCH0012: no such script: %s%s", r->filename,
                      r->path_info ? r->path_info : "");
        return HTTP_NOT_FOUND;
    }
    if (r->finfo.filetype != APR_REG) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r,
                      "BENCH0013: %s is not a file that could be a script", r->filename);
        return HTTP_FORBIDDEN;
    }
    return serve_file(r, conf, r->filename, NULL, &r->finfo);
}

void bench_handler_register(void)
{
    static const char *const before[] = {"mod_dir.c", NULL};

    bench_input_register();
    bench_capture_register();
    ap_hook_fixups(claim, NULL, before, APR_HOOK_MIDDLE);
    ap_hook_handler(serve, NULL, NULL, APR_HOOK_MIDDLE);
}
