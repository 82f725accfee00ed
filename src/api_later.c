/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of the API that an interpreter gets when a script first names them, and that cost nothing
 * until then: mrblib/later/NAME.rb as bytecode, on top of what a room like this one defines.
 *
 * Floor 2.
 *
 * Two methods of mruby's own give way to ours, in their places: Module#const_missing and
 * method_missing, both of which mruby asks for only when it would raise otherwise.  What is not
 * the name of a part raises what it would have raised.
 */
#include "api.h"

#include <string.h>

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/irep.h>
#include <mruby/proc.h>
#include <mruby/string.h>
#include <mruby/variable.h>

#include "later.h"

typedef struct {
    const uint8_t *code;                              /* of mrblib/later/NAME.rb */
    void (*define)(mrb_state *mrb, bench_api_t *api); /* what it stands on */
    const char *mark; /* a variable of Bench, set when it is there */
} part_t;

static const part_t apache = {bench_later_apache, bench_api_apache_define, "__apache"};

/* The names that lead to a part. */
static const struct {
    const char *name;
    const char *inside; /* the module that a constant is asked of; NULL: any */
    const part_t *part;
} constants[] = {
    {"Apache", NULL, &apache},
    {"Headers_in", NULL, &apache},
    {"Rack", "Kernel", &apache},
};

static const struct {
    const char *name;
    int of_main; /* only where self is the top of a file */
    const part_t *part;
} methods[] = {
    {"get_server_class", 0, &apache},
    {"server_name", 0, &apache},
    {"run", 1, &apache},
};

/* ---- loading ---------------------------------------------------------------------------- */

static mrb_sym mark_of(mrb_state *mrb, const part_t *part)
{
    return mrb_intern_static(mrb, part->mark, strlen(part->mark));
}

/* Asked of the mark and not of the constant: who has removed a class from reach wants it to stay
 * out of reach. */
static int is_loaded(mrb_state *mrb, const part_t *part)
{
    return mrb_iv_defined(mrb, mrb_obj_value(bench_api_of(mrb)->bench), mark_of(mrb, part));
}

static mrb_value load_body(mrb_state *mrb, void *data)
{
    const part_t *part = data;
    mrb_ccontext context = {0};
    mrb_value proc;

    part->define(mrb, bench_interp_of(mrb)->api);
    context.no_exec = TRUE;
    proc = mrb_load_irep_cxt(mrb, part->code, &context);
    if (mrb->exc || !mrb_proc_p(proc)) {
        mrb_raise(mrb, E_SCRIPT_ERROR, "bytecode that cannot be loaded");
    }
    MRB_PROC_SET_TARGET_CLASS(mrb_proc_ptr(proc), mrb->object_class);
    mrb_yield_with_class(mrb, proc, 0, NULL, mrb_top_self(mrb), mrb->object_class);
    mrb_iv_set(mrb, mrb_obj_value(bench_api_of(mrb)->bench), mark_of(mrb, part), mrb_true_value());
    return mrb_nil_value();
}

/* Half a part (there was no memory for the rest) must not be taken for a whole one. */
static void load(mrb_state *mrb, const part_t *part)
{
    int arena = mrb_gc_arena_save(mrb);
    mrb_value object = mrb_obj_value(mrb->object_class);
    mrb_bool raised;
    mrb_value result = mrb_protect_error(mrb, load_body, (void *)part, &raised);
    size_t i;

    if (raised) {
        for (i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
            mrb_sym name = mrb_intern_cstr(mrb, constants[i].name);

            if (constants[i].part == part && !constants[i].inside &&
                mrb_const_defined_at(mrb, object, name)) {
                mrb_const_remove(mrb, object, name);
            }
        }
        mrb_exc_raise(mrb, result);
    }
    mrb_gc_arena_restore(mrb, arena);
}

/* ---- where names are missing ------------------------------------------------------------ */

static int is_named(mrb_state *mrb, mrb_value module, const char *name)
{
    return mrb_obj_ptr(module) == (struct RObject *)mrb_module_get(mrb, name);
}

static const part_t *part_of_constant(mrb_state *mrb, mrb_value module, const char *name)
{
    size_t i;

    for (i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
        if (strcmp(constants[i].name, name) == 0 &&
            (!constants[i].inside || is_named(mrb, module, constants[i].inside))) {
            return constants[i].part;
        }
    }
    return NULL;
}

static mrb_value const_missing(mrb_state *mrb, mrb_value module)
{
    const part_t *part;
    mrb_sym name;

    mrb_get_args(mrb, "n", &name);
    mrb->c->ci->mid = 0; /* no line of its own in a backtrace */
    part = part_of_constant(mrb, module, mrb_sym_name(mrb, name));
    if (part && !is_loaded(mrb, part)) {
        load(mrb, part);
        return mrb_const_get(mrb, mrb_obj_value(mrb->object_class), name);
    }
    if (mrb_class_real(mrb_class_ptr(module)) != mrb->object_class) {
        mrb_name_error(mrb, name, "uninitialized constant %v::%n", module, name);
    }
    mrb_name_error(mrb, name, "uninitialized constant %n", name);
    return mrb_nil_value();
}

static int is_main(mrb_state *mrb, mrb_value self)
{
    return mrb_obj_eq(mrb, self, mrb_top_self(mrb)) ||
           mrb_obj_class(mrb, self) == bench_api_of(mrb)->main;
}

static const part_t *part_of_method(mrb_state *mrb, mrb_value self, const char *name)
{
    size_t i;

    for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (strcmp(methods[i].name, name) == 0 && (!methods[i].of_main || is_main(mrb, self))) {
            return methods[i].part;
        }
    }
    return NULL;
}

/* mruby does not say whether super was called.  But a method that calls itself by its name would
 * have been found. */
static int is_super(mrb_state *mrb, mrb_value self, mrb_sym name)
{
    const mrb_callinfo *caller = mrb->c->ci - 1;

    return caller >= mrb->c->cibase && caller->mid == name && caller->stack &&
           mrb_obj_eq(mrb, caller->stack[0], self);
}

static mrb_value method_missing(mrb_state *mrb, mrb_value self)
{
    const part_t *part;
    const mrb_value *arguments;
    mrb_value block;
    mrb_sym name;
    mrb_int n;

    mrb_get_args(mrb, "n*&", &name, &arguments, &n, &block);
    mrb->c->ci->mid = 0;
    part = part_of_method(mrb, self, mrb_sym_name(mrb, name));
    if (part && !is_loaded(mrb, part)) {
        load(mrb, part);
        return mrb_funcall_with_block(mrb, self, name, n, arguments, block);
    }
    mrb_no_method_error(
        mrb, name, mrb_ary_new_from_values(mrb, n, arguments),
        is_super(mrb, self, name) ? "no superclass method '%n'" : "undefined method '%n'", name);
    return mrb_nil_value();
}

void bench_api_later_define(mrb_state *mrb, bench_api_t *api)
{
    mrb_sym missing = mrb_intern_lit(mrb, "method_missing");
    struct RClass *holder = mrb->object_class; /* BasicObject; Kernel in mruby 3.1 */

    (void)api;
    mrb_method_search_vm(mrb, &holder, missing);
    mrb_define_method_id(mrb, holder, missing, method_missing, MRB_ARGS_ANY());
    mrb_define_method(mrb, mrb->module_class, "const_missing", const_missing, MRB_ARGS_REQ(1));
}
