/* SPDX-License-Identifier: Apache-2.0 */
/* Class Regexp, and the cache of compiled patterns. */
#include "rx.h"

#include <string.h>

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/hash.h>
#include <mruby/presym.h>
#include <mruby/string.h>
#include <mruby/variable.h>

static void free_regexp(mrb_state *mrb, void *data)
{
    rx_code_release(mrb, data);
}

const mrb_data_type rx_regexp_type = {"Regexp", free_regexp};

rx_code_t *rx_regexp_check(mrb_value value)
{
    return mrb_type(value) == MRB_TT_CDATA && DATA_TYPE(value) == &rx_regexp_type ? DATA_PTR(value)
                                                                                  : NULL;
}

rx_code_t *rx_regexp_code(mrb_state *mrb, mrb_value value)
{
    rx_code_t *code = rx_regexp_check(value);

    if (!code) {
        mrb_raisef(mrb, E_TYPE_ERROR, "wrong argument type %T (expected Regexp)", value);
    }
    return code;
}

/* ---- Regexp.new ---- */

/* Numbers, letters as after a literal, true and nil. */
static unsigned read_options(mrb_state *mrb, mrb_value value)
{
    unsigned options = 0;
    mrb_int i;

    if (mrb_integer_p(value)) {
        return (unsigned)mrb_integer(value) &
               (RX_IGNORECASE | RX_EXTENDED | RX_MULTILINE | RX_FIXEDENCODING | RX_NOENCODING);
    }
    if (!mrb_string_p(value)) {
        return mrb_test(value) ? RX_IGNORECASE : 0;
    }
    for (i = 0; i < RSTRING_LEN(value); i++) {
        switch (RSTRING_PTR(value)[i]) {
        case 'i':
            options |= RX_IGNORECASE;
            break;
        case 'x':
            options |= RX_EXTENDED;
            break;
        case 'm':
            options |= RX_MULTILINE;
            break;
        default:
            mrb_raisef(mrb, E_ARGUMENT_ERROR, "unknown regexp options: %v", value);
        }
    }
    return options;
}

/* The arguments of Regexp.new: a pattern or a Regexp, options, and what stands for an encoding
 * after a literal. */
static mrb_value read_arguments(mrb_state *mrb, unsigned *options)
{
    mrb_value source, flags = mrb_nil_value(), encoding = mrb_nil_value();
    rx_code_t *code;

    mrb_get_args(mrb, "o|oo", &source, &flags, &encoding);
    code = rx_regexp_check(source);
    if (code) {
        *options = code->options;
        return mrb_str_new(mrb, code->source, (mrb_int)code->length);
    }
    mrb_ensure_string_type(mrb, source);
    *options = read_options(mrb, flags);
    if (mrb_string_p(encoding) && RSTRING_LEN(encoding) > 0) {
        *options |= RSTRING_PTR(encoding)[0] == 'n'   ? RX_NOENCODING
                    : RSTRING_PTR(encoding)[0] == 'u' ? RX_FIXEDENCODING
                                                      : 0;
    }
    return source;
}

static mrb_value regexp_initialize(mrb_state *mrb, mrb_value self)
{
    rx_state_t *state = rx_state(mrb);
    unsigned options;
    mrb_value source = read_arguments(mrb, &options);

    if (DATA_PTR(self)) {
        mrb_raise(mrb, E_TYPE_ERROR, "already initialized regexp");
    }
    rx_cache_install(mrb, state, self, source, options);
    return self;
}

static mrb_value regexp_initialize_copy(mrb_state *mrb, mrb_value self)
{
    rx_code_t *code = rx_regexp_code(mrb, mrb_get_arg1(mrb));

    if (DATA_PTR(self)) {
        mrb_raise(mrb, E_TYPE_ERROR, "already initialized regexp");
    }
    code->refs++;
    mrb_data_init(self, code, &rx_regexp_type);
    return self;
}

