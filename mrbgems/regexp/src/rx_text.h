/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes and characters: what kind of text a string is, and where its characters are.
 *
 * Knows mruby's idea of a character (a whole UTF-8 sequence, or else one byte) and nothing of
 * regular expressions.  No function here allocates or raises.
 */
#ifndef RX_TEXT_H
#define RX_TEXT_H

#include <stddef.h>

typedef enum {
    RX_ASCII, /* every byte below 0x80: a character is a byte */
    RX_UTF8,  /* valid UTF-8, and not only ASCII */
    RX_BYTES  /* anything else */
} rx_kind_t;

typedef struct {
    const char *ptr;
    size_t len;
    rx_kind_t kind;
} rx_text_t;

/* Looks at all bytes; 8 at a time while they are ASCII. */
rx_kind_t rx_text_kind(const char *ptr, size_t len);

/* The length of the well-formed UTF-8 sequence at ptr, by the rules of Unicode (no surrogates, no
 * overlong forms); 0 if there is none. */
size_t rx_text_sequence(const char *ptr, const char *end);

/* The length of the character at ptr, which is before the end of the text. */
size_t rx_text_step(const rx_text_t *text, size_t at);

/* How many characters begin before the byte at. */
size_t rx_text_chars(const rx_text_t *text, size_t at);

/* Where the character number n begins; beyond the end: (size_t)-1. */
size_t rx_text_byte(const rx_text_t *text, size_t n);

/* Writes a code point as UTF-8; buffer has room for 4 bytes.  Returns how many were written. */
size_t rx_text_encode(unsigned code, char *buffer);

/* The code point of a well-formed sequence of that length. */
unsigned rx_text_decode(const char *ptr, size_t len);

#endif
