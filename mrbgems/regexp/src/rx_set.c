/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of characters: [a-z], with sets inside and &&, and properties.
 *
 * PCRE2's sets have no sets inside.  So a set is read into items, which fit between brackets, and
 * others, each a pattern for one character by itself; the whole is (?>[items]|other|other).
 * It is atomic because what matches one of them may match another one, too: to try them all would
 * take exponential time in a repetition.
 */
#include "rx_reader.h"

#include <string.h>

#include <mruby/string.h>

#include "rx_text.h"

void rx_set_new(rx_reader_t *r, rx_set_t *set)
{
    set->items = mrb_str_new_capa(r->mrb, 32);
    set->others = mrb_str_new_capa(r->mrb, 0);
}

void rx_add(rx_reader_t *r, mrb_value string, const char *text)
{
    mrb_str_cat_cstr(r->mrb, string, text);
}

/* The pattern for a set that is not negated. */
mrb_value rx_set_pattern(rx_reader_t *r, rx_set_t *set)
{
    mrb_value out =
        mrb_str_new_capa(r->mrb, RSTRING_LEN(set->items) + RSTRING_LEN(set->others) + 8);
    bool several = RSTRING_LEN(set->others) > 0;

    if (RSTRING_LEN(set->items) == 0 && !several) {
        rx_add(r, out, "(?!)");
        return out;
    }
    rx_add(r, out, several ? "(?>" : "");
    if (RSTRING_LEN(set->items) > 0) {
        rx_add(r, out, "[");
        mrb_str_cat_str(r->mrb, out, set->items);
        rx_add(r, out, "]");
    }
    if (several) {
        mrb_int skip = RSTRING_LEN(set->items) > 0 ? 0 : 1;

        mrb_str_cat(r->mrb, out, RSTRING_PTR(set->others) + skip, RSTRING_LEN(set->others) - skip);
        rx_add(r, out, ")");
    }
    return out;
}

/* ---- sets ---- */

static void put_code(rx_reader_t *r, mrb_value out, unsigned code)
{
    char buffer[16];

    if (code < 0x80 && ((code >= '0' && code <= '9') || (code | 0x20) - 'a' < 26)) {
        buffer[0] = (char)code;
        buffer[1] = '\0';
    } else {
        snprintf(buffer, sizeof(buffer), code < 0x100 ? "\\x%02x" : "\\x{%x}", code);
    }
    rx_add(r, out, buffer);
}

/* Byte by byte, what is beyond ASCII is a sequence.  A look-behind must know how long it is. */
static void add_wide_bytes(rx_reader_t *r, rx_set_t *set, unsigned code)
{
    char bytes[4];
    size_t i, n = rx_text_encode(code, bytes);

    if (r->levels[r->deep].behind) {
        for (i = 0; i < n; i++) {
            put_code(r, set->items, (unsigned char)bytes[i]);
        }
    } else {
        rx_add(r, set->others, "|");
        mrb_str_cat(r->mrb, set->others, bytes, (mrb_int)n);
    }
}

static void add_range(rx_reader_t *r, rx_set_t *set, rx_char_t low, rx_char_t high)
{
    if (r->bytes && !high.byte && high.code >= 0x80) {
        if (low.code == high.code) {
            add_wide_bytes(r, set, low.code);
            return;
        }
        /* Near enough for text that is not UTF-8: any byte of such a sequence. */
        if (low.code > 0x80) {
            low.code = 0x80;
        }
        high.code = 0xff;
    }
    put_code(r, set->items, low.code);
    if (low.code != high.code) {
        rx_add(r, set->items, "-");
        put_code(r, set->items, high.code);
    }
}

