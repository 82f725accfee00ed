/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ruby's way of writing regular expressions, in PCRE2's.
 *
 * Knows both syntaxes and mruby's strings.  Must not know Regexp objects or matching.
 *
 * A pattern is read once to find out what is in it, and then once for each form it is compiled in:
 *
 *     rx_syntax_init()
 *       rx_syntax_scan()       fills in groups, names, wide, bytes_only, from_here
 *       rx_syntax_translate()  the pattern for PCRE2, any number of times
 *
 * Both raise nothing but NoMemoryError and return false with error and error_at when the pattern is
 * not one.
 */
#ifndef RX_SYNTAX_H
#define RX_SYNTAX_H

#include <mruby.h>
#include <stdbool.h>
#include <stddef.h>

/* The options of Regexp.new, by Ruby's numbers. */
#define RX_IGNORECASE 1u
#define RX_EXTENDED 2u
#define RX_MULTILINE 4u
#define RX_FIXEDENCODING 16u
#define RX_NOENCODING 32u

/* How deep groups and sets may be nested. */
#define RX_MAX_GROUPS_DEEP 250
#define RX_MAX_SETS_DEEP 20

typedef struct {
    mrb_state *mrb;
    /* in */
    const char *source;
    size_t length;
    unsigned options;
    bool (*known)(void *data, const char *property); /* does PCRE2 compile this \p{...}? */
    void *data;
    /* found by the scan */
    unsigned groups; /* that capture */
    bool named;      /* there are named groups, so the others do not capture */
    bool wide;       /* something in it is not ASCII */
    bool bytes_only; /* it is not UTF-8 */
    bool from_here;  /* it says \G */
    bool ahead;      /* its translation has a look-ahead */
    mrb_value names; /* String: records of rx_name_t, each followed by its name */
    /* out */
    mrb_value out; /* String */
    const char *error;
    size_t error_at; /* byte in source */
} rx_syntax_t;

typedef struct {
    unsigned short group;
    unsigned short length;
} rx_name_t;

void rx_syntax_init(rx_syntax_t *syntax, mrb_state *mrb, const char *source, size_t length,
                    unsigned options);

bool rx_syntax_scan(rx_syntax_t *syntax);

/* bytes: for subjects that are matched byte by byte; else for UTF-8.  Sets out. */
bool rx_syntax_translate(rx_syntax_t *syntax, bool bytes);

/* Where in the source the byte number at of the translation comes from. */
size_t rx_syntax_source_of(rx_syntax_t *syntax, bool bytes, size_t at);

/* Goes through records of names: *at is 0 at first.  Returns false at their end. */
bool rx_name_next(const char *names, size_t length, size_t *at, rx_name_t *name, const char **text);

#endif
