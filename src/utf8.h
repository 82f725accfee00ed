/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is it UTF-8?
 *
 * Floor 0.  Knows C.  Must not know httpd or mruby.
 */
#ifndef BENCH_UTF8_H
#define BENCH_UTF8_H

#include <stddef.h>

/* 1 if the bytes are well-formed UTF-8 (RFC 3629: no surrogates, nothing overlong), else 0. */
int bench_utf8_is_valid(const char *text, size_t size);

#endif
