/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GEM_URI_H
#define GEM_URI_H

#include <mruby.h>

/* The value of a hexadecimal digit; -1 for anything else. */
static inline int gem_hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static inline int gem_is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* %XX at a place that has len bytes left: the byte, otherwise -1. */
static inline int gem_percent_value(const char *at, mrb_int len)
{
    if (len < 3 || at[0] != '%' || gem_hex_value(at[1]) < 0 || gem_hex_value(at[2]) < 0) {
        return -1;
    }
    return gem_hex_value(at[1]) << 4 | gem_hex_value(at[2]);
}

/* Writes %XX. */
static inline char *gem_percent(char *to, char byte)
{
    static const char digits[] = "0123456789ABCDEF";

    *to++ = '%';
    *to++ = digits[(unsigned char)byte >> 4];
    *to++ = digits[(unsigned char)byte & 15];
    return to;
}

void gem_escape_init(mrb_state *mrb, struct RClass *uri, struct RClass *cgi);
void gem_html_init(mrb_state *mrb, struct RClass *cgi);
void gem_split_init(mrb_state *mrb, struct RClass *uri);

#endif
