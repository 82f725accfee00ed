/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over a string, from match to match: what scan, gsub, sub and split have in common.
 *
 * A Regexp::Walk is made by String#__walk and driven from Ruby (mrblib/), which calls blocks and
 * lets go of the walk when something is raised.  What needs no block runs here, for some
 * milliseconds at a time: then it returns false to be called again, so that whoever wants to stop
 * the interpreter can.
 */
#define _GNU_SOURCE /* memmem */
#include "rx.h"

#include <string.h>
#include <time.h>

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/presym.h>
#include <mruby/string.h>
#include <mruby/variable.h>

/* How long one call may take. */
#define SLICE_NS 10000000

typedef struct {
    rx_state_t *state;
    rx_code_t *code;   /* NULL: the pattern is a String */
    mrb_value pattern; /* these three are kept from the collector by the object's variables */
    mrb_value subject;
    mrb_value out; /* String or Array, made when it is needed */
    rx_text_t text;
    unsigned count;  /* pairs of offsets */
    bool found;      /* there has been a match */
    bool literal;    /* the replacement has no backslash */
    size_t next;     /* where to search on; text.len + 1: nowhere */
    size_t copied;   /* up to where the text is in out */
    size_t begin;    /* split: where the current field begins */
    mrb_int left;    /* split: how many fields may still be cut off; -1: any number */
    size_t *offsets; /* of the last match; after this structure */
} rx_walk_t;

static const mrb_data_type walk_type = {"Regexp::Walk", mrb_free};

static rx_walk_t *get(mrb_state *mrb, mrb_value self)
{
    return DATA_GET_PTR(mrb, self, &walk_type, rx_walk_t);
}

/* string.__walk(pattern); nil for anything that is no pattern. */
static mrb_value walk_new(mrb_state *mrb, mrb_value string)
{
    rx_state_t *state = rx_state(mrb);
    mrb_value pattern = mrb_get_arg1(mrb);
    rx_code_t *code = rx_regexp_check(pattern);
    unsigned count = code ? code->groups + 1 : 1;
    struct RData *data;
    rx_walk_t *walk;
    mrb_value self;

    if (!code) {
        mrb_ensure_string_type(mrb, pattern);
        pattern = rx_subject(mrb, pattern, RX_BYTES);
    }
    data = mrb_data_object_alloc(mrb, rx_class(state, RX_ROOT_WALK), NULL, &walk_type);
    self = mrb_obj_value(data);
    walk = mrb_calloc(mrb, 1, sizeof(*walk) + 2 * count * sizeof(size_t));
    data->data = walk;
    walk->state = state;
    walk->code = code;
    walk->count = count;
    walk->offsets = (size_t *)(walk + 1);
    walk->pattern = pattern;
    walk->out = mrb_nil_value();
    rx_text_of(state, string, &walk->text);
    walk->subject = rx_subject(mrb, string, walk->text.kind);
    walk->text.ptr = RSTRING_PTR(walk->subject);
    mrb_iv_set(mrb, self, MRB_SYM(pattern), pattern);
    mrb_iv_set(mrb, self, MRB_SYM(subject), walk->subject);
    return self;
}

static void keep_out(mrb_state *mrb, mrb_value self, rx_walk_t *walk, mrb_value out)
{
    walk->out = out;
    mrb_iv_set(mrb, self, MRB_SYM(out), out);
}

/* Finds the literal pattern from start on. */
static bool find_literal(const rx_walk_t *walk, size_t start, size_t *offsets)
{
    const char *needle = RSTRING_PTR(walk->pattern);
    size_t length = (size_t)RSTRING_LEN(walk->pattern);
    const char *at = memmem(walk->text.ptr + start, walk->text.len - start, needle, length);

    if (!at) {
        return false;
    }
    offsets[0] = (size_t)(at - walk->text.ptr);
    offsets[1] = offsets[0] + length;
    return true;
}

