/* SPDX-License-Identifier: Apache-2.0 */
#include "rack.h"

#include <string.h>

#include <mruby.h>
#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/hash.h>
#include <mruby/proc.h>
#include <mruby/string.h>

#include "api.h"
#include "run.h"
#include "script.h"

/* ---- the application -------------------------------------------------------------------- */

/* Evaluates the file with a Rack::Builder as self, and keeps what it builds. */
static mrb_value load(mrb_state *mrb, bench_run_t *run)
{
    struct RProc *proc = bench_run_load(run);
    struct RClass *rack = mrb_module_get(mrb, "Rack");
    mrb_value builder, application;

    if (!proc) {
        return mrb_nil_value();
    }
    builder = mrb_obj_new(mrb, mrb_class_get_under(mrb, rack, "Builder"), 0, NULL);
    mrb_yield_with_class(mrb, mrb_obj_value(proc), 0, NULL, builder, mrb->object_class);
    application = mrb_funcall(mrb, builder, "to_app", 0);
    bench_script_set_value(run->interp, run->call.script, application);
    bench_script_set_required(run->interp, run->call.script, 1);
    return application;
}

static mrb_value application_of(mrb_state *mrb, bench_run_t *run)
{
    mrb_value application = bench_script_value(run->interp, run->call.script);

    if (mrb_undef_p(application)) {
        return load(mrb, run);
    }
    run->loaded = 1;
    return application;
}

/* ---- its response ----------------------------------------------------------------------- */

static int is_usual(mrb_state *mrb, mrb_value response)
{
    const mrb_value *part;
    mrb_int i;

    (void)mrb;
    if (!mrb_array_p(response) || RARRAY_LEN(response) != 3) {
        return 0;
    }
    part = RARRAY_PTR(response);
    if (!mrb_integer_p(part[0]) || !mrb_hash_p(part[1]) || !mrb_array_p(part[2])) {
        return 0;
    }
    for (i = 0; i < RARRAY_LEN(part[2]); i++) {
        if (!mrb_string_p(RARRAY_PTR(part[2])[i])) {
            return 0;
        }
    }
    return 1;
}

static int set_header(mrb_state *mrb, mrb_value name, mrb_value value, void *call)
{
    bench_api_rack_header(mrb, call, name, value);
    return 0;
}

static void send_usual(mrb_state *mrb, bench_call_t *call, mrb_value response)
{
    mrb_value body = RARRAY_PTR(response)[2];
    mrb_int i;

    bench_api_set_status(mrb, call, mrb_integer(RARRAY_PTR(response)[0]));
    mrb_hash_foreach(mrb, mrb_hash_ptr(RARRAY_PTR(response)[1]), set_header, call);
    for (i = 0; i < RARRAY_LEN(body); i++) {
        mrb_value text = RARRAY_PTR(body)[i];

        bench_api_check_output(
            mrb, bench_output_write(&call->out, RSTRING_PTR(text), (apr_size_t)RSTRING_LEN(text)));
    }
}

static mrb_value call_application(mrb_state *mrb, bench_run_t *run)
{
    mrb_value application = application_of(mrb, run);
    mrb_value response;

    if (!run->loaded) {
        return mrb_nil_value();
    }
    response = mrb_funcall_id(mrb, application, bench_api_of(mrb)->call_name, 1,
                              bench_api_env(mrb, &run->call));
    if (is_usual(mrb, response)) {
        send_usual(mrb, &run->call, response);
    } else {
        mrb_value handler =
            mrb_obj_value(mrb_module_get_under(mrb, mrb_module_get(mrb, "Rack"), "Handler"));

        mrb_funcall(mrb, handler, "send_response", 2, response,
                    bench_api_handle(mrb, bench_api_of(mrb)->response, &run->call));
    }
    return mrb_nil_value();
}

int bench_rack_serve(request_rec *r, const bench_dir_conf_t *conf, const bench_file_t *file,
                     const char *mount)
{
    return bench_run(r, conf, file, mount, call_application);
}
