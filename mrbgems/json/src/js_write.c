/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ruby objects to text.
 *
 * Instances of the core classes are written here; anything else, and subclasses of those, by its
 * own to_json, which is Ruby code and may do anything: nothing is held across that call but Ruby
 * objects.
 */
#include "js.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/hash.h>
#include <mruby/presym.h>
#include <mruby/string.h>

static void put(js_writer_t *w, const char *text, size_t length)
{
    mrb_str_cat(w->mrb, w->out, text, (mrb_int)length);
}

static void put_option(js_writer_t *w, mrb_value string)
{
    if (mrb_string_p(string)) {
        mrb_str_cat_str(w->mrb, w->out, string);
    }
}

static void put_indent(js_writer_t *w)
{
    mrb_int i;

    for (i = 0; i < w->options->depth; i++) {
        put_option(w, w->options->indent);
    }
}

/* ---- Arrays and Hashes ---- */

static int push_pair(mrb_state *mrb, mrb_value key, mrb_value value, void *pairs)
{
    mrb_ary_push(mrb, *(mrb_value *)pairs, key);
    mrb_ary_push(mrb, *(mrb_value *)pairs, value);
    return 0;
}

static void open_container(js_writer_t *w, mrb_value value, bool hash)
{
    mrb_int most = w->options->max_nesting > 0 ? w->options->max_nesting : JS_DEEPEST;
    mrb_value members = value;
    js_mark_t mark = {0, hash};

    if (w->options->depth >= most) {
        mrb_raisef(w->mrb, js_class(w->mrb, "NestingError"), "nesting of %i is too deep",
                   w->options->depth + 1);
    }
    if ((hash ? mrb_hash_size(w->mrb, value) : RARRAY_LEN(value)) == 0) {
        put(w, hash ? "{}" : "[]", 2);
        return;
    }
    if (hash) {
        members = mrb_ary_new_capa(w->mrb, 2 * mrb_hash_size(w->mrb, value));
        mrb_hash_foreach(w->mrb, mrb_hash_ptr(value), push_pair, &members);
    }
    mrb_ary_push(w->mrb, w->stack, members);
    mrb_str_cat(w->mrb, w->marks, (const char *)&w->mark, sizeof(w->mark));
    w->mark = mark;
    w->options->depth++;
    put(w, hash ? "{" : "[", 1);
}

static void close_container(js_writer_t *w)
{
    bool hash = w->mark.hash;
    mrb_value nl = hash ? w->options->object_nl : w->options->array_nl;
    mrb_int left = RSTRING_LEN(w->marks) - (mrb_int)sizeof(w->mark);

    mrb_ary_pop(w->mrb, w->stack);
    memcpy(&w->mark, RSTRING_PTR(w->marks) + left, sizeof(w->mark));
    mrb_str_resize(w->mrb, w->marks, left);
    w->options->depth--;
    if (w->options->formatted && mrb_string_p(nl) && RSTRING_LEN(nl) > 0) {
        put_option(w, nl);
        put_indent(w);
    }
    put(w, hash ? "}" : "]", 1);
}

/* ---- what is no container ---- */

static void put_float(js_writer_t *w, double f)
{
    char buffer[JS_FLOAT_ROOM];
    const char *word = isnan(f) ? "NaN" : f > 0 ? "Infinity" : "-Infinity";

    if (isfinite(f)) {
        put(w, buffer, js_write_float(w->mrb, f, buffer));
    } else if (w->options->allow_nan) {
        put(w, word, strlen(word));
    } else {
        mrb_raisef(w->mrb, js_class(w->mrb, "GeneratorError"), "%s not allowed in JSON", word);
    }
}

static void put_integer(js_writer_t *w, mrb_value value)
{
    char buffer[32];

    if (mrb_integer_p(value)) {
        put(w, buffer,
            (size_t)snprintf(buffer, sizeof(buffer), "%lld", (long long)mrb_integer(value)));
    } else {
        mrb_str_cat_str(w->mrb, w->out, mrb_obj_as_string(w->mrb, value));
    }
}

/* By its own to_json, which gets a JSON::State that knows the options and how deep we are. */
static void put_object(js_writer_t *w, mrb_value value)
{
    mrb_value state = RARRAY_PTR(w->stack)[0];
    mrb_value text;

    if (mrb_nil_p(state)) {
        state = js_state_new(w->mrb, w->options);
        mrb_ary_set(w->mrb, w->stack, 0, state);
    }
    js_state_options(w->mrb, state)->depth = w->options->depth;
    text = mrb_funcall_argv(w->mrb, value, MRB_SYM(to_json), 1, &state);
    mrb_ensure_string_type(w->mrb, text);
    mrb_str_cat_str(w->mrb, w->out, text);
}