/* What a literal is compiled to.  The same pattern gives the same object, which is frozen. */
static mrb_value regexp_s_compile(mrb_state *mrb, mrb_value self)
{
    rx_state_t *state = rx_state(mrb);
    mrb_int argc = mrb_get_argc(mrb);
    const mrb_value *argv = mrb_get_argv(mrb);
    unsigned options;
    mrb_value source;

    if (mrb_class_ptr(self) != rx_class(state, RX_ROOT_REGEXP)) {
        return mrb_obj_new(mrb, mrb_class_ptr(self), argc, argv);
    }
    if (argc == 1 && mrb_string_p(argv[0])) {
        return rx_regexp_get(mrb, state, argv[0], 0);
    }
    source = read_arguments(mrb, &options);
    return rx_regexp_get(mrb, state, source, options);
}

/* ---- what it is ---- */

static mrb_value regexp_options(mrb_state *mrb, mrb_value self)
{
    return mrb_fixnum_value((mrb_int)rx_regexp_code(mrb, self)->options);
}

static mrb_value regexp_casefold(mrb_state *mrb, mrb_value self)
{
    return mrb_bool_value(rx_regexp_code(mrb, self)->options & RX_IGNORECASE);
}

static mrb_value regexp_equal(mrb_state *mrb, mrb_value self)
{
    const rx_code_t *a = rx_regexp_code(mrb, self);
    const rx_code_t *b = rx_regexp_check(mrb_get_arg1(mrb));

    return mrb_bool_value(b && (a == b || (a->options == b->options && a->length == b->length &&
                                           memcmp(a->source, b->source, a->length) == 0)));
}

static mrb_value regexp_hash(mrb_state *mrb, mrb_value self)
{
    return mrb_int_value(mrb, (mrb_int)(rx_regexp_code(mrb, self)->hash >> 3));
}

/* {name => [group, ...]}; names in the order of their first group. */
static mrb_value regexp_named_captures(mrb_state *mrb, mrb_value self)
{
    const rx_code_t *code = rx_regexp_code(mrb, self);
    mrb_value hash = mrb_hash_new(mrb);
    size_t at = 0;
    rx_name_t name;
    const char *text;

    while (rx_name_next(rx_code_names(code), code->names_length, &at, &name, &text)) {
        mrb_value key = mrb_str_new(mrb, text, name.length);
        mrb_value groups = mrb_hash_get(mrb, hash, key);

        if (mrb_nil_p(groups)) {
            groups = mrb_ary_new(mrb);
            mrb_hash_set(mrb, hash, key, groups);
        }
        mrb_ary_push(mrb, groups, mrb_fixnum_value(name.group));
    }
    return hash;
}

static mrb_value regexp_names(mrb_state *mrb, mrb_value self)
{
    return mrb_hash_keys(mrb, regexp_named_captures(mrb, self));
}

unsigned rx_group_named(const rx_code_t *code, const char *name, size_t length,
                        const size_t *offsets)
{
    unsigned last = 0, taken = 0;
    size_t at = 0;
    rx_name_t record;
    const char *text;

    while (rx_name_next(rx_code_names(code), code->names_length, &at, &record, &text)) {
        if (record.length == length && memcmp(text, name, length) == 0) {
            last = record.group;
            if (offsets && offsets[2 * last] != PCRE2_UNSET) {
                taken = last;
            }
        }
    }
    return taken ? taken : last;
}

/* ---- matching ---- */

/* The String that a subject is; nil for nil. */
static mrb_value subject_of(mrb_state *mrb, mrb_value value)
{
    if (mrb_symbol_p(value)) {
        return mrb_sym_str(mrb, mrb_symbol(value));
    }
    if (!mrb_nil_p(value)) {
        mrb_ensure_string_type(mrb, value);
    }
    return value;
}

/* The byte at which character pos of the text is, from the end if it is negative; -1: before the
 * beginning.  Beyond the end is the end. */
