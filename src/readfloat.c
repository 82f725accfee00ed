/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How mruby reads decimals, in its sources and by String#to_f: in place of the function of this
 * name in libmruby, which adds up the digits and is off by a few bits ("0.1" is not 1 / 10.0).
 *
 * Floor 0.  Knows mruby.
 */
#include <ctype.h>
#include <stdlib.h>

#include <mruby.h>

static const char *digits(const char *p)
{
    while (isdigit((unsigned char)*p)) {
        p++;
    }
    return p;
}

/* Where the number at p ends by mruby's rules: no hexadecimal, no "inf".  p itself: it is none. */
static const char *end_of(const char *p)
{
    const char *begin = p;
    const char *mantissa = p + (*p == '-' || *p == '+');
    const char *end = digits(mantissa);
    const char *exponent;

    if (end == mantissa && *end != '.') {
        return begin;
    }
    if (*end == '.') {
        const char *fraction = digits(end + 1);

        if (fraction == end + 1 && end == mantissa) {
            return begin;
        }
        end = fraction > end + 1 ? fraction : end;
    }
    if (*end == 'e' || *end == 'E') {
        exponent = end + 1 + (end[1] == '-' || end[1] == '+');
        end = isdigit((unsigned char)*exponent) ? digits(exponent) : end;
    }
    return end;
}

mrb_bool mrb_read_float(const char *text, char **endp, double *number)
{
    const char *begin = text;
    const char *end;
    char *read;

    while (isspace((unsigned char)*begin)) {
        begin++;
    }
    end = end_of(begin);
    *number = 0;
    if (end > begin) {
        *number = strtod(begin, &read);
        if (read > end) {
            *number = 0; /* "0x1": only the zero is ours */
        }
    }
    if (endp) {
        *endp = (char *)(end > begin ? end : text);
    }
    return end > begin;
}
