/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time.strptime.
 */
#include "time_ext.h"

#include <ctype.h>
#include <string.h>

#include <mruby/presym.h>
#include <mruby/string.h>

/* A text that is read by a format, and what of it cannot be stored before all is known. */
typedef struct {
    gem_cursor_t text;
    gem_cursor_t format;
    gem_fields_t fields;
    int century; /* -1 if nobody says */
    int short_year;
    int meridian; /* 0 for am, 12 for pm, -1 if nobody says */
    int hour12;
} reader_t;

static int take_int(reader_t *r, int most, int *number)
{
    long value;

    if (!gem_take_number(&r->text, 1, most, &value)) {
        return 0;
    }
    *number = (int)value;
    return 1;
}

/* " 7" or "07" */
static int take_padded(reader_t *r, int *number)
{
    gem_take_char(&r->text, ' ');
    return take_int(r, 2, number);
}

/* Whether digits follow in the format, so that a number must end before them. */
static int digits_follow(const reader_t *r)
{
    const char *at = r->format.at;

    if (at < r->format.end && isdigit((unsigned char)*at)) {
        return 1;
    }
    if (at == r->format.end || *at++ != '%') {
        return 0;
    }
    while (at < r->format.end && *at && strchr("-0^#_EO", *at)) {
        at++;
    }
    return at < r->format.end && *at && strchr("CDdeFGgHIjkLlMmNQRrSsTUuVvWwXxYy", *at);
}

static int take_signed(reader_t *r, int most, long *number)
{
    int negative = gem_take_char(&r->text, '-');

    if (!negative) {
        gem_take_char(&r->text, '+');
    }
    if (!gem_take_number(&r->text, 1, most, number)) {
        return 0;
    }
    *number *= negative ? -1 : 1;
    return 1;
}

static int take_meridian(reader_t *r)
{
    gem_cursor_t *c = &r->text;
    int afternoon = c->at < c->end && (*c->at == 'p' || *c->at == 'P');

    if (c->at == c->end || !strchr("aApP", *c->at)) {
        return 0;
    }
    c->at++;
    gem_take_char(c, '.');
    if (!gem_take_char(c, 'm') && !gem_take_char(c, 'M')) {
        return 0;
    }
    gem_take_char(c, '.');
    r->meridian = afternoon ? 12 : 0;
    return 1;
}

static int take_by(reader_t *r, const char *directives);

static int take_fraction(reader_t *r)
{
    return gem_take_fraction(&r->text, &r->fields.usec);
}

static int take_epoch(reader_t *r, long scale)
{
    long number;

    if (!take_signed(r, 15, &number)) {
        return 0;
    }
    r->fields.has_epoch = 1;
    r->fields.epoch = number / scale - (number % scale < 0);
    r->fields.usec = (number - r->fields.epoch * scale) * (1000000 / scale);
    return 1;
}

static int take_date(reader_t *r, char letter)
{
    gem_fields_t *fields = &r->fields;
    int ignored;

    switch (letter) {
    case 'Y':
        fields->has_year = 1;
        return take_signed(r, digits_follow(r) ? 4 : 9, &fields->year);
    case 'C':
        return take_int(r, 2, &r->century);
    case 'y':
        return take_int(r, 2, &r->short_year);
    case 'm':
        fields->has_mon = 1;
        return take_int(r, 2, &fields->mon);
    case 'B':
    case 'b':
    case 'h':
        fields->has_mon = 1;
        fields->mon = gem_take_name(&r->text, gem_month_names, 12) + 1;
        return fields->mon > 0;
    case 'd':
    case 'e':
        fields->has_mday = 1;
        return take_padded(r, &fields->mday);
    case 'j':
        fields->has_yday = 1;
        return take_int(r, 3, &fields->yday);
    case 'A':
    case 'a': /* the date says which day it is */
        return gem_take_name(&r->text, gem_day_names, 7) >= 0;
    case 'u':
    case 'w':
        return take_int(r, 1, &ignored) && ignored <= 7;
    case 'F':
        return take_by(r, "%Y-%m-%d");
    case 'D':
    case 'x':
        return take_by(r, "%m/%d/%y");
    case 'v':
        return take_by(r, "%e-%b-%Y");
    default:
        return 0;
    }
}