static mrb_int start_of(const rx_text_t *text, mrb_int pos)
{
    size_t at;

    if (pos < 0) {
        pos += (mrb_int)rx_text_chars(text, text->len);
    }
    if (pos < 0) {
        return -1;
    }
    at = rx_text_byte(text, (size_t)pos);
    return (mrb_int)(at == (size_t)-1 ? text->len : at);
}

/* Matches and makes it the last match. */
static bool match(mrb_state *mrb, rx_code_t *code, mrb_value self, mrb_value subject, mrb_int pos)
{
    rx_text_t text;
    mrb_int start;

    rx_text_of(code->state, subject, &text);
    start = pos == 0 ? 0 : start_of(&text, pos);
    if (start < 0 || !rx_search(mrb, code, &text, (size_t)start, false)) {
        rx_last_clear(mrb, code->state);
        return false;
    }
    rx_last_found(mrb, code, self, subject, text.kind);
    return true;
}

mrb_value rx_regexp_match(mrb_state *mrb, mrb_value self, mrb_value subject, mrb_int pos,
                          mrb_value block)
{
    rx_code_t *code = rx_regexp_code(mrb, self);
    mrb_value found;

    subject = subject_of(mrb, subject);
    if (mrb_nil_p(subject)) {
        rx_last_clear(mrb, code->state);
        return mrb_nil_value();
    }
    if (!match(mrb, code, self, subject, pos)) {
        return mrb_nil_value();
    }
    found = rx_last(mrb, code->state);
    return mrb_nil_p(block) ? found : mrb_yield(mrb, block, found);
}

static mrb_value regexp_match(mrb_state *mrb, mrb_value self)
{
    mrb_value subject, block = mrb_nil_value();
    mrb_int pos = 0;

    mrb_get_args(mrb, "o|i&", &subject, &pos, &block);
    return rx_regexp_match(mrb, self, subject, pos, block);
}

bool rx_regexp_matches(mrb_state *mrb, mrb_value self, mrb_value subject, mrb_int pos)
{
    rx_code_t *code = rx_regexp_code(mrb, self);
    rx_text_t text;

    subject = subject_of(mrb, subject);
    if (mrb_nil_p(subject)) {
        return false;
    }
    rx_text_of(code->state, subject, &text);
    if (pos > 0 && rx_text_byte(&text, (size_t)pos) == (size_t)-1) {
        return false;
    }
    pos = pos == 0 ? 0 : start_of(&text, pos);
    return pos >= 0 && rx_search(mrb, code, &text, (size_t)pos, false);
}

static mrb_value regexp_match_p(mrb_state *mrb, mrb_value self)
{
    mrb_value subject;
    mrb_int pos = 0;

    mrb_get_args(mrb, "o|i", &subject, &pos);
    return mrb_bool_value(rx_regexp_matches(mrb, self, subject, pos));
}

mrb_value rx_regexp_match_op(mrb_state *mrb, mrb_value self, mrb_value subject)
{
    rx_code_t *code = rx_regexp_code(mrb, self);
    rx_text_t text;

    subject = subject_of(mrb, subject);
    if (mrb_nil_p(subject)) {
        rx_last_clear(mrb, code->state);
        return mrb_nil_value();
    }
    if (!match(mrb, code, self, subject, 0)) {
        return mrb_nil_value();
    }
    text.ptr = RSTRING_PTR(subject);
    text.len = (size_t)RSTRING_LEN(subject);
    text.kind = code->state->kind;
    return mrb_int_value(mrb, (mrb_int)rx_text_chars(&text, code->state->last[0]));
}

static mrb_value regexp_match_op(mrb_state *mrb, mrb_value self)
{
    return rx_regexp_match_op(mrb, self, mrb_get_arg1(mrb));
}

static mrb_value regexp_eqq(mrb_state *mrb, mrb_value self)
{
    rx_code_t *code = rx_regexp_code(mrb, self);
    mrb_value subject = mrb_get_arg1(mrb);

    if (!mrb_string_p(subject) && !mrb_symbol_p(subject)) {
        rx_last_clear(mrb, code->state);
        return mrb_false_value();
    }
    return mrb_bool_value(match(mrb, code, self, subject_of(mrb, subject), 0));
}