/* To the next match.  After an empty one goes on behind the next character. */
static bool step(mrb_state *mrb, rx_walk_t *walk)
{
    if (walk->next > walk->text.len) {
        return false;
    }
    if (walk->code) {
        if (!rx_search(mrb, walk->code, &walk->text, walk->next, false)) {
            walk->next = walk->text.len + 1;
            return false;
        }
        memcpy(walk->offsets, rx_found(walk->state), 2 * walk->count * sizeof(size_t));
    } else if (!find_literal(walk, walk->next, walk->offsets)) {
        walk->next = walk->text.len + 1;
        return false;
    }
    walk->found = true;
    walk->next = walk->offsets[1];
    if (walk->offsets[0] >= walk->offsets[1]) {
        walk->next += walk->next < walk->text.len ? rx_text_step(&walk->text, walk->next) : 1;
    }
    return true;
}

/* Makes the match of this walk the last match. */
static void set_last(mrb_state *mrb, rx_walk_t *walk)
{
    if (walk->found) {
        rx_hit_t hit = {walk->pattern, walk->subject, walk->text.kind, walk->count, walk->offsets};

        rx_last_set(mrb, walk->state, &hit);
    } else {
        rx_last_clear(mrb, walk->state);
    }
}

/* Not exact, but to ask it costs less than the shortest match. */
static int64_t clock_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- with a block ---- */

/* To the next match, which becomes the last one. */
static mrb_value walk_next(mrb_state *mrb, mrb_value self)
{
    rx_walk_t *walk = get(mrb, self);
    bool found = step(mrb, walk);

    set_last(mrb, walk);
    return mrb_bool_value(found);
}

/* What scan gives for a match: its text, or that of its groups. */
static mrb_value item(mrb_state *mrb, rx_walk_t *walk)
{
    mrb_value groups;
    unsigned i;

    if (walk->count == 1) {
        return rx_group(mrb, walk->subject, walk->offsets, 0);
    }
    groups = mrb_ary_new_capa(mrb, (mrb_int)walk->count - 1);
    for (i = 1; i < walk->count; i++) {
        mrb_ary_push(mrb, groups, rx_group(mrb, walk->subject, walk->offsets, i));
    }
    return groups;
}

static mrb_value walk_item(mrb_state *mrb, mrb_value self)
{
    return item(mrb, get(mrb, self));
}

static mrb_value walk_text(mrb_state *mrb, mrb_value self)
{
    rx_walk_t *walk = get(mrb, self);

    return rx_group(mrb, walk->subject, walk->offsets, 0);
}

static mrb_value walk_found(mrb_state *mrb, mrb_value self)
{
    return mrb_bool_value(get(mrb, self)->found);
}

/* ---- scan ---- */

/* All that is left, into an Array; false when it took too long and is to be called again. */
static mrb_value walk_collect(mrb_state *mrb, mrb_value self)
{
    rx_walk_t *walk = get(mrb, self);
    int arena = mrb_gc_arena_save(mrb);
    int64_t end = clock_now() + SLICE_NS;

    if (mrb_nil_p(walk->out)) {
        keep_out(mrb, self, walk, mrb_ary_new(mrb));
    }
    while (step(mrb, walk)) {
        mrb_ary_push(mrb, walk->out, item(mrb, walk));
        mrb_gc_arena_restore(mrb, arena);
        if (clock_now() > end) {
            return mrb_false_value();
        }
    }
    set_last(mrb, walk);
    return walk->out;
}

/* ---- gsub ---- */

static void copy_up_to(mrb_state *mrb, mrb_value self, rx_walk_t *walk, size_t end)
{
    if (mrb_nil_p(walk->out)) {
        keep_out(mrb, self, walk, mrb_str_new_capa(mrb, (mrb_int)walk->text.len));
    }
    if (walk->copied < end) {
        mrb_str_cat(mrb, walk->out, walk->text.ptr + walk->copied, (mrb_int)(end - walk->copied));
        walk->copied = end;
    }
}

static void put_group(mrb_state *mrb, rx_walk_t *walk, unsigned group)
{
    if (group < walk->count && walk->offsets[2 * group] != PCRE2_UNSET &&
        walk->offsets[2 * group] < walk->offsets[2 * group + 1]) {
        mrb_str_cat(mrb, walk->out, walk->text.ptr + walk->offsets[2 * group],
                    (mrb_int)(walk->offsets[2 * group + 1] - walk->offsets[2 * group]));
    }
}

