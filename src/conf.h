/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings: the directives, what they are merged to, and which interpreter they ask for.
 *
 * Floor 1.  Knows httpd.  Must not know mruby.
 */
#ifndef BENCH_CONF_H
#define BENCH_CONF_H

#include <apr_hash.h>
#include <httpd.h>
#include <http_config.h>

#include "util.h"

/* All that the shared object exports: everything else is hidden. */
extern module AP_MODULE_DECLARE_DATA bench_module __attribute__((visibility("default")));

/* What one <Directory>, <Location>, <Files> or .htaccess says; -1 and NULL: nothing. */
typedef struct {
    const char *script;            /* BenchScript */
    const char *rack;              /* BenchRack */
    const char *mount;             /* the Location that BenchRack stands in */
    const char *group;             /* BenchGroup */
    int code_cache;                /* BenchCodeCache: bench_cache_e */
    int error_page;                /* BenchErrorPage: 1 or 0 */
    int isolation;                 /* BenchIsolation: bench_isolation_e */
    int param_limit;               /* BenchParamLimit */
    int param_depth;               /* BenchParamDepth */
    int upload_limit;              /* BenchUploadLimit */
    apr_off_t form_size;           /* BenchFormSize */
    apr_array_header_t *load_path; /* BenchLoadPath: const char *, inner sections first */
    apr_hash_t *set;               /* BenchSet: name -> const char * */
} bench_dir_conf_t;

/* What Rack allows, where nothing is set. */
#define BENCH_CONF_PARAM_LIMIT 4096
#define BENCH_CONF_PARAM_DEPTH 100
#define BENCH_CONF_UPLOAD_LIMIT 127
#define BENCH_CONF_FORM_SIZE 4194304    /* bytes of a query or of an urlencoded form */
#define BENCH_CONF_FIELDS_SIZE 16777216 /* bytes of a multipart form without its files */

/* What shapes an interpreter.  Servers that say the same share one, so that the pointer and a
 * group's name together tell interpreters apart. */
typedef struct {
    apr_array_header_t *thread_init; /* BenchThreadInit: const char *; outer server first */
    int max_requests;                /* BenchMaxRequests; 0: no limit */
} bench_profile_t;

typedef struct {
    apr_array_header_t *thread_init;
    int max_requests;               /* -1: not set */
    const bench_profile_t *profile; /* set by bench_conf_finish() */
} bench_server_conf_t;

void *bench_conf_create_dir(apr_pool_t *pool, char *path);
void *bench_conf_merge_dir(apr_pool_t *pool, void *outer, void *inner);
void *bench_conf_create_server(apr_pool_t *pool, server_rec *server);
void *bench_conf_merge_server(apr_pool_t *pool, void *outer, void *inner);

/* Gives every server its profile.  In post_config. */
void bench_conf_finish(apr_pool_t *pconf, server_rec *servers);

/* Compiles a file for a directive: NULL, or what is wrong with it.  Set by the front door, since
 * this room must not know mruby. */
typedef const char *bench_conf_check_t(const char *path, apr_pool_t *pool);
extern bench_conf_check_t *bench_conf_check_script;

static inline const bench_dir_conf_t *bench_conf_dir(const ap_conf_vector_t *vector)
{
    return ap_get_module_config(vector, &bench_module);
}

static inline const bench_profile_t *bench_conf_profile(const server_rec *server)
{
    const bench_server_conf_t *conf = ap_get_module_config(server->module_config, &bench_module);

    return conf->profile;
}

static inline const char *bench_conf_group(const bench_dir_conf_t *conf)
{
    return conf->group ? conf->group : "default";
}

static inline bench_cache_e bench_conf_cache(const bench_dir_conf_t *conf)
{
    return conf->code_cache < 0 ? BENCH_CACHE_STAT : (bench_cache_e)conf->code_cache;
}

/* Whether a file that a directive names serves here: BenchScript none and BenchRack none take that
 * away again, and leave an empty path. */
static inline int bench_conf_has_script(const bench_dir_conf_t *conf)
{
    return conf->script && *conf->script;
}

static inline int bench_conf_is_claimed(const bench_dir_conf_t *conf)
{
    return bench_conf_has_script(conf) || conf->rack;
}

static inline int bench_conf_or(int value, int otherwise)
{
    return value < 0 ? otherwise : value;
}

static inline apr_size_t bench_conf_form_size(const bench_dir_conf_t *conf, apr_size_t otherwise)
{
    return conf->form_size < 0 ? otherwise : (apr_size_t)conf->form_size;
}

/* The setters of the directive table. */
const char *bench_conf_set_script(cmd_parms *cmd, void *conf, const char *arg);
const char *bench_conf_set_rack(cmd_parms *cmd, void *conf, const char *arg);
const char *bench_conf_set_code_cache(cmd_parms *cmd, void *conf, const char *arg);
const char *bench_conf_set_isolation(cmd_parms *cmd, void *conf, const char *arg);
const char *bench_conf_set_error_page(cmd_parms *cmd, void *conf, int on);
const char *bench_conf_set_group(cmd_parms *cmd, void *conf, const char *arg);
const char *bench_conf_add_load_path(cmd_parms *cmd, void *conf, const char *arg);
const char *bench_conf_set_param_limit(cmd_parms *cmd, void *conf, const char *arg);
const char *bench_conf_set_param_depth(cmd_parms *cmd, void *conf, const char *arg);
const char *bench_conf_set_upload_limit(cmd_parms *cmd, void *conf, const char *arg);
const char *bench_conf_set_form_size(cmd_parms *cmd, void *conf, const char *arg);
const char *bench_conf_set_value(cmd_parms *cmd, void *conf, const char *key, const char *value);
const char *bench_conf_add_thread_init(cmd_parms *cmd, void *conf, const char *arg);
const char *bench_conf_set_max_requests(cmd_parms *cmd, void *conf, const char *arg);

#endif
