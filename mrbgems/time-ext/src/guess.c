/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time.parse: a time in any of the usual formats.
 *
 * A date, a clock and a zone are taken in whatever order they come.  What nobody can make sense of
 * is an error: a time that was only half understood is worse than none.
 */
#include "time_ext.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include <mruby/presym.h>
#include <mruby/string.h>

/* How many digits, or letters, are next. */
static int run_of(const gem_cursor_t *c, int (*is)(int))
{
    const char *at = c->at;

    while (at < c->end && is((unsigned char)*at)) {
        at++;
    }
    return at - c->at > 99 ? 99 : (int)(at - c->at);
}

static int next_is(const gem_cursor_t *c, const char *any)
{
    return c->at < c->end && *c->at && strchr(any, *c->at);
}

/* The index of the name that the next word is, or the beginning of: Thu, Thurs, Thursday.  -1 for
 * none of them. */
static int take_word(gem_cursor_t *c, const char *const *names, int count)
{
    int len = run_of(c, isalpha);
    int i;

    for (i = 0; len >= 3 && i < count; i++) {
        if ((size_t)len <= strlen(names[i]) && strncasecmp(c->at, names[i], (size_t)len) == 0) {
            c->at += len;
            gem_take_char(c, '.');
            return i;
        }
    }
    return -1;
}

static void set_mon(gem_fields_t *fields, long mon)
{
    fields->has_mon = 1;
    fields->mon = mon > 99 ? 99 : (int)mon;
}

static void set_mday(gem_fields_t *fields, long mday)
{
    fields->has_mday = 1;
    fields->mday = mday > 99 ? 99 : (int)mday;
}

static void set_year(gem_fields_t *fields, long year, int digits)
{
    fields->has_year = 1;
    fields->year = digits > 2 ? year : year + (year < 69 ? 2000 : 1900);
}

/* ---- clocks and zones ---------------------------------------------------------------------- */

static int take_meridian(gem_cursor_t *c, gem_fields_t *fields)
{
    gem_cursor_t from = *c;
    int afternoon;

    gem_skip_spaces(c);
    afternoon = next_is(c, "pP");
    if (!next_is(c, "aApP") || (c->at++, gem_take_char(c, '.'), !next_is(c, "mM")) ||
        (c->at++, gem_take_char(c, '.'), run_of(c, isalpha) > 0)) {
        *c = from;
        return 1;
    }
    if (fields->hour < 1 || fields->hour > 12) {
        return 0;
    }
    fields->hour = fields->hour % 12 + (afternoon ? 12 : 0);
    return 1;
}

/* With an offset behind GMT or UTC, that is what counts: GMT+0100. */
static int take_zone(gem_cursor_t *c, gem_fields_t *fields)
{
    int is_name = c->at < c->end && isalpha((unsigned char)*c->at);

    if (!gem_take_zone(c, fields)) {
        return 0;
    }
    return !(is_name && fields->offset == 0 && next_is(c, "+-")) || gem_take_zone(c, fields);
}

/* hh:mm:ss.fraction; also without colons, where it is known to be a clock. */
static int take_clock(gem_cursor_t *c, gem_fields_t *fields)
{
    long number;
    int colons;

    if (fields->has_hour || !gem_take_number(c, 1, 2, &number)) {
        return 0;
    }
    fields->has_hour = 1;
    fields->hour = (int)number;
    colons = gem_take_char(c, ':');
    if (colons || run_of(c, isdigit) > 0) {
        if (!gem_take_number(c, 2, 2, &number)) {
            return 0;
        }
        fields->min = (int)number;
    }
    if (colons ? gem_take_char(c, ':') : run_of(c, isdigit) > 0) {
        if (!gem_take_number(c, 2, 2, &number)) {
            return 0;
        }
        fields->sec = (int)number;
        if (next_is(c, ".,") && c->at + 1 < c->end && isdigit((unsigned char)c->at[1])) {
            c->at++;
            gem_take_fraction(c, &fields->usec);
        }
    }
    return !next_is(c, ":0123456789") && take_meridian(c, fields);
}

/* "3 pm" */
static int take_hour(gem_cursor_t *c, gem_fields_t *fields)
{
    gem_cursor_t from = *c;
    const char *end;
    long hour;

    if (fields->has_hour || !gem_take_number(c, 1, 2, &hour)) {
        return 0;
    }
    end = c->at;
    fields->hour = (int)hour;
    if (take_meridian(c, fields) && c->at > end) {
        fields->has_hour = 1;
        return 1;
    }
    fields->hour = 0;
    *c = from;
    return 0;
}

/* ---- dates --------------------------------------------------------------------------------- */

/* yyyymmdd[hhmmss] */
static int take_compact(gem_cursor_t *c, gem_fields_t *fields, int digits)
{
    long year, mon, mday;

    if (!gem_take_number(c, 4, 4, &year) || !gem_take_number(c, 2, 2, &mon) ||
        !gem_take_number(c, 2, 2, &mday)) {
        return 0;
    }
    set_year(fields, year, 4);
    set_mon(fields, mon);
    set_mday(fields, mday);
    return digits == 8 || take_clock(c, fields);
}

/* Three parts with - / or . between them: year, month, day, or the other way round if the last has
 * more than two digits.  The month may be a name. */
