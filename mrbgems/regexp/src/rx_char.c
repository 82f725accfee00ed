/* SPDX-License-Identifier: Apache-2.0 */
/* One character of a pattern: plain or escaped. */
#include "rx_reader.h"

#include <string.h>

#include <mruby/string.h>

#include "rx_text.h"

static void note(rx_reader_t *r, rx_char_t c)
{
    if (c.byte) {
        r->syntax->bytes_only = true;
    }
    if (c.code >= 0x80) {
        r->syntax->wide = true;
    }
}

/* The character whose first byte is at p, where it may be that of a longer sequence. */
static size_t sequence_at(rx_reader_t *r, const char *p, const char *end)
{
    return r->syntax->options & RX_NOENCODING ? 0 : rx_text_sequence(p, end);
}

void rx_read_plain(rx_reader_t *r, rx_char_t *c)
{
    size_t n = sequence_at(r, r->p, r->end);

    c->byte = n == 0 && (unsigned char)*r->p >= 0x80;
    c->code = n > 0 ? rx_text_decode(r->p, n) : (unsigned char)*r->p;
    r->p += n > 0 ? n : 1;
    note(r, *c);
}

static int hex_digit(const char *p, const char *end)
{
    if (p >= end) {
        return -1;
    }
    if (*p >= '0' && *p <= '9') {
        return *p - '0';
    }
    if (*p >= 'a' && *p <= 'f') {
        return *p - 'a' + 10;
    }
    return *p >= 'A' && *p <= 'F' ? *p - 'A' + 10 : -1;
}

static unsigned read_hex(rx_reader_t *r, unsigned most, unsigned *count)
{
    unsigned code = 0;
    int digit;

    for (*count = 0; *count < most && (digit = hex_digit(r->p, r->end)) >= 0; (*count)++) {
        code = code * 16 + (unsigned)digit;
        r->p++;
    }
    return code;
}

/* Bytes that are written as \xc3\xa9 are one character if they are one in UTF-8. */
static bool join_bytes(rx_reader_t *r, rx_char_t *c)
{
    char bytes[4] = {(char)c->code, 0, 0, 0};
    const char *p = r->p;
    size_t n, have = 1;

    c->byte = c->code >= 0x80;
    while (c->byte && have < 4) {
        if (p + 3 < r->end && p[0] == '\\' && p[1] == 'x' && hex_digit(p + 2, r->end) >= 8 &&
            hex_digit(p + 3, r->end) >= 0) {
            bytes[have++] = (char)(hex_digit(p + 2, r->end) * 16 + hex_digit(p + 3, r->end));
            p += 4;
        } else {
            break;
        }
        n = sequence_at(r, bytes, bytes + have);
        if (n == have) {
            c->code = rx_text_decode(bytes, n);
            c->byte = false;
            r->p = p;
        }
    }
    note(r, *c);
    return true;
}

static bool code_point(rx_reader_t *r, const char *at, rx_char_t *c)
{
    c->byte = false;
    if (c->code > 0x10ffff || (c->code >= 0xd800 && c->code < 0xe000)) {
        return rx_fail(r, at, "invalid Unicode range");
    }
    note(r, *c);
    return true;
}

bool rx_at_list(rx_reader_t *r)
{
    return r->end - r->p > 2 && r->p[0] == 'u' && r->p[1] == '{';
}

bool rx_read_listed(rx_reader_t *r, rx_char_t *c, bool *last)
{
    const char *at;
    unsigned count;

    if (rx_at_list(r)) {
        r->p += 2;
    }
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\t')) {
        r->p++;
    }
    at = r->p;
    c->code = read_hex(r, 8, &count);
    if (count == 0) {
        return rx_fail(r, at, "invalid Unicode list");
    }
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\t')) {
        r->p++;
    }
    *last = r->p < r->end && *r->p == '}';
    if (*last) {
        r->p++;
    } else if (r->p >= r->end || hex_digit(r->p, r->end) < 0) {
        return rx_fail(r, at, "unterminated Unicode list");
    }
    return code_point(r, at, c);
}

/* \cx \C-x \M-x \M-\C-x; p is behind the letter. */
static bool read_control(rx_reader_t *r, const char *at, char letter, rx_char_t *c)
{
    if (letter != 'c') {
        if (r->p >= r->end || *r->p++ != '-') {
            return rx_fail(
                r, at, letter == 'C' ? "invalid control-code syntax" : "invalid meta-code syntax");
        }
    }
    if (r->p >= r->end) {
        return rx_fail(r, at, letter == 'M' ? "too short meta escape" : "too short control escape");
    }
    if (*r->p == '\\') {
        r->p++;
        if (!rx_read_escaped(r, c)) {
            return false;
        }
    } else {
        c->code = (unsigned char)*r->p++;
    }
    if (letter == 'M') {
        c->code = (c->code & 0xff) | 0x80;
    } else {
        c->code = c->code == '?' ? 0x7f : c->code & 0x9f;
    }
    c->byte = c->code >= 0x80;
    note(r, *c);
    return true;
}

static bool read_octal(rx_reader_t *r, rx_char_t *c)
{
    unsigned count;

    c->code = 0;
    for (count = 0; count < 3 && r->p < r->end && *r->p >= '0' && *r->p <= '7'; count++) {
        c->code = c->code * 8 + (unsigned)(*r->p++ - '0');
    }
    c->code &= 0xff;
    return join_bytes(r, c);
}

static bool read_coded(rx_reader_t *r, const char *at, char letter, rx_char_t *c)
{
    unsigned count;

    c->code = read_hex(r, letter == 'x' ? 2 : 4, &count);
    if (letter == 'x') {
        return count > 0 ? join_bytes(r, c) : rx_fail(r, at, "invalid hex escape");
    }
    return count == 4 ? code_point(r, at, c) : rx_fail(r, at, "invalid Unicode escape");
}

bool rx_read_escaped(rx_reader_t *r, rx_char_t *c)
{
    static const char letters[] = "tnrfaev";
    static const char codes[] = "\t\n\r\f\a\033\v";
    const char *at = r->p - 1;
    const char *known;
    bool last;

    if (r->p >= r->end) {
        return rx_fail(r, at, "too short escape sequence");
    }
    if (*r->p >= '0' && *r->p <= '7') {
        return read_octal(r, c);
    }
    switch (*r->p) {
    case 'x':
    case 'u':
        if (rx_at_list(r)) {
            return rx_read_listed(r, c, &last) && (last || rx_fail(r, at, "invalid Unicode list"));
        }
        r->p++;
        return read_coded(r, at, r->p[-1], c);
    case 'c':
    case 'C':
    case 'M':
        r->p++;
        return read_control(r, at, r->p[-1], c);
    default:
        known = *r->p ? strchr(letters, *r->p) : NULL;
        rx_read_plain(r, c);
        if (known) {
            c->code = (unsigned char)codes[known - letters];
        }
        return true;
    }
}

void rx_put_char(rx_reader_t *r, mrb_value out, rx_char_t c)
{
    char buffer[8];
    size_t n = 0;

    if (c.byte || c.code < 0x80) {
        if (c.code < 0x80 && c.code && strchr("\\^$.[|()?*+{", (int)c.code)) {
            buffer[n++] = '\\';
        }
        buffer[n++] = (char)c.code;
    } else {
        n = rx_text_encode(c.code, buffer);
    }
    mrb_str_cat(r->mrb, out, buffer, (mrb_int)n);
}
