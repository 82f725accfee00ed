/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled patterns that are kept: a literal in a loop is compiled once, and so is a pattern that
 * is made anew for each request.
 *
 * The cache is like that of a processor: a pattern has a few places to be in, by its hash, and
 * takes that of the one which has not been used for longest.
 */
#include "rx.h"

#include <string.h>

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/string.h>

/* The place of a pattern in the cache, or else the one in its set that has been idle for longest.
 */
static int cache_find(rx_state_t *state, const char *source, size_t length, unsigned options,
                      bool *found)
{
    size_t hash = rx_code_hash(source, length, options);
    int first = (int)(hash % RX_CACHE_SETS) * RX_CACHE_WAYS;
    int oldest = first;
    int i;

    *found = true;
    for (i = first; i < first + RX_CACHE_WAYS; i++) {
        rx_code_t *code = state->cache[i].code;

        if (code && code->hash == hash && code->length == length && code->options == options &&
            memcmp(code->source, source, length) == 0) {
            state->cache[i].used = ++state->clock;
            return i;
        }
        if (state->cache[i].used < state->cache[oldest].used) {
            oldest = i;
        }
    }
    *found = false;
    return oldest;
}

/* Compiles the pattern for the Regexp object, or shares what is in the cache.  Returns its place.
 */
static int install(mrb_state *mrb, rx_state_t *state, mrb_value regexp, mrb_value source,
                   unsigned options)
{
    bool found;
    int place;

    if (!state->cache) {
        state->cache = mrb_calloc(mrb, RX_CACHE_SIZE, sizeof(state->cache[0]));
    }
    place = cache_find(state, RSTRING_PTR(source), (size_t)RSTRING_LEN(source), options, &found);
    if (found) {
        state->cache[place].code->refs++;
        mrb_data_init(regexp, state->cache[place].code, &rx_regexp_type);
    } else {
        rx_code_new(mrb, state, source, options, regexp);
    }
    return place;
}

static void cache_put(mrb_state *mrb, rx_state_t *state, int place, mrb_value regexp)
{
    rx_entry_t *entry = &state->cache[place];
    rx_code_t *code = DATA_PTR(regexp);

    if (entry->code != code) {
        rx_code_release(mrb, entry->code);
        entry->code = code;
        code->refs++;
        rx_set_root(mrb, state, RX_ROOT_CACHE + place, mrb_nil_value());
    }
    entry->used = ++state->clock;
}

void rx_cache_install(mrb_state *mrb, rx_state_t *state, mrb_value regexp, mrb_value source,
                      unsigned options)
{
    cache_put(mrb, state, install(mrb, state, regexp, source, options), regexp);
}

mrb_value rx_regexp_get(mrb_state *mrb, rx_state_t *state, mrb_value source, unsigned options)
{
    mrb_value regexp;
    bool found;
    int place;

    if (state->cache) {
        place =
            cache_find(state, RSTRING_PTR(source), (size_t)RSTRING_LEN(source), options, &found);
        if (found && !mrb_nil_p(rx_root(state, RX_ROOT_CACHE + place))) {
            return rx_root(state, RX_ROOT_CACHE + place);
        }
    }
    regexp = mrb_obj_value(
        mrb_data_object_alloc(mrb, rx_class(state, RX_ROOT_REGEXP), NULL, &rx_regexp_type));
    place = install(mrb, state, regexp, source, options);
    cache_put(mrb, state, place, regexp);
    rx_set_root(mrb, state, RX_ROOT_CACHE + place, regexp);
    MRB_SET_FROZEN_FLAG(mrb_basic_ptr(regexp));
    return regexp;
}
