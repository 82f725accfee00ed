/* SPDX-License-Identifier: Apache-2.0 */
/* What js_parse and js_scan share.  For these two files only. */
#ifndef JS_PARSER_H
#define JS_PARSER_H

#include "js.h"

typedef struct {
    mrb_state *mrb;
    mrb_value source;
    const char *begin;
    const char *p;
    const char *end;
    bool symbolize;
    bool allow_nan;
    bool freeze;
    mrb_int max_nesting;
    mrb_value stack; /* Array: the whole value, and the containers around what is being read */
    mrb_value top;   /* the innermost one; undef: none */
    mrb_value key;   /* the name of what is being read; undef: it has none */
    mrb_value keys;  /* Array of KEYS Strings */
} js_parser_t;

/* Raise ParserError, or the class of that name: what is wrong, and where. */
mrb_noreturn void js_fail_in(js_parser_t *j, const char *class, const char *at, const char *what);
mrb_noreturn void js_fail(js_parser_t *j, const char *what);

/* Something else should be at p. */
mrb_noreturn void js_unexpected(js_parser_t *j, const char *expected);

/* Reads a string; p is at its quote.  What is between the quotes is at *text, unless there are
 * escapes in it: then the String is returned, else undef. */
mrb_value js_read_string(js_parser_t *j, const char **text, size_t *length);

#endif
