/* SPDX-License-Identifier: Apache-2.0 */
#include "local.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>
#include <http_log.h>

#include "api.h"
#include "rberr.h"
#include "script.h"

APLOG_USE_MODULE(bench);

/* An interpreter of this thread, and what it is for. */
typedef struct member_t member_t;
struct member_t {
    member_t *next;
    bench_interp_t *interp;
    const bench_profile_t *profile;
    const char *group;
    int alone; /* for one request */
};

static _Thread_local member_t *members;

/* This child process. */
static struct {
    pthread_key_t key; /* its destructor runs on each thread that ends */
    server_rec *server;
    atomic_uint opened;
    atomic_uint closed;
} child;

/* ---- closing ---------------------------------------------------------------------------- */

static void close_member(member_t *member, const char *reason)
{
    bench_interp_t *interp = member->interp;
    unsigned id = interp->id;
    apr_size_t left;

    bench_script_detach(interp);
    bench_api_uninstall(interp);
    left = bench_interp_close(interp);
    atomic_fetch_add(&child.closed, 1);
    ap_log_error(APLOG_MARK, APLOG_DEBUG, 0, child.server,
                 "BENCH0003: interpreter %u of group %s closed: %s", id, member->group, reason);
    if (left) {
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, child.server,
                     "BENCH0006: interpreter %u still held %" APR_SIZE_T_FMT
                     " bytes when it was closed",
                     id, left);
    }
    free(member);
}

/* Unlinks first: while an interpreter closes, Ruby's finalizers run, and nothing may find it. */
static void close_all(const char *reason)
{
    while (members) {
        member_t *member = members;

        members = member->next;
        close_member(member, reason);
    }
}

static void thread_ends(void *unused)
{
    (void)unused;
    close_all("its thread ends");
}

/* On the child's main thread, which under prefork is the one that ran the scripts.  There, SIGTERM
 * runs this inside of the signal handler: with a script under way, mruby and malloc are in the
 * middle of something and must not be entered again.  The process ends and frees all. */
static apr_status_t child_ends(void *unused)
{
    const member_t *member;

    (void)unused;
    for (member = members; member; member = member->next) {
        if (member->interp->depth > 0) {
            return APR_SUCCESS;
        }
    }
    close_all("its process ends");
    ap_log_error(APLOG_MARK, APLOG_DEBUG, 0, child.server,
                 "BENCH0004: child ends: %u interpreters opened, %u closed",
                 atomic_load(&child.opened), atomic_load(&child.closed));
    return APR_SUCCESS;
}

apr_status_t bench_local_child_init(apr_pool_t *pchild, server_rec *server)
{
    /* Here and not in the parent: it unloads the module at a restart, destructor and all. */
    int rv = pthread_key_create(&child.key, thread_ends);

    if (rv != 0) {
        return rv;
    }
    child.server = server;
    apr_pool_cleanup_register(pchild, NULL, child_ends, apr_pool_cleanup_null);
    return bench_script_child_init(pchild);
}

/* ---- opening ---------------------------------------------------------------------------- */

/* What happens in an interpreter before its first script. */
typedef struct {
    bench_interp_t *interp;
    bench_call_t *call;
    const bench_profile_t *profile;
    bench_fault_t fault;
} opening_t;

static mrb_value install(mrb_state *mrb, void *data)
{
    (void)mrb;
    bench_api_install(((opening_t *)data)->interp);
    return mrb_nil_value();
}

static mrb_value run_thread_init(mrb_state *mrb, void *data)
{
    opening_t *opening = data;
    const apr_array_header_t *files = opening->profile->thread_init;
    int i;

    opening->fault.status = APR_SUCCESS;
    for (i = 0; files && i < files->nelts; i++) {
        const char *path = APR_ARRAY_IDX(files, i, const char *);
        bench_file_t file = {path, bench_script_language(path), NULL};
        struct RProc *proc;

        opening->call->script = path;
        proc = bench_script_get(opening->interp, &file, bench_conf_cache(opening->call->conf),
                                &opening->fault);
        if (!proc) {
            return mrb_nil_value();
        }
        /* Watched like a file that a script requires: a change opens the interpreter anew. */
        bench_script_set_required(opening->interp, path, 1);
        mrb_yield_with_class(mrb, mrb_obj_value(proc), 0, NULL, mrb_top_self(mrb),
                             mrb->object_class);
    }
    return mrb_nil_value();
}

