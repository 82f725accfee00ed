/* SPDX-License-Identifier: Apache-2.0 */
/* mruby 3.1 by the names of mruby 3.3. */
#ifndef JS_COMPAT_H
#define JS_COMPAT_H

#include <mruby.h>
#include <mruby/error.h>
#include <mruby/string.h>
/* Where 3.3 declares mrb_int_mul(). */
#if __has_include(<mruby/internal.h>)
#include <mruby/internal.h>
#endif

#if MRUBY_RELEASE_NO < 30200
#define MRB_TT_CDATA MRB_TT_DATA
#endif

#ifndef E_STANDARD_ERROR
#define E_STANDARD_ERROR (mrb->eStandardError_class)
#endif

#endif
