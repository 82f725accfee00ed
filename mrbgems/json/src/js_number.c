/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* strtod_l */
#include "js.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mruby/string.h>

/* Whole numbers up to here are exact in a double, and so are these powers of ten: what is made of
 * one of each by one operation is correctly rounded. */
#define EXACT (INT64_C(1) << 53)
#define TENS 23

static const double tens[TENS] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* At most 19 digits. */
static uint64_t read_digits(const char *p, size_t count)
{
    uint64_t n = 0;

    for (; count > 0; p++, count--) {
        n = n * 10 + (uint64_t)(*p - '0');
    }
    return n;
}

/* The digits that always fit into mrb_int, and what to multiply by for them. */
#ifdef MRB_INT64
#define CHUNK 18
#define CHUNK_SCALE INT64_C(1000000000000000000)
#else
#define CHUNK 9
#define CHUNK_SCALE 1000000000
#endif

/* By chunks: mruby's own reading goes digit by digit and takes 20 times as long. */
static mrb_value read_big(mrb_state *mrb, const char *p, size_t length, bool negative)
{
#ifdef MRB_USE_BIGINT
    size_t first = length % CHUNK;
    mrb_value n = mrb_int_value(mrb, (mrb_int)read_digits(p, first));
    int arena = mrb_gc_arena_save(mrb);

    for (p += first, length -= first; length > 0; p += CHUNK, length -= CHUNK) {
        n = mrb_int_mul(mrb, mrb_int_value(mrb, CHUNK_SCALE), n);
        n = mrb_int_add(mrb, mrb_int_value(mrb, (mrb_int)read_digits(p, CHUNK)), n);
        mrb_gc_arena_restore(mrb, arena);
        mrb_gc_protect(mrb, n);
    }
    return negative ? mrb_int_mul(mrb, mrb_fixnum_value(-1), n) : n;
#else
    mrb_raisef(mrb, E_RANGE_ERROR, "integer %l is too big for this mruby", p, length);
#endif
}

mrb_value js_read_integer(mrb_state *mrb, const char *p, size_t length)
{
    bool negative = *p == '-';

    p += negative;
    length -= negative;
    if (length <= 19) {
        uint64_t u = read_digits(p, length);

        if (u <= (uint64_t)MRB_INT_MAX + negative) {
            return mrb_int_value(mrb, (mrb_int)(negative ? 0 - u : u));
        }
    }
    return read_big(mrb, p, length, negative);
}

/* Reads digits, an exponent beside them.  False: more than fit. */
static bool read_decimal(const char *p, const char *end, int64_t *digits, int *exponent)
{
    int count = 0, shown = 0, sign = 1;
    bool fraction = false;

    *digits = 0;
    *exponent = 0;
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.') {
            fraction = true;
            continue;
        }
        *digits = *digits * 10 + (*p - '0');
        count += *digits > 0;
        *exponent -= fraction;
        if (count > 15) {
            return false;
        }
    }
    if (p < end) {
        p++;
        if (*p == '-' || *p == '+') {
            sign = *p++ == '-' ? -1 : 1;
        }
        for (; p < end; p++) {
            shown = shown * 10 + (*p - '0');
            if (shown > 1000) {
                return false;
            }
        }
        *exponent += sign * shown;
    }
    return true;
}

