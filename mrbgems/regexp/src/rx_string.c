/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Methods of String that take a Regexp where mruby's own take a String.  Each goes on as mruby's
 * own when there is no Regexp among its arguments.
 */
#include "rx.h"

#include <string.h>

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/presym.h>
#include <mruby/proc.h>
#include <mruby/string.h>

/* The first argument as a Regexp's code, NULL if it is none.  Reads no more than that. */
static rx_code_t *first_regexp(mrb_state *mrb)
{
    mrb_int argc = mrb_get_argc(mrb);

    return argc > 0 ? rx_regexp_check(mrb_get_argv(mrb)[0]) : NULL;
}

static mrb_value as_before(mrb_state *mrb, mrb_value self, rx_method_t method)
{
    return rx_state(mrb)->string[method](mrb, self);
}

/* Searches string from start on; sets the last match. */
static const size_t *search(mrb_state *mrb, mrb_value regexp, mrb_value string, rx_text_t *text,
                            size_t start)
{
    rx_code_t *code = rx_regexp_check(regexp);

    if (!rx_search(mrb, code, text, start, false)) {
        rx_last_clear(mrb, code->state);
        return NULL;
    }
    rx_last_found(mrb, code, regexp, string, text->kind);
    text->ptr = RSTRING_PTR(string);
    return code->state->last;
}

/* The offsets of the group in a match of string; NULL: no match, or the group took no part. */
static const size_t *search_group(mrb_state *mrb, mrb_value string, mrb_value regexp,
                                  mrb_value which, int *group)
{
    rx_code_t *code = rx_regexp_check(regexp);
    const size_t *offsets;
    rx_text_t text;

    rx_text_of(code->state, string, &text);
    offsets = search(mrb, regexp, string, &text, 0);
    if (!offsets) {
        return NULL;
    }
    *group = rx_group_index(mrb, code, code->groups + 1, offsets, which);
    return *group >= 0 && offsets[2 * *group] != PCRE2_UNSET ? offsets + 2 * *group : NULL;
}

/* str[/re/], str[/re/, 1], str[/re/, "name"] */
static mrb_value string_aref(mrb_state *mrb, mrb_value self)
{
    mrb_value regexp, which = mrb_fixnum_value(0);
    const size_t *found;
    int group;

    if (!first_regexp(mrb)) {
        return as_before(mrb, self, RX_STRING_AREF);
    }
    mrb_get_args(mrb, "o|o", &regexp, &which);
    found = search_group(mrb, self, regexp, which, &group);
    return found ? rx_group(mrb, self, found, 0) : mrb_nil_value();
}

/* Puts by in the place of the bytes from..to. */
static void splice(mrb_state *mrb, mrb_value self, size_t from, size_t to, mrb_value by)
{
    mrb_int old = RSTRING_LEN(self);
    mrb_int more = RSTRING_LEN(by);
    mrb_int tail = old - (mrb_int)to;
    mrb_value copy = mrb_obj_eq(mrb, self, by) ? mrb_str_dup(mrb, by) : by;

    mrb_str_modify(mrb, mrb_str_ptr(self));
    if (more > (mrb_int)(to - from)) {
        mrb_str_resize(mrb, self, (mrb_int)from + more + tail);
    }
    memmove(RSTRING_PTR(self) + from + more, RSTRING_PTR(self) + to, (size_t)tail);
    memcpy(RSTRING_PTR(self) + from, RSTRING_PTR(copy), (size_t)more);
    mrb_str_resize(mrb, self, (mrb_int)from + more + tail);
}

/* str[/re/] = by, str[/re/, 1] = by */
static mrb_value string_aset(mrb_state *mrb, mrb_value self)
{
    mrb_value regexp, which, by;
    const size_t *found;
    int group;

    if (!first_regexp(mrb)) {
        return as_before(mrb, self, RX_STRING_ASET);
    }
    if (mrb_get_args(mrb, "oo|o", &regexp, &which, &by) == 2) {
        by = which;
        which = mrb_fixnum_value(0);
    }
    mrb_ensure_string_type(mrb, by);
    mrb_check_frozen(mrb, mrb_basic_ptr(self));
    found = search_group(mrb, self, regexp, which, &group);
    if (!found) {
        mrb_raise(mrb, E_INDEX_ERROR, "regexp not matched");
    }
    splice(mrb, self, found[0], found[1], by);
    return by;
}

/* str.__cut(/re/, which): takes a group out of the string, and returns it */
static mrb_value string_cut(mrb_state *mrb, mrb_value self)
{
    mrb_value regexp, which, part;
    const size_t *found;
    int group;

    mrb_get_args(mrb, "oo", &regexp, &which);
    rx_regexp_code(mrb, regexp);
    mrb_check_frozen(mrb, mrb_basic_ptr(self));
    found = search_group(mrb, self, regexp, which, &group);
    if (!found) {
        return mrb_nil_value();
    }
    part = rx_group(mrb, self, found, 0);
    splice(mrb, self, found[0], found[1], mrb_str_new_lit(mrb, ""));
    return part;
}

