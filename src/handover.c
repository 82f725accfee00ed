/* SPDX-License-Identifier: Apache-2.0 */
#include "handover.h"

#include <stdlib.h>
#include <string.h>

#include <apr_lib.h>
#include <apr_strings.h>
#include <http_config.h>
#include <http_log.h>
#include <http_protocol.h>
#include <http_request.h>

#include "conf.h"
#include "input.h"

APLOG_USE_MODULE(bench);

/* In r->notes: how often. */
#define NOTE "bench-passed-on"
#define MOST 10

#define PROXY "proxy:"

int bench_handover_passed(const request_rec *r)
{
    return !apr_is_empty_table(r->notes) && apr_table_get(r->notes, NOTE) != NULL;
}

static int refuse(request_rec *r, const char *script, const char *reason)
{
    ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "BENCH0020: %s: the request was passed on, but %s",
                  script, reason);
    return HTTP_INTERNAL_SERVER_ERROR;
}

/* A script may pass on to a script, and that one back again. */
static int count(request_rec *r)
{
    const char *before = apr_table_get(r->notes, NOTE);
    int times = before ? atoi(before) + 1 : 1;

    apr_table_setn(r->notes, NOTE, apr_itoa(r->pool, times));
    return times;
}

static int is_ours(const request_rec *r)
{
    return r->handler && strncmp(r->handler, "bench-", 6) == 0;
}

/* ---- to a proxy ------------------------------------------------------------------------- */

static int is_proxied(const request_rec *r)
{
    return strncmp(r->filename, PROXY, sizeof(PROXY) - 1) == 0;
}

static const char *encode(apr_pool_t *pool, const char *text, const char *allowed)
{
    char *encoded = apr_palloc(pool, 3 * strlen(text) + 1);
    char *out = encoded;

    for (; *text; text++) {
        if (apr_isalnum(*text) || strchr(allowed, *text)) {
            *out++ = *text;
        } else {
            out += apr_snprintf(out, 4, "%%%02X", (unsigned char)*text);
        }
    }
    *out = '\0';
    return encoded;
}

/* What mod_proxy does to a URL in the phase of the fixups: the path, which a script takes from
 * r->uri, is encoded again, and the query is added. */
static void canonicalize(request_rec *r)
{
    const char *url = r->filename;
    const char *authority = strstr(url, "://");
    const char *path = authority ? strchr(authority + 3, '/') : NULL;

    if (!authority) {
        return;
    }
    r->filename = apr_pstrcat(
        r->pool, path ? apr_pstrmemdup(r->pool, url, (apr_size_t)(path - url)) : url,
        path ? encode(r->pool, path, "~$-_.+!*'(),;:@&=/") : "/", r->args ? "?" : NULL,
        r->args ? encode(r->pool, r->args, "~$-_.+!*'(),;:@&=/?%#[]|^{}\"\\<>`") : NULL, NULL);
}

/* ---- to a file -------------------------------------------------------------------------- */

/* What the configuration says of r->filename.  A Location of ours has overridden it before. */
static void find_handler(request_rec *r)
{
    r->handler = NULL;
    r->content_encoding = NULL;
    r->content_languages = NULL; /* mod_mime would add to both */
    ap_run_type_checker(r);
    if (!r->handler) {
        r->handler =
            r->content_type ? ap_field_noparam(r->pool, r->content_type) : AP_DEFAULT_HANDLER_NAME;
    }
}

/* Makes r what sub is.  OK, or the status that sub came to: where another URL is to be asked for,
 * with its header. */
static int become(request_rec *r, request_rec *sub)
{
    char *uri = r->uri;
    char *args = r->args;
    int status = sub->status;

    if (status != HTTP_OK) {
        r->headers_out = apr_table_overlay(r->pool, sub->headers_out, r->headers_out);
        return status;
    }
    ap_internal_fast_redirect(sub, r);
    bench_input_moved(r);
    r->uri = uri;
    r->args = args;
    return OK;
}

