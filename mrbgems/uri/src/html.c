/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTML's escapes.
 *
 * Most of what is escaped has nothing to escape, so that must cost one look at each byte and no
 * more.  Otherwise the result is made at once in its full length.
 */
#include "gem_escape.h"

#include <string.h>

#include <mruby/class.h>
#include <mruby/presym.h>
#include <mruby/string.h>

#include "uri.h"

/* What a character becomes, if it does not stay. */
static const struct {
    char text[7];
    unsigned char len;
} entities[256] = {
    ['&'] = {"&amp;", 5},  ['<'] = {"&lt;", 4},   ['>'] = {"&gt;", 4},
    ['"'] = {"&quot;", 6}, ['\''] = {"&#39;", 5},
};

static int entity_length_for(char c)
{
    return entities[(unsigned char)c].len;
}

mrb_value gem_escape_html(mrb_state *mrb, mrb_value string)
{
    const char *from = RSTRING_PTR(string);
    mrb_int len = RSTRING_LEN(string);
    mrb_int first = 0;
    mrb_int more = 0;
    mrb_value text;
    mrb_int i;
    char *to;

    while (first < len && !entity_length_for(from[first])) {
        first++;
    }
    if (first == len) {
        return string;
    }
    for (i = first; i < len; i++) {
        more += entity_length_for(from[i]) ? entity_length_for(from[i]) - 1 : 0;
    }
    if (more > MRB_INT_MAX - len) {
        mrb_raise(mrb, E_ARGUMENT_ERROR, "string size too big");
    }
    text = mrb_str_new(mrb, NULL, len + more);
    to = RSTRING_PTR(text);
    from = RSTRING_PTR(string);
    memcpy(to, from, (size_t)first);
    to += first;
    for (i = first; i < len; i++) {
        int n = entity_length_for(from[i]);

        if (n) {
            memcpy(to, entities[(unsigned char)from[i]].text, (size_t)n);
            to += n;
        } else {
            *to++ = from[i];
        }
    }
    return text;
}

/* ---- the other way ------------------------------------------------------------------------- */

/* What an entity stands for. */
typedef struct {
    char bytes[4];
    int len;
} character_t;

static int utf8_of(unsigned long code, character_t *character)
{
    char *to = character->bytes;

    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    character->len = (int)(to - character->bytes);
    return 1;
}

/* 60 or x3c, between &# and ; */
static int numeric_entity(const char *at, mrb_int len, character_t *character)
{
    int base = len > 0 && (at[0] == 'x' || at[0] == 'X') ? 16 : 10;
    mrb_int i = base == 16;
    unsigned long code = 0;

    if (i == len) {
        return 0;
    }
    for (; i < len; i++) {
        int digit = gem_hex_value(at[i]);

        if (digit < 0 || digit >= base) {
            return 0;
        }
        code = code * (unsigned long)base + (unsigned long)digit;
        if (code > 0x10ffff) {
            return 0;
        }
    }
    return (code < 0xd800 || code > 0xdfff) && utf8_of(code, character);
}

static int entity_named(const char *at, mrb_int len, character_t *character)
{
    static const struct {
        const char *name;
        char c;
    } names[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    size_t i;

    if (len > 0 && at[0] == '#') {
        return numeric_entity(at + 1, len - 1, character);
    }
    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if ((size_t)len == strlen(names[i].name) && memcmp(at, names[i].name, (size_t)len) == 0) {
            character->bytes[0] = names[i].c;
            character->len = 1;
            return 1;
        }
    }
    return 0;
}

/* The length of an entity's name at a place, up to its semicolon; -1 for none. */
static mrb_int entity_length(const char *at, mrb_int len)
{
    mrb_int i = 0;

    while (i < len && (gem_is_alnum(at[i]) || at[i] == '#')) {
        i++;
    }
    return i < len && at[i] == ';' ? i : -1;
}

static mrb_value unescape_html(mrb_state *mrb, mrb_value self)
{
    character_t character;
    const char *from;
    mrb_int len, i = 0;
    mrb_value text;

    (void)self;
    mrb_get_args(mrb, "s", &from, &len);
    text = mrb_str_new_capa(mrb, len);
    while (i < len) {
        const char *and = memchr(from + i, '&', (size_t)(len - i));
        mrb_int run = and? and-(from + i) : len - i;
        mrb_int name;

        mrb_str_cat(mrb, text, from + i, (size_t)run);
        i += run;
        if (!and) {
            break;
        }
        name = entity_length(from + i + 1, len - i - 1);
        if (name >= 0 && entity_named(from + i + 1, name, &character)) {
            mrb_str_cat(mrb, text, character.bytes, (size_t)character.len);
            i += name + 2;
        } else {
            mrb_str_cat_lit(mrb, text, "&");
            i++;
        }
    }
    return text;
}

/* Whoever changes the result must not change the argument: a copy, which shares its bytes. */
static mrb_value escape_html(mrb_state *mrb, mrb_value self)
{
    mrb_value string, text;

    (void)self;
    mrb_get_args(mrb, "S", &string);
    text = gem_escape_html(mrb, string);
    return mrb_obj_equal(mrb, text, string) ? mrb_str_dup(mrb, string) : text;
}

void gem_html_init(mrb_state *mrb, struct RClass *cgi)
{
    mrb_define_class_method_id(mrb, cgi, MRB_SYM(escapeHTML), escape_html, MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, cgi, MRB_SYM(escape_html), escape_html, MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, cgi, MRB_SYM(unescapeHTML), unescape_html, MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, cgi, MRB_SYM(unescape_html), unescape_html, MRB_ARGS_REQ(1));
}
