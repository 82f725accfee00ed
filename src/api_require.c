/* SPDX-License-Identifier: Apache-2.0 */
/*
 * require, require_relative and load.
 *
 * Floor 2.
 */
#include "api.h"

#include <string.h>

#include <apr_file_info.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <mruby/class.h>
#include <mruby/debug.h>
#include <mruby/error.h>
#include <mruby/proc.h>
#include <mruby/string.h>
#include <mruby/variable.h>

#include "script.h"

/* Libraries of Ruby that are in every interpreter. */
static const char *const built_in[] = {
    "base64",       "cgi",  "complex", "digest", "enumerator", "erb",
    "fiber",        "json", "openssl", "rack",   "random",     "rational",
    "securerandom", "set",  "socket",  "time",   "uri",        NULL};

/* And whole families of them: "rack/request", "cgi/util". */
static const char *const built_in_families[] = {"cgi/", "digest/", "erb/", "json/", "rack/", NULL};

/* A file that was found. */
typedef struct {
    const char *path;
    int known; /* it is loaded already, and finfo is not set */
    apr_finfo_t finfo;
} found_t;

static bench_call_t *current(mrb_state *mrb)
{
    bench_call_t *call = bench_interp_of(mrb)->call;

    if (!call) {
        mrb_raise(mrb, bench_api_of(mrb)->error, "nothing can be loaded here");
    }
    return call;
}

/* The directory of the file that the calling Ruby code stands in. */
static const char *caller_directory(mrb_state *mrb, const bench_call_t *call)
{
    const char *file = call->script;
    const mrb_callinfo *ci = mrb->c->ci;
    const char *slash;

    for (; ci >= mrb->c->cibase; ci--) {
        const struct RProc *proc = ci->proc;

        if (proc && !MRB_PROC_CFUNC_P(proc) && proc->body.irep && ci->pc) {
            const mrb_irep *irep = proc->body.irep;
            const char *named =
                mrb_debug_get_filename(mrb, irep, (uint32_t)(ci->pc - 1 - irep->iseq));

            file = named ? named : file;
            break;
        }
    }
    slash = strrchr(file, '/');
    return slash ? apr_pstrmemdup(call->pool, file, (apr_size_t)(slash - file)) : "/";
}

/* A file that is loaded already is not looked at: that it may have changed has been seen to before
 * the script began, or is not wanted. */
static int try_file(mrb_state *mrb, const bench_call_t *call, const char *directory,
                    const char *name, found_t *found)
{
    char *path;

    if (apr_filepath_merge(&path, directory, name, 0, call->pool) != APR_SUCCESS) {
        return 0;
    }
    found->known = bench_script_is_required(bench_interp_of(mrb), path);
    if (found->known) {
        found->path = path;
        return 1;
    }
    if (apr_stat(&found->finfo, path, BENCH_STAMP_WANTS, call->pool) != APR_SUCCESS ||
        found->finfo.filetype != APR_REG) {
        return 0;
    }
    found->path = path;
    return 1;
}

static int has_extension(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && (strcmp(dot, ".mrb") == 0 || strcmp(dot, ".rb") == 0);
}

static int try_directory(mrb_state *mrb, const bench_call_t *call, const char *directory,
                         const char *name, found_t *found)
{
    return try_file(mrb, call, directory, name, found) ||
           (!has_extension(name) &&
            (try_file(mrb, call, directory, apr_pstrcat(call->pool, name, ".mrb", NULL), found) ||
             try_file(mrb, call, directory, apr_pstrcat(call->pool, name, ".rb", NULL), found)));
}

static void raise_load_error(mrb_state *mrb, const char *message, const char *path)
{
    mrb_value error =
        mrb_exc_new(mrb, mrb_class_get(mrb, "LoadError"), message, (mrb_int)strlen(message));

    mrb_iv_set(mrb, error, mrb_intern_lit(mrb, "@path"), mrb_str_new_cstr(mrb, path));
    mrb_exc_raise(mrb, error);
}

static int is_relative(const char *name)
{
    return strncmp(name, "./", 2) == 0 || strncmp(name, "../", 3) == 0;
}