static int take_clock(reader_t *r, char letter)
{
    gem_fields_t *fields = &r->fields;

    switch (letter) {
    case 'H':
    case 'k':
        fields->has_hour = 1;
        return take_padded(r, &fields->hour);
    case 'I':
    case 'l':
        fields->has_hour = 1;
        return take_padded(r, &r->hour12) && r->hour12 >= 1 && r->hour12 <= 12;
    case 'p':
    case 'P':
        return take_meridian(r);
    case 'M':
        return take_int(r, 2, &fields->min);
    case 'S':
        return take_int(r, 2, &fields->sec);
    case 'L':
    case 'N':
        return take_fraction(r);
    case 'z':
    case 'Z':
        return gem_take_zone(&r->text, fields);
    case 's':
        return take_epoch(r, 1);
    case 'Q':
        return take_epoch(r, 1000);
    case 'T':
    case 'X':
        return take_by(r, "%H:%M:%S");
    case 'R':
        return take_by(r, "%H:%M");
    case 'r':
        return take_by(r, "%I:%M:%S %p");
    case 'c':
        return take_by(r, "%a %b %e %H:%M:%S %Y");
    case '+':
        return take_by(r, "%a %b %e %H:%M:%S %Z %Y");
    default:
        return take_date(r, letter);
    }
}

/* From behind a % on. */
static int take_directive(reader_t *r)
{
    gem_cursor_t *format = &r->format;
    char letter;

    while (format->at < format->end && *format->at && strchr("-0^#_:EO", *format->at)) {
        format->at++;
    }
    if (format->at == format->end) {
        return 0;
    }
    letter = *format->at++;
    if (letter == 'n' || letter == 't') {
        gem_skip_spaces(&r->text);
        return 1;
    }
    return letter == '%' ? gem_take_char(&r->text, '%') : take_clock(r, letter);
}

static int take_format(reader_t *r)
{
    gem_cursor_t *format = &r->format;

    while (format->at < format->end) {
        if (isspace((unsigned char)*format->at)) {
            gem_skip_spaces(format);
            gem_skip_spaces(&r->text);
        } else if (gem_take_char(format, '%')) {
            if (!take_directive(r)) {
                return 0;
            }
        } else if (!gem_take_char(&r->text, *format->at++)) {
            return 0;
        }
    }
    return 1;
}

/* One that stands for several. */
static int take_by(reader_t *r, const char *directives)
{
    gem_cursor_t rest = r->format;
    int taken;

    r->format.at = directives;
    r->format.end = directives + strlen(directives);
    taken = take_format(r);
    r->format = rest;
    return taken;
}

static void finish(reader_t *r)
{
    gem_fields_t *fields = &r->fields;

    if (r->short_year >= 0 && !fields->has_year) {
        fields->has_year = 1;
        fields->year = r->short_year + (r->century >= 0      ? r->century * 100
                                        : r->short_year < 69 ? 2000
                                                             : 1900);
    }
    if (r->hour12 >= 0) {
        fields->hour = r->meridian < 0 ? r->hour12 % 24 : r->hour12 % 12 + r->meridian;
    }
}

mrb_value gem_time_strptime(mrb_state *mrb, mrb_value self)
{
    mrb_value text, format;
    gem_moment_t now;
    reader_t r;

    mrb_get_args(mrb, "SS", &text, &format);
    memset(&r, 0, sizeof(r));
    r.century = r.short_year = r.meridian = r.hour12 = -1;
    r.text.at = RSTRING_PTR(text);
    r.text.end = r.text.at + RSTRING_LEN(text);
    r.format.at = RSTRING_PTR(format);
    r.format.end = r.format.at + RSTRING_LEN(format);
    /* What follows in the text is nobody's concern. */
    if (!take_format(&r) || !(gem_fields_say(&r.fields) || r.short_year >= 0)) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "invalid date or strptime format - %v %v", text, format);
    }
    finish(&r);
    gem_moment_of(mrb, mrb_funcall_id(mrb, self, MRB_SYM(now), 0), &now);
    return gem_time_of(mrb, &r.fields, &now, text);
}
