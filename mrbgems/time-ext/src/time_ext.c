/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time: what it lacks in mruby, and the way between a Time and its fields.
 */
#include "time_ext.h"

#include <limits.h>
#include <string.h>

#include <mruby/class.h>
#include <mruby/presym.h>
#include <mruby/string.h>

void gem_moment_of(mrb_state *mrb, mrb_value time, gem_moment_t *moment)
{
    /* By the methods of Time: how it is stored is mruby's own business. */
    moment->sec = (time_t)mrb_as_int(mrb, mrb_funcall_id(mrb, time, MRB_SYM(to_i), 0));
    moment->usec = (long)mrb_as_int(mrb, mrb_funcall_id(mrb, time, MRB_SYM(usec), 0));
    moment->utc = mrb_test(mrb_funcall_id(mrb, time, MRB_SYM_Q(utc), 0));
    if (!(moment->utc ? gmtime_r : localtime_r)(&moment->sec, &moment->tm)) {
        mrb_raise(mrb, E_ARGUMENT_ERROR, "out of Time range");
    }
}

/* ---- from fields to a Time ----------------------------------------------------------------- */

/* Days from 1970-01-01 to a day of the Gregorian calendar; the month may be any from 1 to 12. */
static long long days_from_epoch(long long year, int mon, int mday)
{
    long long eras, days;

    year -= mon <= 2;
    eras = (year >= 0 ? year : year - 399) / 400;
    year -= eras * 400;
    days = (153 * (mon + (mon > 2 ? -3 : 9)) + 2) / 5 + mday - 1;
    days += year * 365 + year / 4 - year / 100;
    return eras * 146097 + days - 719468;
}

static void fail_range(mrb_state *mrb, mrb_value text)
{
    mrb_raisef(mrb, E_ARGUMENT_ERROR, "argument out of range: %!v", text);
}

/* Fills in what a text leaves open. */
static void complete(gem_fields_t *fields, const gem_moment_t *now)
{
    struct tm tm = now->tm;

    if (fields->has_offset) {
        time_t there = now->sec + fields->offset;

        gmtime_r(&there, &tm);
    }
    if (!fields->has_year) {
        fields->year = tm.tm_year + 1900L;
        if (!fields->has_mon && !fields->has_yday) {
            fields->mon = tm.tm_mon + 1;
            if (!fields->has_mday) {
                fields->mday = tm.tm_mday;
            }
        }
    }
    if (fields->mon == 0 && !fields->has_mon) {
        fields->mon = 1;
    }
    if (fields->mday == 0 && !fields->has_mday) {
        fields->mday = 1;
    }
}

static int days_in(long year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365;
}

static void check(mrb_state *mrb, const gem_fields_t *fields, mrb_value text)
{
    if (fields->mon < 1 || fields->mon > 12 || fields->mday < 1 || fields->mday > 31 ||
        fields->hour < 0 || fields->hour > 24 || fields->min < 0 || fields->min > 59 ||
        fields->sec < 0 || fields->sec > 60 ||
        (fields->hour == 24 && (fields->min > 0 || fields->sec > 0)) ||
        (fields->has_yday && (fields->yday < 1 || fields->yday > days_in(fields->year))) ||
        fields->year < -999999 || fields->year > 999999) {
        fail_range(mrb, text);
    }
}

/* Whether the local time at that moment has that offset. */
static int is_local(time_t sec, long offset)
{
    struct tm tm;

    return localtime_r(&sec, &tm) && tm.tm_gmtoff == offset;
}

static mrb_value make(mrb_state *mrb, time_t sec, long usec, int utc)
{
    mrb_value time = mrb_obj_value(mrb_class_get_id(mrb, MRB_SYM(Time)));

    time = mrb_funcall_id(mrb, time, MRB_SYM(at), 2, mrb_int_value(mrb, sec),
                          mrb_int_value(mrb, usec));
    return utc ? mrb_funcall_id(mrb, time, MRB_SYM(utc), 0) : time;
}

static time_t local_seconds_by(const gem_fields_t *fields, int summer)
{
    struct tm tm;

    memset(&tm, 0, sizeof(tm));
    tm.tm_year = (int)(fields->year - 1900);
    tm.tm_mon = fields->mon - 1;
    tm.tm_mday = fields->mday;
    tm.tm_hour = fields->hour;
    tm.tm_min = fields->min;
    tm.tm_sec = fields->sec;
    tm.tm_isdst = summer;
    return mktime(&tm);
}

/* Of an hour that comes twice, at the end of summer, the second is meant, as CRuby has it. */
static time_t local_seconds(const gem_fields_t *fields)
{
    time_t sec = local_seconds_by(fields, -1);
    time_t winter = local_seconds_by(fields, 0);
    struct tm tm;

    if (winter != sec && localtime_r(&winter, &tm) && tm.tm_hour == fields->hour % 24 &&
        tm.tm_min == fields->min && tm.tm_isdst == 0) {
        return winter;
    }
    return sec;
}