/* \k<name>; p is behind the k.  Returns what follows, or NULL if it is none. */
static const char *put_named(mrb_state *mrb, rx_walk_t *walk, const char *p, const char *end)
{
    const char *close = p < end && *p == '<' ? memchr(p, '>', (size_t)(end - p)) : NULL;
    mrb_value name;

    if (!close) {
        return NULL;
    }
    name = mrb_str_new(mrb, p + 1, (mrb_int)(close - p - 1));
    put_group(mrb, walk,
              (unsigned)rx_group_index(mrb, walk->code, walk->count, walk->offsets, name));
    return close + 1;
}

/* What follows a backslash in a replacement; p is there.  Returns what comes next. */
static const char *put_special(mrb_state *mrb, rx_walk_t *walk, const char *p, const char *end)
{
    const char *after;
    unsigned group = walk->count;

    switch (*p) {
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        /* Groups that have names have no numbers here. */
        if (*p == '0' || !walk->code || walk->code->names_length == 0) {
            put_group(mrb, walk, (unsigned)(*p - '0'));
        }
        return p + 1;
    case '&':
        put_group(mrb, walk, 0);
        return p + 1;
    case '`':
        mrb_str_cat(mrb, walk->out, walk->text.ptr, (mrb_int)walk->offsets[0]);
        return p + 1;
    case '\'':
        mrb_str_cat(mrb, walk->out, walk->text.ptr + walk->offsets[1],
                    (mrb_int)(walk->text.len - walk->offsets[1]));
        return p + 1;
    case '+':
        while (--group > 0 && walk->offsets[2 * group] == PCRE2_UNSET) {
        }
        put_group(mrb, walk, group > 0 ? group : walk->count);
        return p + 1;
    case '\\':
        mrb_str_cat_lit(mrb, walk->out, "\\");
        return p + 1;
    case 'k':
        after = put_named(mrb, walk, p + 1, end);
        if (after) {
            return after;
        }
        break;
    default:
        break;
    }
    mrb_str_cat_lit(mrb, walk->out, "\\");
    return p;
}

/* The replacement, with \1 and so on filled in. */
static void put_replacement(mrb_state *mrb, rx_walk_t *walk, const char *p, const char *end)
{
    while (p < end) {
        const char *special = walk->literal ? NULL : memchr(p, '\\', (size_t)(end - p));

        if (!special || special + 1 == end) {
            mrb_str_cat(mrb, walk->out, p, (mrb_int)(end - p));
            return;
        }
        mrb_str_cat(mrb, walk->out, p, (mrb_int)(special - p));
        p = put_special(mrb, walk, special + 1, end);
    }
}

/* Replaces all matches that are left, or only one; false as above. */
static mrb_value replace(mrb_state *mrb, mrb_value self, bool all)
{
    rx_walk_t *walk = get(mrb, self);
    mrb_value by = mrb_get_arg1(mrb);
    int arena = mrb_gc_arena_save(mrb);
    int64_t end = clock_now() + SLICE_NS;

    mrb_ensure_string_type(mrb, by);
    walk->literal = !memchr(RSTRING_PTR(by), '\\', (size_t)RSTRING_LEN(by));
    while (step(mrb, walk)) {
        copy_up_to(mrb, self, walk, walk->offsets[0]);
        put_replacement(mrb, walk, RSTRING_PTR(by), RSTRING_PTR(by) + RSTRING_LEN(by));
        walk->copied = walk->offsets[1] > walk->copied ? walk->offsets[1] : walk->copied;
        mrb_gc_arena_restore(mrb, arena);
        if (!all) {
            break;
        }
        if (clock_now() > end) {
            return mrb_false_value();
        }
    }
    set_last(mrb, walk);
    return mrb_true_value();
}

static mrb_value walk_replace_all(mrb_state *mrb, mrb_value self)
{
    return replace(mrb, self, true);
}

static mrb_value walk_replace_one(mrb_state *mrb, mrb_value self)
{
    return replace(mrb, self, false);
}