static bool plain(mrb_value value, struct RClass *class)
{
    return mrb_basic_ptr(value)->c == class;
}

/* Writes a value, or the beginning of it. */
static void put_value(js_writer_t *w, mrb_value value)
{
    mrb_state *mrb = w->mrb;

    switch (mrb_type(value)) {
    case MRB_TT_FALSE:
        put(w, mrb_nil_p(value) ? "null" : "false", mrb_nil_p(value) ? 4 : 5);
        return;
    case MRB_TT_TRUE:
        put(w, "true", 4);
        return;
    case MRB_TT_INTEGER:
#ifdef MRB_USE_BIGINT
    case MRB_TT_BIGINT:
#endif
        put_integer(w, value);
        return;
    case MRB_TT_FLOAT:
        put_float(w, mrb_float(value));
        return;
    case MRB_TT_SYMBOL:
        value = mrb_sym_str(mrb, mrb_symbol(value));
        js_write_string(w, RSTRING_PTR(value), (size_t)RSTRING_LEN(value));
        return;
    case MRB_TT_STRING:
        if (plain(value, mrb->string_class)) {
            js_write_string(w, RSTRING_PTR(value), (size_t)RSTRING_LEN(value));
            return;
        }
        break;
    case MRB_TT_ARRAY:
        if (plain(value, mrb->array_class)) {
            open_container(w, value, false);
            return;
        }
        break;
    case MRB_TT_HASH:
        if (plain(value, mrb->hash_class)) {
            open_container(w, value, true);
            return;
        }
        break;
    default:
        break;
    }
    put_object(w, value);
}

/* What comes before a member; of a Hash, its name, too. */
static void put_separator(js_writer_t *w, bool hash, bool first)
{
    if (!first) {
        put(w, ",", 1);
    }
    if (w->options->formatted) {
        put_option(w, hash ? w->options->object_nl : w->options->array_nl);
        put_indent(w);
    }
}

static void put_name(js_writer_t *w, mrb_value key)
{
    key = mrb_symbol_p(key) ? mrb_sym_str(w->mrb, mrb_symbol(key)) : mrb_obj_as_string(w->mrb, key);
    js_write_string(w, RSTRING_PTR(key), (size_t)RSTRING_LEN(key));
    if (w->options->formatted) {
        put_option(w, w->options->space_before);
        put(w, ":", 1);
        put_option(w, w->options->space);
    } else {
        put(w, ":", 1);
    }
}

/* One more member of the innermost container. */
static void put_member(js_writer_t *w)
{
    mrb_value members = RARRAY_PTR(w->stack)[RARRAY_LEN(w->stack) - 1];
    mrb_int at = w->mark.next;
    bool hash = w->mark.hash;

    if (at >= RARRAY_LEN(members)) {
        close_container(w);
        return;
    }
    w->mark.next += hash ? 2 : 1;
    put_separator(w, hash, at == 0);
    if (hash) {
        put_name(w, RARRAY_PTR(members)[at]);
        at++;
    }
    put_value(w, RARRAY_PTR(members)[at]);
}

static mrb_value run(mrb_state *mrb, mrb_value value, js_options_t *options,
                     void (*begin)(js_writer_t *, mrb_value))
{
    js_writer_t w = {.mrb = mrb, .options = options};
    int arena;

    w.out = mrb_str_new_capa(mrb, 64);
    w.stack = mrb_ary_new(mrb);
    w.marks = mrb_str_new_capa(mrb, 0);
    mrb_ary_push(mrb, w.stack, mrb_nil_value());
    arena = mrb_gc_arena_save(mrb);
    begin(&w, value);
    while (RARRAY_LEN(w.stack) > 1) {
        mrb_gc_arena_restore(mrb, arena);
        put_member(&w);
    }
    return w.out;
}

mrb_value js_generate(mrb_state *mrb, mrb_value value, js_options_t *options)
{
    return run(mrb, value, options, put_value);
}

/* An instance of a subclass, too, whose to_json has brought us here. */
static void begin_core(js_writer_t *w, mrb_value value)
{
    switch (mrb_type(value)) {
    case MRB_TT_STRING:
        js_write_string(w, RSTRING_PTR(value), (size_t)RSTRING_LEN(value));
        break;
    case MRB_TT_ARRAY:
        open_container(w, value, false);
        break;
    case MRB_TT_HASH:
        open_container(w, value, true);
        break;
    default:
        put_value(w, value);
    }
}

mrb_value js_generate_core(mrb_state *mrb, mrb_value value, js_options_t *options)
{
    return run(mrb, value, options, begin_core);
}