/* [:name:] at p, with the bracket read.  *found: it is one; else nothing was read. */
static bool read_posix(rx_reader_t *r, rx_set_t *set, bool *found)
{
    const char *name = r->p + 1;
    const char *p;
    const rx_posix_t *posix;
    bool negated;

    *found = false;
    if (r->p >= r->end || *r->p != ':') {
        return true;
    }
    negated = name < r->end && *name == '^';
    name += negated;
    for (p = name; p < r->end && *p >= 'a' && *p <= 'z' && p - name < 20; p++) {
    }
    if (r->end - p < 2 || p[0] != ':' || p[1] != ']') {
        return true;
    }
    posix = rx_posix_named(name, (size_t)(p - name));
    if (!posix) {
        return rx_fail(r, r->p, "invalid POSIX bracket type");
    }
    rx_add_posix(r, set, posix, negated, r->flags.classes == 'a');
    r->p = p + 2;
    *found = true;
    return true;
}

/* Ranges of which the last one is open. */
static void add_above(rx_reader_t *r, rx_set_t *set, const char *ranges)
{
    rx_add(r, set->items, ranges);
    rx_add(r, set->items, r->bytes ? "\\xff" : "\\x{10ffff}");
}

/* \w and its like at p, behind the backslash.  *found as above. */
static bool read_class_escape(rx_reader_t *r, rx_set_t *set, bool *found)
{
    char letter = r->p < r->end ? *r->p : 0;
    char native[3] = {'\\', letter, 0};

    *found = letter && strchr("wWdDsShHpP", letter) != NULL;
    if (!*found) {
        return true;
    }
    r->p++;
    if (letter == 'p' || letter == 'P') {
        return rx_add_property(r, set, letter == 'P');
    }
    if (letter == 'h') {
        rx_add(r, set->items, "0-9A-Fa-f");
    } else if (letter == 'H') {
        add_above(r, set, "\\x00-\\x2f\\x3a-\\x40G-Zg-z\\x5b-\\x60\\x7b-");
    } else if (r->flags.classes != 'u' && (letter == 'S' || letter == 'D') && !r->bytes) {
        /* Beside a property, PCRE2 forgets that these are all that is beyond Latin-1, too. */
        add_above(r, set, letter == 'S' ? "\\x00-\\x08\\x0e-\\x1f\\x21-" : "\\x00-\\x2f\\x3a-");
    } else if (r->flags.classes != 'u' && letter == 'W' && !r->bytes) {
        rx_add(r, set->others, "|\\W");
    } else if (r->bytes || r->flags.classes != 'u') {
        rx_add(r, set->items, native);
    } else {
        const char *posix = letter == 'w' || letter == 'W'   ? RX_WORD
                            : letter == 'd' || letter == 'D' ? "digit"
                                                             : "space";

        rx_add_posix(r, set, rx_posix_named(posix, strlen(posix)), letter < 'a', false);
    }
    return true;
}

/* One character inside a set. */
static bool read_member(rx_reader_t *r, rx_char_t *c)
{
    if (*r->p != '\\') {
        rx_read_plain(r, c);
        return true;
    }
    r->p++;
    if (r->p < r->end && *r->p == 'b') {
        r->p++;
        c->code = '\b';
        c->byte = false;
        return true;
    }
    return rx_read_escaped(r, c);
}

/* A hyphen at p that makes a range: not one before the end of the set. */
static bool at_range(rx_reader_t *r)
{
    return r->end - r->p > 1 && r->p[0] == '-' && r->p[1] != ']';
}

/* A character, a range or \w. */
static bool read_item(rx_reader_t *r, rx_set_t *set)
{
    const char *at = r->p;
    rx_char_t low, high;
    bool found;

    if (*r->p == '\\') {
        r->p++;
        if (!read_class_escape(r, set, &found)) {
            return false;
        }
        if (found) {
            return !at_range(r) || r->p[1] == '[' ||
                   rx_fail(r, at, "unmatched range specifier in char-class");
        }
        if (rx_at_list(r)) {
            do {
                if (!rx_read_listed(r, &low, &found)) {
                    return false;
                }
                add_range(r, set, low, low);
            } while (!found);
            return true;
        }
        r->p--;
    }
    if (!read_member(r, &low)) {
        return false;
    }
    high = low;
    if (at_range(r) && r->p[1] != '[') {
        r->p++;
        if (r->end - r->p > 1 && r->p[0] == '\\' && strchr("wWdDsShHpP", r->p[1])) {
            return rx_fail(r, at, "char-class value at end of range");
        }
        if (!read_member(r, &high)) {
            return false;
        }
        if (low.code > high.code) {
            return rx_fail(r, at, "empty range in char class");
        }
    }
    add_range(r, set, low, high);
    return true;
}

