/* SPDX-License-Identifier: Apache-2.0 */
#include "conf.h"

#include <apr_file_info.h>
#include <apr_lib.h>
#include <apr_strings.h>

bench_conf_check_t *bench_conf_check_script;

/* ---- create and merge ------------------------------------------------------------------- */

void *bench_conf_create_dir(apr_pool_t *pool, char *path)
{
    bench_dir_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));

    (void)path;
    conf->code_cache = -1;
    conf->isolation = -1;
    conf->error_page = -1;
    conf->param_limit = -1;
    conf->param_depth = -1;
    conf->upload_limit = -1;
    conf->form_size = -1;
    return conf;
}

static apr_array_header_t *append(apr_pool_t *pool, apr_array_header_t *first,
                                  apr_array_header_t *second)
{
    if (first && second) {
        return apr_array_append(pool, first, second);
    }
    return first ? first : second;
}

void *bench_conf_merge_dir(apr_pool_t *pool, void *outer_conf, void *inner_conf)
{
    const bench_dir_conf_t *outer = outer_conf;
    const bench_dir_conf_t *inner = inner_conf;
    bench_dir_conf_t *merged = apr_palloc(pool, sizeof(*merged));

    /* One of the two serves: the inner one, whichever it is. */
    if (inner->script || inner->rack) {
        merged->script = inner->script;
        merged->rack = inner->rack;
        merged->mount = inner->mount;
    } else {
        merged->script = outer->script;
        merged->rack = outer->rack;
        merged->mount = outer->mount;
    }
    merged->group = inner->group ? inner->group : outer->group;
    merged->code_cache = bench_conf_or(inner->code_cache, outer->code_cache);
    merged->isolation = bench_conf_or(inner->isolation, outer->isolation);
    merged->error_page = bench_conf_or(inner->error_page, outer->error_page);
    merged->param_limit = bench_conf_or(inner->param_limit, outer->param_limit);
    merged->param_depth = bench_conf_or(inner->param_depth, outer->param_depth);
    merged->upload_limit = bench_conf_or(inner->upload_limit, outer->upload_limit);
    merged->form_size = inner->form_size >= 0 ? inner->form_size : outer->form_size;
    merged->load_path = append(pool, inner->load_path, outer->load_path);
    if (inner->set && outer->set) {
        merged->set = apr_hash_overlay(pool, inner->set, outer->set);
    } else {
        merged->set = inner->set ? inner->set : outer->set;
    }
    return merged;
}

void *bench_conf_create_server(apr_pool_t *pool, server_rec *server)
{
    bench_server_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));

    (void)server;
    conf->max_requests = -1;
    return conf;
}

void *bench_conf_merge_server(apr_pool_t *pool, void *outer_conf, void *inner_conf)
{
    const bench_server_conf_t *outer = outer_conf;
    const bench_server_conf_t *inner = inner_conf;
    bench_server_conf_t *merged = apr_pcalloc(pool, sizeof(*merged));

    merged->thread_init = append(pool, outer->thread_init, inner->thread_init);
    merged->max_requests = inner->max_requests >= 0 ? inner->max_requests : outer->max_requests;
    return merged;
}

/* ---- profiles --------------------------------------------------------------------------- */

static int same_files(const apr_array_header_t *a, const apr_array_header_t *b)
{
    int n = a ? a->nelts : 0;
    int i;

    if (n != (b ? b->nelts : 0)) {
        return 0;
    }
    for (i = 0; i < n; i++) {
        if (strcmp(APR_ARRAY_IDX(a, i, const char *), APR_ARRAY_IDX(b, i, const char *)) != 0) {
            return 0;
        }
    }
    return 1;
}

void bench_conf_finish(apr_pool_t *pconf, server_rec *servers)
{
    server_rec *server, *earlier;

    for (server = servers; server; server = server->next) {
        bench_server_conf_t *conf = ap_get_module_config(server->module_config, &bench_module);
        int max_requests = conf->max_requests > 0 ? conf->max_requests : 0;
        bench_profile_t *profile;

        /* A virtual host that says nothing has the main server's settings, not a copy: then this
         * is done, and no earlier server is without a profile. */
        for (earlier = servers; earlier != server && !conf->profile; earlier = earlier->next) {
            const bench_profile_t *known = bench_conf_profile(earlier);

            if (known->max_requests == max_requests &&
                same_files(known->thread_init, conf->thread_init)) {
                conf->profile = known;
            }
        }
        if (!conf->profile) {
            profile = apr_palloc(pconf, sizeof(*profile));
            profile->thread_init = conf->thread_init;
            profile->max_requests = max_requests;
            conf->profile = profile;
        }
    }
}

