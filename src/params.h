/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters as Ruby has them: names with brackets become nested Hashes and Arrays.
 *
 * Floor 1.  Knows mruby.  Must not know httpd or a request.
 *
 * The rules are those of Rack 2.2's query parser, limits included: what it builds is built here,
 * and where it raises, this raises.
 */
#ifndef BENCH_PARAMS_H
#define BENCH_PARAMS_H

#include <mruby.h>

/* The characters of all names in one Hash together. */
#define BENCH_PARAMS_NAMES 65536

/* What bounds the parsing, and what to raise. */
typedef struct {
    size_t bytes;             /* of a query or form at most */
    size_t count;             /* of the parameters in it */
    int depth;                /* of the brackets in a name */
    struct RClass *type;      /* "a=1&a[b]=2" */
    struct RClass *invalid;   /* "%zz" */
    struct RClass *limit;     /* past one of the bounds */
    struct RClass *malformed; /* a multipart body that is none */
    struct RClass *upload;    /* instances are values, though they are Hashes */
} bench_params_rules_t;

/* A new Hash of what is in text, separated by any of separators ("&;" for a query, "&" for a form).
 * Raises. */
mrb_value bench_params_parse(mrb_state *mrb, const bench_params_rules_t *rules, const char *text,
                             size_t size, const char *separators);

/* Adds one parameter to params, a Hash.  Raises. */
void bench_params_add(mrb_state *mrb, const bench_params_rules_t *rules, mrb_value params,
                      mrb_value name, mrb_value value);

/* "a=1; b=2" of a Cookie header: flat, the first of a name wins, a bad escape stays as it is. */
mrb_value bench_params_cookies(mrb_state *mrb, const char *text, size_t size);

#endif
