/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C handler that mod_bench is compared with.
 *
 * It does what any small handler in C does, no less: it looks at the handler's name, sets the
 * content type and writes the body with ap_rwrite(), so that httpd's own filters work out the
 * Content-Length.  Body and content type are those of hello.mrb.
 *
 *     LoadModule baseline_module build/bench/mod_baseline.so
 *     <Files "hello.c">
 *         SetHandler baseline-hello
 *     </Files>
 */
#include <string.h>

#include "httpd.h"
#include "http_config.h"
#include "http_protocol.h"

static const char hello[] = "Hello mod_bench!!!\n";

static int baseline_handler(request_rec *r)
{
    if (!r->handler || strcmp(r->handler, "baseline-hello")) {
        return DECLINED;
    }
    if (r->finfo.filetype == APR_NOFILE) {
        return HTTP_NOT_FOUND;
    }
    ap_set_content_type(r, "text/html; charset=utf-8");
    if (ap_rwrite(hello, sizeof(hello) - 1, r) < 0) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return OK;
}

static void register_hooks(apr_pool_t *pool)
{
    (void)pool;
    ap_hook_handler(baseline_handler, NULL, NULL, APR_HOOK_MIDDLE);
}

AP_DECLARE_MODULE(baseline) = {
    STANDARD20_MODULE_STUFF, NULL, NULL, NULL, NULL, NULL, register_hooks,
#if defined(AP_MODULE_FLAG_NONE)
    AP_MODULE_FLAG_NONE,
#endif
};