/* ---- directives ------------------------------------------------------------------------- */

static bench_server_conf_t *server_conf(cmd_parms *cmd)
{
    return ap_get_module_config(cmd->server->module_config, &bench_module);
}

/* NULL, or the message for a file that a directive names and that is no script. */
static const char *script_path(cmd_parms *cmd, const char *arg, const char **path)
{
    const char *wrong;

    *path = ap_server_root_relative(cmd->pool, arg);
    if (!*path) {
        return apr_psprintf(cmd->pool, "%s: \"%s\" is not a path", cmd->cmd->name, arg);
    }
    wrong = bench_conf_check_script(*path, cmd->pool);
    return wrong ? apr_psprintf(cmd->pool, "%s: %s", cmd->cmd->name, wrong) : NULL;
}

/* Finds arg among the words; they end with NULL.  The index goes to *value. */
static const char *one_of(cmd_parms *cmd, const char *arg, const char *const *words, int *value)
{
    const char *known = "";
    int i;

    for (i = 0; words[i]; i++) {
        if (ap_cstr_casecmp(arg, words[i]) == 0) {
            *value = i;
            return NULL;
        }
        known = apr_pstrcat(cmd->pool, known, i ? ", " : "", words[i], NULL);
    }
    return apr_psprintf(cmd->pool, "%s: \"%s\" is not known; expected one of: %s", cmd->cmd->name,
                        arg, known);
}

const char *bench_conf_set_script(cmd_parms *cmd, void *conf, const char *arg)
{
    if (ap_cstr_casecmp(arg, "none") == 0) {
        ((bench_dir_conf_t *)conf)->script = "";
        return NULL;
    }
    return script_path(cmd, arg, &((bench_dir_conf_t *)conf)->script);
}

/* Without its last slash, so that "/" mounts at "". */
const char *bench_conf_set_rack(cmd_parms *cmd, void *dir_conf, const char *arg)
{
    bench_dir_conf_t *conf = dir_conf;
    apr_size_t length = cmd->path ? strlen(cmd->path) : 0;

    if (ap_cstr_casecmp(arg, "none") == 0) {
        conf->script = "";
        return NULL;
    }
    if (length == 0 || *cmd->path != '/' || ap_is_matchexp(cmd->path) ||
        ap_cstr_casecmp(cmd->directive->parent->directive, "<Location") != 0) {
        return apr_psprintf(cmd->pool, "%s: stands in a <Location> with a plain path",
                            cmd->cmd->name);
    }
    if (cmd->path[length - 1] == '/') {
        length--;
    }
    conf->mount = apr_pstrmemdup(cmd->pool, cmd->path, length);
    return script_path(cmd, arg, &conf->rack);
}

const char *bench_conf_set_code_cache(cmd_parms *cmd, void *conf, const char *arg)
{
    static const char *const words[] = {"stat", "forever", "never", NULL}; /* bench_cache_e */

    return one_of(cmd, arg, words, &((bench_dir_conf_t *)conf)->code_cache);
}

const char *bench_conf_set_isolation(cmd_parms *cmd, void *conf, const char *arg)
{
    static const char *const words[] = {"thread", "request", NULL}; /* bench_isolation_e */

    return one_of(cmd, arg, words, &((bench_dir_conf_t *)conf)->isolation);
}

const char *bench_conf_set_error_page(cmd_parms *cmd, void *conf, int on)
{
    (void)cmd;
    ((bench_dir_conf_t *)conf)->error_page = on;
    return NULL;
}

const char *bench_conf_set_group(cmd_parms *cmd, void *conf, const char *arg)
{
    if (!*arg) {
        return apr_psprintf(cmd->pool, "%s: a group needs a name", cmd->cmd->name);
    }
    ((bench_dir_conf_t *)conf)->group = arg;
    return NULL;
}