static mrb_value string_index(mrb_state *mrb, mrb_value self)
{
    rx_code_t *code = first_regexp(mrb);
    const size_t *found;
    mrb_value regexp;
    mrb_int pos = 0;
    rx_text_t text;
    size_t start;

    if (!code) {
        return as_before(mrb, self, RX_STRING_INDEX);
    }
    mrb_get_args(mrb, "o|i", &regexp, &pos);
    rx_text_of(code->state, self, &text);
    if (pos < 0) {
        pos += (mrb_int)rx_text_chars(&text, text.len);
    }
    start = pos < 0 ? (size_t)-1 : rx_text_byte(&text, (size_t)pos);
    if (start == (size_t)-1) {
        rx_last_clear(mrb, code->state);
        return mrb_nil_value();
    }
    found = search(mrb, regexp, self, &text, start);
    return found ? mrb_int_value(mrb, (mrb_int)rx_text_chars(&text, found[0])) : mrb_nil_value();
}

/* The last byte at or before at where a character begins. */
static size_t character_at(const rx_text_t *text, size_t at)
{
    while (text->kind == RX_UTF8 && at > 0 && at < text->len &&
           ((unsigned char)text->ptr[at] & 0xc0) == 0x80) {
        at--;
    }
    return at;
}

/* The byte where the last match that begins at or before start begins, which becomes the last
 * match; (size_t)-1: there is none. */
static size_t search_back(mrb_state *mrb, mrb_value regexp, mrb_value string, rx_text_t *text,
                          size_t start)
{
    rx_code_t *code = rx_regexp_check(regexp);

    for (;;) {
        if (rx_search(mrb, code, text, start, true)) {
            rx_last_found(mrb, code, regexp, string, text->kind);
            text->ptr = RSTRING_PTR(string);
            return code->state->last[0];
        }
        if (start == 0) {
            rx_last_clear(mrb, code->state);
            return (size_t)-1;
        }
        start = character_at(text, start - 1);
    }
}

static mrb_value string_rindex(mrb_state *mrb, mrb_value self)
{
    rx_code_t *code = first_regexp(mrb);
    mrb_value regexp;
    rx_text_t text;
    size_t start, found;
    mrb_int pos;

    if (!code) {
        return as_before(mrb, self, RX_STRING_RINDEX);
    }
    rx_text_of(code->state, self, &text);
    start = text.len;
    if (mrb_get_args(mrb, "o|i", &regexp, &pos) == 2) {
        mrb_int chars = (mrb_int)rx_text_chars(&text, text.len);

        pos += pos < 0 ? chars : 0;
        if (pos < 0) {
            rx_last_clear(mrb, code->state);
            return mrb_nil_value();
        }
        start = pos > chars ? text.len : rx_text_byte(&text, (size_t)pos);
    }
    found = search_back(mrb, regexp, self, &text, start);
    return found == (size_t)-1 ? mrb_nil_value()
                               : mrb_int_value(mrb, (mrb_int)rx_text_chars(&text, found));
}

static mrb_value string_start_with(mrb_state *mrb, mrb_value self)
{
    mrb_int argc = mrb_get_argc(mrb);
    const mrb_value *argv = mrb_get_argv(mrb);
    mrb_int i;

    for (i = 0; i < argc && !rx_regexp_check(argv[i]); i++) {
    }
    if (i == argc) {
        return as_before(mrb, self, RX_STRING_START_WITH);
    }
    for (i = 0; i < argc; i++) {
        rx_code_t *code = rx_regexp_check(argv[i]);
        rx_text_t text;

        rx_text_of(rx_state(mrb), self, &text);
        if (!code) {
            mrb_ensure_string_type(mrb, argv[i]);
            if ((size_t)RSTRING_LEN(argv[i]) <= text.len &&
                memcmp(text.ptr, RSTRING_PTR(argv[i]), (size_t)RSTRING_LEN(argv[i])) == 0) {
                return mrb_true_value();
            }
        } else if (rx_search(mrb, code, &text, 0, true)) {
            rx_last_found(mrb, code, argv[i], self, text.kind);
            return mrb_true_value();
        } else {
            rx_last_clear(mrb, code->state);
        }
    }
    return mrb_false_value();
}

