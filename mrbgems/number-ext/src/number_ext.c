/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mruby.h>
#include <mruby/class.h>
#include <mruby/numeric.h>
#include <mruby/string.h>

/* The shortest digits that read back as the same number: "d.ddde+xx" by the C library. */
static void shortest(double number, char *out, size_t size)
{
    /* 15 digits are always read back as they were written, and zeros at the end go; below the
     * normal numbers there are fewer bits, and fewer digits may do. */
    int precision = number < 2.3e-308 ? 0 : 14;

    for (; precision <= 16; precision++) {
        snprintf(out, size, "%.*e", precision, number);
        if (strtod(out, NULL) == number) {
            return;
        }
    }
}

/* Digits without the point and without zeros at the end; returns where the point stands. */
static int split(const char *scientific, char *digits, size_t *count)
{
    const char *p = scientific;
    size_t n = 0;
    int exponent;

    for (; *p != 'e'; p++) {
        if (*p >= '0' && *p <= '9') {
            digits[n++] = *p;
        }
    }
    exponent = atoi(p + 1);
    while (n > 1 && digits[n - 1] == '0') {
        n--;
    }
    *count = n;
    return exponent + 1;
}

/* As CRuby writes it: with an exponent from 1.0e+16 on and below 0.0001. */
static mrb_value float_to_s(mrb_state *mrb, mrb_value self)
{
    double number = mrb_float(self);
    char scientific[40], digits[32], text[64];
    char *out = text;
    size_t count, i;
    int point;

    if (isnan(number)) {
        return mrb_str_new_lit(mrb, "NaN");
    }
    if (isinf(number)) {
        return number < 0 ? mrb_str_new_lit(mrb, "-Infinity") : mrb_str_new_lit(mrb, "Infinity");
    }
    if (signbit(number)) {
        *out++ = '-';
        number = -number;
    }
    if (number == 0) {
        memcpy(out, "0.0", 3);
        return mrb_str_new(mrb, text, out + 3 - text);
    }
    shortest(number, scientific, sizeof(scientific));
    point = split(scientific, digits, &count);
    if (point > 16 || point < -3) {
        out += sprintf(out, "%c.%.*se%+03d", digits[0], count > 1 ? (int)count - 1 : 1,
                       count > 1 ? digits + 1 : "0", point - 1);
        return mrb_str_new(mrb, text, out - text);
    }
    if (point <= 0) {
        out += sprintf(out, "0.%.*s", -point, "0000");
        memcpy(out, digits, count);
        return mrb_str_new(mrb, text, out + count - text);
    }
    for (i = 0; i < (size_t)point || i < count; i++) {
        if (i == (size_t)point) {
            *out++ = '.';
        }
        *out++ = i < count ? digits[i] : '0';
    }
    if (count <= (size_t)point) {
        memcpy(out, ".0", 2);
        out += 2;
    }
    return mrb_str_new(mrb, text, out - text);
}

/* Through its digits, which are exact, when it is past what a machine word holds. */
static mrb_value float_to_i(mrb_state *mrb, mrb_value self)
{
    double number = mrb_float(self);
    char text[400];

    if (isnan(number) || isinf(number)) {
        mrb_raise(mrb, E_RANGE_ERROR,
                  isnan(number) ? "NaN"
                  : number < 0  ? "-Infinity"
                                : "Infinity");
    }
    number = trunc(number);
    if (fabs(number) < 4e18) {
        return mrb_int_value(mrb, (mrb_int)number);
    }
    snprintf(text, sizeof(text), "%.0f", number);
    return mrb_str_to_integer(mrb, mrb_str_new_cstr(mrb, text), 10, FALSE);
}

void mrb_number_ext_gem_init(mrb_state *mrb);
void mrb_number_ext_gem_final(mrb_state *mrb);

void mrb_number_ext_gem_init(mrb_state *mrb)
{
    mrb_define_method(mrb, mrb->float_class, "to_s", float_to_s, MRB_ARGS_NONE());
    mrb_define_method(mrb, mrb->float_class, "inspect", float_to_s, MRB_ARGS_NONE());
    mrb_define_method(mrb, mrb->float_class, "to_i", float_to_i, MRB_ARGS_NONE());
    mrb_define_method(mrb, mrb->float_class, "to_int", float_to_i, MRB_ARGS_NONE());
    mrb_define_method(mrb, mrb->float_class, "truncate", float_to_i, MRB_ARGS_NONE());
}

void mrb_number_ext_gem_final(mrb_state *mrb)
{
    (void)mrb;
}
