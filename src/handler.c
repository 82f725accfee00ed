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
#include "run.h"

#define NAME "bench-script"

APLOG_USE_MODULE(bench);

/* A Location with BenchScript is served by it, whatever httpd has made of the URL: without this,
 * mod_dir would redirect a Location that is also the name of a directory. */
static int claim(request_rec *r)
{
    if (bench_conf_dir(r->per_dir_config)->script) {
        r->handler = NAME;
        if (r->finfo.filetype == APR_DIR) {
            r->finfo.filetype = APR_NOFILE;
        }
    }
    return DECLINED;
}

static int refuses_path_info(const request_rec *r)
{
    return r->used_path_info == AP_REQ_REJECT_PATH_INFO && r->path_info && *r->path_info;
}

static int serve(request_rec *r)
{
    const bench_dir_conf_t *conf;

    if (!r->handler || strcmp(r->handler, NAME) != 0) {
        return DECLINED;
    }
    conf = bench_conf_dir(r->per_dir_config);
    if (conf->script) {
        apr_finfo_t finfo;

        if (bench_conf_cache(conf) == BENCH_CACHE_STAT &&
            apr_stat(&finfo, conf->script, APR_FINFO_MIN, r->pool) == APR_SUCCESS) {
            return bench_run_script(r, conf, conf->script, &finfo);
        }
        return bench_run_script(r, conf, conf->script, NULL);
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
    return bench_run_script(r, conf, r->filename, &r->finfo);
}

void bench_handler_register(void)
{
    static const char *const before[] = {"mod_dir.c", NULL};

    bench_input_register();
    bench_capture_register();
    ap_hook_fixups(claim, NULL, before, APR_HOOK_MIDDLE);
    ap_hook_handler(serve, NULL, NULL, APR_HOOK_MIDDLE);
}
