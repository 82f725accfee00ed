/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of a pattern: their names, their options, and what refers to them. */
#include "rx_reader.h"

#include <stdio.h>
#include <string.h>

#include <mruby/string.h>

/* ---- names ---- */

static bool add_name(rx_reader_t *r, const char *text, size_t length)
{
    rx_name_t name = {(unsigned short)r->groups, (unsigned short)length};
    mrb_value names = r->syntax->names;

    mrb_str_cat(r->mrb, names, (const char *)&name, sizeof(name));
    mrb_str_cat(r->mrb, names, text, (mrb_int)length);
    return true;
}

/* Reads up to the closing delimiter. */
static bool read_name(rx_reader_t *r, char close, const char **text, size_t *length)
{
    const char *found = memchr(r->p, close, (size_t)(r->end - r->p));

    if (!found) {
        return rx_fail(r, r->p, "end pattern in group name");
    }
    if (found == r->p) {
        return rx_fail(r, r->p, "group name is empty");
    }
    if (found - r->p > 1000) {
        return rx_fail(r, r->p, "too long group name");
    }
    *text = r->p;
    *length = (size_t)(found - r->p);
    r->p = found + 1;
    return true;
}

/* A number with or without a sign.  sign is 0 without. */
static bool as_number(const char *text, size_t length, int *sign, unsigned *number)
{
    size_t i = 0;

    *sign = 0;
    *number = 0;
    if (text[0] == '-' || text[0] == '+') {
        *sign = text[0] == '-' ? -1 : 1;
        i++;
    }
    if (i == length) {
        return false;
    }
    for (; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || *number > 100000) {
            return false;
        }
        *number = *number * 10 + (unsigned)(text[i] - '0');
    }
    return true;
}

/* The group that a sign and a number mean here, or 0. */
static unsigned group_of(rx_reader_t *r, int sign, unsigned number)
{
    if (sign < 0) {
        number = number <= r->groups ? r->groups + 1 - number : 0;
    } else if (sign > 0) {
        number += r->groups;
    }
    return number <= r->syntax->groups ? number : 0;
}

/* Puts before, the groups of that name with or between them, after.  Returns how many there are. */
static unsigned put_groups(rx_reader_t *r, const char *text, size_t length, const char *format,
                           const char * or)
{
    const char *names = RSTRING_PTR(r->syntax->names);
    size_t total = (size_t)RSTRING_LEN(r->syntax->names);
    size_t at = 0;
    unsigned n = 0;
    rx_name_t name;
    const char *candidate;

    while (rx_name_next(names, total, &at, &name, &candidate)) {
        if (name.length == length && memcmp(candidate, text, length) == 0) {
            if (n > 0 && ! or) {
                break;
            }
            rx_put(r, n > 0 ? or : "");
            rx_put_number(r, format, name.group);
            n++;
        }
    }
    return n;
}

/* \k<name> \k<1> \k<-1>, \g<name> \g<0> \g<-1>: format and or as in put_groups(). */
bool rx_read_reference(rx_reader_t *r, char letter)
{
    const char *at = r->p;
    const char *format = letter == 'k' ? "\\g{%u}" : "(?%u)";
    const char *text = NULL;
    char open = r->p < r->end ? *r->p : 0;
    size_t length = 0;
    unsigned number;
    int sign;

    if (open != '<' && open != '\'') {
        return rx_fail(r, at,
                       letter == 'k' ? "invalid backref number/name" : "undefined group option");
    }
    r->p++;
    if (!read_name(r, open == '<' ? '>' : '\'', &text, &length)) {
        return false;
    }
    rx_begin_atom(r, false);
    if (r->scanning) {
        return true;
    }
    rx_put(r, letter == 'k' ? "(?>" : "(?:");
    if (as_number(text, length, &sign, &number)) {
        if (r->syntax->named && !(letter == 'g' && number == 0)) {
            return rx_fail(r, at, "numbered backref/call is not allowed. (use name)");
        }
        if (letter == 'g' && number == 0 && sign == 0) {
            rx_put(r, "(?R)");
        } else {
            number = group_of(r, sign, number);
            if (number == 0) {
                return rx_fail(r, at, "invalid backref number/name");
            }
            rx_put_number(r, format, number);
        }
    } else if (put_groups(r, text, length, format, letter == 'k' ? "|" : NULL) == 0) {
        return rx_fail(r, at, "undefined name reference");
    }
    rx_put(r, ")");
    return true;
}

