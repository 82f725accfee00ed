/* SPDX-License-Identifier: Apache-2.0 */
/* Class JSON::State, the options of the writer, and to_json of the core classes. */
#include "js.h"

#include <string.h>

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/data.h>
#include <mruby/hash.h>
#include <mruby/presym.h>
#include <mruby/string.h>
#include <mruby/variable.h>

static const mrb_data_type state_type = {"JSON::State", mrb_free};

struct RClass *js_class(mrb_state *mrb, const char *name)
{
    return mrb_class_get_under(mrb, mrb_module_get(mrb, "JSON"), name);
}

/* ---- options ---- */

mrb_value js_option(mrb_state *mrb, mrb_value options, mrb_sym name)
{
    if (!mrb_hash_p(options)) {
        return mrb_undef_value();
    }
    return mrb_hash_fetch(mrb, options, mrb_symbol_value(name), mrb_undef_value());
}

mrb_int js_max_nesting(mrb_state *mrb, mrb_value options, mrb_int otherwise)
{
    mrb_value value = js_option(mrb, options, MRB_SYM(max_nesting));
    mrb_int most;

    if (mrb_undef_p(value)) {
        return otherwise;
    }
    most = mrb_test(value) ? mrb_as_int(mrb, value) : 0;
    return most < 0 ? 0 : most > JS_DEEPEST ? JS_DEEPEST : most;
}

void js_options_init(js_options_t *options)
{
    memset(options, 0, sizeof(*options));
    options->max_nesting = JS_MAX_NESTING;
    options->indent = options->space = options->space_before = mrb_nil_value();
    options->object_nl = options->array_nl = mrb_nil_value();
}

static void read_flag(mrb_state *mrb, mrb_value from, mrb_sym name, bool *flag)
{
    mrb_value value = js_option(mrb, from, name);

    if (!mrb_undef_p(value)) {
        *flag = mrb_test(value);
    }
}

static void read_text(mrb_state *mrb, mrb_value from, mrb_sym name, mrb_value *text)
{
    mrb_value value = js_option(mrb, from, name);

    if (!mrb_undef_p(value) && !mrb_nil_p(value)) {
        mrb_ensure_string_type(mrb, value);
        *text = value;
    }
}

static bool some(mrb_value string)
{
    return mrb_string_p(string) && RSTRING_LEN(string) > 0;
}

static void read_options(mrb_state *mrb, mrb_value from, js_options_t *options)
{
    mrb_value depth = js_option(mrb, from, MRB_SYM(depth));

    if (!mrb_hash_p(from)) {
        return;
    }
    options->max_nesting = js_max_nesting(mrb, from, options->max_nesting);
    if (!mrb_undef_p(depth)) {
        options->depth = mrb_as_int(mrb, depth);
    }
    read_flag(mrb, from, MRB_SYM(allow_nan), &options->allow_nan);
    read_flag(mrb, from, MRB_SYM(ascii_only), &options->ascii_only);
    read_flag(mrb, from, MRB_SYM(script_safe), &options->script_safe);
    read_flag(mrb, from, MRB_SYM(escape_slash), &options->script_safe);
    read_text(mrb, from, MRB_SYM(indent), &options->indent);
    read_text(mrb, from, MRB_SYM(space), &options->space);
    read_text(mrb, from, MRB_SYM(space_before), &options->space_before);
    read_text(mrb, from, MRB_SYM(object_nl), &options->object_nl);
    read_text(mrb, from, MRB_SYM(array_nl), &options->array_nl);
    options->formatted = some(options->indent) || some(options->space) ||
                         some(options->space_before) || some(options->object_nl) ||
                         some(options->array_nl);
}

/* ---- JSON::State ---- */

/* Puts the options into the object, which keeps their strings from the collector. */
static void fill(mrb_state *mrb, mrb_value self, const js_options_t *options)
{
    if (!DATA_PTR(self)) {
        mrb_data_init(self, mrb_malloc(mrb, sizeof(*options)), &state_type);
    }
    *(js_options_t *)DATA_PTR(self) = *options;
    mrb_iv_set(mrb, self, MRB_SYM(indent), options->indent);
    mrb_iv_set(mrb, self, MRB_SYM(space), options->space);
    mrb_iv_set(mrb, self, MRB_SYM(space_before), options->space_before);
    mrb_iv_set(mrb, self, MRB_SYM(object_nl), options->object_nl);
    mrb_iv_set(mrb, self, MRB_SYM(array_nl), options->array_nl);
}

mrb_value js_state_new(mrb_state *mrb, const js_options_t *options)
{
    struct RData *data = mrb_data_object_alloc(mrb, js_class(mrb, "State"), NULL, &state_type);
    mrb_value self = mrb_obj_value(data);

    fill(mrb, self, options);
    return self;
}

js_options_t *js_state_options(mrb_state *mrb, mrb_value state)
{
    js_options_t *options = DATA_GET_PTR(mrb, state, &state_type, js_options_t);

    if (!options) {
        mrb_raise(mrb, E_TYPE_ERROR, "uninitialized JSON::State");
    }
    return options;
}

static bool is_state(mrb_value value)
{
    return mrb_type(value) == MRB_TT_CDATA && DATA_TYPE(value) == &state_type && DATA_PTR(value);
}

static mrb_value state_initialize(mrb_state *mrb, mrb_value self)
{
    mrb_value from = mrb_nil_value();
    js_options_t options;

    mrb_get_args(mrb, "|o", &from);
    js_options_init(&options);
    if (is_state(from)) {
        options = *js_state_options(mrb, from);
    } else {
        read_options(mrb, from, &options);
    }
    fill(mrb, self, &options);
    return self;
}

