/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mruby 3.1 and 3.2 by the names of mruby 3.3.
 *
 * Floor 0.  Knows mruby.
 */
#ifndef BENCH_COMPAT_H
#define BENCH_COMPAT_H

#include <mruby.h>
#include <mruby/dump.h>
#include <mruby/error.h>
/* Where 3.3 declares mrb_dump_irep() and mrb_exc_backtrace(). */
#if __has_include(<mruby/internal.h>)
#include <mruby/array.h>
#include <mruby/irep.h>
#include <mruby/proc.h>
#include <mruby/internal.h>
#endif

#if MRUBY_RELEASE_NO < 30300
#define mrb_ccontext mrbc_context
#define mrb_ccontext_new mrbc_context_new
#define mrb_ccontext_free mrbc_context_free
#define mrb_ccontext_filename mrbc_filename
#ifndef E_STANDARD_ERROR
#define E_STANDARD_ERROR (mrb->eStandardError_class)
#endif
#endif

#if MRUBY_RELEASE_NO < 30200
#define MRB_TT_CDATA MRB_TT_DATA
#endif

#endif