/* Regexp.last_match, Regexp.last_match(1), Regexp.last_match(:name) */
static mrb_value regexp_s_last_match(mrb_state *mrb, mrb_value self)
{
    rx_state_t *state = rx_state(mrb);
    mrb_value which, found = rx_last(mrb, state);
    mrb_int argc = mrb_get_args(mrb, "|o", &which);

    (void)self;
    if (argc == 0 || mrb_nil_p(found)) {
        return found;
    }
    return mrb_funcall_argv(mrb, found, MRB_OPSYM(aref), 1, &which);
}

static mrb_value regexp_s_timeout(mrb_state *mrb, mrb_value self)
{
    double timeout = rx_state(mrb)->timeout;

    (void)self;
    return timeout > 0 ? mrb_float_value(mrb, timeout) : mrb_nil_value();
}

static mrb_value regexp_s_set_timeout(mrb_state *mrb, mrb_value self)
{
    mrb_value value = mrb_get_arg1(mrb);
    double timeout = mrb_nil_p(value) ? 0 : mrb_as_float(mrb, value);

    (void)self;
    if (!mrb_nil_p(value) && !(timeout > 0)) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "invalid timeout: %v", value);
    }
    rx_state(mrb)->timeout = timeout;
    return value;
}

static void define_instance_methods(mrb_state *mrb, struct RClass *c)
{
    mrb_define_method(mrb, c, "initialize_copy", regexp_initialize_copy, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "match", regexp_match, MRB_ARGS_ARG(1, 1));
    mrb_define_method(mrb, c, "match?", regexp_match_p, MRB_ARGS_ARG(1, 1));
    mrb_define_method(mrb, c, "=~", regexp_match_op, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "===", regexp_eqq, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "options", regexp_options, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "names", regexp_names, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "named_captures", regexp_named_captures, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "==", regexp_equal, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "eql?", regexp_equal, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "hash", regexp_hash, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "casefold?", regexp_casefold, MRB_ARGS_NONE());
}

void rx_regexp_init(mrb_state *mrb, rx_state_t *state, mrb_value holder)
{
    struct RClass *error = mrb_define_class(mrb, "RegexpError", E_STANDARD_ERROR);
    struct RClass *c = mrb_define_class(mrb, "Regexp", mrb->object_class);
    struct RClass *meta = mrb_class_ptr(mrb_singleton_class(mrb, mrb_obj_value(c)));

    MRB_SET_INSTANCE_TT(c, MRB_TT_CDATA);
    rx_set_root(mrb, state, RX_ROOT_REGEXP, mrb_obj_value(c));
    mrb_define_class_under(mrb, c, "TimeoutError", error);
    mrb_define_const(mrb, c, "IGNORECASE", mrb_fixnum_value(RX_IGNORECASE));
    mrb_define_const(mrb, c, "EXTENDED", mrb_fixnum_value(RX_EXTENDED));
    mrb_define_const(mrb, c, "MULTILINE", mrb_fixnum_value(RX_MULTILINE));
    mrb_define_const(mrb, c, "FIXEDENCODING", mrb_fixnum_value(RX_FIXEDENCODING));
    mrb_define_const(mrb, c, "NOENCODING", mrb_fixnum_value(RX_NOENCODING));
    define_instance_methods(mrb, c);
    rx_source_init(mrb, c);
    rx_define(mrb, c, "initialize", regexp_initialize, holder);
    rx_define(mrb, meta, "compile", regexp_s_compile, holder);
    rx_define(mrb, meta, "last_match", regexp_s_last_match, holder);
    rx_define(mrb, meta, "timeout", regexp_s_timeout, holder);
    rx_define(mrb, meta, "timeout=", regexp_s_set_timeout, holder);
}
