/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GEM_ERB_H
#define GEM_ERB_H

#include <mruby.h>

/* ERB.__compile(template, trim mode, put): Ruby source, in which `put` comes before each piece of
 * text and each value.  SyntaxError for a tag without an end, ArgumentError for the mode. */
mrb_value gem_erb_compile(mrb_state *mrb, mrb_value self);

#endif