/* state.configure(hash): changes some of the options */
static mrb_value state_configure(mrb_state *mrb, mrb_value self)
{
    js_options_t options = *js_state_options(mrb, self);

    read_options(mrb, mrb_get_arg1(mrb), &options);
    fill(mrb, self, &options);
    return self;
}

static mrb_value state_depth(mrb_state *mrb, mrb_value self)
{
    return mrb_int_value(mrb, js_state_options(mrb, self)->depth);
}

static mrb_value state_set_depth(mrb_state *mrb, mrb_value self)
{
    mrb_int depth;

    mrb_get_args(mrb, "i", &depth);
    js_state_options(mrb, self)->depth = depth;
    return mrb_int_value(mrb, depth);
}

static mrb_value state_max_nesting(mrb_state *mrb, mrb_value self)
{
    return mrb_int_value(mrb, js_state_options(mrb, self)->max_nesting);
}

/* state.to_h */
static mrb_value state_to_h(mrb_state *mrb, mrb_value self)
{
    const js_options_t *o = js_state_options(mrb, self);
    mrb_value hash = mrb_hash_new(mrb);
    mrb_value empty = mrb_str_new_lit(mrb, "");
    const struct {
        mrb_sym name;
        mrb_value value;
    } all[] = {
        {MRB_SYM(indent), o->indent},
        {MRB_SYM(space), o->space},
        {MRB_SYM(space_before), o->space_before},
        {MRB_SYM(object_nl), o->object_nl},
        {MRB_SYM(array_nl), o->array_nl},
        {MRB_SYM(allow_nan), mrb_bool_value(o->allow_nan)},
        {MRB_SYM(ascii_only), mrb_bool_value(o->ascii_only)},
        {MRB_SYM(script_safe), mrb_bool_value(o->script_safe)},
        {MRB_SYM(max_nesting), mrb_int_value(mrb, o->max_nesting)},
        {MRB_SYM(depth), mrb_int_value(mrb, o->depth)},
    };
    size_t i;

    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        mrb_hash_set(mrb, hash, mrb_symbol_value(all[i].name),
                     mrb_nil_p(all[i].value) ? empty : all[i].value);
    }
    return hash;
}

/* ---- to_json and generate ---- */

/* The options that were given as the state: a JSON::State, a Hash, or nothing. */
static void options_from(mrb_state *mrb, mrb_value state, js_options_t *options)
{
    if (is_state(state)) {
        *options = *js_state_options(mrb, state);
    } else {
        js_options_init(options);
        read_options(mrb, state, options);
    }
}

static mrb_value first_argument(mrb_state *mrb)
{
    const mrb_value *argv;
    mrb_int argc;

    mrb_get_args(mrb, "*", &argv, &argc);
    return argc > 0 ? argv[0] : mrb_nil_value();
}

/* core_object.to_json(state = nil, *) */
static mrb_value core_to_json(mrb_state *mrb, mrb_value self)
{
    js_options_t options;

    options_from(mrb, first_argument(mrb), &options);
    return js_generate_core(mrb, self, &options);
}

/* Anything else is its to_s. */
static mrb_value object_to_json(mrb_state *mrb, mrb_value self)
{
    js_options_t options;

    options_from(mrb, first_argument(mrb), &options);
    return js_generate_core(mrb, mrb_obj_as_string(mrb, self), &options);
}

static mrb_value state_generate(mrb_state *mrb, mrb_value self)
{
    js_options_t options = *js_state_options(mrb, self);

    return js_generate(mrb, mrb_get_arg1(mrb), &options);
}

/* JSON.generate(value, options = nil) */
static mrb_value json_generate(mrb_state *mrb, mrb_value self)
{
    mrb_value value, state = mrb_nil_value();
    js_options_t options;

    mrb_get_args(mrb, "o|o", &value, &state);
    if (!mrb_nil_p(state) && !mrb_hash_p(state) && !is_state(state)) {
        mrb_raisef(mrb, E_TYPE_ERROR, "%T is no JSON::State and no Hash of options", state);
    }
    options_from(mrb, state, &options);
    return js_generate(mrb, value, &options);
}

void js_state_init(mrb_state *mrb, struct RClass *json)
{
    struct RClass *c = mrb_define_class_under(mrb, json, "State", mrb->object_class);
    struct RClass *core[] = {mrb->nil_class,     mrb->true_class,  mrb->false_class,
                             mrb->integer_class, mrb->float_class, mrb->symbol_class,
                             mrb->string_class,  mrb->array_class, mrb->hash_class};
    size_t i;

    MRB_SET_INSTANCE_TT(c, MRB_TT_CDATA);
    mrb_define_method(mrb, c, "initialize", state_initialize, MRB_ARGS_OPT(1));
    mrb_define_method(mrb, c, "initialize_copy", state_initialize, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "configure", state_configure, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "merge", state_configure, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "depth", state_depth, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "depth=", state_set_depth, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "max_nesting", state_max_nesting, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "to_h", state_to_h, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "generate", state_generate, MRB_ARGS_REQ(1));
    for (i = 0; i < sizeof(core) / sizeof(core[0]); i++) {
        mrb_define_method(mrb, core[i], "to_json", core_to_json, MRB_ARGS_ANY());
    }
    mrb_define_method(mrb, mrb->kernel_module, "to_json", object_to_json, MRB_ARGS_ANY());
    mrb_define_class_method(mrb, json, "generate", json_generate, MRB_ARGS_ARG(1, 1));
}