const char *bench_conf_add_load_path(cmd_parms *cmd, void *dir_conf, const char *arg)
{
    bench_dir_conf_t *conf = dir_conf;
    const char *path = ap_server_root_relative(cmd->pool, arg);
    apr_finfo_t finfo;

    if (!path || apr_stat(&finfo, path, APR_FINFO_TYPE, cmd->temp_pool) != APR_SUCCESS ||
        finfo.filetype != APR_DIR) {
        return apr_psprintf(cmd->pool, "%s: %s is not a directory", cmd->cmd->name,
                            path ? path : arg);
    }
    if (!conf->load_path) {
        conf->load_path = apr_array_make(cmd->pool, 2, sizeof(const char *));
    }
    APR_ARRAY_PUSH(conf->load_path, const char *) = path;
    return NULL;
}

/* A number from least to most; what says what of. */
static const char *number(cmd_parms *cmd, const char *arg, const char *what, int least, int most,
                          int *value)
{
    char *end;
    apr_int64_t n = apr_strtoi64(arg, &end, 10);

    if (end == arg || *end || n < least || n > most) {
        return apr_psprintf(cmd->pool, "%s: \"%s\" is not a number of %s (%d to %d)",
                            cmd->cmd->name, arg, what, least, most);
    }
    *value = (int)n;
    return NULL;
}

const char *bench_conf_set_param_limit(cmd_parms *cmd, void *conf, const char *arg)
{
    return number(cmd, arg, "parameters", 1, 1000000, &((bench_dir_conf_t *)conf)->param_limit);
}

/* Each level is a call in C, so there is an end to what can be allowed. */
const char *bench_conf_set_param_depth(cmd_parms *cmd, void *conf, const char *arg)
{
    return number(cmd, arg, "brackets", 1, 1000, &((bench_dir_conf_t *)conf)->param_depth);
}

const char *bench_conf_set_upload_limit(cmd_parms *cmd, void *conf, const char *arg)
{
    return number(cmd, arg, "files", 1, 100000, &((bench_dir_conf_t *)conf)->upload_limit);
}

/* Bytes, or with K, M or G. */
const char *bench_conf_set_form_size(cmd_parms *cmd, void *conf, const char *arg)
{
    static const char units[] = "KMG";
    char *end;
    apr_int64_t n = apr_strtoi64(arg, &end, 10);
    const char *unit = *end ? strchr(units, apr_toupper(*end)) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;

    if (end == arg || n < 1 || n > APR_INT64_C(1) << (60 - shift) || (*end && (!unit || end[1]))) {
        return apr_psprintf(cmd->pool, "%s: \"%s\" is not a size (bytes, or with K, M or G)",
                            cmd->cmd->name, arg);
    }
    ((bench_dir_conf_t *)conf)->form_size = (apr_off_t)n << shift;
    return NULL;
}

const char *bench_conf_set_value(cmd_parms *cmd, void *dir_conf, const char *key, const char *value)
{
    bench_dir_conf_t *conf = dir_conf;

    if (!*key) {
        return apr_psprintf(cmd->pool, "%s: a value needs a key", cmd->cmd->name);
    }
    if (!conf->set) {
        conf->set = apr_hash_make(cmd->pool);
    }
    apr_hash_set(conf->set, key, APR_HASH_KEY_STRING, value);
    return NULL;
}

const char *bench_conf_add_thread_init(cmd_parms *cmd, void *unused, const char *arg)
{
    bench_server_conf_t *conf = server_conf(cmd);
    const char *path;
    const char *wrong = script_path(cmd, arg, &path);

    (void)unused;
    if (wrong) {
        return wrong;
    }
    if (!conf->thread_init) {
        conf->thread_init = apr_array_make(cmd->pool, 2, sizeof(const char *));
    }
    APR_ARRAY_PUSH(conf->thread_init, const char *) = path;
    return NULL;
}

const char *bench_conf_set_max_requests(cmd_parms *cmd, void *unused, const char *arg)
{
    char *end;
    apr_int64_t n = apr_strtoi64(arg, &end, 10);

    (void)unused;
    if (end == arg || *end || n < 0 || n > APR_INT32_MAX) {
        return apr_psprintf(cmd->pool, "%s: \"%s\" is not a number of requests (0 for no limit)",
                            cmd->cmd->name, arg);
    }
    server_conf(cmd)->max_requests = (int)n;
    return NULL;
}
