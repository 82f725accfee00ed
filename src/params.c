/* SPDX-License-Identifier: Apache-2.0 */
#include "params.h"

#include <string.h>

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/hash.h>
#include <mruby/string.h>
#include <mruby/variable.h>

#include "urlform.h"
#include "utf8.h"

/* A part of a name. */
typedef struct {
    const char *at;
    size_t size;
} slice_t;

typedef struct {
    mrb_state *mrb;
    const bench_params_rules_t *rules;
} parser_t;

static int is_bracket(char c)
{
    return c == '[' || c == ']';
}

/* "[[key]]rest": *key gets the first run without brackets, *after what stands behind the closing
 * brackets that follow it. */
static void split_name(slice_t name, slice_t *key, slice_t *after)
{
    const char *end = name.at + name.size;
    const char *p = name.at;

    while (p < end && is_bracket(*p)) {
        p++;
    }
    key->at = p;
    while (p < end && !is_bracket(*p)) {
        p++;
    }
    key->size = (size_t)(p - key->at);
    while (key->size > 0 && p < end && *p == ']') {
        p++;
    }
    after->at = key->size > 0 ? p : end;
    after->size = (size_t)(end - after->at);
}

static int is(slice_t slice, const char *text)
{
    return slice.size == strlen(text) && memcmp(slice.at, text, slice.size) == 0;
}

/* What a line of after says about an array of hashes: "[][key]" or "[]rest" give key or rest. */
static int child_of_line(slice_t line, const char *end, slice_t *child)
{
    const char *p;
    const char *feed;

    if (line.size < 2 || memcmp(line.at, "[]", 2) != 0) {
        return 0;
    }
    line.at += 2;
    line.size -= 2;
    if (line.size > 0 && line.at[0] == '[') {
        for (p = line.at + 1; p < end && !is_bracket(*p); p++) {
        }
        if (p > line.at + 1 && p < end && *p == ']' && (p + 1 == end || p[1] == '\n')) {
            *child = (slice_t){line.at + 1, (size_t)(p - line.at - 1)};
            return 2;
        }
    }
    feed = memchr(line.at, '\n', line.size);
    *child = (slice_t){line.at, feed ? (size_t)(feed - line.at) : line.size};
    return child->size > 0;
}

/* Rack's patterns are anchored to lines, and a name may contain line feeds.  Its first pattern is
 * tried on every line before the second is. */
static int child_key(slice_t after, slice_t *child)
{
    const char *end = after.at + after.size;
    const char *p = after.at;
    slice_t found;
    int rest_found = 0;

    while (p < end) {
        int kind = child_of_line((slice_t){p, (size_t)(end - p)}, end, &found);
        const char *feed = memchr(p, '\n', (size_t)(end - p));

        if (kind == 2) {
            *child = found;
            return 1;
        }
        if (kind == 1 && !rest_found) {
            *child = found;
            rest_found = 1;
        }
        p = feed ? feed + 1 : end;
    }
    return rest_found;
}

static mrb_value string_of(const parser_t *parser, slice_t slice)
{
    return mrb_str_new(parser->mrb, slice.at, slice.size);
}

static int is_params(const parser_t *parser, mrb_value value)
{
    return mrb_hash_p(value) && mrb_obj_class(parser->mrb, value) != parser->rules->upload;
}

static void raise_type(const parser_t *parser, const char *wanted, mrb_value got, slice_t key)
{
    mrb_raisef(parser->mrb, parser->rules->type, "expected %s (got %T) for param `%l'", wanted, got,
               key.at, key.size);
}

/* As Rack counts them. */
static mrb_int characters(mrb_value string)
{
    const char *bytes = RSTRING_PTR(string);
    mrb_int n = 0;
    mrb_int i;

    for (i = 0; i < RSTRING_LEN(string); i++) {
        n += ((unsigned char)bytes[i] & 0xC0) != 0x80;
    }
    return n;
}

