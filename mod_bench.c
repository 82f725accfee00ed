/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mod_bench: Ruby inside Apache httpd.
 *
 * Floor 6, the front door: the module record, the directives, the order of the hooks.  What they
 * do stands in src/.
 */
#include <httpd.h>
#include <http_config.h>
#include <http_core.h>
#include <http_log.h>
#include <mruby/version.h>

#include "src/conf.h"
#include "src/handler.h"
#include "src/local.h"
#include "src/script.h"
#include "src/util.h"

APLOG_USE_MODULE(bench);

#define SERVER RSRC_CONF                                     /* server config and virtual hosts */
#define DIRECTORY ACCESS_CONF                                /* Directory, Location, Files */
#define ANY (RSRC_CONF | ACCESS_CONF)                        /* both */
#define ANY_HTACCESS (RSRC_CONF | ACCESS_CONF | OR_FILEINFO) /* and .htaccess */

static const command_rec directives[] = {
    AP_INIT_TAKE1("BenchScript", bench_conf_set_script, NULL, DIRECTORY,
                  "a Ruby file that serves all requests here"),
    AP_INIT_TAKE1("BenchRack", bench_conf_set_rack, NULL, DIRECTORY,
                  "a Rack application that is mounted here"),
    AP_INIT_TAKE1("BenchCodeCache", bench_conf_set_code_cache, NULL, ANY_HTACCESS,
                  "when a script is read again: stat (when it has changed), forever, never"),
    AP_INIT_TAKE1("BenchIsolation", bench_conf_set_isolation, NULL, ANY,
                  "how long an interpreter lives: thread, request"),
    AP_INIT_FLAG("BenchErrorPage", bench_conf_set_error_page, NULL, ANY,
                 "whether the client sees what went wrong in a script: On or Off"),
    AP_INIT_TAKE1("BenchGroup", bench_conf_set_group, NULL, ANY,
                  "a name: interpreters of different groups share nothing"),
    AP_INIT_TAKE1("BenchMaxRequests", bench_conf_set_max_requests, NULL, SERVER,
                  "how many requests an interpreter serves before it is opened anew; 0: no limit"),
    AP_INIT_ITERATE("BenchThreadInit", bench_conf_add_thread_init, NULL, SERVER,
                    "Ruby files that run in each interpreter as it opens"),
    AP_INIT_ITERATE("BenchLoadPath", bench_conf_add_load_path, NULL, ANY,
                    "directories in which require looks"),
    AP_INIT_TAKE1("BenchParamLimit", bench_conf_set_param_limit, NULL, ANY,
                  "how many parameters a query or form may have"),
    AP_INIT_TAKE1("BenchParamDepth", bench_conf_set_param_depth, NULL, ANY,
                  "how deeply the names of parameters may be nested"),
    AP_INIT_TAKE1("BenchUploadLimit", bench_conf_set_upload_limit, NULL, ANY,
                  "how many files a form may bring"),
    AP_INIT_TAKE1("BenchFormSize", bench_conf_set_form_size, NULL, ANY,
                  "how large a query or form may be, files not counted"),
    AP_INIT_TAKE2("BenchSet", bench_conf_set_value, NULL, ANY_HTACCESS,
                  "a key and a value, for scripts to read as Bench.config[key]"),
    {NULL}};

static int start(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp, server_rec *server)
{
    (void)plog;
    (void)ptemp;
    bench_conf_finish(pconf, server);
    if (ap_state_query(AP_SQ_MAIN_STATE) != AP_SQ_MS_CREATE_PRE_CONFIG) {
        ap_log_error(APLOG_MARK, APLOG_INFO, 0, server,
                     "BENCH0001: mod_bench " BENCH_VERSION " with mruby " MRUBY_VERSION);
    }
    return OK;
}

static void start_child(apr_pool_t *pchild, server_rec *server)
{
    apr_status_t rv = bench_local_child_init(pchild, server);

    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_CRIT, rv, server, "BENCH0007: this child cannot run Ruby");
        exit(APEXIT_CHILDSICK);
    }
}

static void register_hooks(apr_pool_t *pool)
{
    (void)pool;
    bench_conf_check_script = bench_script_check;
    ap_hook_post_config(start, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_child_init(start_child, NULL, NULL, APR_HOOK_MIDDLE);
    bench_handler_register();
}

module AP_MODULE_DECLARE_DATA bench_module = {STANDARD20_MODULE_STUFF, bench_conf_create_dir,
                                              bench_conf_merge_dir,    bench_conf_create_server,
                                              bench_conf_merge_server, directives,
                                              register_hooks,          AP_MODULE_FLAG_NONE};
