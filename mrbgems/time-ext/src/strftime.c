/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strftime as Ruby has it: flags, widths, and directives that C's has not.
 */
#include "time_ext.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mruby/error.h>
#include <mruby/string.h>

enum { WIDTH_MAX = 1 << 20 };

const char *const gem_day_names[7] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                      "Thursday", "Friday", "Saturday"};
const char *const gem_month_names[12] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};

/* What stands between % and the letter. */
typedef struct {
    int bare;   /* - : no padding */
    int upper;  /* ^ */
    int change; /* # : the other case */
    char pad;   /* 0 or _ (as a space); '\0' if nobody says */
    int width;  /* -1 if nobody says */
    int colons;
} spec_t;

typedef struct {
    mrb_state *mrb;
    const gem_moment_t *moment;
    mrb_value out;
} formatter_t;

static void cat(formatter_t *f, const char *bytes, size_t len)
{
    mrb_str_cat(f->mrb, f->out, bytes, len);
}

static void pad(formatter_t *f, char with, long count)
{
    char some[32];

    memset(some, with, sizeof(some));
    for (; count > 0; count -= (long)sizeof(some)) {
        cat(f, some, count < (long)sizeof(some) ? (size_t)count : sizeof(some));
    }
}

static void put_text(formatter_t *f, const spec_t *spec, const char *text, size_t len)
{
    size_t i;

    if (!spec->bare) {
        pad(f, spec->pad == '0' ? '0' : ' ', spec->width - (long)len);
    }
    if (!spec->upper) {
        cat(f, text, len);
        return;
    }
    for (i = 0; i < len; i++) {
        char c = (char)toupper((unsigned char)text[i]);

        cat(f, &c, 1);
    }
}

static void put_name(formatter_t *f, const spec_t *spec, const char *name, size_t len)
{
    spec_t upper = *spec;

    upper.upper |= spec->change;
    put_text(f, &upper, name, len);
}

static void put_number(formatter_t *f, const spec_t *spec, long long number, int width, char with)
{
    char digits[32];
    int len = snprintf(digits, sizeof(digits), "%lld", number < 0 ? -number : number);
    int negative = number < 0;

    with = spec->pad ? spec->pad : with;
    width = spec->bare ? 0 : spec->width >= 0 ? spec->width : width;
    if (with == ' ') {
        pad(f, ' ', width - len - negative);
    }
    if (negative) {
        cat(f, "-", 1);
    }
    if (with == '0') {
        pad(f, '0', width - len - negative);
    }
    cat(f, digits, (size_t)len);
}

/* Digits of the second's fraction, as many as the width says. */
static void put_fraction(formatter_t *f, const spec_t *spec, int width)
{
    char digits[16];
    int len = snprintf(digits, sizeof(digits), "%06ld", f->moment->usec);

    width = spec->width > 0 ? spec->width : width;
    cat(f, digits, (size_t)(width < len ? width : len));
    pad(f, '0', width - len);
}

static void put_offset(formatter_t *f, const spec_t *spec)
{
    long offset = labs(f->moment->tm.tm_gmtoff);
    int hours = (int)(offset / 3600);
    int minutes = (int)(offset / 60 % 60);
    int seconds = (int)(offset % 60);
    /* "-00:00" says that the local offset is not known. */
    char sign = f->moment->tm.tm_gmtoff < 0 || (f->moment->utc && spec->bare) ? '-' : '+';
    char rest[16] = "";
    char number[8];
    int len, width;

    switch (spec->colons) {
    case 0:
        snprintf(rest, sizeof(rest), "%02d", minutes);
        break;
    case 1:
        snprintf(rest, sizeof(rest), ":%02d", minutes);
        break;
    case 2:
        snprintf(rest, sizeof(rest), ":%02d:%02d", minutes, seconds);
        break;
    default: /* as short as can be */
        if (seconds > 0) {
            snprintf(rest, sizeof(rest), ":%02d:%02d", minutes, seconds);
        } else if (minutes > 0) {
            snprintf(rest, sizeof(rest), ":%02d", minutes);
        }
    }
    /* The padding is that of the hours. */
    width = spec->width - (int)strlen(rest) - 1;
    width = width < 2 ? 2 : width;
    len = snprintf(number, sizeof(number), "%d", hours);
    if (spec->pad == ' ') {
        pad(f, ' ', width - len);
    }
    cat(f, &sign, 1);
    if (spec->pad != ' ') {
        pad(f, '0', width - len);
    }
    cat(f, number, (size_t)len);
    cat(f, rest, strlen(rest));
}

static void put_zone(formatter_t *f, const spec_t *spec)
{
    const char *name = f->moment->utc ? "UTC" : f->moment->tm.tm_zone;
    spec_t plain = *spec;
    char lower[64];
    size_t i;

    if (!name) {
        name = "";
    }
    if (!spec->change) {
        put_text(f, spec, name, strlen(name));
        return;
    }
    for (i = 0; i < sizeof(lower) && name[i]; i++) {
        lower[i] = (char)tolower((unsigned char)name[i]);
    }
    plain.upper = 0;
    put_text(f, &plain, lower, i);
}

