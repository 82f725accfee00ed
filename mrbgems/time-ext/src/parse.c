/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time.httpdate, rfc2822 and iso8601: one format each.
 */
#include "time_ext.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include <mruby/class.h>
#include <mruby/presym.h>
#include <mruby/string.h>

static int take_int(gem_cursor_t *c, int least, int most, int *number)
{
    long value;

    if (!gem_take_number(c, least, most, &value)) {
        return 0;
    }
    *number = (int)value;
    return 1;
}

static int take_month(gem_cursor_t *c, gem_fields_t *fields)
{
    fields->mon = gem_take_name(c, gem_month_names, 12) + 1;
    fields->has_mon = fields->mon > 0;
    return fields->has_mon;
}

/* hh:mm:ss */
static int take_clock(gem_cursor_t *c, gem_fields_t *fields)
{
    return take_int(c, 2, 2, &fields->hour) && gem_take_char(c, ':') &&
           take_int(c, 2, 2, &fields->min) && gem_take_char(c, ':') &&
           take_int(c, 2, 2, &fields->sec);
}

static int take_literal(gem_cursor_t *c, const char *literal)
{
    size_t len = strlen(literal);

    if ((size_t)(c->end - c->at) < len || strncasecmp(c->at, literal, len) != 0) {
        return 0;
    }
    c->at += len;
    return 1;
}

/* Of the last century from 50 on. */
static long short_year(long year)
{
    return year + (year < 50 ? 2000 : 1900);
}

/* ---- HTTP ---------------------------------------------------------------------------------- */

/* 06 Nov 1994 08:49:37 GMT, behind the day's short name */
static int take_imf_fixdate(gem_cursor_t *c, gem_fields_t *fields)
{
    return take_literal(c, ", ") && take_int(c, 2, 2, &fields->mday) && gem_take_char(c, ' ') &&
           take_month(c, fields) && gem_take_char(c, ' ') &&
           gem_take_number(c, 4, 4, &fields->year) && gem_take_char(c, ' ') &&
           take_clock(c, fields) && take_literal(c, " GMT");
}

/* 06-Nov-94 08:49:37 GMT, behind the day's long name */
static int take_rfc850(gem_cursor_t *c, gem_fields_t *fields)
{
    if (take_literal(c, ", ") && take_int(c, 2, 2, &fields->mday) && gem_take_char(c, '-') &&
        take_month(c, fields) && gem_take_char(c, '-') && gem_take_number(c, 2, 2, &fields->year) &&
        gem_take_char(c, ' ') && take_clock(c, fields) && take_literal(c, " GMT")) {
        fields->year = short_year(fields->year);
        return 1;
    }
    return 0;
}

/* Nov  6 08:49:37 1994, behind the day's short name */
static int take_asctime(gem_cursor_t *c, gem_fields_t *fields)
{
    return gem_take_char(c, ' ') && take_month(c, fields) && gem_take_char(c, ' ') &&
           (gem_take_char(c, ' ') ? take_int(c, 1, 1, &fields->mday)
                                  : take_int(c, 2, 2, &fields->mday)) &&
           gem_take_char(c, ' ') && take_clock(c, fields) && gem_take_char(c, ' ') &&
           gem_take_number(c, 4, 4, &fields->year);
}

static int take_httpdate(gem_cursor_t *c, gem_fields_t *fields)
{
    gem_cursor_t day;
    size_t len;

    gem_skip_spaces(c);
    day = *c;
    if (gem_take_name(c, gem_day_names, 7) < 0) {
        return 0;
    }
    len = (size_t)(c->at - day.at);
    day = *c;
    if (!(len > 3 ? take_rfc850(c, fields) : take_imf_fixdate(c, fields))) {
        if (len > 3) {
            return 0;
        }
        *c = day;
        if (!take_asctime(c, fields)) {
            return 0;
        }
    }
    gem_skip_spaces(c);
    fields->has_offset = fields->utc = 1;
    fields->offset = 0;
    return c->at == c->end;
}

/* ---- mail ---------------------------------------------------------------------------------- */

static int skip_some_spaces(gem_cursor_t *c)
{
    const char *from = c->at;

    gem_skip_spaces(c);
    return c->at > from;
}