/* Takes another file as if the URL had been mapped to it: by way of a subrequest, so that the rules
 * of its directories hold. */
static int take_file(request_rec *r)
{
    char *file = r->filename;
    apr_finfo_t finfo;
    int status;

    if (apr_stat(&finfo, file, APR_FINFO_TYPE, r->pool) == APR_SUCCESS &&
        finfo.filetype == APR_DIR) {
        file = ap_make_full_path(r->pool, file, "index.html"); /* mod_dir goes by URLs */
    }
    /* A neighbour of r->filename would be taken for one of r->uri, with what stands in Locations.
     */
    r->filename = apr_pstrdup(r->pool, "/");
    r->canonical_filename = NULL;
    status = become(r, ap_sub_req_lookup_file(file, r, NULL));
    if (status != OK) {
        r->filename = file;
    }
    return status;
}

/* ---- any -------------------------------------------------------------------------------- */

/* The filters of the content are in place: ap_invoke_handler() would insert them a second time. */
static int run_handler(request_rec *r, const char *script)
{
    int status = ap_run_handler(r);

    if (status == DECLINED) {
        return refuse(r, script,
                      apr_psprintf(r->pool, "no handler %s answers for %s",
                                   *r->handler ? r->handler : "of httpd's", r->filename));
    }
    return status;
}

static int to_proxy(request_rec *r, const char *script, int what)
{
    if (!ap_find_linked_module("mod_proxy.c")) {
        return refuse(r, script, "mod_proxy is not loaded");
    }
    if (what & BENCH_HANDOVER_FILE) {
        canonicalize(r);
    }
    if (!(what & BENCH_HANDOVER_HANDLER)) {
        r->handler = "proxy-server";
    }
    r->finfo.filetype = APR_NOFILE;
    return run_handler(r, script);
}

static int to_file(request_rec *r, const char *script, const char *handler)
{
    int status;

    if (*r->filename != '/') {
        return refuse(r, script, apr_pstrcat(r->pool, r->filename, " is no absolute path", NULL));
    }
    status = take_file(r);
    if (status != OK) {
        return status;
    }
    find_handler(r);
    if (handler) {
        r->handler = handler;
    }
    return ap_invoke_handler(r); /* the file has come without filters */
}

/* A Location of ours takes a directory for no file, to keep mod_dir away from it: now it is its
 * turn. */
static int to_url(request_rec *r)
{
    int status = become(r, ap_sub_req_lookup_uri(ap_escape_uri(r->pool, r->uri), r, NULL));

    if (status != OK) {
        return status;
    }
    find_handler(r);
    return ap_invoke_handler(r);
}

static int to_configured_handler(request_rec *r, const char *script)
{
    const bench_dir_conf_t *conf = bench_conf_dir(r->per_dir_config);
    int is_location = bench_conf_is_claimed(conf);

    if (is_location && r->finfo.filetype == APR_NOFILE) {
        return to_url(r);
    }
    find_handler(r);
    if (is_ours(r) && !is_location) {
        return refuse(r, script, "nothing but this script serves its file");
    }
    return run_handler(r, script);
}

/* httpd's own handler takes whatever nobody else does: a name that nobody answers to must not show
 * the source of the script. */
static int to_named_handler(request_rec *r, const char *script)
{
    if (strcmp(r->filename, script) == 0 && strcmp(r->handler, "default-handler") != 0) {
        r->finfo.filetype = APR_NOFILE;
    }
    return run_handler(r, script);
}

int bench_handover(request_rec *r, const char *script, int what)
{
    if (count(r) > MOST) {
        return refuse(r, script, "that has been done too often");
    }
    if (is_proxied(r)) {
        return to_proxy(r, script, what);
    }
    if (what & BENCH_HANDOVER_FILE) {
        return to_file(r, script, what & BENCH_HANDOVER_HANDLER ? r->handler : NULL);
    }
    if (what & BENCH_HANDOVER_HANDLER && r->handler) {
        return to_named_handler(r, script);
    }
    return to_configured_handler(r, script);
}