/* A block goes to String#__split_each, too: mruby's own method knows none. */
static mrb_value string_split(mrb_state *mrb, mrb_value self)
{
    mrb_value pattern = mrb_nil_value(), limit = mrb_fixnum_value(0), block = mrb_nil_value();
    mrb_value args[2];
    bool regexp = first_regexp(mrb) != NULL;

    mrb_get_args(mrb, "|oo&", &pattern, &limit, &block);
    if (!regexp && mrb_nil_p(block)) {
        return as_before(mrb, self, RX_STRING_SPLIT);
    }
    args[0] = pattern;
    args[1] = limit;
    if (mrb_nil_p(block)) {
        return mrb_funcall_argv(mrb, self, MRB_SYM(__split_regexp), 2, args);
    }
    return mrb_funcall_with_block(mrb, self, MRB_SYM(__split_each), 2, args, block);
}

/* str.__parts(/re/, backwards): the text before a match, the match, the text after; nil without one
 */
static mrb_value string_parts(mrb_state *mrb, mrb_value self)
{
    mrb_value regexp, parts[3];
    mrb_bool backwards;
    const size_t *found;
    rx_code_t *code;
    rx_text_t text;

    mrb_get_args(mrb, "ob", &regexp, &backwards);
    code = rx_regexp_code(mrb, regexp);
    rx_text_of(code->state, self, &text);
    if (backwards) {
        found = search_back(mrb, regexp, self, &text, text.len) == (size_t)-1 ? NULL
                                                                              : code->state->last;
    } else {
        found = search(mrb, regexp, self, &text, 0);
    }
    if (!found) {
        return mrb_nil_value();
    }
    parts[0] = mrb_str_byte_subseq(mrb, self, 0, (mrb_int)found[0]);
    parts[1] = rx_group(mrb, self, found, 0);
    parts[2] = mrb_str_byte_subseq(mrb, self, (mrb_int)found[1], (mrb_int)(text.len - found[1]));
    return mrb_ary_new_from_values(mrb, 3, parts);
}

static mrb_value string_match_op(mrb_state *mrb, mrb_value self)
{
    mrb_value other = mrb_get_arg1(mrb);

    if (rx_regexp_check(other)) {
        return rx_regexp_match_op(mrb, other, self);
    }
    if (mrb_string_p(other)) {
        mrb_raise(mrb, E_TYPE_ERROR, "type mismatch: String given");
    }
    return mrb_funcall_argv(mrb, other, MRB_OPSYM(match), 1, &self);
}

/* The pattern as a Regexp: a String is the source of one. */
static mrb_value as_regexp(mrb_state *mrb, mrb_value pattern)
{
    if (rx_regexp_check(pattern)) {
        return pattern;
    }
    mrb_ensure_string_type(mrb, pattern);
    return rx_regexp_get(mrb, rx_state(mrb), pattern, 0);
}

static mrb_value string_match(mrb_state *mrb, mrb_value self)
{
    mrb_value pattern, block = mrb_nil_value();
    mrb_int pos = 0;

    mrb_get_args(mrb, "o|i&", &pattern, &pos, &block);
    return rx_regexp_match(mrb, as_regexp(mrb, pattern), self, pos, block);
}

static mrb_value string_match_p(mrb_state *mrb, mrb_value self)
{
    mrb_value pattern;
    mrb_int pos = 0;

    mrb_get_args(mrb, "o|i", &pattern, &pos);
    return mrb_bool_value(rx_regexp_matches(mrb, as_regexp(mrb, pattern), self, pos));
}

void rx_string_init(mrb_state *mrb, rx_state_t *state, mrb_value holder)
{
    static const struct {
        const char *name;
        mrb_func_t function;
        rx_method_t before;
    } overrides[] = {
        {"[]", string_aref, RX_STRING_AREF},
        {"slice", string_aref, RX_STRING_AREF},
        {"[]=", string_aset, RX_STRING_ASET},
        {"index", string_index, RX_STRING_INDEX},
        {"rindex", string_rindex, RX_STRING_RINDEX},
        {"split", string_split, RX_STRING_SPLIT},
        {"start_with?", string_start_with, RX_STRING_START_WITH},
    };
    struct RClass *string = mrb->string_class;
    size_t i;

    for (i = 0; i < sizeof(overrides) / sizeof(overrides[0]); i++) {
        struct RClass *c = string;
        mrb_method_t method =
            mrb_method_search_vm(mrb, &c, mrb_intern_cstr(mrb, overrides[i].name));

        if (MRB_METHOD_UNDEF_P(method) || !MRB_METHOD_CFUNC_P(method)) {
            mrb_raisef(mrb, E_NOTIMP_ERROR, "String#%s is not as expected", overrides[i].name);
        }
        state->string[overrides[i].before] = MRB_METHOD_CFUNC(method);
        rx_define(mrb, string, overrides[i].name, overrides[i].function, holder);
    }
    rx_define(mrb, string, "match", string_match, holder);
    rx_define(mrb, string, "match?", string_match_p, holder);
    mrb_define_method(mrb, string, "=~", string_match_op, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, string, "__cut", string_cut, MRB_ARGS_REQ(2));
    mrb_define_method(mrb, string, "__parts", string_parts, MRB_ARGS_REQ(2));
}
