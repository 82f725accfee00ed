/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text to Ruby objects.
 *
 * What has been read hangs on the outermost Array or Hash from the first moment on, so that the
 * collector finds it, whatever is raised.
 */
#include "js_parser.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/error.h>
#include <mruby/hash.h>
#include <mruby/presym.h>
#include <mruby/string.h>
#include <mruby/variable.h>

/* Keys that come again and again, as in a list of records, share one String. */
#define KEYS 64
#define KEY_MOST 32

/* More digits than that are refused: to read them takes quadratic time.  Python draws the same
 * line. */
#define DIGITS_MOST 4300

static mrb_value frozen(js_parser_t *j, mrb_value value)
{
    if (j->freeze) {
        MRB_SET_FROZEN_FLAG(mrb_basic_ptr(value));
    }
    return value;
}

static mrb_value string_value(js_parser_t *j)
{
    const char *text;
    size_t length;
    mrb_value string = js_read_string(j, &text, &length);

    return frozen(j, mrb_undef_p(string) ? mrb_str_new(j->mrb, text, (mrb_int)length) : string);
}

/* A String for a key, from those that have come before if it is among them. */
static mrb_value shared_key(js_parser_t *j, const char *text, size_t length)
{
    uint32_t hash = (uint32_t)length;
    mrb_value key;
    size_t i;

    for (i = 0; i < length; i++) {
        hash = hash * 31 + (unsigned char)text[i];
    }
    hash = (hash ^ hash >> 16) % KEYS;
    key = RARRAY_PTR(j->keys)[hash];
    if (mrb_string_p(key) && (size_t)RSTRING_LEN(key) == length &&
        memcmp(RSTRING_PTR(key), text, length) == 0) {
        return key;
    }
    key = mrb_str_new(j->mrb, text, (mrb_int)length);
    mrb_ary_set(j->mrb, j->keys, (mrb_int)hash, key);
    return key;
}

static void read_key(js_parser_t *j)
{
    const char *text;
    size_t length;
    mrb_value key;

    if (j->p >= j->end || *j->p != '"') {
        js_unexpected(j, "a string");
    }
    key = js_read_string(j, &text, &length);
    if (!mrb_undef_p(key)) {
        text = RSTRING_PTR(key);
        length = (size_t)RSTRING_LEN(key);
    }
    if (j->symbolize) {
        j->key = mrb_symbol_value(mrb_intern(j->mrb, text, length));
        return;
    }
    if (length <= KEY_MOST) {
        key = shared_key(j, text, length);
    } else if (mrb_undef_p(key)) {
        key = mrb_str_new(j->mrb, text, (mrb_int)length);
    }
    /* Hash copies a key that is not. */
    MRB_SET_FROZEN_FLAG(mrb_basic_ptr(key));
    j->key = key;
}

/* ---- numbers and words ---- */

static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9') {
        p++;
    }
    return p;
}

/* At least one digit at p. */
static void read_digits(js_parser_t *j)
{
    const char *p = skip_digits(j->p, j->end);

    if (p == j->p) {
        js_unexpected(j, "a digit");
    }
    j->p = p;
}

static bool at_word(js_parser_t *j, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(j->end - j->p) < length || memcmp(j->p, word, length) != 0) {
        return false;
    }
    j->p += length;
    return true;
}

static mrb_value number_value(js_parser_t *j)
{
    const char *from = j->p;
    bool integer = true;

    if (*j->p == '-') {
        j->p++;
        if (j->allow_nan && at_word(j, "Infinity")) {
            return mrb_float_value(j->mrb, -INFINITY);
        }
    }
    if (j->p < j->end && *j->p == '0') {
        j->p++;
        if (j->p < j->end && *j->p >= '0' && *j->p <= '9') {
            js_fail(j, "a number must not begin with 0");
        }
    } else {
        read_digits(j);
    }
    if (j->p < j->end && *j->p == '.') {
        integer = false;
        j->p++;
        read_digits(j);
    }
    if (j->p < j->end && (*j->p == 'e' || *j->p == 'E')) {
        integer = false;
        j->p++;
        if (j->p < j->end && (*j->p == '-' || *j->p == '+')) {
            j->p++;
        }
        read_digits(j);
    }
    if (!integer) {
        return mrb_float_value(j->mrb, js_read_float(from, (size_t)(j->p - from)));
    }
    if (j->p - from > DIGITS_MOST) {
        js_fail_in(j, "ParserError", from, "an integer of too many digits");
    }
    return js_read_integer(j->mrb, from, (size_t)(j->p - from));
}

static mrb_value word_value(js_parser_t *j)
{
    if (at_word(j, "true")) {
        return mrb_true_value();
    }
    if (at_word(j, "false")) {
        return mrb_false_value();
    }
    if (at_word(j, "null")) {
        return mrb_nil_value();
    }
    if (j->allow_nan && at_word(j, "NaN")) {
        return mrb_float_value(j->mrb, NAN);
    }
    if (j->allow_nan && at_word(j, "Infinity")) {
        return mrb_float_value(j->mrb, INFINITY);
    }
    js_unexpected(j, "a value");
}

/* ---- structure ---- */

static void skip_space(js_parser_t *j)
{
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\n' || *j->p == '\r' || *j->p == '\t')) {
        j->p++;
    }
}

