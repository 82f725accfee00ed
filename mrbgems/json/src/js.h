/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON for mruby: what the files of this gem share.
 *
 * Knows mruby.  Must not know who runs the interpreter.
 *
 *     js_parse    text to Ruby objects
 *     js_scan     strings of a text, and what is wrong with it
 *     js_number   numbers, both ways
 *     js_write    Ruby objects to text
 *     js_string   strings to text
 *     js_state    class JSON::State and the options of the writer; to_json
 *
 * Nothing here is kept between two calls, and nothing at file scope is ever written to.  Neither
 * parser nor writer calls itself: how deep a document is costs memory of the interpreter, not of
 * the C stack.
 */
#ifndef JS_H
#define JS_H

#include <mruby.h>
#include <stdbool.h>
#include <stddef.h>

#include "js_compat.h"

/* As deep as it goes without max_nesting. */
#define JS_DEEPEST 100000
#define JS_MAX_NESTING 100

struct RClass *js_class(mrb_state *mrb, const char *name);

/* The max_nesting of options (nil or a Hash): 0 when it is false, nil or 0, which is JS_DEEPEST
 * then. */
mrb_int js_max_nesting(mrb_state *mrb, mrb_value options, mrb_int otherwise);

/* An option, or undef when it is not given. */
mrb_value js_option(mrb_state *mrb, mrb_value options, mrb_sym name);

/* The length of the well-formed UTF-8 sequence at p; 0 if there is none. */
size_t js_sequence(const char *p, const char *end);

/* ---- js_number ---- */

/* The value of a number that keeps JSON's grammar.  The byte at p + length is readable and no part
 * of a number. */
mrb_value js_read_integer(mrb_state *mrb, const char *p, size_t length);
double js_read_float(const char *p, size_t length);

/* Writes a finite number so that it reads back as the same Float, as short as can be and in the way
 * of CRuby's Float#to_s.  Returns the length. */
#define JS_FLOAT_ROOM 40
size_t js_write_float(mrb_state *mrb, double f, char *buffer);

/* ---- js_write ---- */

typedef struct {
    mrb_int max_nesting; /* 0: JS_DEEPEST */
    mrb_int depth;       /* what is being written is that deep already */
    bool allow_nan;
    bool ascii_only;
    bool script_safe;
    bool formatted; /* one of these is not empty: */
    mrb_value indent;
    mrb_value space;
    mrb_value space_before;
    mrb_value object_nl;
    mrb_value array_nl;
} js_options_t;

/* What is known of an Array or Hash that is being written. */
typedef struct {
    mrb_int next; /* the member that comes next; of a Hash: twice its number */
    bool hash;
} js_mark_t;

typedef struct {
    mrb_state *mrb;
    js_options_t *options;
    mrb_value out;   /* String */
    mrb_value stack; /* Array: a JSON::State once somebody needs one, and then what is being
                        written, outermost first */
    js_mark_t mark;  /* of the innermost */
    mrb_value marks; /* String: those of the others */
} js_writer_t;

/* The text for value.  The strings in options must be kept from the collector meanwhile.
 * Raises GeneratorError, NestingError, and whatever some object's to_json raises. */
mrb_value js_generate(mrb_state *mrb, mrb_value value, js_options_t *options);

/* The same for an instance of a core class, as which it is written whatever its own to_json would
 * do. */
mrb_value js_generate_core(mrb_state *mrb, mrb_value value, js_options_t *options);

/* ---- js_string ---- */

/* Appends a string to w->out, quoted.  Raises GeneratorError if it is not UTF-8. */
void js_write_string(js_writer_t *w, const char *p, size_t length);

/* ---- js_state ---- */

void js_options_init(js_options_t *options);

/* A JSON::State with a copy of the options. */
mrb_value js_state_new(mrb_state *mrb, const js_options_t *options);

/* Its options. */
js_options_t *js_state_options(mrb_state *mrb, mrb_value state);

/* ---- set-up ---- */

void js_parse_init(mrb_state *mrb, struct RClass *json);
void js_state_init(mrb_state *mrb, struct RClass *json);

#endif