/* Looks for name; raises a LoadError that says where. */
static void search(mrb_state *mrb, const bench_call_t *call, const char *name, found_t *found)
{
    const apr_array_header_t *load_path = call->conf->load_path;
    const char *searched = "";
    int i;

    if (*name == '/' || is_relative(name)) {
        const char *directory = *name == '/' ? "/" : caller_directory(mrb, call);

        if (try_directory(mrb, call, directory, name, found)) {
            return;
        }
        searched = directory;
    } else {
        for (i = 0; load_path && i < load_path->nelts; i++) {
            const char *directory = APR_ARRAY_IDX(load_path, i, const char *);

            if (try_directory(mrb, call, directory, name, found)) {
                return;
            }
            searched = apr_pstrcat(call->pool, searched, i ? ", " : "", directory, NULL);
        }
    }
    raise_load_error(mrb,
                     apr_pstrcat(call->pool, "cannot load such file: ", name, " (looked in ",
                                 *searched ? searched : "no directory: BenchLoadPath names none",
                                 ")", NULL),
                     name);
}

/* The procedure of a file; raises SyntaxError or LoadError. */
static struct RProc *proc_of(mrb_state *mrb, const bench_call_t *call, const found_t *found)
{
    bench_fault_t fault;
    bench_file_t file = {found->path, bench_script_language(found->path),
                         found->known ? NULL : &found->finfo};
    struct RProc *proc =
        bench_script_get(bench_interp_of(mrb), &file, bench_conf_cache(call->conf), &fault);

    if (!proc && fault.status == APR_EGENERAL) {
        mrb_raisef(mrb, mrb_class_get(mrb, "SyntaxError"), "%s:%s", found->path, fault.message);
    }
    if (!proc) {
        raise_load_error(
            mrb, apr_psprintf(call->pool, "cannot load %s: %pm", found->path, &fault.status),
            found->path);
    }
    return proc;
}

static mrb_value run_body(mrb_state *mrb, void *data)
{
    return mrb_yield_with_class(mrb, mrb_obj_value(data), 0, NULL, mrb_top_self(mrb),
                                mrb->object_class);
}

static mrb_value require_found(mrb_state *mrb, const bench_call_t *call, const found_t *found)
{
    bench_interp_t *interp = bench_interp_of(mrb);
    struct RProc *proc;
    mrb_bool raised;
    mrb_value result;

    if (bench_script_is_required(interp, found->path)) {
        return mrb_false_value();
    }
    proc = proc_of(mrb, call, found);
    /* Before it runs, so that files that require each other come to an end. */
    bench_script_set_required(interp, found->path, 1);
    result = mrb_protect_error(mrb, run_body, proc, &raised);
    if (raised) {
        bench_script_set_required(interp, found->path, 0);
        mrb_exc_raise(mrb, result);
    }
    return mrb_true_value();
}

static mrb_value kernel_require(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = current(mrb);
    const char *name;
    found_t found;
    int i;

    (void)self;
    mrb_get_args(mrb, "z", &name);
    for (i = 0; built_in[i]; i++) {
        if (strcmp(name, built_in[i]) == 0) {
            return mrb_false_value();
        }
    }
    for (i = 0; built_in_families[i]; i++) {
        if (strncmp(name, built_in_families[i], strlen(built_in_families[i])) == 0) {
            return mrb_false_value();
        }
    }
    search(mrb, call, name, &found);
    return require_found(mrb, call, &found);
}

static mrb_value kernel_require_relative(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = current(mrb);
    const char *directory = caller_directory(mrb, call);
    const char *name;
    found_t found;

    (void)self;
    mrb_get_args(mrb, "z", &name);
    if (!try_directory(mrb, call, directory, name, &found)) {
        raise_load_error(mrb,
                         apr_pstrcat(call->pool, "cannot load such file: ", name, " (looked in ",
                                     directory, ")", NULL),
                         name);
    }
    return require_found(mrb, call, &found);
}

static mrb_value kernel_load(mrb_state *mrb, mrb_value self)
{
    const bench_call_t *call = current(mrb);
    const char *name;
    found_t found;

    (void)self;
    mrb_get_args(mrb, "z", &name);
    search(mrb, call, name, &found);
    run_body(mrb, proc_of(mrb, call, &found));
    return mrb_true_value();
}

void bench_api_require_define(mrb_state *mrb, bench_api_t *api)
{
    struct RClass *kernel = mrb->kernel_module;

    (void)api;
    mrb_define_class(mrb, "LoadError", mrb_class_get(mrb, "ScriptError"));
    mrb_define_method(mrb, kernel, "require", kernel_require, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, kernel, "require_relative", kernel_require_relative, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, kernel, "load", kernel_load, MRB_ARGS_REQ(1));
}
