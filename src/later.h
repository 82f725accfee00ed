/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the build makes of mrblib/later/NAME.rb: bytecode, one array for each.
 *
 * Floor 0.  Knows C.
 */
#ifndef BENCH_LATER_H
#define BENCH_LATER_H

#include <stdint.h>

extern const uint8_t bench_later_apache[];

#endif