/* Replaces the match where the walk is by a string as it is. */
static mrb_value walk_put(mrb_state *mrb, mrb_value self)
{
    rx_walk_t *walk = get(mrb, self);
    mrb_value by = mrb_obj_as_string(mrb, mrb_get_arg1(mrb));

    copy_up_to(mrb, self, walk, walk->offsets[0]);
    mrb_str_cat_str(mrb, walk->out, by);
    walk->copied = walk->offsets[1] > walk->copied ? walk->offsets[1] : walk->copied;
    return self;
}

/* The string with what has been replaced.  Whatever a block has matched, $~ is of this walk again.
 */
static mrb_value walk_result(mrb_state *mrb, mrb_value self)
{
    rx_walk_t *walk = get(mrb, self);

    set_last(mrb, walk);
    if (!walk->found) {
        return mrb_str_dup(mrb, walk->subject);
    }
    copy_up_to(mrb, self, walk, walk->text.len);
    return walk->out;
}

/* ---- split ---- */

static void cut(mrb_state *mrb, rx_walk_t *walk, size_t end)
{
    mrb_ary_push(mrb, walk->out,
                 mrb_str_byte_subseq(mrb, walk->subject, (mrb_int)walk->begin,
                                     (mrb_int)(end - walk->begin)));
}

/* The field before the match, and the groups of the match. */
static void split_at_match(mrb_state *mrb, rx_walk_t *walk)
{
    unsigned i;

    cut(mrb, walk, walk->offsets[0]);
    walk->begin = walk->offsets[1];
    for (i = 1; i < walk->count; i++) {
        if (walk->offsets[2 * i] != PCRE2_UNSET) {
            mrb_ary_push(mrb, walk->out, rx_group(mrb, walk->subject, walk->offsets, i));
        }
    }
    walk->left -= walk->left > 0;
}

/* split(limit): false as above. */
static mrb_value walk_split(mrb_state *mrb, mrb_value self)
{
    rx_walk_t *walk = get(mrb, self);
    int arena = mrb_gc_arena_save(mrb);
    int64_t end = clock_now() + SLICE_NS;
    mrb_int limit;

    mrb_get_args(mrb, "i", &limit);
    if (mrb_nil_p(walk->out)) {
        keep_out(mrb, self, walk, mrb_ary_new(mrb));
        walk->left = limit > 0 ? limit - 1 : -1;
    }
    while (walk->left != 0 && step(mrb, walk)) {
        /* At the beginning of a field, nothing is no separator. */
        if (walk->offsets[0] < walk->offsets[1] || walk->offsets[0] > walk->begin) {
            split_at_match(mrb, walk);
            mrb_gc_arena_restore(mrb, arena);
        }
        if (clock_now() > end) {
            return mrb_false_value();
        }
    }
    if (walk->text.len > 0 && (limit != 0 || walk->text.len > walk->begin)) {
        cut(mrb, walk, walk->text.len);
    }
    while (limit == 0 && RARRAY_LEN(walk->out) > 0 &&
           RSTRING_LEN(RARRAY_PTR(walk->out)[RARRAY_LEN(walk->out) - 1]) == 0) {
        mrb_ary_pop(mrb, walk->out);
    }
    return walk->out;
}

void rx_walk_init(mrb_state *mrb, rx_state_t *state, mrb_value holder)
{
    struct RClass *c =
        mrb_define_class_under(mrb, rx_class(state, RX_ROOT_REGEXP), "Walk", mrb->object_class);

    MRB_SET_INSTANCE_TT(c, MRB_TT_CDATA);
    rx_set_root(mrb, state, RX_ROOT_WALK, mrb_obj_value(c));
    mrb_undef_class_method(mrb, c, "new");
    mrb_undef_class_method(mrb, c, "allocate");
    mrb_undef_method(mrb, c, "initialize_copy");
    rx_define(mrb, mrb->string_class, "__walk", walk_new, holder);
    mrb_define_method(mrb, c, "next", walk_next, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "item", walk_item, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "text", walk_text, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "found?", walk_found, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "collect", walk_collect, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "replace_all", walk_replace_all, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "replace_one", walk_replace_one, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "put", walk_put, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "result", walk_result, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "split", walk_split, MRB_ARGS_REQ(1));
}