/* What has been read of a set so far. */
typedef struct {
    rx_set_t set;   /* since the last && */
    mrb_value both; /* what stood before each &&, as look-aheads */
    bool started;   /* something has been read */
} rx_bracket_t;

static bool read_bracket(rx_reader_t *r, unsigned deep, mrb_value *out);

static bool read_part(rx_reader_t *r, rx_bracket_t *b, unsigned deep)
{
    mrb_value nested;
    bool found;

    if (*r->p == '[') {
        r->p++;
        if (!read_posix(r, &b->set, &found)) {
            return false;
        }
        if (!found) {
            if (!read_bracket(r, deep + 1, &nested)) {
                return false;
            }
            rx_add(r, b->set.others, "|");
            mrb_str_cat_str(r->mrb, b->set.others, nested);
        }
    } else if (r->end - r->p > 1 && r->p[0] == '&' && r->p[1] == '&') {
        r->p += 2;
        r->syntax->ahead = true;
        rx_add(r, b->both, "(?=");
        mrb_str_cat_str(r->mrb, b->both, rx_set_pattern(r, &b->set));
        rx_add(r, b->both, ")");
        rx_set_new(r, &b->set);
    } else if (!read_item(r, &b->set)) {
        return false;
    }
    b->started = true;
    return true;
}

/* A bracket that closes at once stands for itself if there is another one to close. */
static bool closes(rx_reader_t *r, const rx_bracket_t *b)
{
    const char *p;

    if (*r->p != ']' || b->started) {
        return *r->p == ']';
    }
    for (p = r->p + 1; p < r->end && *p != ']'; p++) {
        p += *p == '\\';
    }
    return p >= r->end;
}

static mrb_value bracket_pattern(rx_reader_t *r, rx_bracket_t *b, bool negated)
{
    bool simple = RSTRING_LEN(b->both) == 0 && RSTRING_LEN(b->set.others) == 0;
    mrb_value out = mrb_str_new_capa(r->mrb, 32);

    if (!negated && RSTRING_LEN(b->both) == 0) {
        return rx_set_pattern(r, &b->set);
    }
    if (negated && simple) {
        rx_add(r, out, "[^");
        mrb_str_cat_str(r->mrb, out, b->set.items);
        rx_add(r, out, "]");
        return out;
    }
    rx_add(r, out, negated ? "(?:(?!" : "(?:");
    mrb_str_cat_str(r->mrb, out, b->both);
    mrb_str_cat_str(r->mrb, out, rx_set_pattern(r, &b->set));
    rx_add(r, out, negated ? ")(?s:.))" : ")");
    return out;
}

static bool read_bracket(rx_reader_t *r, unsigned deep, mrb_value *out)
{
    const char *at = r->p;
    bool negated = r->p < r->end && *r->p == '^';
    rx_bracket_t b;

    if (deep > RX_MAX_SETS_DEEP) {
        return rx_fail(r, at, "too deep nest level");
    }
    r->p += negated;
    rx_set_new(r, &b.set);
    b.both = mrb_str_new_capa(r->mrb, 0);
    b.started = false;
    while (r->p < r->end && !closes(r, &b)) {
        if (!read_part(r, &b, deep)) {
            return false;
        }
    }
    if (r->p >= r->end) {
        return rx_fail(r, at, "premature end of char-class");
    }
    if (!b.started) {
        return rx_fail(r, at, "empty char-class");
    }
    r->p++;
    *out = bracket_pattern(r, &b, negated);
    return true;
}

bool rx_read_set(rx_reader_t *r, mrb_value *out)
{
    return read_bracket(r, 0, out);
}
