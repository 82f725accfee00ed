/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a pattern: escape, source, to_s, inspect. */
#include "rx.h"

#include <stdio.h>
#include <string.h>

#include <mruby/class.h>
#include <mruby/string.h>

mrb_value rx_regexp_escape(mrb_state *mrb, mrb_value string)
{
    static const char special[] = "[]{}()|-*.\\?+^$# ";
    static const char controls[] = "\t\n\v\f\r";
    static const char letters[] = "tnvfr";
    const char *p = RSTRING_PTR(string);
    const char *end = p + RSTRING_LEN(string);
    mrb_value out = mrb_str_new_capa(mrb, RSTRING_LEN(string) + 8);

    for (; p < end; p++) {
        char pair[2] = {'\\', *p};
        const char *control = *p ? strchr(controls, *p) : NULL;

        if (control) {
            pair[1] = letters[control - controls];
        }
        if (control || (*p && strchr(special, *p))) {
            mrb_str_cat(mrb, out, pair, 2);
        } else {
            mrb_str_cat(mrb, out, p, 1);
        }
    }
    return out;
}

static mrb_value regexp_s_escape(mrb_state *mrb, mrb_value self)
{
    mrb_value value = mrb_get_arg1(mrb);

    (void)self;
    if (mrb_symbol_p(value)) {
        value = mrb_sym_str(mrb, mrb_symbol(value));
    }
    mrb_ensure_string_type(mrb, value);
    return rx_regexp_escape(mrb, value);
}

/* The source as it would stand in a literal: each slash escaped, and what cannot be seen. */
static void put_source(mrb_state *mrb, mrb_value out, const char *p, const char *end)
{
    char code[8];

    for (; p < end; p++) {
        if ((*p >= 0 && *p < ' ' && !(*p >= '\t' && *p <= '\r')) || *p == 0x7f) {
            snprintf(code, sizeof(code), "\\x%02X", (unsigned)*p);
            mrb_str_cat_cstr(mrb, out, code);
            continue;
        }
        if (*p == '\\' && p + 1 < end) {
            mrb_str_cat(mrb, out, p++, 1);
        } else if (*p == '/') {
            mrb_str_cat_lit(mrb, out, "\\");
        }
        mrb_str_cat(mrb, out, p, 1);
    }
}

static void put_options(mrb_state *mrb, mrb_value out, unsigned options, bool on)
{
    if (((options & RX_MULTILINE) != 0) == on) {
        mrb_str_cat_lit(mrb, out, "m");
    }
    if (((options & RX_IGNORECASE) != 0) == on) {
        mrb_str_cat_lit(mrb, out, "i");
    }
    if (((options & RX_EXTENDED) != 0) == on) {
        mrb_str_cat_lit(mrb, out, "x");
    }
}

static unsigned option_bit(char c)
{
    return c == 'i' ? RX_IGNORECASE : c == 'm' ? RX_MULTILINE : c == 'x' ? RX_EXTENDED : 0;
}

/* A source that is nothing but (?imx-imx:...) gives its options and what is in it, so that a Regexp
 * put into another one again and again does not grow.  False: it is not. */
static bool unwrap(mrb_state *mrb, const char **begin, const char **end, unsigned *options)
{
    const char *p = *begin + 2;
    unsigned inner = *options;
    rx_syntax_t syntax;

    if (*end - *begin < 4 || (*begin)[0] != '(' || (*begin)[1] != '?' || (*end)[-1] != ')') {
        return false;
    }
    for (; p < *end && option_bit(*p); p++) {
        inner |= option_bit(*p);
    }
    if (p < *end && *p == '-') {
        for (p++; p < *end && option_bit(*p); p++) {
            inner &= ~option_bit(*p);
        }
    }
    if (p >= *end - 1 || *p++ != ':') {
        return false;
    }
    rx_syntax_init(&syntax, mrb, p, (size_t)(*end - 1 - p), inner);
    syntax.known = NULL;
    if (!rx_syntax_scan(&syntax)) {
        return false;
    }
    *begin = p;
    *end = *end - 1;
    *options = inner;
    return true;
}

static mrb_value regexp_to_s(mrb_state *mrb, mrb_value self)
{
    const rx_code_t *code = rx_regexp_code(mrb, self);
    const char *begin = code->source;
    const char *end = begin + code->length;
    unsigned options = code->options;
    mrb_value out = mrb_str_new_lit(mrb, "(?");

    unwrap(mrb, &begin, &end, &options);
    put_options(mrb, out, options, true);
    if ((options & 7) != 7) {
        mrb_str_cat_lit(mrb, out, "-");
        put_options(mrb, out, options, false);
    }
    mrb_str_cat_lit(mrb, out, ":");
    put_source(mrb, out, begin, end);
    mrb_str_cat_lit(mrb, out, ")");
    return out;
}

static mrb_value regexp_inspect(mrb_state *mrb, mrb_value self)
{
    const rx_code_t *code = rx_regexp_check(self);
    mrb_value out;

    if (!code) {
        return mrb_any_to_s(mrb, self);
    }
    out = mrb_str_new_lit(mrb, "/");
    put_source(mrb, out, code->source, code->source + code->length);
    mrb_str_cat_lit(mrb, out, "/");
    put_options(mrb, out, code->options, true);
    if (code->options & RX_NOENCODING) {
        mrb_str_cat_lit(mrb, out, "n");
    }
    return out;
}

static mrb_value regexp_source(mrb_state *mrb, mrb_value self)
{
    const rx_code_t *code = rx_regexp_code(mrb, self);

    return mrb_str_new(mrb, code->source, (mrb_int)code->length);
}

void rx_source_init(mrb_state *mrb, struct RClass *regexp)
{
    mrb_define_class_method(mrb, regexp, "escape", regexp_s_escape, MRB_ARGS_REQ(1));
    mrb_define_class_method(mrb, regexp, "quote", regexp_s_escape, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, regexp, "source", regexp_source, MRB_ARGS_NONE());
    mrb_define_method(mrb, regexp, "to_s", regexp_to_s, MRB_ARGS_NONE());
    mrb_define_method(mrb, regexp, "inspect", regexp_inspect, MRB_ARGS_NONE());
}
