/* SPDX-License-Identifier: Apache-2.0 */
#include "js.h"

#include <stdint.h>
#include <string.h>

#include <mruby/string.h>

static bool continues(const char *p)
{
    return ((unsigned char)*p & 0xc0) == 0x80;
}

size_t js_sequence(const char *p, const char *end)
{
    const unsigned char *u = (const unsigned char *)p;
    size_t room = (size_t)(end - p);

    if (u[0] < 0x80) {
        return 1;
    }
    if (u[0] < 0xc2 || u[0] > 0xf4 || room < 2 || !continues(p + 1)) {
        return 0;
    }
    if (u[0] < 0xe0) {
        return 2;
    }
    if (room < 3 || !continues(p + 2) || (u[0] == 0xe0 && u[1] < 0xa0) ||
        (u[0] == 0xed && u[1] >= 0xa0)) {
        return 0;
    }
    if (u[0] < 0xf0) {
        return 3;
    }
    if (room < 4 || !continues(p + 3) || (u[0] == 0xf0 && u[1] < 0x90) ||
        (u[0] == 0xf4 && u[1] >= 0x90)) {
        return 0;
    }
    return 4;
}

static unsigned decode(const char *p, size_t length)
{
    const unsigned char *u = (const unsigned char *)p;
    unsigned code = u[0] & (0xffu >> (length + 1));
    size_t i;

    for (i = 1; i < length; i++) {
        code = code << 6 | (u[i] & 0x3f);
    }
    return code;
}

static void write_unit(js_writer_t *w, unsigned unit)
{
    static const char hex[] = "0123456789abcdef";
    char text[6] = {'\\', 'u'};

    text[2] = hex[unit >> 12 & 15];
    text[3] = hex[unit >> 8 & 15];
    text[4] = hex[unit >> 4 & 15];
    text[5] = hex[unit & 15];
    mrb_str_cat(w->mrb, w->out, text, 6);
}

static void write_ascii(js_writer_t *w, char c)
{
    static const char controls[] = "\b\t\n\f\r";
    static const char letters[] = "btnfr";
    const char *control = c ? strchr(controls, c) : NULL;
    char pair[2] = {'\\', c};

    if (control) {
        pair[1] = letters[control - controls];
    } else if ((unsigned char)c < 0x20) {
        write_unit(w, (unsigned char)c);
        return;
    }
    mrb_str_cat(w->mrb, w->out, pair, 2);
}

static bool line_separator(unsigned code)
{
    return code == 0x2028 || code == 0x2029;
}

/* Writes the sequence at p as \u.... if it has to be.  False: it can stay as it is. */
static bool write_wide(js_writer_t *w, const char *p, size_t length)
{
    unsigned code = decode(p, length);

    if (!w->options->ascii_only && !(w->options->script_safe && line_separator(code))) {
        return false;
    }
    if (code > 0xffff) {
        write_unit(w, 0xd800 + ((code - 0x10000) >> 10));
        code = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    write_unit(w, code);
    return true;
}

/* What follows of p up to end that needs no attention. */
static const char *skip_plain(const js_writer_t *w, const char *p, const char *end)
{
    bool slash = w->options->script_safe;

    while (p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 && *p != '"' &&
           *p != '\\' && !(slash && *p == '/')) {
        p++;
    }
    return p;
}

void js_write_string(js_writer_t *w, const char *p, size_t length)
{
    const char *end = p + length;
    const char *from = p;

    mrb_str_cat_lit(w->mrb, w->out, "\"");
    for (;;) {
        size_t n;

        p = skip_plain(w, p, end);
        if (p == end) {
            break;
        }
        n = js_sequence(p, end);
        if (n == 0) {
            mrb_raise(w->mrb, js_class(w->mrb, "GeneratorError"),
                      "source sequence is illegal/malformed utf-8");
        }
        if (n > 1 && !w->options->ascii_only && !w->options->script_safe) {
            p += n;
            continue;
        }
        mrb_str_cat(w->mrb, w->out, from, p - from);
        from = p;
        if (n == 1) {
            write_ascii(w, *p);
            from = p + 1;
        } else if (write_wide(w, p, n)) {
            from = p + n;
        }
        p += n;
    }
    mrb_str_cat(w->mrb, w->out, from, end - from);
    mrb_str_cat_lit(w->mrb, w->out, "\"");
}