/* \1 and its like; p is at the digit.  Past the groups there are, and past 9, digits are octal. */
bool rx_read_digits(rx_reader_t *r, bool *was_reference)
{
    const char *at = r->p;
    const char *p = r->p;
    unsigned number = 0;

    for (; p < r->end && *p >= '0' && *p <= '9' && number < 10000; p++) {
        number = number * 10 + (unsigned)(*p - '0');
    }
    *was_reference = *at != '0' && (number <= 9 || number <= r->syntax->groups || r->scanning);
    if (!*was_reference) {
        return true;
    }
    r->p = p;
    rx_begin_atom(r, false);
    if (r->scanning) {
        return true;
    }
    if (r->syntax->named) {
        return rx_fail(r, at, "numbered backref/call is not allowed. (use name)");
    }
    if (number > r->syntax->groups) {
        return rx_fail(r, at, "invalid backref number/name");
    }
    rx_put_number(r, "\\g{%u}", number);
    return true;
}

/* ---- groups ---- */

static bool open_group(rx_reader_t *r, const char *text, bool assertion, bool behind)
{
    rx_level_t *level;

    if (r->deep >= RX_MAX_GROUPS_DEEP) {
        return rx_fail(r, r->p, "too deep nest level");
    }
    level = &r->levels[++r->deep];
    level->outside = r->flags;
    level->start = (size_t)RSTRING_LEN(r->out);
    level->closes = 0;
    level->assertion = assertion;
    level->behind = behind || r->levels[r->deep - 1].behind;
    rx_put(r, text);
    r->atom = RX_NOWHERE;
    return true;
}

void rx_close_options(rx_reader_t *r)
{
    for (; r->levels[r->deep].closes > 0; r->levels[r->deep].closes--) {
        rx_put(r, ")");
    }
}

bool rx_close_group(rx_reader_t *r)
{
    rx_level_t *level = &r->levels[r->deep];

    if (r->deep == 0) {
        return rx_fail(r, r->p, "unmatched close parenthesis");
    }
    r->p++;
    rx_close_options(r);
    rx_put(r, ")");
    r->flags = level->outside;
    r->atom = level->start;
    r->wrap = level->assertion;
    r->deep--;
    return true;
}

static bool open_capture(rx_reader_t *r)
{
    if (r->groups >= 65000) {
        return rx_fail(r, r->p, "too many capture groups are specified");
    }
    r->groups++;
    return open_group(r, "(", false, false);
}

static bool open_named(rx_reader_t *r, char close)
{
    const char *at = r->p;
    const char *text = NULL;
    size_t length = 0;

    if (!read_name(r, close, &text, &length)) {
        return false;
    }
    if ((text[0] >= '0' && text[0] <= '9') || text[0] == '-' || memchr(text, ')', length)) {
        return rx_fail(r, at, "invalid group name");
    }
    if (!open_capture(r)) {
        return false;
    }
    if (r->scanning) {
        r->syntax->named = true;
        return add_name(r, text, length);
    }
    return true;
}

