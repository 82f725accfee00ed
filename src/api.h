/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Ruby may see of the call that is under way, and how its objects find it.
 *
 * Floor 2, below the other api rooms.  Knows httpd and mruby.  Must not know how an interpreter
 * is obtained or why a script runs.
 *
 * A call is one run of a script for a request.  A script may cause another one to run on the same
 * interpreter (a subrequest, an internal redirect), so that calls form a stack.  Ruby never holds a
 * pointer to one: its objects carry the serial number of their call, which is looked for in the
 * stack.  One that is not there has ended, and the object raises Bench::StaleError.
 *
 *     bench_api_install()      when an interpreter opens
 *       bench_api_push()       a call begins
 *         ... Ruby runs ...
 *       bench_api_pop()        the same call ends
 */
#ifndef BENCH_API_H
#define BENCH_API_H

#include <httpd.h>
#include <mruby.h>

#include "conf.h"
#include "input.h"
#include "interp.h"
#include "output.h"
#include "params.h"

typedef struct bench_call_t bench_call_t;

struct bench_call_t {
    bench_call_t *outer;
    apr_uint64_t serial;
    request_rec *r; /* NULL while an interpreter opens (BenchThreadInit) */
    server_rec *server;
    apr_pool_t *pool;
    const char *script; /* path of what is run */
    const bench_dir_conf_t *conf;
    bench_output_t out;   /* if r */
    const char *mount;    /* the path at which a Rack application stands; NULL: its file's */
    const char *redirect; /* where httpd is to go on once the script has ended; NULL: nowhere */
    int said;             /* BENCH_SAID_...: what else is to become of the request */
    int answer;           /* if BENCH_SAID_ANSWER: OK, DECLINED, DONE or a status */
    mrb_int kept_at;      /* where api->kept has what Ruby keeps for this call; -1: nothing yet */
    apr_off_t body_at;    /* how far request.body has been read */
};

/* Bits of bench_call_t.said. */
#define BENCH_SAID_ERROR_DOCUMENT 1 /* httpd is to answer for the status */
#define BENCH_SAID_ANSWER 2         /* Apache.return */
#define BENCH_SAID_FILE 4           /* r->filename is another one */
#define BENCH_SAID_HANDLER 8        /* r->handler is another one */

/* How many strings of a request_rec Ruby may see. */
#define BENCH_API_FIELDS 13

/* Where this interpreter has our classes and symbols: looked up once. */
typedef struct bench_api_t {
    struct RClass *bench;        /* module Bench */
    struct RClass *error;        /* Bench::Error */
    struct RClass *stale;        /* Bench::StaleError */
    struct RClass *client_error; /* Bench::ClientError: a body that cannot be read */
    struct RClass *disconnected; /* Bench::Disconnected: nobody takes the output */
    struct RClass *system_exit;  /* SystemExit */
    struct RClass *halt;         /* Bench::Halt: the response is as it should be */
    struct RClass *main;         /* Bench::Main: self at the top of a script */
    struct RClass *request, *response, *body;
    struct RClass *request_headers, *response_headers, *notes, *subprocess_env;
    struct RClass *multipart;    /* module Bench::Multipart */
    bench_params_rules_t params; /* its bounds: see bench_api_rules() */
    mrb_sym getters[BENCH_API_FIELDS], setters[BENCH_API_FIELDS]; /* of request */
    mrb_sym stdout_name, stderr_name, call_name;
    struct RObject *output, *errors; /* what $stdout and $stderr are at first */
    struct RClass *env;              /* Rack::Env */
    mrb_sym env_request;             /* its variable: the request, or nil once it is filled */
    mrb_value env_template;          /* nil until env is asked for */
    mrb_value env_names;             /* Strings, by the numbers of api_env.c */
    mrb_value env_headers;           /* :"User-Agent" => "HTTP_USER_AGENT" */
    mrb_value kept;                  /* an Array: a Hash for each call that keeps something */
    mrb_state *mrb;
} bench_api_t;

/* Defines the whole API.  May raise. */
void bench_api_install(bench_interp_t *interp);
void bench_api_uninstall(bench_interp_t *interp);