static int take_parts(gem_cursor_t *c, gem_fields_t *fields, char separator)
{
    long first, second = 0, third;
    int first_digits = run_of(c, isdigit);
    int second_digits, third_digits, mon;

    if (!gem_take_number(c, 1, 9, &first) || !gem_take_char(c, separator)) {
        return 0;
    }
    second_digits = run_of(c, isdigit);
    mon = take_word(c, gem_month_names, 12);
    if (mon >= 0) {
        second = mon + 1;
    } else if (!gem_take_number(c, 1, 3, &second)) {
        return 0;
    }
    if (!next_is(c, (char[]){separator, '\0'})) {
        if (first_digits > 2 && second_digits == 3) {
            set_year(fields, first, first_digits);
            fields->has_yday = 1;
            fields->yday = (int)second;
        } else if (first_digits > 2) {
            set_year(fields, first, first_digits);
            set_mon(fields, second);
        } else if (separator == '/') {
            set_mon(fields, first);
            set_mday(fields, second);
        } else if (mon >= 0) {
            set_mday(fields, first);
            set_mon(fields, second);
        } else {
            return 0;
        }
        return 1;
    }
    c->at++;
    third_digits = run_of(c, isdigit);
    if (second_digits > 2 || !gem_take_number(c, 1, 9, &third)) {
        return 0;
    }
    set_mon(fields, second);
    if (first_digits <= 2 && (third_digits > 2 || mon >= 0)) {
        set_mday(fields, first);
        set_year(fields, third, third_digits);
    } else {
        set_year(fields, first, first_digits);
        set_mday(fields, third);
    }
    return 1;
}

/* A number that stands alone: a day, or a year. */
static int take_alone(gem_cursor_t *c, gem_fields_t *fields, int digits)
{
    static const char *const endings[] = {"st", "nd", "rd", "th"};
    long number;
    size_t i;

    if (!gem_take_number(c, 1, 9, &number)) {
        return 0;
    }
    if (digits <= 2 && !fields->has_mday) {
        set_mday(fields, number);
        for (i = 0; run_of(c, isalpha) == 2 && i < 4; i++) {
            if (strncasecmp(c->at, endings[i], 2) == 0) {
                c->at += 2;
            }
        }
        return 1;
    }
    if (fields->has_year || digits == 3) {
        return 0;
    }
    set_year(fields, number, digits);
    return 1;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static int take_digits(gem_cursor_t *c, gem_fields_t *fields)
{
    int digits = run_of(c, isdigit);
    char after = c->at + digits < c->end ? c->at[digits] : '\0';
    int has_date = fields->has_mday || fields->has_yday;

    if (after == ':' && digits <= 2) {
        return take_clock(c, fields);
    }
    if (!has_date && !fields->has_year && (digits == 8 || digits == 12 || digits == 14)) {
        return take_compact(c, fields, digits);
    }
    if (!has_date && !fields->has_mon && digits <= 6 && after && strchr("-/.", after)) {
        return take_parts(c, fields, after);
    }
    if (digits <= 2 && take_hour(c, fields)) {
        return 1;
    }
    return take_alone(c, fields, digits);
}

static int take_letters(gem_cursor_t *c, gem_fields_t *fields)
{
    int mon;

    if (next_is(c, "tT") && c->at + 1 < c->end && isdigit((unsigned char)c->at[1]) &&
        (fields->has_mday || fields->has_yday)) {
        c->at++;
        return take_clock(c, fields);
    }
    if (take_word(c, gem_day_names, 7) >= 0) {
        return 1;
    }
    mon = fields->has_mon ? -1 : take_word(c, gem_month_names, 12);
    if (mon >= 0) {
        set_mon(fields, mon + 1);
        return 1;
    }
    return fields->has_hour && !fields->has_offset && take_zone(c, fields);
}

/* "(Central European Time)" */
static int skip_comment(gem_cursor_t *c)
{
    const char *close = memchr(c->at, ')', (size_t)(c->end - c->at));

    if (!close) {
        return 0;
    }
    c->at = close + 1;
    return 1;
}

static int guess(gem_cursor_t *c, gem_fields_t *fields)
{
    for (;;) {
        int taken;

        while (next_is(c, " \t\n\v\f\r,")) {
            c->at++;
        }
        if (c->at == c->end) {
            break;
        }
        if (isdigit((unsigned char)*c->at)) {
            taken = take_digits(c, fields);
        } else if (isalpha((unsigned char)*c->at)) {
            taken = take_letters(c, fields);
        } else if (*c->at == '(') {
            taken = fields->has_hour && skip_comment(c);
        } else {
            taken = fields->has_hour && !fields->has_offset && take_zone(c, fields);
        }
        if (!taken) {
            return 0;
        }
    }
    return gem_fields_say(fields);
}

mrb_value gem_time_parse(mrb_state *mrb, mrb_value self)
{
    gem_fields_t fields;
    gem_moment_t now;
    gem_cursor_t c;
    mrb_value text;
    mrb_value since = mrb_nil_value();

    mrb_get_args(mrb, "S|o", &text, &since);
    if (mrb_nil_p(since)) {
        since = mrb_funcall_id(mrb, self, MRB_SYM(now), 0);
    }
    gem_moment_of(mrb, since, &now);
    memset(&fields, 0, sizeof(fields));
    c.at = RSTRING_PTR(text);
    c.end = c.at + RSTRING_LEN(text);
    if (!guess(&c, &fields)) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "no time information in %!v", text);
    }
    return gem_time_of(mrb, &fields, &now, text);
}
