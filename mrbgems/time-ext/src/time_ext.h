/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time as text, and text as Time.
 *
 * Names of days and months are English whatever the locale is, and nothing is kept between calls:
 * only the functions of the C library that write to the caller's memory are used.
 */
#ifndef GEM_TIME_EXT_H
#define GEM_TIME_EXT_H

#include <mruby.h>
#include <time.h>

/* A Time, taken apart. */
typedef struct {
    time_t sec;
    long usec;
    int utc;
    struct tm tm; /* with its offset and the name of its zone */
} gem_moment_t;

/* What a text says about a time. */
typedef struct {
    int has_year, has_mon, has_mday, has_yday, has_hour, has_offset, has_epoch;
    long year;
    int mon, mday, yday, hour, min, sec;
    long usec;
    long offset; /* in seconds */
    int utc;     /* the zone is said to be UTC */
    time_t epoch;
} gem_fields_t;

/* Whether anything was said at all. */
static inline int gem_fields_say(const gem_fields_t *fields)
{
    return fields->has_year || fields->has_mon || fields->has_mday || fields->has_yday ||
           fields->has_hour || fields->has_epoch;
}

/* Where the reading of a text is. */
typedef struct {
    const char *at, *end;
} gem_cursor_t;

extern const char *const gem_day_names[7];
extern const char *const gem_month_names[12];

void gem_moment_of(mrb_state *mrb, mrb_value time, gem_moment_t *moment);

/* A Time of the fields; what is not given comes from *now, as far as it is above what is given, and
 * otherwise is the first there is.  ArgumentError for what cannot be; text is named in it. */
mrb_value gem_time_of(mrb_state *mrb, const gem_fields_t *fields, const gem_moment_t *now,
                      mrb_value text);

/* ---- reading: each takes what it can and says whether it took anything ------------------------
 */

int gem_take_char(gem_cursor_t *c, char expected);

/* A number of at least and at most so many digits. */
int gem_take_number(gem_cursor_t *c, int least, int most, long *number);

/* Part of a second, after its point. */
int gem_take_fraction(gem_cursor_t *c, long *usec);

/* The longest of the names, or of their first three letters, in any case: its index, otherwise -1.
 */
int gem_take_name(gem_cursor_t *c, const char *const *names, int count);

/* +hh, +hhmm, +hh:mm, +hh:mm:ss, Z, UTC, GMT, EST and the like, or a name of the local zone. */
int gem_take_zone(gem_cursor_t *c, gem_fields_t *fields);

void gem_skip_spaces(gem_cursor_t *c);

/* ---- Ruby's methods ------------------------------------------------------------------------ */

mrb_value gem_time_strftime(mrb_state *mrb, mrb_value self);
mrb_value gem_time_strptime(mrb_state *mrb, mrb_value self);
mrb_value gem_time_parse(mrb_state *mrb, mrb_value self);
void gem_time_parse_init(mrb_state *mrb, struct RClass *time);

/* strftime for C. */
mrb_value gem_moment_format(mrb_state *mrb, const gem_moment_t *moment, const char *format,
                            mrb_int len);

#endif