/* The names of one Hash are bounded together, or a client could fill the memory with them. */
static void store(const parser_t *parser, mrb_value params, mrb_value key, mrb_value value)
{
    mrb_state *mrb = parser->mrb;

    if (!mrb_hash_key_p(mrb, params, key)) {
        mrb_sym counter = mrb_intern_lit(mrb, "__names");
        mrb_value so_far = mrb_iv_get(mrb, params, counter);
        mrb_int names = mrb_integer_p(so_far) ? mrb_integer(so_far) : 0;

        names += characters(key);
        if (names > BENCH_PARAMS_NAMES) {
            mrb_raise(mrb, parser->rules->limit, "exceeded available parameter key space");
        }
        mrb_iv_set(mrb, params, counter, mrb_int_value(mrb, names));
    }
    mrb_hash_set(mrb, params, key, value);
}

/* Whether the keys in brackets of name lead to something in hash. */
static int has_key(const parser_t *parser, mrb_value hash, slice_t name)
{
    const char *p = name.at;
    const char *end = name.at + name.size;
    const char *q;

    for (q = p; q + 1 < end; q++) {
        if (q[0] == '[' && q[1] == ']') {
            return 0;
        }
    }
    while (p < end) {
        const char *begin;
        mrb_value key;

        while (p < end && is_bracket(*p)) {
            p++;
        }
        begin = p;
        while (p < end && !is_bracket(*p)) {
            p++;
        }
        if (p == begin) {
            continue;
        }
        key = mrb_str_new(parser->mrb, begin, (mrb_int)(p - begin));
        if (!is_params(parser, hash) || !mrb_hash_key_p(parser->mrb, hash, key)) {
            return 0;
        }
        hash = mrb_hash_get(parser->mrb, hash, key);
    }
    return 1;
}

static mrb_value normalize(const parser_t *parser, mrb_value params, slice_t name, mrb_value value,
                           int depth);

static mrb_value array_at(const parser_t *parser, mrb_value params, mrb_value key, slice_t name)
{
    mrb_value array = mrb_hash_get(parser->mrb, params, key);

    if (mrb_nil_p(array)) {
        array = mrb_ary_new(parser->mrb);
        store(parser, params, key, array);
    }
    if (!mrb_array_p(array)) {
        raise_type(parser, "Array", array, name);
    }
    return array;
}

/* "list[][child]": a further key of the last Hash in the list, or a new Hash. */
static void add_to_list(const parser_t *parser, mrb_value array, slice_t child, mrb_value value,
                        int depth)
{
    mrb_state *mrb = parser->mrb;
    mrb_int n = RARRAY_LEN(array);
    mrb_value last = n > 0 ? mrb_ary_entry(array, n - 1) : mrb_nil_value();

    if (is_params(parser, last) && !has_key(parser, last, child)) {
        normalize(parser, last, child, value, depth - 1);
    } else {
        mrb_ary_push(mrb, array, normalize(parser, mrb_hash_new(mrb), child, value, depth - 1));
    }
}

static void add_to_hash(const parser_t *parser, mrb_value params, slice_t name, slice_t after,
                        mrb_value value, int depth)
{
    mrb_value key = string_of(parser, name);
    mrb_value hash = mrb_hash_get(parser->mrb, params, key);

    if (mrb_nil_p(hash)) {
        hash = mrb_hash_new(parser->mrb);
        store(parser, params, key, hash);
    }
    if (!is_params(parser, hash)) {
        raise_type(parser, "Hash", hash, name);
    }
    store(parser, params, key, normalize(parser, hash, after, value, depth - 1));
}

/* Returns what the place in the outer Hash is to hold. */
static mrb_value normalize(const parser_t *parser, mrb_value params, slice_t name, mrb_value value,
                           int depth)
{
    mrb_state *mrb = parser->mrb;
    slice_t key, after, child;
    mrb_value key_value;

    if (depth <= 0) {
        mrb_raise(mrb, parser->rules->limit, "the parameters are nested too deeply");
    }
    split_name(name, &key, &after);
    if (key.size == 0) {
        if (mrb_nil_p(value) || !is(name, "[]")) {
            return mrb_nil_value();
        }
        if (mrb_hash_p(value)) {
            return mrb_funcall(mrb, value, "to_a", 0); /* an upload: as Rack's Array(value) */
        }
        return mrb_array_p(value) ? value : mrb_ary_new_from_values(mrb, 1, &value);
    }
    key_value = string_of(parser, key);
    if (after.size == 0) {
        store(parser, params, key_value, value);
    } else if (is(after, "[")) {
        store(parser, params, string_of(parser, name), value);
    } else if (is(after, "[]")) {
        mrb_ary_push(mrb, array_at(parser, params, key_value, key), value);
    } else if (child_key(after, &child)) {
        add_to_list(parser, array_at(parser, params, key_value, key), child, value, depth);
    } else {
        add_to_hash(parser, params, key, after, value, depth);
    }
    return params;
}