double js_read_float(const char *p, size_t length)
{
    const char *first = p + (*p == '-');
    int64_t digits;
    int exponent;
    double f;

    if (read_decimal(first, p + length, &digits, &exponent) && abs(exponent) < TENS) {
        f = exponent < 0 ? (double)digits / tens[-exponent] : (double)digits * tens[exponent];
        return *p == '-' ? -f : f;
    }
    /* The locale "C" is a constant of the C library: nothing to free, and strtod() would ask for
     * the decimal point of whatever locale the process has. */
    return strtod_l(p, NULL, newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

/* The Float that a number becomes.  With mruby's usual boxing, that lacks the last two bits. */
static double as_float(mrb_state *mrb, double f)
{
    return mrb_float(mrb_float_value(mrb, f));
}

/* Few decimals, the usual case: digits and how many of them come after the point. */
static bool few_decimals(mrb_state *mrb, double f, int64_t *digits, int *decimals)
{
    int i;

    if (f >= 1e15) {
        return false;
    }
    for (i = 0; i < 8; i++) {
        double scaled = f * tens[i];
        int64_t n = scaled < 1e15 ? (int64_t)(scaled + 0.5) : EXACT;

        if (n >= (int64_t)1e15) {
            return false;
        }
        if (as_float(mrb, (double)n / tens[i]) == f) {
            *digits = n;
            *decimals = i;
            return true;
        }
    }
    return false;
}

/* The digits of from, so many after the first one; do they read back as f? */
static bool reads_back(mrb_state *mrb, double f, double from, int precision, char *digits)
{
    char text[40];
    int count = 0;
    const char *p;

    snprintf(text, sizeof(text), "%.*e", precision, from);
    /* Whatever the decimal point is in this process, it is no digit. */
    for (p = text; *p != 'e'; p++) {
        if (*p >= '0' && *p <= '9') {
            digits[count++] = *p;
        }
    }
    digits[count] = '\0';
    /* The exponent goes behind the digits and their end. */
    memmove(digits + count + 1, p + 1, strlen(p + 1) + 1);
    snprintf(text, sizeof(text), "%.1s.%se%s", digits, digits + 1, digits + count + 1);
    return as_float(mrb, js_read_float(text, strlen(text))) == f;
}

/* The shortest digits that read back as f, without zeros at the end.  The value is 0.DIGITS times
 * ten to the power of what is returned. */
static int shortest(mrb_state *mrb, double f, char *digits, int *count)
{
    double next = nextafter(f, INFINITY);
    /* Up to four numbers become the same Float.  Around the two in the middle, 15 digits always do.
     */
    bool cut = as_float(mrb, next) == f;
    double first = cut ? next : f;
    double second = cut ? nextafter(next, INFINITY) : f;
    int precision = 14;

    while (!reads_back(mrb, f, first, precision, digits) &&
           !(cut && reads_back(mrb, f, second, precision, digits)) && precision < 16) {
        precision++;
    }
    *count = precision + 1;
    while (*count > 1 && digits[*count - 1] == '0') {
        (*count)--;
    }
    return atoi(digits + precision + 2) + 1;
}

/* Digits with their point in Ruby's way: 100.0, 0.001, 1.0e+16. */
static size_t lay_out(const char *digits, int count, int point, char *out)
{
    char *p = out;
    int i;

    if (point > 15 || point < -3) {
        return (size_t)sprintf(out, "%.1s.%.*se%+03d", digits, count > 1 ? count - 1 : 1,
                               count > 1 ? digits + 1 : "0", point - 1);
    }
    if (point <= 0) {
        *p++ = '0';
        *p++ = '.';
        for (i = point; i < 0; i++) {
            *p++ = '0';
        }
        memcpy(p, digits, (size_t)count);
        return (size_t)(p + count - out);
    }
    for (i = 0; i < count || i < point; i++) {
        if (i == point) {
            *p++ = '.';
        }
        *p++ = i < count ? digits[i] : '0';
    }
    if (count <= point) {
        *p++ = '.';
        *p++ = '0';
    }
    return (size_t)(p - out);
}

size_t js_write_float(mrb_state *mrb, double f, char *buffer)
{
    char digits[40];
    size_t sign = signbit(f) ? 1 : 0;
    int64_t whole;
    int count, decimals;

    buffer[0] = '-';
    f = fabs(f);
    if (f == 0) {
        memcpy(buffer + sign, "0.0", 3);
        return sign + 3;
    }
    if (few_decimals(mrb, f, &whole, &decimals)) {
        int length = snprintf(digits, sizeof(digits), "%lld", (long long)whole);

        count = length;
        while (count > 1 && digits[count - 1] == '0') {
            count--;
        }
        return sign + lay_out(digits, count, length - decimals, buffer + sign);
    }
    decimals = shortest(mrb, f, digits, &count);
    return sign + lay_out(digits, count, decimals, buffer + sign);
}
