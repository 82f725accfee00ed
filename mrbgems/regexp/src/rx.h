/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regexp for mruby: what the files of this gem share.
 *
 * Knows mruby and PCRE2.  Must not know who runs the interpreter.
 *
 *     rx_text     kinds of text, characters and bytes
 *     rx_syntax   Ruby's syntax in PCRE2's (with rx_group, rx_set, rx_property and rx_char)
 *     rx_code     compiled patterns, and matching within limits
 *     rx_last     the last match: $~ and its relatives
 *     rx_cache    compiled patterns that are kept
 *     rx_regexp   class Regexp (with rx_source: its text)
 *     rx_match    class MatchData
 *     rx_walk     one pass over a string: scan, gsub, split
 *     rx_string   what String's own methods do with a Regexp
 *
 * Everything belongs to one interpreter (rx_state_t) and to the thread that it runs on.  Nothing at
 * file scope is ever written to.
 */
#ifndef RX_H
#define RX_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <mruby.h>
#include <mruby/data.h>
#include <stdbool.h>

#include "rx_compat.h"
#include "rx_syntax.h"
#include "rx_text.h"

#define RX_CACHE_SETS 32
#define RX_CACHE_WAYS 4
#define RX_CACHE_SIZE (RX_CACHE_SETS * RX_CACHE_WAYS)

typedef struct rx_code_t rx_code_t;
typedef struct rx_state_t rx_state_t;

/* ---- rx_state: one for each interpreter ---- */

/* Places in rx_state_t.roots, the Array that keeps Ruby objects for C. */
enum {
    RX_ROOT_SUBJECT, /* of the last match: a copy that nobody changes */
    RX_ROOT_PATTERN, /* of the last match: Regexp, or String for a literal one */
    RX_ROOT_MATCH,   /* the last match as a MatchData, once somebody asked */
    RX_ROOT_REGEXP,  /* classes */
    RX_ROOT_MATCH_DATA,
    RX_ROOT_WALK,
    RX_ROOT_CACHE, /* and so on: Regexp objects of the cache */
    RX_ROOTS = RX_ROOT_CACHE + RX_CACHE_SIZE
};

/* Methods of String that ours fall back on. */
typedef enum {
    RX_STRING_AREF,
    RX_STRING_ASET,
    RX_STRING_INDEX,
    RX_STRING_RINDEX,
    RX_STRING_SPLIT,
    RX_STRING_START_WITH,
    RX_STRING_METHODS
} rx_method_t;

/* $~ $& $` $' $+, and $1 to $99. */
#define RX_NAMES 104

typedef struct {
    mrb_sym symbol;
    unsigned which; /* see rx_last.c */
} rx_global_t;

typedef struct {
    rx_code_t *code;
    unsigned long used; /* when, by rx_state_t.clock */
} rx_entry_t;

struct rx_state_t {
    pcre2_general_context *general; /* memory from the interpreter's allocator */
    pcre2_compile_context *compiling;
    pcre2_match_context *matching;
    pcre2_match_data *data;
    unsigned pairs;         /* that fit into data */
    pcre2_jit_stack *stack; /* NULL until the machine's stack was too small once */
    bool wary_of_ahead;     /* this PCRE2 may overlook matches that begin with a look-ahead */
    double timeout;         /* seconds that one search may take */
    mrb_value roots;

    bool matched;   /* the last match: is there one? */
    rx_kind_t kind; /* of its subject */
    unsigned count; /* pairs of offsets in last */
    unsigned capacity;
    size_t *last;

    mrb_sym symbols;  /* how many the interpreter had when globals was filled in */
    bool published;   /* some of globals are not nil */
    unsigned watched; /* how many globals are mentioned in scripts */
    rx_global_t globals[RX_NAMES];

    unsigned long clock;
    rx_entry_t *cache; /* NULL before its first use */
    mrb_func_t string[RX_STRING_METHODS];
};

/* The state belonging to the C function that is running, if it was defined with rx_define(). */
rx_state_t *rx_state(mrb_state *mrb);

void rx_define(mrb_state *mrb, struct RClass *c, const char *name, mrb_func_t function,
               mrb_value state);

struct RClass *rx_class(rx_state_t *state, int root);
mrb_value rx_root(rx_state_t *state, int root);
void rx_set_root(mrb_state *mrb, rx_state_t *state, int root, mrb_value value);

/* ---- rx_code: compiled patterns ---- */

/* A pattern is compiled in up to four variants: for text matched by bytes (ASCII is) or as UTF-8;
 * to be found anywhere or only where the search begins. */
#define RX_VARIANT_UTF 1
#define RX_VARIANT_ANCHORED 2

typedef struct {
    pcre2_code *code;
    unsigned long work; /* what it has done without the JIT, roughly in nanoseconds */
    enum { RX_JIT_NOT_YET, RX_JIT_READY, RX_JIT_REFUSED } jit;
} rx_variant_t;

