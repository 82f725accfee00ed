/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multipart/form-data: the parts of a body, files among them.
 *
 * Floor 2.  What a part's head says is for mrblib; this moves the bytes.
 */
#include "api.h"

#include <apr_strings.h>
#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/string.h>
#include <mruby/variable.h>

#include "multipart.h"
#include "spool.h"

/* Ruby may raise past all of this: what it holds stands in the call's pool. */
typedef struct {
    mrb_state *mrb;
    bench_call_t *call;
    mrb_value parts;  /* [[head, String or path of a file], ...] */
    mrb_value text;   /* of the part that is read now, or nil */
    apr_file_t *file; /* of the part that is read now, or NULL */
    int files;
    apr_size_t text_size; /* of heads and of parts that are no files */
    int most_parts;
    int most_files;
    apr_size_t most_text;
} form_t;

static void too_much(form_t *form, const char *what)
{
    mrb_raise(form->mrb, bench_api_of(form->mrb)->params.limit, what);
}

static apr_status_t remove_file(void *path)
{
    apr_file_remove(path, NULL);
    return APR_SUCCESS;
}

/* A file with a name, for scripts that want to move it; what is left of it goes with the call. */
static mrb_value open_file(form_t *form)
{
    apr_pool_t *pool = form->call->pool;
    const char *directory;
    char *path;
    apr_status_t rv = apr_temp_dir_get(&directory, pool);

    if (rv == APR_SUCCESS) {
        path = apr_pstrcat(pool, directory, "/mod_bench-upload.XXXXXX", NULL);
        rv = apr_file_mktemp(&form->file, path,
                             APR_FOPEN_CREATE | APR_FOPEN_WRITE | APR_FOPEN_EXCL | APR_FOPEN_BINARY,
                             pool);
    }
    if (rv != APR_SUCCESS) {
        char reason[128];

        mrb_raisef(form->mrb, bench_api_of(form->mrb)->error, "an uploaded file cannot be kept: %s",
                   apr_strerror(rv, reason, sizeof(reason)));
    }
    apr_pool_cleanup_register(pool, path, remove_file, apr_pool_cleanup_null);
    return mrb_str_new_cstr(form->mrb, path);
}

static int on_head(void *context, const char *head, size_t size)
{
    form_t *form = context;
    mrb_state *mrb = form->mrb;
    int arena = mrb_gc_arena_save(mrb);
    mrb_value head_value = mrb_str_new(mrb, head, (mrb_int)size);
    mrb_value is_file =
        mrb_funcall(mrb, mrb_obj_value(bench_api_of(mrb)->multipart), "file?", 1, head_value);
    mrb_value content;

    form->text_size += size;
    if (form->text_size > form->most_text) {
        too_much(form, "the form's fields are too large");
    }
    if (RARRAY_LEN(form->parts) >= form->most_parts) {
        too_much(form, "too many parts in the form");
    }
    if (mrb_test(is_file)) {
        if (++form->files > form->most_files) {
            too_much(form, "too many files in the form");
        }
        content = open_file(form);
    } else {
        content = mrb_str_new_capa(mrb, 0);
        form->text = content;
    }
    mrb_ary_push(mrb, form->parts, mrb_assoc_new(mrb, head_value, content));
    mrb_gc_arena_restore(mrb, arena);
    return 0;
}

static int on_data(void *context, const char *data, size_t size)
{
    form_t *form = context;

    if (form->file) {
        return apr_file_write_full(form->file, data, size, NULL);
    }
    form->text_size += size;
    if (form->text_size > form->most_text) {
        too_much(form, "the form's fields are too large");
    }
    mrb_str_cat(form->mrb, form->text, data, size);
    return 0;
}

static int on_end(void *context)
{
    form_t *form = context;
    apr_status_t rv = form->file ? apr_file_close(form->file) : APR_SUCCESS;

    form->file = NULL;
    form->text = mrb_nil_value();
    return rv;
}

static void check_result(form_t *form, const bench_multipart_t *parser, int result)
{
    if (result == BENCH_MULTIPART_MALFORMED) {
        mrb_raise(form->mrb, bench_api_of(form->mrb)->params.malformed, parser->error);
    }
    if (result) {
        char reason[128];

        mrb_raisef(form->mrb, bench_api_of(form->mrb)->error,
                   "an uploaded file cannot be written: %s",
                   apr_strerror(result, reason, sizeof(reason)));
    }
}

/* body.__parts(boundary): reads the whole body. */
static mrb_value body_parts(mrb_state *mrb, mrb_value self)
{
    static const bench_multipart_callbacks_t callbacks = {on_head, on_data, on_end};
    bench_call_t *call = bench_api_call_of(mrb, self);
    bench_input_t *in = bench_input_of(call->r);
    bench_multipart_t *parser = apr_palloc(call->pool, sizeof(*parser));
    const bench_dir_conf_t *conf = call->conf;
    form_t form = {.mrb = mrb,
                   .call = call,
                   .parts = mrb_ary_new(mrb),
                   .text = mrb_nil_value(),
                   .most_parts = bench_conf_or(conf->param_limit, BENCH_CONF_PARAM_LIMIT),
                   .most_files = bench_conf_or(conf->upload_limit, BENCH_CONF_UPLOAD_LIMIT),
                   .most_text = bench_conf_form_size(conf, BENCH_CONF_FIELDS_SIZE)};
    mrb_value boundary;
    apr_off_t at = 0;
    const char *data;
    apr_size_t size;
    apr_status_t rv;

    mrb_get_args(mrb, "S", &boundary);
    check_result(&form, parser,
                 bench_multipart_init(parser, RSTRING_PTR(boundary), (size_t)RSTRING_LEN(boundary),
                                      &callbacks, &form));
    while ((rv = bench_input_read(in, at, APR_SIZE_MAX, &data, &size)) == APR_SUCCESS) {
        check_result(&form, parser, bench_multipart_feed(parser, data, size));
        at += (apr_off_t)size;
    }
    bench_api_check_input(mrb, call, rv);
    if (at > 0) {
        check_result(&form, parser, bench_multipart_finish(parser));
    }
    return form.parts;
}

void bench_api_upload_define(mrb_state *mrb, bench_api_t *api)
{
    api->multipart = mrb_define_module_under(mrb, api->bench, "Multipart");
    mrb_define_method(mrb, api->body, "__parts", body_parts, MRB_ARGS_REQ(1));
}
