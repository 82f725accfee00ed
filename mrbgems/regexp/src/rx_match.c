/* SPDX-License-Identifier: Apache-2.0 */
/* Class MatchData. */
#include "rx.h"

#include <string.h>

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/hash.h>
#include <mruby/presym.h>
#include <mruby/string.h>
#include <mruby/variable.h>

typedef struct {
    rx_state_t *state;
    rx_kind_t kind;
    unsigned count;
    size_t offsets[]; /* count pairs of bytes */
} rx_match_t;

static const mrb_data_type match_type = {"MatchData", mrb_free};

/* Not to be seen by instance_variables. */
#define SUBJECT MRB_SYM(subject)
#define PATTERN MRB_SYM(pattern)

mrb_value rx_match_new(mrb_state *mrb, rx_state_t *state, const rx_hit_t *hit)
{
    size_t size = 2 * hit->count * sizeof(size_t);
    struct RData *data =
        mrb_data_object_alloc(mrb, rx_class(state, RX_ROOT_MATCH_DATA), NULL, &match_type);
    mrb_value self = mrb_obj_value(data);
    rx_match_t *match = mrb_malloc(mrb, sizeof(*match) + size);

    match->state = state;
    match->kind = hit->kind;
    match->count = hit->count;
    memcpy(match->offsets, hit->offsets, size);
    data->data = match;
    mrb_iv_set(mrb, self, SUBJECT, hit->subject);
    mrb_iv_set(mrb, self, PATTERN, hit->pattern);
    return self;
}

static rx_match_t *get(mrb_state *mrb, mrb_value self)
{
    rx_match_t *match = DATA_GET_PTR(mrb, self, &match_type, rx_match_t);

    if (!match) {
        mrb_raise(mrb, E_TYPE_ERROR, "uninitialized MatchData");
    }
    return match;
}

static mrb_value subject_of(mrb_state *mrb, mrb_value self)
{
    return mrb_iv_get(mrb, self, SUBJECT);
}

/* The code of its Regexp; NULL when the pattern was a String. */
static rx_code_t *code_of(mrb_state *mrb, mrb_value self)
{
    return rx_regexp_check(mrb_iv_get(mrb, self, PATTERN));
}

mrb_value rx_group(mrb_state *mrb, mrb_value subject, const size_t *offsets, unsigned group)
{
    size_t from = offsets[2 * group];
    size_t to = offsets[2 * group + 1];

    if (from == PCRE2_UNSET) {
        return mrb_nil_value();
    }
    /* \K in a look-behind can put the beginning after the end. */
    return mrb_str_byte_subseq(mrb, subject, (mrb_int)from, from < to ? (mrb_int)(to - from) : 0);
}

int rx_group_index(mrb_state *mrb, const rx_code_t *code, unsigned count, const size_t *offsets,
                   mrb_value which)
{
    mrb_int n;
    unsigned group = 0;

    if (mrb_symbol_p(which) || mrb_string_p(which)) {
        mrb_value name = mrb_symbol_p(which) ? mrb_sym_str(mrb, mrb_symbol(which)) : which;

        if (code) {
            group = rx_group_named(code, RSTRING_PTR(name), (size_t)RSTRING_LEN(name), offsets);
        }
        if (group == 0) {
            mrb_raisef(mrb, E_INDEX_ERROR, "undefined group name reference: %v", name);
        }
        return (int)group;
    }
    n = mrb_as_int(mrb, which);
    if (n < 0) {
        n += count;
    }
    return n >= 0 && n < (mrb_int)count ? (int)n : -1;
}

static int index_of(mrb_state *mrb, mrb_value self, const rx_match_t *match, mrb_value which)
{
    return rx_group_index(mrb, code_of(mrb, self), match->count, match->offsets, which);
}

/* An index that must be one. */
static unsigned index_within(mrb_state *mrb, mrb_value self, const rx_match_t *match,
                             mrb_value which)
{
    int group = index_of(mrb, self, match, which);

    if (group < 0 || (mrb_integer_p(which) && mrb_integer(which) < 0)) {
        mrb_raisef(mrb, E_INDEX_ERROR, "index %v out of matches", which);
    }
    return (unsigned)group;
}