/* NULL, or why the interpreter cannot be used. */
static const char *prepare(opening_t *opening, apr_pool_t *pool)
{
    bench_interp_t *interp = opening->interp;
    bench_rberr_t error;
    mrb_value value;

    if (bench_script_attach(interp) != APR_SUCCESS) {
        return "out of memory";
    }
    if (bench_interp_protect(interp, install, opening, &value) == APR_SUCCESS) {
        apr_status_t rv;

        bench_interp_enter(interp);
        bench_api_push(interp, opening->call);
        rv = bench_interp_protect(interp, run_thread_init, opening, &value);
        if (rv != APR_SUCCESS) {
            bench_rberr_describe(interp, value, pool, &error);
        }
        bench_api_pop(interp, opening->call);
        bench_interp_leave(interp);
        interp->runs = 0;
        if (rv == APR_SUCCESS && opening->fault.status == APR_SUCCESS) {
            return NULL;
        }
        if (rv == APR_SUCCESS) {
            return opening->fault.status == APR_EGENERAL
                       ? apr_psprintf(pool, "%s:%s", opening->call->script, opening->fault.message)
                       : apr_psprintf(pool, "%s: %pm", opening->call->script,
                                      &opening->fault.status);
        }
    } else {
        bench_rberr_describe(interp, value, pool, &error);
    }
    return apr_psprintf(pool, "%s: %s (%s); backtrace: %s", error.where, error.message,
                        error.class_name, error.backtrace);
}

static member_t *open_member(request_rec *r, const bench_profile_t *profile, const char *group,
                             int alone)
{
    bench_call_t call = {0};
    opening_t opening = {0};
    member_t *member = calloc(1, sizeof(*member));
    const char *wrong = "out of memory";

    if (member && bench_interp_open(&member->interp) == APR_SUCCESS) {
        member->profile = profile;
        member->group = group;
        member->alone = alone;
        atomic_fetch_add(&child.opened, 1);
        call.server = r->server;
        call.pool = r->pool;
        call.conf = bench_conf_dir(r->server->lookup_defaults);
        opening.interp = member->interp;
        opening.call = &call;
        opening.profile = profile;
        wrong = prepare(&opening, r->pool);
        if (!wrong) {
            ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, r,
                          "BENCH0002: interpreter %u of group %s opened: %" APR_SIZE_T_FMT " bytes",
                          member->interp->id, group, member->interp->held);
            return member;
        }
    }
    ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "BENCH0005: an interpreter cannot be opened: %s",
                  wrong);
    if (member && member->interp) {
        close_member(member, "it could not be prepared");
    } else {
        free(member);
    }
    return NULL;
}

/* ---- taking ----------------------------------------------------------------------------- */

static member_t **find(const bench_profile_t *profile, const char *group)
{
    member_t **link;

    for (link = &members; *link; link = &(*link)->next) {
        const member_t *member = *link;

        if (member->profile == profile && !member->alone && !member->interp->doomed &&
            (member->group == group || strcmp(member->group, group) == 0)) {
            return link;
        }
    }
    return NULL;
}

static void close_link(member_t **link, const char *reason)
{
    member_t *member = *link;

    *link = member->next;
    close_member(member, reason);
}

bench_interp_t *bench_local_take(request_rec *r, const bench_dir_conf_t *conf)
{
    const bench_profile_t *profile = bench_conf_profile(r->server);
    const char *group = bench_conf_group(conf);
    int alone = conf->isolation == BENCH_ISOLATION_REQUEST;
    member_t **link = alone ? NULL : find(profile, group);
    member_t *member;

    if (link && (*link)->interp->depth == 0 && bench_conf_cache(conf) != BENCH_CACHE_FOREVER) {
        const char *path = bench_script_outdated((*link)->interp, r->pool);

        if (path) {
            close_link(link, apr_pstrcat(r->pool, path, " has changed", NULL));
            link = NULL;
        }
    }
    if (link) {
        return (*link)->interp;
    }
    member = open_member(r, profile, group, alone);
    if (!member) {
        return NULL;
    }
    member->next = members;
    members = member;
    pthread_setspecific(child.key, members);
    return member->interp;
}

void bench_local_done(bench_interp_t *interp)
{
    member_t **link = &members;
    int most;

    if (interp->depth > 0) {
        return;
    }
    while ((*link)->interp != interp) {
        link = &(*link)->next;
    }
    most = (*link)->profile->max_requests;
    if (interp->doomed) {
        close_link(link, interp->doomed);
    } else if ((*link)->alone) {
        close_link(link, "its request ends");
    } else if (most > 0 && interp->runs >= (apr_uint64_t)most) {
        close_link(link, "BenchMaxRequests");
    }
}