/* The year and the number of an ISO 8601 week. */
static void iso_week(const struct tm *tm, long long *year, int *week)
{
    int thursday = tm->tm_yday + 3 - (tm->tm_wday + 6) % 7; /* of the same week, from January 1st */
    int days;

    *year = tm->tm_year + 1900LL;
    if (thursday < 0) {
        --*year;
        days = *year % 4 == 0 && (*year % 100 != 0 || *year % 400 == 0) ? 366 : 365;
        thursday += days;
    } else {
        days = *year % 4 == 0 && (*year % 100 != 0 || *year % 400 == 0) ? 366 : 365;
        if (thursday >= days) {
            thursday -= days;
            ++*year;
        }
    }
    *week = thursday / 7 + 1;
}

static long long floor_div(long long a, long long b)
{
    return a / b - (a % b < 0);
}

static void format(formatter_t *f, const char *at, const char *end);

/* A directive that stands for several others; its flags are those of the whole. */
static void put_several(formatter_t *f, const spec_t *spec, const char *directives)
{
    formatter_t inner = *f;
    spec_t whole = *spec;

    whole.bare = 0;
    inner.out = mrb_str_new_capa(f->mrb, 32);
    format(&inner, directives, directives + strlen(directives));
    put_text(f, &whole, RSTRING_PTR(inner.out), (size_t)RSTRING_LEN(inner.out));
}

static int put_year_or_week(formatter_t *f, const spec_t *spec, char letter)
{
    const struct tm *tm = &f->moment->tm;
    long long year = tm->tm_year + 1900LL;
    long long iso_year;
    int week;

    iso_week(tm, &iso_year, &week);
    switch (letter) {
    case 'Y':
        put_number(f, spec, year, year < 0 ? 5 : 4, '0');
        break;
    case 'G':
        put_number(f, spec, iso_year, iso_year < 0 ? 5 : 4, '0');
        break;
    case 'C':
        put_number(f, spec, floor_div(year, 100), 2, '0');
        break;
    case 'y':
        put_number(f, spec, year - floor_div(year, 100) * 100, 2, '0');
        break;
    case 'g':
        put_number(f, spec, iso_year - floor_div(iso_year, 100) * 100, 2, '0');
        break;
    case 'V':
        put_number(f, spec, week, 2, '0');
        break;
    case 'U':
        put_number(f, spec, (tm->tm_yday + 7 - tm->tm_wday) / 7, 2, '0');
        break;
    case 'W':
        put_number(f, spec, (tm->tm_yday + 7 - (tm->tm_wday + 6) % 7) / 7, 2, '0');
        break;
    default:
        return 0;
    }
    return 1;
}

static int put_number_for(formatter_t *f, const spec_t *spec, char letter)
{
    const struct tm *tm = &f->moment->tm;
    int hour12 = tm->tm_hour % 12 == 0 ? 12 : tm->tm_hour % 12;

    switch (letter) {
    case 'm':
        put_number(f, spec, tm->tm_mon + 1, 2, '0');
        break;
    case 'd':
        put_number(f, spec, tm->tm_mday, 2, '0');
        break;
    case 'e':
        put_number(f, spec, tm->tm_mday, 2, ' ');
        break;
    case 'j':
        put_number(f, spec, tm->tm_yday + 1, 3, '0');
        break;
    case 'H':
        put_number(f, spec, tm->tm_hour, 2, '0');
        break;
    case 'k':
        put_number(f, spec, tm->tm_hour, 2, ' ');
        break;
    case 'I':
        put_number(f, spec, hour12, 2, '0');
        break;
    case 'l':
        put_number(f, spec, hour12, 2, ' ');
        break;
    case 'M':
        put_number(f, spec, tm->tm_min, 2, '0');
        break;
    case 'S':
        put_number(f, spec, tm->tm_sec, 2, '0');
        break;
    case 'u':
        put_number(f, spec, tm->tm_wday == 0 ? 7 : tm->tm_wday, 1, '0');
        break;
    case 'w':
        put_number(f, spec, tm->tm_wday, 1, '0');
        break;
    case 's':
        put_number(f, spec, f->moment->sec, 1, '0');
        break;
    case 'L':
        put_fraction(f, spec, 3);
        break;
    case 'N':
        put_fraction(f, spec, 9);
        break;
    default:
        return put_year_or_week(f, spec, letter);
    }
    return 1;
}

