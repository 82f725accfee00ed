/* SPDX-License-Identifier: Apache-2.0 */
#include "rx_text.h"

#include <stdint.h>
#include <string.h>

static int continues(const char *p)
{
    return ((unsigned char)*p & 0xc0) == 0x80;
}

size_t rx_text_sequence(const char *ptr, const char *end)
{
    const unsigned char *p = (const unsigned char *)ptr;
    size_t room = (size_t)(end - ptr);

    if (p[0] < 0x80) {
        return 1;
    }
    if (p[0] < 0xc2 || p[0] > 0xf4 || room < 2 || !continues(ptr + 1)) {
        return 0;
    }
    if (p[0] < 0xe0) {
        return 2;
    }
    if (room < 3 || !continues(ptr + 2)) {
        return 0;
    }
    if (p[0] < 0xf0) {
        int overlong = p[0] == 0xe0 && p[1] < 0xa0;
        int surrogate = p[0] == 0xed && p[1] >= 0xa0;

        return overlong || surrogate ? 0 : 3;
    }
    if (room < 4 || !continues(ptr + 3)) {
        return 0;
    }
    return (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90) ? 0 : 4;
}

/* The first byte that is not ASCII, or end. */
static const char *skip_ascii(const char *p, const char *end)
{
    while (end - p >= 32) {
        uint64_t w[4];

        memcpy(w, p, sizeof(w));
        if ((w[0] | w[1] | w[2] | w[3]) & UINT64_C(0x8080808080808080)) {
            break;
        }
        p += sizeof(w);
    }
    while (p < end && !(*p & 0x80)) {
        p++;
    }
    return p;
}

rx_kind_t rx_text_kind(const char *ptr, size_t len)
{
    const char *end = ptr + len;
    const char *p = skip_ascii(ptr, end);

    if (p == end) {
        return RX_ASCII;
    }
    while (p < end) {
        size_t n = rx_text_sequence(p, end);

        if (n == 0) {
            return RX_BYTES;
        }
        p += n;
        if (p < end && !(*p & 0x80)) {
            p = skip_ascii(p, end);
        }
    }
    return RX_UTF8;
}

/* As mruby's own String does it: by the first byte, if what follows looks like a continuation. */
static size_t loose_step(const char *p, const char *end)
{
    unsigned char c = (unsigned char)*p;
    size_t n = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf8 ? 4 : 1;
    size_t i;

    if (n > (size_t)(end - p)) {
        return 1;
    }
    for (i = 1; i < n; i++) {
        if (!continues(p + i)) {
            return 1;
        }
    }
    return n;
}

size_t rx_text_step(const rx_text_t *text, size_t at)
{
    return text->kind == RX_ASCII ? 1 : loose_step(text->ptr + at, text->ptr + text->len);
}

size_t rx_text_chars(const rx_text_t *text, size_t at)
{
    const char *p = text->ptr;
    const char *stop = text->ptr + at;
    size_t n = 0;

    if (text->kind == RX_ASCII) {
        return at;
    }
    if (text->kind == RX_UTF8) {
        for (; p < stop; p++) {
            n += !continues(p);
        }
        return n;
    }
    while (p < stop) {
        p += loose_step(p, text->ptr + text->len);
        n++;
    }
    return n;
}

size_t rx_text_byte(const rx_text_t *text, size_t n)
{
    const char *p = text->ptr;
    const char *end = text->ptr + text->len;

    if (text->kind == RX_ASCII) {
        return n <= text->len ? n : (size_t)-1;
    }
    for (; n > 0; n--) {
        if (p >= end) {
            return (size_t)-1;
        }
        p += loose_step(p, end);
    }
    return (size_t)(p - text->ptr);
}

size_t rx_text_encode(unsigned code, char *buffer)
{
    if (code < 0x80) {
        buffer[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        buffer[0] = (char)(0xc0 | code >> 6);
        buffer[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        buffer[0] = (char)(0xe0 | code >> 12);
        buffer[1] = (char)(0x80 | (code >> 6 & 0x3f));
        buffer[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    buffer[0] = (char)(0xf0 | code >> 18);
    buffer[1] = (char)(0x80 | (code >> 12 & 0x3f));
    buffer[2] = (char)(0x80 | (code >> 6 & 0x3f));
    buffer[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

unsigned rx_text_decode(const char *ptr, size_t len)
{
    const unsigned char *p = (const unsigned char *)ptr;
    unsigned code;
    size_t i;

    if (len == 1) {
        return p[0];
    }
    code = p[0] & (0xffu >> (len + 1));
    for (i = 1; i < len; i++) {
        code = code << 6 | (p[i] & 0x3f);
    }
    return code;
}
