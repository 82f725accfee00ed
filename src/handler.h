/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The content handlers: bench-script for the file that a URL maps to, BenchScript for one file
 * that serves a whole Location.
 *
 * Floor 5.  Knows run.  Must not know the other handlers and phases.
 */
#ifndef BENCH_HANDLER_H
#define BENCH_HANDLER_H

/* Registers the hooks. */
void bench_handler_register(void);

#endif
