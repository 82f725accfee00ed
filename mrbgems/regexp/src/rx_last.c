/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last match.
 *
 * mruby compiles $~ and $1 to global variables, with no way to compute one when it is read.  To set
 * them all after each match would cost more than the match.  But a script that reads $1 has made a
 * symbol of that name: names without a symbol need not be set, and mostly there are none.
 *
 * What is remembered of a match are its offsets, its pattern and its subject.  A MatchData is made
 * of them when somebody asks.
 */
#include "rx.h"

#include <string.h>

#include <mruby/array.h>
#include <mruby/string.h>
#include <mruby/variable.h>

/* rx_global_t.which; $1 to $99 follow. */
enum { NAME_MATCH, NAME_ALL, NAME_BEFORE, NAME_AFTER, NAME_LAST_GROUP, NAME_GROUPS };

static void find_globals(mrb_state *mrb, rx_state_t *state)
{
    static const char specials[] = "~&`'+";
    char name[4] = "$";
    unsigned which;

    state->watched = 0;
    for (which = 0; which < RX_NAMES; which++) {
        unsigned n = which - NAME_GROUPS + 1;
        size_t length = 1;
        mrb_sym symbol;

        if (which < NAME_GROUPS) {
            name[length++] = specials[which];
        } else {
            if (n > 9) {
                name[length++] = (char)('0' + n / 10);
            }
            name[length++] = (char)('0' + n % 10);
        }
        symbol = mrb_intern_check(mrb, name, length);
        if (symbol) {
            state->globals[state->watched].symbol = symbol;
            state->globals[state->watched++].which = which;
        }
    }
    state->symbols = mrb->symidx;
}

static mrb_value part(mrb_state *mrb, mrb_value subject, size_t from, size_t to)
{
    return mrb_str_byte_subseq(mrb, subject, (mrb_int)from, (mrb_int)(to - from));
}

static mrb_value value_of(mrb_state *mrb, rx_state_t *state, unsigned name)
{
    mrb_value subject = rx_root(state, RX_ROOT_SUBJECT);
    const size_t *last = state->last;
    unsigned group = state->count;

    switch (name) {
    case NAME_MATCH:
        return rx_last(mrb, state);
    case NAME_ALL:
        return rx_group(mrb, subject, last, 0);
    case NAME_BEFORE:
        return part(mrb, subject, 0, last[0]);
    case NAME_AFTER:
        return part(mrb, subject, last[1], (size_t)RSTRING_LEN(subject));
    case NAME_LAST_GROUP:
        while (--group > 0 && last[2 * group] == PCRE2_UNSET) {
        }
        return group > 0 ? rx_group(mrb, subject, last, group) : mrb_nil_value();
    default:
        group = name - NAME_GROUPS + 1;
        return group < state->count ? rx_group(mrb, subject, last, group) : mrb_nil_value();
    }
}

static void publish(mrb_state *mrb, rx_state_t *state)
{
    int arena = mrb_gc_arena_save(mrb);
    unsigned i;

    if (state->symbols != mrb->symidx) {
        find_globals(mrb, state);
    }
    if (!state->matched && !state->published) {
        return;
    }
    for (i = 0; i < state->watched; i++) {
        mrb_gv_set(mrb, state->globals[i].symbol,
                   state->matched ? value_of(mrb, state, state->globals[i].which)
                                  : mrb_nil_value());
        mrb_gc_arena_restore(mrb, arena);
    }
    state->published = state->matched && state->watched > 0;
}

mrb_value rx_subject(mrb_state *mrb, mrb_value string, rx_kind_t kind)
{
    mrb_value copy = mrb_str_dup(mrb, string);

    if (kind == RX_ASCII) {
        RSTR_SET_ASCII_FLAG(mrb_str_ptr(copy));
    }
    MRB_SET_FROZEN_FLAG(mrb_basic_ptr(copy));
    return copy;
}

/* Two strings with the same bytes in the same place: neither can have been changed since one was
 * copied from the other, for that would have moved its bytes elsewhere. */
static bool shares(mrb_value a, mrb_value b)
{
    return !RSTR_EMBED_P(mrb_str_ptr(a)) && RSTRING_PTR(a) == RSTRING_PTR(b) &&
           RSTRING_LEN(a) == RSTRING_LEN(b);
}

void rx_text_of(rx_state_t *state, mrb_value string, rx_text_t *text)
{
    mrb_value subject = rx_root(state, RX_ROOT_SUBJECT);

    text->ptr = RSTRING_PTR(string);
    text->len = (size_t)RSTRING_LEN(string);
    text->kind = !mrb_nil_p(subject) && shares(subject, string)
                     ? state->kind
                     : rx_text_kind(text->ptr, text->len);
}

static void remember(mrb_state *mrb, rx_state_t *state, const rx_hit_t *hit)
{
    if (state->capacity < hit->count) {
        state->last = mrb_realloc(mrb, state->last, 2 * hit->count * sizeof(size_t));
        state->capacity = hit->count;
    }
    memcpy(state->last, hit->offsets, 2 * hit->count * sizeof(size_t));
    state->count = hit->count;
}

void rx_last_set(mrb_state *mrb, rx_state_t *state, const rx_hit_t *hit)
{
    mrb_value old = rx_root(state, RX_ROOT_SUBJECT);
    mrb_value subject = hit->subject;

    remember(mrb, state, hit);
    if (mrb_nil_p(old) || (!mrb_obj_eq(mrb, old, subject) && !shares(old, subject))) {
        if (!mrb_frozen_p(mrb_basic_ptr(subject)) ||
            mrb_basic_ptr(subject)->c != mrb->string_class) {
            subject = rx_subject(mrb, subject, hit->kind);
        }
        rx_set_root(mrb, state, RX_ROOT_SUBJECT, subject);
    }
    rx_set_root(mrb, state, RX_ROOT_PATTERN, hit->pattern);
    rx_set_root(mrb, state, RX_ROOT_MATCH, mrb_nil_value());
    state->kind = hit->kind;
    state->matched = true;
    publish(mrb, state);
}

void rx_last_found(mrb_state *mrb, rx_code_t *code, mrb_value regexp, mrb_value subject,
                   rx_kind_t kind)
{
    rx_hit_t hit = {regexp, subject, kind, code->groups + 1, rx_found(code->state)};

    rx_last_set(mrb, code->state, &hit);
}

void rx_last_clear(mrb_state *mrb, rx_state_t *state)
{
    if (state->matched) {
        rx_set_root(mrb, state, RX_ROOT_SUBJECT, mrb_nil_value());
        rx_set_root(mrb, state, RX_ROOT_PATTERN, mrb_nil_value());
        rx_set_root(mrb, state, RX_ROOT_MATCH, mrb_nil_value());
        state->matched = false;
    }
    publish(mrb, state);
}

mrb_value rx_last(mrb_state *mrb, rx_state_t *state)
{
    mrb_value match = rx_root(state, RX_ROOT_MATCH);

    if (state->matched && mrb_nil_p(match)) {
        rx_hit_t hit = {rx_root(state, RX_ROOT_PATTERN), rx_root(state, RX_ROOT_SUBJECT),
                        state->kind, state->count, state->last};

        match = rx_match_new(mrb, state, &hit);
        rx_set_root(mrb, state, RX_ROOT_MATCH, match);
    }
    return match;
}
