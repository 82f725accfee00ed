/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts that the texts of times are made of.
 */
#include "time_ext.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

int gem_take_char(gem_cursor_t *c, char expected)
{
    if (c->at < c->end && *c->at == expected) {
        c->at++;
        return 1;
    }
    return 0;
}

void gem_skip_spaces(gem_cursor_t *c)
{
    while (c->at < c->end && isspace((unsigned char)*c->at)) {
        c->at++;
    }
}

int gem_take_number(gem_cursor_t *c, int least, int most, long *number)
{
    const char *at = c->at;
    long value = 0;

    while (at < c->end && at - c->at < most && *at >= '0' && *at <= '9') {
        value = value * 10 + *at++ - '0';
    }
    if (at - c->at < least) {
        return 0;
    }
    c->at = at;
    *number = value;
    return 1;
}

int gem_take_fraction(gem_cursor_t *c, long *usec)
{
    long scale = 100000;

    if (c->at == c->end || !isdigit((unsigned char)*c->at)) {
        return 0;
    }
    for (*usec = 0; c->at < c->end && isdigit((unsigned char)*c->at); c->at++) {
        *usec += (*c->at - '0') * scale;
        scale /= 10;
    }
    return 1;
}

int gem_take_name(gem_cursor_t *c, const char *const *names, int count)
{
    int i;

    for (i = 0; i < count; i++) {
        size_t len = strlen(names[i]);
        size_t left = (size_t)(c->end - c->at);

        if (left >= len && strncasecmp(c->at, names[i], len) == 0) {
            c->at += len;
            return i;
        }
        if (left >= 3 && strncasecmp(c->at, names[i], 3) == 0) {
            c->at += 3;
            return i;
        }
    }
    return -1;
}

/* hh, hhmm, hh:mm, hhmmss, hh:mm:ss, behind the sign */
static int take_offset(gem_cursor_t *c, long *offset)
{
    gem_cursor_t from = *c;
    long hours, minutes = 0, seconds = 0;

    if (!gem_take_number(c, 2, 2, &hours)) {
        *c = from;
        return 0;
    }
    from = *c;
    if (gem_take_char(c, ':')) {
        if (!gem_take_number(c, 2, 2, &minutes)) {
            *c = from;
        } else {
            from = *c;
            if (gem_take_char(c, ':') && !gem_take_number(c, 2, 2, &seconds)) {
                *c = from;
            }
        }
    } else if (gem_take_number(c, 2, 2, &minutes)) {
        gem_take_number(c, 2, 2, &seconds);
    }
    *offset = hours * 3600 + minutes * 60 + seconds;
    return hours < 24 && minutes < 60 && seconds < 60;
}

/* A letter of the alphabet, as ships have it; J is nobody's. */
static int military_zone(char letter, long *offset)
{
    static const char east[] = "ABCDEFGHIKLM", west[] = "NOPQRSTUVWXY";
    const char *found;

    letter = (char)toupper((unsigned char)letter);
    if (letter == 'Z') {
        *offset = 0;
    } else if ((found = strchr(east, letter)) != NULL) {
        *offset = (found - east + 1) * 3600;
    } else if ((found = strchr(west, letter)) != NULL) {
        *offset = -(found - west + 1) * 3600;
    } else {
        return 0;
    }
    return 1;
}

/* Whether a name is that of the local zone, in winter or in summer. */
static int local_zone(const char *name, size_t len, long *offset)
{
    time_t now = time(NULL);
    int half;

    for (half = 0; half < 2; half++) {
        time_t then = now + half * 182L * 86400;
        struct tm tm;

        if (localtime_r(&then, &tm) && tm.tm_zone && strlen(tm.tm_zone) == len &&
            strncasecmp(tm.tm_zone, name, len) == 0) {
            *offset = tm.tm_gmtoff;
            return 1;
        }
    }
    return 0;
}

static int zone_named(const char *name, size_t len, gem_fields_t *fields)
{
    static const struct {
        const char *name;
        int hours;
    } zones[] = {{"UTC", 0},  {"UT", 0},   {"GMT", 0},  {"EST", -5}, {"EDT", -4}, {"CST", -6},
                 {"CDT", -5}, {"MST", -7}, {"MDT", -6}, {"PST", -8}, {"PDT", -7}};
    size_t i;

    for (i = 0; i < sizeof(zones) / sizeof(zones[0]); i++) {
        if (strlen(zones[i].name) == len && strncasecmp(zones[i].name, name, len) == 0) {
            fields->offset = zones[i].hours * 3600L;
            fields->utc = i < 2;
            return 1;
        }
    }
    if (len == 1 && military_zone(name[0], &fields->offset)) {
        fields->utc = fields->offset == 0;
        return 1;
    }
    return local_zone(name, len, &fields->offset);
}

int gem_take_zone(gem_cursor_t *c, gem_fields_t *fields)
{
    const char *begin = c->at;
    char sign;

    if (begin == c->end) {
        return 0;
    }
    sign = *begin;
    if (sign == '+' || sign == '-') {
        c->at++;
        if (!take_offset(c, &fields->offset)) {
            c->at = begin;
            return 0;
        }
        fields->utc = sign == '-' && fields->offset == 0; /* "-00:00": UTC, the local is unknown */
        fields->offset *= sign == '-' ? -1 : 1;
    } else {
        while (c->at < c->end && isalpha((unsigned char)*c->at)) {
            c->at++;
        }
        if (c->at == begin || (c->at < c->end && isdigit((unsigned char)*c->at)) ||
            !zone_named(begin, (size_t)(c->at - begin), fields)) {
            c->at = begin;
            return 0;
        }
    }
    fields->has_offset = 1;
    return 1;
}
