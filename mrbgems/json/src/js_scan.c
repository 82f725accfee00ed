/* SPDX-License-Identifier: Apache-2.0 */
#include "js_parser.h"

#include <stdio.h>
#include <string.h>

#include <mruby/error.h>
#include <mruby/presym.h>
#include <mruby/string.h>
#include <mruby/variable.h>

/* ---- errors ---- */

mrb_noreturn void js_fail_in(js_parser_t *j, const char *class, const char *at, const char *what)
{
    mrb_state *mrb = j->mrb;
    mrb_int line = 1, column = 1;
    const char *p;
    mrb_value text, error;

    for (p = j->begin; p < at; p++) {
        if (*p == '\n') {
            line++;
            column = 1;
        } else {
            column += ((unsigned char)*p & 0xc0) != 0x80;
        }
    }
    text = mrb_format(mrb, "%s at line %i column %i", what, line, column);
    error = mrb_exc_new_str(mrb, js_class(mrb, class), text);
    mrb_iv_set(mrb, error, MRB_IVSYM(line), mrb_int_value(mrb, line));
    mrb_iv_set(mrb, error, MRB_IVSYM(column), mrb_int_value(mrb, column));
    mrb_iv_set(mrb, error, MRB_IVSYM(position), mrb_int_value(mrb, at - j->begin));
    mrb_exc_raise(mrb, error);
}

mrb_noreturn void js_fail(js_parser_t *j, const char *what)
{
    js_fail_in(j, "ParserError", j->p, what);
}

mrb_noreturn void js_unexpected(js_parser_t *j, const char *expected)
{
    char text[80];
    size_t n;

    if (j->p >= j->end) {
        js_fail(j, "unexpected end of input");
    }
    n = js_sequence(j->p, j->end);
    if (n == 0) {
        js_fail(j, "invalid UTF-8");
    }
    if (n == 1 && ((unsigned char)*j->p < 0x20 || *j->p == 0x7f)) {
        snprintf(text, sizeof(text), "unexpected character 0x%02x, expected %s", (unsigned)*j->p,
                 expected);
    } else {
        snprintf(text, sizeof(text), "unexpected character '%.*s', expected %s", (int)n, j->p,
                 expected);
    }
    js_fail(j, text);
}

/* ---- strings ---- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The four digits of \u at p. */
static unsigned read_unit(js_parser_t *j)
{
    unsigned unit = 0;
    int i, digit;

    for (i = 0; i < 4; i++, j->p++) {
        digit = j->p < j->end ? hex_digit(*j->p) : -1;
        if (digit < 0) {
            js_unexpected(j, "a hexadecimal digit");
        }
        unit = unit << 4 | (unsigned)digit;
    }
    return unit;
}

static void append_code(js_parser_t *j, mrb_value out, unsigned code)
{
    char bytes[4];
    mrb_int n = 0;

    if (code < 0x80) {
        bytes[n++] = (char)code;
    } else if (code < 0x800) {
        bytes[n++] = (char)(0xc0 | code >> 6);
    } else if (code < 0x10000) {
        bytes[n++] = (char)(0xe0 | code >> 12);
        bytes[n++] = (char)(0x80 | (code >> 6 & 0x3f));
    } else {
        bytes[n++] = (char)(0xf0 | code >> 18);
        bytes[n++] = (char)(0x80 | (code >> 12 & 0x3f));
        bytes[n++] = (char)(0x80 | (code >> 6 & 0x3f));
    }
    if (code >= 0x80) {
        bytes[n++] = (char)(0x80 | (code & 0x3f));
    }
    mrb_str_cat(j->mrb, out, bytes, n);
}

/* \uXXXX, or two of them for what does not fit into one; p is behind the first u. */
static void read_unicode(js_parser_t *j, mrb_value out)
{
    const char *at = j->p - 2;
    unsigned code = read_unit(j);
    unsigned low;

    if (code >= 0xd800 && code < 0xdc00) {
        if (j->end - j->p > 2 && j->p[0] == '\\' && j->p[1] == 'u') {
            j->p += 2;
            low = read_unit(j);
            if (low >= 0xdc00 && low < 0xe000) {
                append_code(j, out, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
                return;
            }
        }
        js_fail_in(j, "ParserError", at, "half of a surrogate pair");
    }
    if (code >= 0xdc00 && code < 0xe000) {
        js_fail_in(j, "ParserError", at, "half of a surrogate pair");
    }
    append_code(j, out, code);
}

/* p is at the backslash. */
static void read_escape(js_parser_t *j, mrb_value out)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char codes[] = "\"\\/\b\f\n\r\t";
    const char *known;

    j->p++;
    if (j->p < j->end && *j->p == 'u') {
        j->p++;
        read_unicode(j, out);
        return;
    }
    known = j->p < j->end && *j->p ? strchr(letters, *j->p) : NULL;
    if (!known) {
        js_unexpected(j, "an escape such as \\n");
    }
    j->p++;
    mrb_str_cat(j->mrb, out, codes + (known - letters), 1);
}

/* Goes on to the next quote or backslash. */
static void skip_plain(js_parser_t *j)
{
    while (j->p < j->end && *j->p != '"' && *j->p != '\\') {
        if ((unsigned char)*j->p < 0x20) {
            js_unexpected(j, "it to be escaped");
        }
        if ((unsigned char)*j->p < 0x80) {
            j->p++;
        } else {
            size_t n = js_sequence(j->p, j->end);

            if (n == 0) {
                js_fail(j, "invalid UTF-8");
            }
            j->p += n;
        }
    }
    if (j->p >= j->end) {
        js_unexpected(j, "the end of the string");
    }
}

mrb_value js_read_string(js_parser_t *j, const char **text, size_t *length)
{
    const char *from = ++j->p;
    mrb_value out;

    skip_plain(j);
    *text = from;
    *length = (size_t)(j->p - from);
    if (*j->p == '"') {
        j->p++;
        return mrb_undef_value();
    }
    out = mrb_str_new_capa(j->mrb, (mrb_int)*length + 16);
    while (*j->p != '"') {
        mrb_str_cat(j->mrb, out, from, j->p - from);
        read_escape(j, out);
        from = j->p;
        skip_plain(j);
    }
    mrb_str_cat(j->mrb, out, from, j->p - from);
    j->p++;
    return out;
}
