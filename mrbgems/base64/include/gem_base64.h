/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base64 for other gems.
 */
#ifndef GEM_BASE64_H
#define GEM_BASE64_H

#include <mruby.h>

enum {
    GEM_BASE64_LINES = 1,   /* a line feed after each 60 characters and at the end */
    GEM_BASE64_URLSAFE = 2, /* - and _ in place of + and / */
    GEM_BASE64_UNPADDED = 4 /* without = at the end */
};

/* A new String: the text for len bytes.  May raise (NoMemoryError). */
mrb_value gem_base64_encode(mrb_state *mrb, const void *bytes, mrb_int len, unsigned how);

#endif
