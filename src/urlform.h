/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The application/x-www-form-urlencoded format: pairs in a string, and their escapes.
 *
 * Floor 0.  Knows C.  Must not know httpd or mruby.
 *
 *     bench_urlform_t form = {text, text + size, separators};
 *     while (bench_urlform_next(&form, &pair)) { ... }
 */
#ifndef BENCH_URLFORM_H
#define BENCH_URLFORM_H

#include <stddef.h>

typedef struct {
    const char *at;
    const char *end;
    const char *separators; /* "&" or "&;" or ";" */
} bench_urlform_t;

/* Still escaped.  value is NULL where there is no "=". */
typedef struct {
    const char *name;
    size_t name_size;
    const char *value;
    size_t value_size;
} bench_urlform_pair_t;

/* The next pair that is not empty; spaces behind a separator are skipped.  0 at the end. */
int bench_urlform_next(bench_urlform_t *form, bench_urlform_pair_t *pair);

/* How many separators there are. */
size_t bench_urlform_count(const char *text, size_t size, const char *separators);

/* Writes the text with "+" and "%xx" decoded to out, which has room for size bytes.
 * The number of bytes written, or -1: a "%" without two hexadecimal digits. */
ptrdiff_t bench_urlform_decode(char *out, const char *text, size_t size);

#endif