/* (?(1)yes|no) and (?(<name>)yes|no); p is behind the second parenthesis. */
static bool open_condition(rx_reader_t *r)
{
    const char *at = r->p;
    char open = r->p < r->end ? *r->p : 0;
    const char *text = NULL;
    size_t length = 0;
    unsigned number;
    int sign;

    if (open == '<' || open == '\'') {
        r->p++;
        if (!read_name(r, open == '<' ? '>' : '\'', &text, &length) || !rx_accept(r, ')')) {
            return rx_fail(r, at, "invalid conditional pattern");
        }
    } else if (!read_name(r, ')', &text, &length)) {
        return false;
    }
    if (!open_group(r, "(?(", false, false)) {
        return false;
    }
    if (r->scanning) {
        return true;
    }
    if (as_number(text, length, &sign, &number)) {
        number = group_of(r, sign, number);
        if (number == 0) {
            return rx_fail(r, at, "invalid backref number/name");
        }
        rx_put_number(r, "%u", number);
    } else if (put_groups(r, text, length, "%u", NULL) == 0) {
        return rx_fail(r, at, "undefined name reference");
    }
    rx_put(r, ")");
    return true;
}

static bool set_flag(rx_flags_t *flags, char c, bool on)
{
    switch (c) {
    case 'i':
        flags->ignorecase = on;
        return true;
    case 'm':
        flags->dotall = on;
        return true;
    case 'x':
        flags->extended = on;
        return true;
    case 'a':
    case 'd':
    case 'u':
        flags->classes = c;
        return on;
    default:
        return false;
    }
}

/* (?i) holds up to the end of the group around it, alternatives included: it opens one of its own.
 * That is closed along with the other one. */
static bool read_options(rx_reader_t *r)
{
    const char *at = r->p;
    rx_flags_t flags = r->flags;
    bool on = true;
    char text[16];

    for (; r->p < r->end && *r->p != ')' && *r->p != ':'; r->p++) {
        if (*r->p == '-' && on) {
            on = false;
        } else if (!set_flag(&flags, *r->p, on)) {
            return rx_fail(r, at, "undefined group option");
        }
    }
    if (r->p >= r->end) {
        return rx_fail(r, at, "end pattern in group");
    }
    snprintf(text, sizeof(text), "(?%s%s%s%s%s:", flags.ignorecase ? "i" : "",
             flags.dotall ? "s" : "", flags.ignorecase && flags.dotall ? "" : "-",
             flags.ignorecase ? "" : "i", flags.dotall ? "" : "s");
    if (*r->p++ == ':') {
        if (!open_group(r, text, false, false)) {
            return false;
        }
    } else if (++r->levels[r->deep].closes > RX_MAX_GROUPS_DEEP) {
        return rx_fail(r, at, "too deep nest level");
    } else {
        rx_put(r, text);
        r->atom = RX_NOWHERE;
    }
    r->flags = flags;
    return true;
}

static bool skip_comment(rx_reader_t *r, const char *at)
{
    for (; r->p < r->end; r->p++) {
        if (*r->p == ')') {
            r->p++;
            return true;
        }
        if (*r->p == '\\') {
            r->p++;
        }
    }
    return rx_fail(r, at, "end pattern in group");
}

/* p is behind "(?<". */
static bool open_angle(rx_reader_t *r)
{
    if (rx_accept(r, '=')) {
        return open_group(r, "(?<=", true, true);
    }
    if (rx_accept(r, '!')) {
        return open_group(r, "(?<!", true, true);
    }
    return open_named(r, '>');
}

bool rx_read_open(rx_reader_t *r)
{
    const char *at = r->p++;

    if (!rx_accept(r, '?')) {
        return r->syntax->named ? open_group(r, "(?:", false, false) : open_capture(r);
    }
    if (r->p >= r->end) {
        return rx_fail(r, at, "end pattern in group");
    }
    switch (*r->p++) {
    case '#':
        return skip_comment(r, at);
    case ':':
        return open_group(r, "(?:", false, false);
    case '=':
        r->syntax->ahead = true;
        return open_group(r, "(?=", true, false);
    case '!':
        return open_group(r, "(?!", true, false);
    case '>':
        return open_group(r, "(?>", false, false);
    case '<':
        return open_angle(r);
    case '\'':
        return open_named(r, '\'');
    case '(':
        return open_condition(r);
    case '~':
        return rx_fail(r, at, "the absence operator (?~...) is not supported");
    default:
        r->p--;
        return read_options(r);
    }
}
