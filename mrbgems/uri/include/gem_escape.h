/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Escapes for other gems.
 */
#ifndef GEM_ESCAPE_H
#define GEM_ESCAPE_H

#include <mruby.h>

/* What stays as it is in %-encoded text, beside letters, digits, - . and _ */
typedef enum {
    GEM_ESCAPE_FORM,      /* the star; a space becomes + */
    GEM_ESCAPE_COMPONENT, /* the star */
    GEM_ESCAPE_CGI,       /* the tilde; a space becomes + */
    GEM_ESCAPE_URL        /* the tilde */
} gem_escape_e;

/* The %-encoded text of a String: a new one. */
mrb_value gem_escape_url(mrb_state *mrb, mrb_value string, gem_escape_e keeps);

/* With & < > " ' as entities: a new String, or the same one if it has none of them. */
mrb_value gem_escape_html(mrb_state *mrb, mrb_value string);

#endif
