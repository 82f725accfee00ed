/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one interpreter, and where it is kept. */
#include "rx.h"

#include <stdlib.h>
#include <string.h>

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/error.h>
#include <mruby/proc.h>
#include <mruby/variable.h>

/* Objects of the gem may be freed after their state when an interpreter is closed: freeing one must
 * not touch the state. */
static void free_state(mrb_state *mrb, void *data)
{
    rx_state_t *state = data;
    int i;

    for (i = 0; state->cache && i < RX_CACHE_SIZE; i++) {
        rx_code_release(mrb, state->cache[i].code);
    }
    mrb_free(mrb, state->cache);
    mrb_free(mrb, state->last);
    pcre2_jit_stack_free(state->stack);
    pcre2_match_data_free(state->data);
    pcre2_match_context_free(state->matching);
    pcre2_compile_context_free(state->compiling);
    pcre2_general_context_free(state->general);
    mrb_free(mrb, state);
}

static const mrb_data_type state_type = {"Regexp state", free_state};

/* PCRE2 has its memory from the interpreter's allocator, so that it is on the interpreter's account
 * and within its limit.  Executable memory of the JIT is not: only PCRE2 can allocate that. */
static void *allocate(PCRE2_SIZE size, void *data)
{
    return mrb_malloc_simple(data, size);
}

static void release(void *block, void *data)
{
    mrb_free(data, block);
}

/* Before 10.45, what a look-ahead begins with was taken to come before what follows it: /(?=c)a?c/
 * did not match "c". */
static bool overlooks_ahead(void)
{
    char version[64] = "";
    char *point;

    pcre2_config(PCRE2_CONFIG_VERSION, version);
    point = strchr(version, '.');
    return !point || atoi(version) < 10 || (atoi(version) == 10 && atoi(point + 1) < 45);
}

static bool create_contexts(mrb_state *mrb, rx_state_t *state)
{
    state->general = pcre2_general_context_create(allocate, release, mrb);
    state->compiling = pcre2_compile_context_create(state->general);
    state->matching = pcre2_match_context_create(state->general);
    if (!state->general || !state->compiling || !state->matching) {
        return false;
    }
    state->wary_of_ahead = overlooks_ahead();
    pcre2_set_newline(state->compiling, PCRE2_NEWLINE_LF);
    pcre2_set_bsr(state->compiling, PCRE2_BSR_UNICODE);
    /* Groups that the translation adds come on top of the author's. */
    pcre2_set_parens_nest_limit(state->compiling, 4 * RX_MAX_GROUPS_DEEP);
    return true;
}

rx_state_t *rx_state(mrb_state *mrb)
{
    return DATA_PTR(mrb_proc_cfunc_env_get(mrb, 0));
}

void rx_define(mrb_state *mrb, struct RClass *c, const char *name, mrb_func_t function,
               mrb_value state)
{
    int arena = mrb_gc_arena_save(mrb);
    struct RProc *proc = mrb_proc_new_cfunc_with_env(mrb, function, 1, &state);
    mrb_method_t method;

    MRB_METHOD_FROM_PROC(method, proc);
    mrb_define_method_raw(mrb, c, mrb_intern_cstr(mrb, name), method);
    mrb_gc_arena_restore(mrb, arena);
}

mrb_value rx_root(rx_state_t *state, int root)
{
    return RARRAY_PTR(state->roots)[root];
}

void rx_set_root(mrb_state *mrb, rx_state_t *state, int root, mrb_value value)
{
    mrb_ary_set(mrb, state->roots, root, value);
}

struct RClass *rx_class(rx_state_t *state, int root)
{
    return mrb_class_ptr(rx_root(state, root));
}

void mrb_regexp_gem_init(mrb_state *mrb)
{
    int arena = mrb_gc_arena_save(mrb);
    struct RData *data = mrb_data_object_alloc(mrb, mrb->object_class, NULL, &state_type);
    mrb_value holder = mrb_obj_value(data);
    rx_state_t *state = mrb_calloc(mrb, 1, sizeof(*state));

    data->data = state;
    mrb_gc_register(mrb, holder);
    state->timeout = 1.0;
    state->roots = mrb_ary_new_capa(mrb, RX_ROOTS);
    mrb_gc_register(mrb, state->roots);
    if (!create_contexts(mrb, state)) {
        mrb_exc_raise(mrb, mrb_obj_value(mrb->nomem_err));
    }
    mrb_ary_set(mrb, state->roots, RX_ROOT_CACHE - 1, mrb_nil_value());
    rx_regexp_init(mrb, state, holder);
    rx_match_init(mrb, state);
    rx_walk_init(mrb, state, holder);
    rx_string_init(mrb, state, holder);
    mrb_gc_arena_restore(mrb, arena);
}

void mrb_regexp_gem_final(mrb_state *mrb)
{
    (void)mrb;
}