static mrb_value groups_from(mrb_state *mrb, mrb_value self, unsigned first)
{
    const rx_match_t *match = get(mrb, self);
    mrb_value subject = subject_of(mrb, self);
    mrb_value array = mrb_ary_new_capa(mrb, (mrb_int)match->count);
    int arena = mrb_gc_arena_save(mrb);

    for (; first < match->count; first++) {
        mrb_ary_push(mrb, array, rx_group(mrb, subject, match->offsets, first));
        mrb_gc_arena_restore(mrb, arena);
    }
    return array;
}

static mrb_value match_to_a(mrb_state *mrb, mrb_value self)
{
    return groups_from(mrb, self, 0);
}

static mrb_value match_captures(mrb_state *mrb, mrb_value self)
{
    return groups_from(mrb, self, 1);
}

/* m[1] m[-1] m["name"] m[:name], and as an Array m[1..2] m[1, 2] */
static mrb_value match_aref(mrb_state *mrb, mrb_value self)
{
    const rx_match_t *match = get(mrb, self);
    mrb_value args[2];
    mrb_int argc = mrb_get_args(mrb, "o|o", &args[0], &args[1]);
    int group;

    if (argc == 2 || mrb_range_p(args[0])) {
        return mrb_funcall_argv(mrb, match_to_a(mrb, self), MRB_OPSYM(aref), argc, args);
    }
    group = index_of(mrb, self, match, args[0]);
    return group < 0 ? mrb_nil_value()
                     : rx_group(mrb, subject_of(mrb, self), match->offsets, (unsigned)group);
}

/* One end of a group, as the character it is; nil if the group took no part. */
static mrb_value place(mrb_state *mrb, mrb_value self, size_t at, bool bytes)
{
    mrb_value subject = subject_of(mrb, self);
    rx_text_t text = {RSTRING_PTR(subject), (size_t)RSTRING_LEN(subject), get(mrb, self)->kind};

    if (at == PCRE2_UNSET) {
        return mrb_nil_value();
    }
    return mrb_int_value(mrb, (mrb_int)(bytes ? at : rx_text_chars(&text, at)));
}

static mrb_value end_of(mrb_state *mrb, mrb_value self, unsigned end, bool bytes)
{
    const rx_match_t *match = get(mrb, self);
    unsigned group = index_within(mrb, self, match, mrb_get_arg1(mrb));

    return place(mrb, self, match->offsets[2 * group + end], bytes);
}

static mrb_value match_begin(mrb_state *mrb, mrb_value self)
{
    return end_of(mrb, self, 0, false);
}

static mrb_value match_end(mrb_state *mrb, mrb_value self)
{
    return end_of(mrb, self, 1, false);
}

static mrb_value match_bytebegin(mrb_state *mrb, mrb_value self)
{
    return end_of(mrb, self, 0, true);
}

static mrb_value match_byteend(mrb_state *mrb, mrb_value self)
{
    return end_of(mrb, self, 1, true);
}

static mrb_value match_offset(mrb_state *mrb, mrb_value self)
{
    return mrb_assoc_new(mrb, match_begin(mrb, self), match_end(mrb, self));
}

static mrb_value match_byteoffset(mrb_state *mrb, mrb_value self)
{
    return mrb_assoc_new(mrb, match_bytebegin(mrb, self), match_byteend(mrb, self));
}

static mrb_value match_pre(mrb_state *mrb, mrb_value self)
{
    return mrb_str_byte_subseq(mrb, subject_of(mrb, self), 0, (mrb_int)get(mrb, self)->offsets[0]);
}

static mrb_value match_post(mrb_state *mrb, mrb_value self)
{
    mrb_value subject = subject_of(mrb, self);
    mrb_int end = (mrb_int)get(mrb, self)->offsets[1];

    return mrb_str_byte_subseq(mrb, subject, end, RSTRING_LEN(subject) - end);
}

static mrb_value match_to_s(mrb_state *mrb, mrb_value self)
{
    return rx_group(mrb, subject_of(mrb, self), get(mrb, self)->offsets, 0);
}

static mrb_value match_size(mrb_state *mrb, mrb_value self)
{
    return mrb_fixnum_value((mrb_int)get(mrb, self)->count);
}

static mrb_value match_string(mrb_state *mrb, mrb_value self)
{
    get(mrb, self);
    return subject_of(mrb, self);
}

