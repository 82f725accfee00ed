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

/* What bounds the parsing of one string or body. */
#define BENCH_PARAMS_BYTES 4194304 /* of a query or form */
#define BENCH_PARAMS_COUNT 4096    /* parameters in it */
#define BENCH_PARAMS_NAMES 65536   /* characters of the names in one Hash */
#define BENCH_PARAMS_DEPTH 100     /* of brackets */

/* The exceptions to raise. */
typedef struct {
    struct RClass *type;      /* "a=1&a[b]=2" */
    struct RClass *invalid;   /* "%zz" */
    struct RClass *limit;     /* past one of the bounds */
    struct RClass *malformed; /* a multipart body that is none */
    struct RClass *upload;    /* instances are values, though they are Hashes */
} bench_params_classes_t;

/* A new Hash of what is in text, separated by any of separators ("&;" for a query, "&" for a form).
 * Raises. */
mrb_value bench_params_parse(mrb_state *mrb, const bench_params_classes_t *classes,
                             const char *text, size_t size, const char *separators);

/* Adds one parameter to params, a Hash.  Raises. */
void bench_params_add(mrb_state *mrb, const bench_params_classes_t *classes, mrb_value params,
                      mrb_value name, mrb_value value);

/* "a=1; b=2" of a Cookie header: flat, the first of a name wins, a bad escape stays as it is. */
mrb_value bench_params_cookies(mrb_state *mrb, const char *text, size_t size);

#endif