static int put_text_for(formatter_t *f, const spec_t *spec, char letter)
{
    const struct tm *tm = &f->moment->tm;
    const char *day = gem_day_names[tm->tm_wday];
    const char *month = gem_month_names[tm->tm_mon];
    int afternoon = tm->tm_hour >= 12;

    switch (letter) {
    case 'A':
        put_name(f, spec, day, strlen(day));
        break;
    case 'a':
        put_name(f, spec, day, 3);
        break;
    case 'B':
        put_name(f, spec, month, strlen(month));
        break;
    case 'b':
    case 'h':
        put_name(f, spec, month, 3);
        break;
    case 'p':
        if (spec->change) {
            spec_t plain = *spec;

            plain.upper = 0;
            put_text(f, &plain, afternoon ? "pm" : "am", 2);
        } else {
            put_text(f, spec, afternoon ? "PM" : "AM", 2);
        }
        break;
    case 'P':
        put_name(f, spec, afternoon ? "pm" : "am", 2);
        break;
    case 'Z':
        put_zone(f, spec);
        break;
    case 'n':
        put_text(f, spec, "\n", 1);
        break;
    case 't':
        put_text(f, spec, "\t", 1);
        break;
    case '%':
        put_text(f, spec, "%", 1);
        break;
    default:
        return 0;
    }
    return 1;
}

static int put_directive(formatter_t *f, const spec_t *spec, char letter)
{
    static const struct {
        char letter;
        const char *directives;
    } several[] = {{'c', "%a %b %e %H:%M:%S %Y"},
                   {'D', "%m/%d/%y"},
                   {'x', "%m/%d/%y"},
                   {'F', "%Y-%m-%d"},
                   {'T', "%H:%M:%S"},
                   {'X', "%H:%M:%S"},
                   {'R', "%H:%M"},
                   {'r', "%I:%M:%S %p"},
                   {'v', "%e-%^b-%4Y"}};
    size_t i;

    if (spec->colons > 0 || letter == 'z') {
        if (letter != 'z' || spec->colons > 3) {
            return 0;
        }
        put_offset(f, spec);
        return 1;
    }
    for (i = 0; i < sizeof(several) / sizeof(several[0]); i++) {
        if (several[i].letter == letter) {
            put_several(f, spec, several[i].directives);
            return 1;
        }
    }
    return put_number_for(f, spec, letter) || put_text_for(f, spec, letter);
}

/* Flags, width, colons and E or O, up to the letter.  Says whether there is a letter. */
static int read_spec(formatter_t *f, spec_t *spec, const char **at, const char *end)
{
    for (; *at < end && **at && strchr("-^#0_", **at); ++*at) {
        spec->bare |= **at == '-';
        spec->upper |= **at == '^';
        spec->change |= **at == '#';
        spec->pad = **at == '0' ? '0' : **at == '_' ? ' ' : spec->pad;
    }
    while (*at < end && isdigit((unsigned char)**at)) {
        spec->width = (spec->width < 0 ? 0 : spec->width) * 10 + *(*at)++ - '0';
        if (spec->width > WIDTH_MAX) {
            errno = ERANGE;
            mrb_sys_fail(f->mrb, "strftime");
        }
    }
    while (*at < end && **at == ':') {
        spec->colons++;
        ++*at;
    }
    if (*at < end && spec->colons == 0 && (**at == 'E' || **at == 'O')) {
        const char *letters = **at == 'E' ? "cCxXyY" : "deHkIlmMSuUVwWy";

        if (end - *at >= 2 && (*at)[1] && strchr(letters, (*at)[1])) {
            ++*at;
        }
    }
    return *at < end;
}

static void format(formatter_t *f, const char *at, const char *end)
{
    while (at < end) {
        const char *percent = memchr(at, '%', (size_t)(end - at));
        spec_t spec = {0, 0, 0, '\0', -1, 0};

        if (!percent) {
            cat(f, at, (size_t)(end - at));
            break;
        }
        cat(f, at, (size_t)(percent - at));
        at = percent + 1;
        if (!read_spec(f, &spec, &at, end)) {
            mrb_state *mrb = f->mrb;

            if (spec.colons > 0) {
                cat(f, percent, (size_t)(end - percent));
                break;
            }

            mrb_raise(mrb, E_ARGUMENT_ERROR,
                      "invalid format: it ends in the middle of a directive");
        }
        if (put_directive(f, &spec, *at)) {
            at++;
        } else { /* what nobody knows stands for itself */
            at++;
            cat(f, percent, (size_t)(at - percent));
        }
    }
}

mrb_value gem_moment_format(mrb_state *mrb, const gem_moment_t *moment, const char *directives,
                            mrb_int len)
{
    formatter_t formatter = {mrb, moment, mrb_str_new_capa(mrb, len + len / 2 + 16)};

    format(&formatter, directives, directives + len);
    return formatter.out;
}

mrb_value gem_time_strftime(mrb_state *mrb, mrb_value self)
{
    gem_moment_t moment;
    const char *directives;
    mrb_int len;

    mrb_get_args(mrb, "s", &directives, &len);
    gem_moment_of(mrb, self, &moment);
    return gem_moment_format(mrb, &moment, directives, len);
}