static mrb_value match_regexp(mrb_state *mrb, mrb_value self)
{
    rx_match_t *match = get(mrb, self);
    mrb_value pattern = mrb_iv_get(mrb, self, PATTERN);

    if (mrb_string_p(pattern)) {
        pattern = rx_regexp_get(mrb, match->state, rx_regexp_escape(mrb, pattern), 0);
        mrb_iv_set(mrb, self, PATTERN, pattern);
    }
    return pattern;
}

static mrb_value match_names(mrb_state *mrb, mrb_value self)
{
    return mrb_funcall_argv(mrb, match_regexp(mrb, self), MRB_SYM(names), 0, NULL);
}

static mrb_value match_named_captures(mrb_state *mrb, mrb_value self)
{
    const rx_match_t *match = get(mrb, self);
    rx_code_t *code = code_of(mrb, self);
    mrb_value hash = mrb_hash_new(mrb), symbolize = mrb_false_value();
    mrb_sym table[] = {MRB_SYM(symbolize_names)};
    mrb_kwargs kwargs = {1, 0, table, &symbolize, NULL};
    size_t at = 0;
    rx_name_t name;
    const char *text;

    mrb_get_args(mrb, ":", &kwargs);
    symbolize = mrb_undef_p(symbolize) ? mrb_false_value() : symbolize;
    while (code && rx_name_next(rx_code_names(code), code->names_length, &at, &name, &text)) {
        mrb_value key = mrb_str_new(mrb, text, name.length);
        unsigned group = rx_group_named(code, text, name.length, match->offsets);

        if (mrb_test(symbolize)) {
            key = mrb_symbol_value(mrb_intern_str(mrb, key));
        }
        mrb_hash_set(mrb, hash, key, rx_group(mrb, subject_of(mrb, self), match->offsets, group));
    }
    return hash;
}

static mrb_value match_equal(mrb_state *mrb, mrb_value self)
{
    const rx_match_t *a = get(mrb, self);
    mrb_value other = mrb_get_arg1(mrb);
    const rx_match_t *b = DATA_CHECK_GET_PTR(mrb, other, &match_type, rx_match_t);

    return mrb_bool_value(b && a->count == b->count &&
                          memcmp(a->offsets, b->offsets, 2 * a->count * sizeof(size_t)) == 0 &&
                          mrb_equal(mrb, subject_of(mrb, self), subject_of(mrb, other)) &&
                          mrb_equal(mrb, match_regexp(mrb, self), match_regexp(mrb, other)));
}

static mrb_value match_copy(mrb_state *mrb, mrb_value self)
{
    mrb_value other = mrb_get_arg1(mrb);
    const rx_match_t *match = get(mrb, other);
    size_t size = sizeof(*match) + 2 * match->count * sizeof(size_t);

    if (DATA_PTR(self)) {
        mrb_raise(mrb, E_TYPE_ERROR, "already initialized MatchData");
    }
    mrb_data_init(self, mrb_malloc(mrb, size), &match_type);
    memcpy(DATA_PTR(self), match, size);
    mrb_iv_set(mrb, self, SUBJECT, subject_of(mrb, other));
    mrb_iv_set(mrb, self, PATTERN, mrb_iv_get(mrb, other, PATTERN));
    return self;
}

void rx_match_init(mrb_state *mrb, rx_state_t *state)
{
    struct RClass *c = mrb_define_class(mrb, "MatchData", mrb->object_class);

    MRB_SET_INSTANCE_TT(c, MRB_TT_CDATA);
    rx_set_root(mrb, state, RX_ROOT_MATCH_DATA, mrb_obj_value(c));
    mrb_undef_class_method(mrb, c, "new");
    mrb_undef_class_method(mrb, c, "allocate");
    mrb_define_method(mrb, c, "initialize_copy", match_copy, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "[]", match_aref, MRB_ARGS_ARG(1, 1));
    mrb_define_method(mrb, c, "begin", match_begin, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "end", match_end, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "offset", match_offset, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "bytebegin", match_bytebegin, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "byteend", match_byteend, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "byteoffset", match_byteoffset, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "captures", match_captures, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "named_captures", match_named_captures, MRB_ARGS_KEY(1, 0));
    mrb_define_method(mrb, c, "names", match_names, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "pre_match", match_pre, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "post_match", match_post, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "regexp", match_regexp, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "size", match_size, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "length", match_size, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "string", match_string, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "to_a", match_to_a, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "to_s", match_to_s, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "==", match_equal, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "eql?", match_equal, MRB_ARGS_REQ(1));
}