static inline const bench_api_t *bench_api_of(mrb_state *mrb)
{
    return bench_interp_of(mrb)->api;
}

static inline void bench_api_push(bench_interp_t *interp, bench_call_t *call)
{
    call->outer = interp->call;
    call->serial = ++interp->calls;
    call->kept_at = -1;
    interp->call = call;
}

/* Also puts $stdout and $stderr back, if a script has left its own there. */
void bench_api_pop(bench_interp_t *interp, bench_call_t *call);

/* How parameters are to be read here: api->params with the bounds of the configuration. */
bench_params_rules_t bench_api_rules(mrb_state *mrb);

/* A new Hash of the environment as CGI and Rack have it. */
mrb_value bench_api_env(mrb_state *mrb, const bench_call_t *call);

/* The Hash of what Ruby keeps as long as a call lasts. */
mrb_value bench_api_kept(mrb_state *mrb, bench_call_t *call);

/* The innermost call.  Raises Bench::Error where there is no request. */
bench_call_t *bench_api_call(mrb_state *mrb);

/* Defines Bench::NAME, whose instances stand for a part of a call and come from us only. */
struct RClass *bench_api_define_handle(mrb_state *mrb, const bench_api_t *api, const char *name);

/* An object of one of our classes that stands for a part of call. */
mrb_value bench_api_handle(mrb_state *mrb, struct RClass *klass, const bench_call_t *call);

/* The same for an object that Ruby has allocated: what initialize does. */
void bench_api_handle_init(mrb_state *mrb, mrb_value self, const bench_call_t *call);

/* The call of such an object.  Raises Bench::StaleError if it has ended. */
bench_call_t *bench_api_call_of(mrb_state *mrb, mrb_value handle);

/* The same bytes as a C string in the call's pool.  Raises ArgumentError, naming what, if there is
 * a CR, LF or NUL in them: nothing like that goes into a header. */
const char *bench_api_header_text(mrb_state *mrb, const bench_call_t *call, mrb_value string,
                                  const char *what);

/* Raises what a status of output or input means for Ruby. */
void bench_api_check_output(mrb_state *mrb, apr_status_t rv);

/* What response.status= and send_file do; Rack needs them, too.  Raise. */
void bench_api_set_status(mrb_state *mrb, bench_call_t *call, mrb_int status);
/* A header of a Rack response: several values if value is an Array or has line feeds in it. */
void bench_api_rack_header(mrb_state *mrb, bench_call_t *call, mrb_value name, mrb_value value);
void bench_api_send_file(mrb_state *mrb, bench_call_t *call, const char *path);

/* The same for input. */
void bench_api_check_input(mrb_state *mrb, const bench_call_t *call, apr_status_t rv);

/* A String of a C string, or nil for NULL. */
static inline mrb_value bench_api_string(mrb_state *mrb, const char *text)
{
    return text ? mrb_str_new_cstr(mrb, text) : mrb_nil_value();
}

/* Each room defines its own part. */
void bench_api_kernel_define(mrb_state *mrb, bench_api_t *api);
void bench_api_request_define(mrb_state *mrb, bench_api_t *api);
void bench_api_response_define(mrb_state *mrb, bench_api_t *api);
void bench_api_table_define(mrb_state *mrb, bench_api_t *api);
void bench_api_body_define(mrb_state *mrb, bench_api_t *api);
void bench_api_subrequest_define(mrb_state *mrb, bench_api_t *api);
void bench_api_env_define(mrb_state *mrb, bench_api_t *api);
void bench_api_upload_define(mrb_state *mrb, bench_api_t *api);
void bench_api_bench_define(mrb_state *mrb, bench_api_t *api);
void bench_api_require_define(mrb_state *mrb, bench_api_t *api);
void bench_api_later_define(mrb_state *mrb, bench_api_t *api);

/* These only once a script names what they define: see api_later.c. */
void bench_api_apache_define(mrb_state *mrb, bench_api_t *api);
void bench_api_constants_define(mrb_state *mrb, bench_api_t *api);
void bench_api_fields_define(mrb_state *mrb, bench_api_t *api);
void bench_api_scoreboard_define(mrb_state *mrb, bench_api_t *api);

#endif