/* Puts a value in its place. */
static void place(js_parser_t *j, mrb_value value)
{
    if (mrb_undef_p(j->top)) {
        mrb_ary_set(j->mrb, j->stack, 0, value);
    } else if (mrb_undef_p(j->key)) {
        mrb_ary_push(j->mrb, j->top, value);
    } else {
        mrb_hash_set(j->mrb, j->top, j->key, value);
        j->key = mrb_undef_value();
    }
}

static void open_container(js_parser_t *j)
{
    mrb_value container = *j->p == '[' ? mrb_ary_new(j->mrb) : mrb_hash_new(j->mrb);

    if (RARRAY_LEN(j->stack) > j->max_nesting) {
        char text[60];

        snprintf(text, sizeof(text), "nesting of %ld is too deep", (long)RARRAY_LEN(j->stack));
        js_fail_in(j, "NestingError", j->p, text);
    }
    j->p++;
    place(j, container);
    mrb_ary_push(j->mrb, j->stack, container);
    j->top = container;
}

static void close_container(js_parser_t *j)
{
    mrb_int left = RARRAY_LEN(j->stack) - 1;

    frozen(j, j->top);
    mrb_ary_pop(j->mrb, j->stack);
    j->top = left > 1 ? RARRAY_PTR(j->stack)[left - 1] : mrb_undef_value();
}

/* The name of a member and its colon. */
static void read_name(js_parser_t *j)
{
    read_key(j);
    skip_space(j);
    if (j->p >= j->end || *j->p != ':') {
        js_unexpected(j, "':'");
    }
    j->p++;
    skip_space(j);
}

/* Opens what begins at p, as far as containers are nested without a value in between.  True: a
 * value follows; false: an empty container has been closed. */
static bool descend(js_parser_t *j, int arena)
{
    while (j->p < j->end && (*j->p == '[' || *j->p == '{')) {
        char close = *j->p == '[' ? ']' : '}';

        open_container(j);
        mrb_gc_arena_restore(j->mrb, arena);
        skip_space(j);
        if (j->p < j->end && *j->p == close) {
            j->p++;
            close_container(j);
            return false;
        }
        if (close == '}') {
            read_name(j);
        }
    }
    return true;
}

static void read_scalar(js_parser_t *j)
{
    if (j->p >= j->end) {
        js_unexpected(j, "a value");
    }
    if (*j->p == '"') {
        place(j, string_value(j));
    } else if (*j->p == '-' || (*j->p >= '0' && *j->p <= '9')) {
        place(j, number_value(j));
    } else {
        place(j, word_value(j));
    }
}

/* After a value: closes what ends here.  True: there is another value. */
static bool ascend(js_parser_t *j)
{
    for (;;) {
        bool array = mrb_array_p(j->top);

        skip_space(j);
        if (mrb_undef_p(j->top)) {
            return false;
        }
        if (j->p >= j->end) {
            js_unexpected(j, "");
        }
        if (*j->p == ',') {
            j->p++;
            skip_space(j);
            if (!array) {
                read_name(j);
            }
            return true;
        }
        if (*j->p != (array ? ']' : '}')) {
            js_unexpected(j, array ? "',' or ']'" : "',' or '}'");
        }
        j->p++;
        close_container(j);
    }
}

static mrb_value parse(js_parser_t *j)
{
    int arena;

    j->stack = mrb_ary_new(j->mrb);
    mrb_ary_push(j->mrb, j->stack, mrb_nil_value());
    j->keys = mrb_ary_new(j->mrb);
    mrb_ary_set(j->mrb, j->keys, KEYS - 1, mrb_nil_value());
    j->top = j->key = mrb_undef_value();
    arena = mrb_gc_arena_save(j->mrb);
    skip_space(j);
    do {
        if (descend(j, arena)) {
            read_scalar(j);
        }
        mrb_gc_arena_restore(j->mrb, arena);
    } while (ascend(j));
    if (j->p < j->end) {
        js_unexpected(j, "the end of input");
    }
    return RARRAY_PTR(j->stack)[0];
}

static bool option_set(mrb_state *mrb, mrb_value options, mrb_sym name)
{
    mrb_value value = js_option(mrb, options, name);

    return !mrb_undef_p(value) && mrb_test(value);
}

/* JSON.__parse(source, options, max_nesting, allow_nan) */
static mrb_value json_parse(mrb_state *mrb, mrb_value self)
{
    mrb_value options = mrb_nil_value();
    js_parser_t j = {.mrb = mrb, .max_nesting = JS_MAX_NESTING};

    mrb_get_args(mrb, "S|oib", &j.source, &options, &j.max_nesting, &j.allow_nan);
    j.max_nesting = js_max_nesting(mrb, options, j.max_nesting);
    if (j.max_nesting == 0) {
        j.max_nesting = JS_DEEPEST;
    }
    j.allow_nan |= option_set(mrb, options, MRB_SYM(allow_nan));
    j.symbolize = option_set(mrb, options, MRB_SYM(symbolize_names));
    j.freeze = option_set(mrb, options, MRB_SYM(freeze));
    j.begin = j.p = RSTRING_PTR(j.source);
    j.end = j.begin + RSTRING_LEN(j.source);
    return parse(&j);
}

void js_parse_init(mrb_state *mrb, struct RClass *json)
{
    mrb_define_class_method(mrb, json, "__parse", json_parse, MRB_ARGS_ARG(1, 3));
}