mrb_value gem_time_of(mrb_state *mrb, const gem_fields_t *given, const gem_moment_t *now,
                      mrb_value text)
{
    gem_fields_t fields = *given;
    time_t sec;

    if (fields.has_epoch) {
        return make(mrb, fields.epoch, fields.usec, fields.utc);
    }
    complete(&fields, now);
    check(mrb, &fields, text);
    if (fields.has_yday) {
        fields.mon = 1;
        fields.mday = fields.yday;
    }
    if (!fields.has_offset) {
        return make(mrb, local_seconds(&fields), fields.usec, 0);
    }
    sec = (time_t)(days_from_epoch(fields.year, fields.mon, fields.mday) * 86400 +
                   fields.hour * 3600L + fields.min * 60L + fields.sec - fields.offset);
    /* A Time of mruby's is UTC or local: whichever shows the fields as they were written. */
    return make(mrb, sec, fields.usec, fields.utc || (fields.offset == 0 && !is_local(sec, 0)));
}

/* ---- methods ------------------------------------------------------------------------------- */

static mrb_value time_format(mrb_state *mrb, const gem_moment_t *moment, const char *directives)
{
    return gem_moment_format(mrb, moment, directives, (mrb_int)strlen(directives));
}

static mrb_value time_httpdate(mrb_state *mrb, mrb_value self)
{
    gem_moment_t moment;

    gem_moment_of(mrb, self, &moment);
    gmtime_r(&moment.sec, &moment.tm);
    return time_format(mrb, &moment, "%a, %d %b %Y %H:%M:%S GMT");
}

static mrb_value time_rfc2822(mrb_state *mrb, mrb_value self)
{
    gem_moment_t moment;

    gem_moment_of(mrb, self, &moment);
    return time_format(mrb, &moment, "%a, %d %b %Y %H:%M:%S %-z");
}

static mrb_value time_xmlschema(mrb_state *mrb, mrb_value self)
{
    gem_moment_t moment;
    mrb_int digits = 0;
    mrb_value text;

    mrb_get_args(mrb, "|i", &digits);
    if (digits > 100) {
        mrb_raise(mrb, E_ARGUMENT_ERROR, "a second has not so many digits");
    }
    gem_moment_of(mrb, self, &moment);
    text = time_format(mrb, &moment, "%Y-%m-%dT%H:%M:%S");
    if (digits > 0) {
        mrb_str_concat(mrb, text,
                       time_format(mrb, &moment, RSTRING_PTR(mrb_format(mrb, ".%%%iN", digits))));
    }
    mrb_str_concat(mrb, text, time_format(mrb, &moment, moment.utc ? "Z" : "%:z"));
    return text;
}

static mrb_value time_utc_offset(mrb_state *mrb, mrb_value self)
{
    gem_moment_t moment;

    gem_moment_of(mrb, self, &moment);
    return mrb_int_value(mrb, moment.tm.tm_gmtoff);
}

static mrb_value time_zone(mrb_state *mrb, mrb_value self)
{
    gem_moment_t moment;

    gem_moment_of(mrb, self, &moment);
    return time_format(mrb, &moment, "%Z");
}

static mrb_value time_nsec(mrb_state *mrb, mrb_value self)
{
    gem_moment_t moment;

    gem_moment_of(mrb, self, &moment);
    return mrb_int_value(mrb, moment.usec * 1000);
}

void mrb_time_ext_gem_init(mrb_state *mrb)
{
    struct RClass *time = mrb_class_get_id(mrb, MRB_SYM(Time));

    mrb_define_method_id(mrb, time, MRB_SYM(strftime), gem_time_strftime, MRB_ARGS_REQ(1));
    mrb_define_method_id(mrb, time, MRB_SYM(httpdate), time_httpdate, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, time, MRB_SYM(rfc2822), time_rfc2822, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, time, MRB_SYM(rfc822), time_rfc2822, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, time, MRB_SYM(iso8601), time_xmlschema, MRB_ARGS_OPT(1));
    mrb_define_method_id(mrb, time, MRB_SYM(xmlschema), time_xmlschema, MRB_ARGS_OPT(1));
    mrb_define_method_id(mrb, time, MRB_SYM(utc_offset), time_utc_offset, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, time, MRB_SYM(gmt_offset), time_utc_offset, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, time, MRB_SYM(gmtoff), time_utc_offset, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, time, MRB_SYM(zone), time_zone, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, time, MRB_SYM(nsec), time_nsec, MRB_ARGS_NONE());
    mrb_define_class_method_id(mrb, time, MRB_SYM(strptime), gem_time_strptime, MRB_ARGS_REQ(2));
    gem_time_parse_init(mrb, time);
}

void mrb_time_ext_gem_final(mrb_state *mrb)
{
    (void)mrb;
}