struct rx_code_t {
    unsigned refs; /* Regexp objects and places in the cache */
    unsigned options;
    unsigned groups;
    bool wide, bytes_only, from_here;
    size_t hash;
    size_t length;
    size_t names_length;
    rx_state_t *state;
    rx_variant_t variants[4];
    char source[]; /* length bytes, and then the names, as records of rx_name_t */
};

size_t rx_code_hash(const char *source, size_t length, unsigned options);

/* Reads and compiles a pattern for a Regexp that has none yet, and which holds it from the first
 * moment on.  Raises RegexpError. */
void rx_code_new(mrb_state *mrb, rx_state_t *state, mrb_value source, unsigned options,
                 mrb_value regexp);

void rx_code_release(mrb_state *mrb, rx_code_t *code);

static inline const char *rx_code_names(const rx_code_t *code)
{
    return code->source + code->length;
}

/* Looks for the pattern from the byte start on (or only there, if anchored).  True: the offsets are
 * in rx_found(state), code->groups + 1 pairs.  Raises Regexp::TimeoutError past the limits. Holds
 * nothing when it raises. */
bool rx_search(mrb_state *mrb, rx_code_t *code, const rx_text_t *text, size_t start, bool anchored);

static inline const size_t *rx_found(rx_state_t *state)
{
    return pcre2_get_ovector_pointer(state->data);
}

/* ---- rx_cache ---- */

/* Compiles the pattern for a Regexp that has none yet, or shares what is in the cache. */
void rx_cache_install(mrb_state *mrb, rx_state_t *state, mrb_value regexp, mrb_value source,
                      unsigned options);

/* The Regexp for a pattern: always the same one as long as the cache remembers it, and frozen. */
mrb_value rx_regexp_get(mrb_state *mrb, rx_state_t *state, mrb_value source, unsigned options);

/* ---- rx_regexp and rx_source ---- */

extern const mrb_data_type rx_regexp_type;

/* Its code; NULL when value is no Regexp.  rx_regexp_code() raises TypeError instead. */
rx_code_t *rx_regexp_check(mrb_value value);
rx_code_t *rx_regexp_code(mrb_state *mrb, mrb_value value);

/* Regexp#match, Regexp#match? and Regexp#=~ */
mrb_value rx_regexp_match(mrb_state *mrb, mrb_value regexp, mrb_value subject, mrb_int pos,
                          mrb_value block);
bool rx_regexp_matches(mrb_state *mrb, mrb_value regexp, mrb_value subject, mrb_int pos);
mrb_value rx_regexp_match_op(mrb_state *mrb, mrb_value regexp, mrb_value subject);

mrb_value rx_regexp_escape(mrb_state *mrb, mrb_value string);

/* The numbers of the groups that name means for a match: the last one of them that took part, or
 * else the last one.  0: there is no such name.  offsets may be NULL. */
unsigned rx_group_named(const rx_code_t *code, const char *name, size_t length,
                        const size_t *offsets);

/* ---- rx_last ---- */

/* What string is, and its kind; O(1) if it still is the subject of the last match. */
void rx_text_of(rx_state_t *state, mrb_value string, rx_text_t *text);

/* A copy of string that nobody else can change; it shares the bytes. */
mrb_value rx_subject(mrb_state *mrb, mrb_value string, rx_kind_t kind);

/* A match: the pattern, a Regexp or a literal String; the subject, its kind; and pairs of bytes. */
typedef struct {
    mrb_value pattern;
    mrb_value subject;
    rx_kind_t kind;
    unsigned count;
    const size_t *offsets;
} rx_hit_t;

/* Makes it the last match.  The subject is copied unless it comes from rx_subject(). */
void rx_last_set(mrb_state *mrb, rx_state_t *state, const rx_hit_t *hit);

/* The same for the match that rx_search() has just found. */
void rx_last_found(mrb_state *mrb, rx_code_t *code, mrb_value regexp, mrb_value subject,
                   rx_kind_t kind);

/* There was no match. */
void rx_last_clear(mrb_state *mrb, rx_state_t *state);

/* The last match as a MatchData, or nil. */
mrb_value rx_last(mrb_state *mrb, rx_state_t *state);

/* ---- rx_match ---- */

/* Its subject must come from rx_subject(). */
mrb_value rx_match_new(mrb_state *mrb, rx_state_t *state, const rx_hit_t *hit);

/* The text of one group, nil if it took no part. */
mrb_value rx_group(mrb_state *mrb, mrb_value subject, const size_t *offsets, unsigned group);

/* The group that a number, a name or a symbol means; -1: a number that is none.  Raises IndexError
 * for an unknown name. */
int rx_group_index(mrb_state *mrb, const rx_code_t *code, unsigned count, const size_t *offsets,
                   mrb_value which);

/* ---- set-up ---- */

void rx_source_init(mrb_state *mrb, struct RClass *regexp);
void rx_regexp_init(mrb_state *mrb, rx_state_t *state, mrb_value holder);
void rx_match_init(mrb_state *mrb, rx_state_t *state);
void rx_walk_init(mrb_state *mrb, rx_state_t *state, mrb_value holder);
void rx_string_init(mrb_state *mrb, rx_state_t *state, mrb_value holder);

#endif
