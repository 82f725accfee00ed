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
#include "handover.h"
#include "input.h"
#include "rack.h"
#include "run.h"
#include "script.h"

APLOG_USE_MODULE(bench);

static int serve_script(request_rec *r, const bench_dir_conf_t *conf, const bench_file_t *file,
                        const char *mount)
{
    return bench_run(r, conf, file, mount, bench_run_script);
}

/* The handlers by which a file is served that a URL maps to. */
static const struct {
    const char *name;
    bench_language_e language;
    int (*serve)(request_rec *r, const bench_dir_conf_t *conf, const bench_file_t *file,
                 const char *mount);
} handlers[] = {
    {"bench-script", BENCH_RUBY, serve_script},
    {"bench-rack", BENCH_RUBY, bench_rack_serve},
    {"bench-erb", BENCH_ERB, serve_script},
};

enum { SCRIPT, RACK, HANDLERS = sizeof(handlers) / sizeof(handlers[0]) };

/* A Location with BenchScript or BenchRack is served by it, whatever httpd has made of the URL:
 * without this, mod_dir would redirect a Location that is also the name of a directory. */
static int claim(request_rec *r)
{
    const bench_dir_conf_t *conf = bench_conf_dir(r->per_dir_config);

    if (bench_conf_is_claimed(conf) && !(r->main && bench_handover_passed(r->main))) {
        r->handler = handlers[bench_conf_has_script(conf) ? SCRIPT : RACK].name;
        if (r->finfo.filetype == APR_DIR) {
            r->finfo.filetype = APR_NOFILE;
        }
    }
    return DECLINED;
}

/* A file that a directive names.  httpd has not looked at it. */
static int serve_named(request_rec *r, const bench_dir_conf_t *conf)
{
    unsigned handler = bench_conf_has_script(conf) ? SCRIPT : RACK;
    const char *path = handler == SCRIPT ? conf->script : conf->rack;
    bench_file_t file = {path, bench_script_language(path), NULL};
    apr_finfo_t finfo;

    if (bench_conf_cache(conf) == BENCH_CACHE_STAT &&
        apr_stat(&finfo, path, APR_FINFO_MIN, r->pool) == APR_SUCCESS) {
        file.finfo = &finfo;
    }
    return handlers[handler].serve(r, conf, &file, conf->mount);
}

static int refuses_path_info(const request_rec *r)
{
    return r->used_path_info == AP_REQ_REJECT_PATH_INFO && r->path_info && *r->path_info;
}

static int serve_mapped(request_rec *r, const bench_dir_conf_t *conf, unsigned handler)
{
    bench_file_t file = {r->filename, handlers[handler].language, &r->finfo};

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
    return handlers[handler].serve(r, conf, &file, NULL);
}

static int serve(request_rec *r)
{
    const bench_dir_conf_t *conf;
    unsigned i;

    if (!r->handler || strncmp(r->handler, "bench-", 6) != 0) {
        return DECLINED;
    }
    for (i = 0; i < HANDLERS && strcmp(r->handler, handlers[i].name) != 0; i++) {
    }
    if (i == HANDLERS) {
        return DECLINED;
    }
    conf = bench_conf_dir(r->per_dir_config);
    if (bench_conf_is_claimed(conf) && !bench_handover_passed(r)) {
        return serve_named(r, conf);
    }
    return serve_mapped(r, conf, i);
}

void bench_handler_register(void)
{
    static const char *const before[] = {"mod_dir.c", NULL};

    bench_input_register();
    bench_capture_register();
    ap_hook_fixups(claim, NULL, before, APR_HOOK_MIDDLE);
    ap_hook_handler(serve, NULL, NULL, APR_HOOK_MIDDLE);
}