void bench_params_add(mrb_state *mrb, const bench_params_rules_t *rules, mrb_value params,
                      mrb_value name, mrb_value value)
{
    parser_t parser = {mrb, rules};
    int arena = mrb_gc_arena_save(mrb);
    slice_t slice = {RSTRING_PTR(name), (size_t)RSTRING_LEN(name)};

    if (!bench_utf8_is_valid(slice.at, slice.size)) {
        mrb_raise(mrb, rules->invalid, "invalid byte sequence in UTF-8");
    }
    normalize(&parser, params, slice, value, rules->depth);
    mrb_gc_arena_restore(mrb, arena);
}

static mrb_value unescape(mrb_state *mrb, const bench_params_rules_t *rules, const char *text,
                          size_t size)
{
    mrb_value string = mrb_str_new(mrb, NULL, (mrb_int)size);
    ptrdiff_t n = bench_urlform_decode(RSTRING_PTR(string), text, size);

    if (n < 0) {
        mrb_raisef(mrb, rules->invalid, "invalid %%-encoding (%l)", text, size);
    }
    mrb_str_resize(mrb, string, (mrb_int)n);
    return string;
}

mrb_value bench_params_parse(mrb_state *mrb, const bench_params_rules_t *rules, const char *text,
                             size_t size, const char *separators)
{
    bench_urlform_t form = {text, text + size, separators};
    bench_urlform_pair_t pair;
    mrb_value params = mrb_hash_new(mrb);
    int arena = mrb_gc_arena_save(mrb);

    if (size > rules->bytes) {
        mrb_raisef(mrb, rules->limit, "total query size exceeds limit (%i)", (mrb_int)rules->bytes);
    }
    if (bench_urlform_count(text, size, separators) >= rules->count) {
        mrb_raisef(mrb, rules->limit, "total number of query parameters exceeds limit (%i)",
                   (mrb_int)rules->count);
    }
    while (bench_urlform_next(&form, &pair)) {
        mrb_value name = unescape(mrb, rules, pair.name, pair.name_size);
        mrb_value value =
            pair.value ? unescape(mrb, rules, pair.value, pair.value_size) : mrb_nil_value();

        bench_params_add(mrb, rules, params, name, value);
        mrb_gc_arena_restore(mrb, arena);
    }
    return params;
}

mrb_value bench_params_cookies(mrb_state *mrb, const char *text, size_t size)
{
    bench_urlform_t form = {text, text + size, ";"};
    bench_urlform_pair_t pair;
    mrb_value cookies = mrb_hash_new(mrb);
    int arena = mrb_gc_arena_save(mrb);

    while (bench_urlform_next(&form, &pair)) {
        mrb_value name = mrb_str_new(mrb, pair.name, (mrb_int)pair.name_size);

        if (!mrb_hash_key_p(mrb, cookies, name)) {
            mrb_value value = mrb_nil_value();

            if (pair.value) {
                ptrdiff_t n;

                value = mrb_str_new(mrb, pair.value, (mrb_int)pair.value_size);
                n = bench_urlform_decode(RSTRING_PTR(value), pair.value, pair.value_size);
                if (n >= 0) {
                    mrb_str_resize(mrb, value, (mrb_int)n);
                } else {
                    value = mrb_str_new(mrb, pair.value, (mrb_int)pair.value_size);
                }
            }
            mrb_hash_set(mrb, cookies, name, value);
        }
        mrb_gc_arena_restore(mrb, arena);
    }
    return cookies;
}
