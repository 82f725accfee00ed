/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the two halves of the translation share: rx_syntax reads groups and repetitions, rx_set
 * reads what stands for one character.  For these two files only.
 */
#ifndef RX_READER_H
#define RX_READER_H

#include "rx_syntax.h"

#define RX_NOWHERE ((size_t)-1)

/* What (?imxadu) sets.  i and m are handed on to PCRE2; the others are seen to while reading. */
typedef struct {
    bool ignorecase;
    bool dotall;
    bool extended;
    char classes; /* 'd': \w is ASCII, [[:alpha:]] and \b are not; 'a': all ASCII; 'u': none */
} rx_flags_t;

typedef struct {
    rx_flags_t outside; /* what holds again after this group */
    size_t start;       /* where it begins in the translation */
    unsigned closes;    /* groups that (?i) has opened inside */
    bool assertion;     /* a look-ahead or look-behind */
    bool behind;        /* inside a look-behind */
} rx_level_t;

typedef struct {
    rx_syntax_t *syntax;
    mrb_state *mrb;
    const char *p;
    const char *end;
    mrb_value out;
    size_t stop;   /* the translation may end when it is longer */
    bool scanning; /* the first reading: nothing is known of the pattern yet */
    bool bytes;
    rx_flags_t flags;
    unsigned groups;
    size_t atom; /* where in out begins what a repetition would repeat; or RX_NOWHERE */
    bool wrap;   /* it takes (?:...) around it, for that */
    unsigned deep;
    rx_level_t levels[RX_MAX_GROUPS_DEEP + 1];
} rx_reader_t;

/* One character of a pattern. */
typedef struct {
    unsigned code;
    bool byte; /* not a code point, but a byte of something that is not UTF-8 */
} rx_char_t;

/* Notes the error; returns false. */
bool rx_fail(rx_reader_t *r, const char *at, const char *error);

/* Reads the character at p, which is not an escape. */
void rx_read_plain(rx_reader_t *r, rx_char_t *c);

/* Reads what follows a backslash if it stands for one character (\n \x41 \u{1f600} \C-a); p is
 * behind the backslash.  Any letter without a meaning stands for itself. */
bool rx_read_escaped(rx_reader_t *r, rx_char_t *c);

/* \u{41 42 43} is several characters at once: is it at p, behind the backslash?  If so, each call
 * of rx_read_listed() reads one; *last: it was the last one. */
bool rx_at_list(rx_reader_t *r);
bool rx_read_listed(rx_reader_t *r, rx_char_t *c, bool *last);

/* Reads the property of \p or \P; p is behind that letter.  The pattern for it goes to out. */
bool rx_read_property(rx_reader_t *r, bool negated, mrb_value *out);

/* The same for a property that is known by its POSIX name. */
mrb_value rx_property(rx_reader_t *r, const char *posix);

/* Reads a set; p is behind its bracket.  The pattern for it goes to out. */
bool rx_read_set(rx_reader_t *r, mrb_value *out);

/* Appends a character to a pattern, escaped where it must be. */
void rx_put_char(rx_reader_t *r, mrb_value out, rx_char_t c);

/* ---- rx_syntax ---- */

void rx_put(rx_reader_t *r, const char *text);
void rx_put_number(rx_reader_t *r, const char *format, unsigned n);

/* What is put next can be repeated; with wrap, not without a group around it. */
void rx_begin_atom(rx_reader_t *r, bool wrap);

/* Reads c if it is at p. */
bool rx_accept(rx_reader_t *r, char c);

/* ---- rx_group: each reads what begins at p ---- */

bool rx_read_open(rx_reader_t *r);
bool rx_close_group(rx_reader_t *r);
void rx_close_options(rx_reader_t *r);

/* \k and \g; p is behind the letter. */
bool rx_read_reference(rx_reader_t *r, char letter);

/* \1; p is at the digit.  If it is no reference, nothing is read. */
bool rx_read_digits(rx_reader_t *r, bool *was_reference);

/* ---- rx_set and rx_property ---- */

/* A set under way. */
typedef struct {
    mrb_value items;  /* what fits between brackets */
    mrb_value others; /* patterns for one character, each with | in front */
} rx_set_t;

void rx_set_new(rx_reader_t *r, rx_set_t *set);
void rx_add(rx_reader_t *r, mrb_value string, const char *text);

/* The pattern for a set that is not negated. */
mrb_value rx_set_pattern(rx_reader_t *r, rx_set_t *set);

/* What Ruby calls by POSIX names.  With inverted, what is in the set is what is not in unicode. */
typedef struct {
    const char *name;
    const char *ascii;
    const char *unicode;
    bool inverted;
} rx_posix_t;

#define RX_WORD "\\w"

/* NULL: there is none of that name. */
const rx_posix_t *rx_posix_named(const char *name, size_t length);
void rx_add_posix(rx_reader_t *r, rx_set_t *set, const rx_posix_t *p, bool negated, bool ascii);

/* {Name} or {^Name} at p, behind \p or \P. */
bool rx_add_property(rx_reader_t *r, rx_set_t *set, bool negated);

#endif