/* hh:mm[:ss] with spaces about the colons */
static int take_loose_clock(gem_cursor_t *c, gem_fields_t *fields)
{
    gem_cursor_t from;

    if (!take_int(c, 2, 2, &fields->hour)) {
        return 0;
    }
    gem_skip_spaces(c);
    if (!gem_take_char(c, ':')) {
        return 0;
    }
    gem_skip_spaces(c);
    if (!take_int(c, 2, 2, &fields->min)) {
        return 0;
    }
    from = *c;
    gem_skip_spaces(c);
    if (!gem_take_char(c, ':')) {
        *c = from;
        return 1;
    }
    gem_skip_spaces(c);
    return take_int(c, 2, 2, &fields->sec);
}

/* What follows the zone, such as its name in brackets, is nobody's concern. */
static int take_rfc2822(gem_cursor_t *c, gem_fields_t *fields)
{
    const char *year, *day;

    gem_skip_spaces(c);
    day = c->at;
    if (gem_take_name(c, gem_day_names, 7) >= 0) {
        if (c->at - day > 3) {
            return 0;
        }
        gem_skip_spaces(c);
        if (!gem_take_char(c, ',')) {
            return 0;
        }
        gem_skip_spaces(c);
    }
    if (!take_int(c, 1, 2, &fields->mday) || !skip_some_spaces(c) || !take_month(c, fields) ||
        !skip_some_spaces(c)) {
        return 0;
    }
    year = c->at;
    if (!gem_take_number(c, 2, 9, &fields->year)) {
        return 0;
    }
    if (c->at - year <= 3) {
        fields->year = short_year(fields->year);
    }
    return skip_some_spaces(c) && take_loose_clock(c, fields) && skip_some_spaces(c) &&
           gem_take_zone(c, fields);
}

/* ---- XML Schema, which is the strict part of ISO 8601 ---------------------------------------- */

static int take_xmlschema(gem_cursor_t *c, gem_fields_t *fields)
{
    int negative;

    gem_skip_spaces(c);
    negative = gem_take_char(c, '-');
    if (!gem_take_number(c, 1, 9, &fields->year) || !gem_take_char(c, '-') ||
        !take_int(c, 2, 2, &fields->mon) || !gem_take_char(c, '-') ||
        !take_int(c, 2, 2, &fields->mday) || !take_literal(c, "T") || !take_clock(c, fields)) {
        return 0;
    }
    fields->year *= negative ? -1 : 1;
    fields->has_mon = fields->has_mday = 1;
    if (gem_take_char(c, '.') && !gem_take_fraction(c, &fields->usec)) {
        return 0;
    }
    if (c->at < c->end && strchr("Zz+-", *c->at)) {
        if (!gem_take_zone(c, fields)) {
            return 0;
        }
    }
    gem_skip_spaces(c);
    return c->at == c->end;
}

/* ---- Ruby's methods ------------------------------------------------------------------------ */

typedef int take_t(gem_cursor_t *c, gem_fields_t *fields);

static mrb_value time_from(mrb_state *mrb, take_t *take, const char *what)
{
    static const gem_moment_t never;
    gem_fields_t fields;
    gem_cursor_t c;
    mrb_value text;

    mrb_get_args(mrb, "S", &text);
    memset(&fields, 0, sizeof(fields));
    c.at = RSTRING_PTR(text);
    c.end = c.at + RSTRING_LEN(text);
    if (!take(&c, &fields)) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "not %s: %!v", what, text);
    }
    fields.has_year = fields.has_mday = 1;
    return gem_time_of(mrb, &fields, &never, text);
}

static mrb_value time_httpdate(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return time_from(mrb, take_httpdate, "RFC 2616 compliant date");
}

static mrb_value time_rfc2822(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return time_from(mrb, take_rfc2822, "RFC 2822 compliant date");
}

static mrb_value time_xmlschema(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return time_from(mrb, take_xmlschema, "an xmlschema format");
}

void gem_time_parse_init(mrb_state *mrb, struct RClass *time)
{
    mrb_define_class_method_id(mrb, time, MRB_SYM(httpdate), time_httpdate, MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, time, MRB_SYM(rfc2822), time_rfc2822, MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, time, MRB_SYM(rfc822), time_rfc2822, MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, time, MRB_SYM(iso8601), time_xmlschema, MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, time, MRB_SYM(xmlschema), time_xmlschema, MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, time, MRB_SYM(parse), gem_time_parse, MRB_ARGS_ARG(1, 1));
}
