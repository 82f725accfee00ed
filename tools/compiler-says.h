/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Included ahead of mruby's compiler when it is built (build_config.rb).
 *
 * The compiler writes some of its errors ("too complex expression") to stderr, and nowhere else.  In a
 * server that is a line without time, level or virtual host.  Whoever links libmruby may define
 * bench_compiler_says() and gets them instead; src/code.c does.
 */
#ifndef BENCH_COMPILER_SAYS_H
#define BENCH_COMPILER_SAYS_H

#include <stdio.h>

int bench_compiler_says(FILE *stream, const char *format, ...)
    __attribute__((weak, format(printf, 2, 3)));

#define fprintf(...) (bench_compiler_says ? bench_compiler_says(__VA_ARGS__) : (fprintf)(__VA_ARGS__))

#endif
