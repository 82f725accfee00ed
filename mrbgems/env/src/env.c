/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ENV, to be read.
 *
 * The environment belongs to the process, and setenv moves what getenv in another thread is just
 * reading: so nothing here changes it, and whoever tries is told why.
 */
#include <string.h>
#include <unistd.h>

#include <mruby.h>
#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/hash.h>
#include <mruby/presym.h>
#include <mruby/string.h>

extern char **environ;

/* The value of a variable, otherwise NULL. */
static const char *value_of(const char *name, mrb_int len)
{
    char **entry;

    for (entry = environ; entry && *entry; entry++) {
        if (strncmp(*entry, name, (size_t)len) == 0 && (*entry)[len] == '=') {
            return *entry + len + 1;
        }
    }
    return NULL;
}

/* Looks a name up, which must be a String without a NUL. */
static const char *look_up(mrb_state *mrb, mrb_value name)
{
    const char *bytes;

    name = mrb_ensure_string_type(mrb, name);
    bytes = mrb_string_cstr(mrb, name);
    return value_of(bytes, RSTRING_LEN(name));
}

/* Frozen: a change to the copy would look like one to the environment. */
static mrb_value frozen(mrb_state *mrb, const char *bytes, size_t len)
{
    return mrb_obj_freeze(mrb, mrb_str_new(mrb, bytes, (mrb_int)len));
}

static mrb_value env_get(mrb_state *mrb, mrb_value self)
{
    const char *value = look_up(mrb, mrb_get_arg1(mrb));

    (void)self;
    return value ? frozen(mrb, value, strlen(value)) : mrb_nil_value();
}

static mrb_value env_has_key(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_bool_value(look_up(mrb, mrb_get_arg1(mrb)) != NULL);
}

static mrb_value env_fetch(mrb_state *mrb, mrb_value self)
{
    mrb_value name, block;
    mrb_value fallback = mrb_undef_value();
    const char *value;

    (void)self;
    mrb_get_args(mrb, "o|o&", &name, &fallback, &block);
    value = look_up(mrb, name);
    if (value) {
        return frozen(mrb, value, strlen(value));
    }
    if (!mrb_nil_p(block)) {
        return mrb_yield(mrb, block, name);
    }
    if (mrb_undef_p(fallback)) {
        mrb_raisef(mrb, E_KEY_ERROR, "key not found: %!v", name);
    }
    return fallback;
}

static mrb_value env_to_h(mrb_state *mrb, mrb_value self)
{
    mrb_value hash = mrb_hash_new(mrb);
    int arena = mrb_gc_arena_save(mrb);
    char **entry;

    (void)self;
    for (entry = environ; entry && *entry; entry++) {
        const char *equals = strchr(*entry, '=');

        if (equals) {
            mrb_value name = frozen(mrb, *entry, (size_t)(equals - *entry));

            if (!mrb_hash_key_p(mrb, hash, name)) {
                mrb_hash_set(mrb, hash, name, frozen(mrb, equals + 1, strlen(equals + 1)));
            }
            mrb_gc_arena_restore(mrb, arena);
        }
    }
    return hash;
}

/* What a Hash of the environment can say, it says. */
static mrb_value env_as_hash(mrb_state *mrb, mrb_value self)
{
    const mrb_value *args;
    mrb_int count;
    mrb_value block;

    mrb_get_args(mrb, "*&", &args, &count, &block);
    return mrb_funcall_with_block(mrb, env_to_h(mrb, self), mrb->c->ci->mid, count, args, block);
}

static mrb_value env_to_s(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_str_new_lit(mrb, "ENV");
}

static mrb_value env_refuse(mrb_state *mrb, mrb_value self)
{
    (void)self;
    mrb_raise(mrb, E_FROZEN_ERROR,
              "can't modify ENV: the environment belongs to the whole process and all its threads; "
              "set it where the server is started");
    return mrb_nil_value();
}

void mrb_env_gem_init(mrb_state *mrb)
{
    static const mrb_sym readers[] = {
        MRB_SYM(keys),        MRB_SYM(values),     MRB_SYM(each),    MRB_SYM(each_pair),
        MRB_SYM(each_key),    MRB_SYM(each_value), MRB_SYM(key),     MRB_SYM_Q(value),
        MRB_SYM_Q(has_value), MRB_SYM(size),       MRB_SYM(length),  MRB_SYM_Q(empty),
        MRB_SYM(to_a),        MRB_SYM(values_at),  MRB_SYM(slice),   MRB_SYM(select),
        MRB_SYM(filter),      MRB_SYM(reject),     MRB_SYM(inspect),
    };
    static const mrb_sym writers[] = {
        MRB_OPSYM(aset),  MRB_SYM(store),    MRB_SYM(delete),   MRB_SYM(delete_if),
        MRB_SYM(keep_if), MRB_SYM(clear),    MRB_SYM(update),   MRB_SYM_B(merge),
        MRB_SYM(replace), MRB_SYM_B(reject), MRB_SYM_B(select), MRB_SYM_B(filter),
        MRB_SYM(shift),
    };
    static const mrb_sym has_key[] = {MRB_SYM_Q(key), MRB_SYM_Q(has_key), MRB_SYM_Q(include),
                                      MRB_SYM_Q(member)};
    mrb_value env = mrb_obj_new(mrb, mrb->object_class, 0, NULL);
    struct RClass *c = mrb_singleton_class_ptr(mrb, env);
    size_t i;

    mrb_define_const_id(mrb, mrb->object_class, MRB_SYM(ENV), env);
    mrb_include_module(mrb, c, mrb_module_get_id(mrb, MRB_SYM(Enumerable)));
    mrb_define_method_id(mrb, c, MRB_OPSYM(aref), env_get, MRB_ARGS_REQ(1));
    mrb_define_method_id(mrb, c, MRB_SYM(fetch), env_fetch, MRB_ARGS_ARG(1, 1) | MRB_ARGS_BLOCK());
    mrb_define_method_id(mrb, c, MRB_SYM(to_h), env_to_h, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, c, MRB_SYM(to_hash), env_to_h, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, c, MRB_SYM(to_s), env_to_s, MRB_ARGS_NONE());
    for (i = 0; i < sizeof(has_key) / sizeof(has_key[0]); i++) {
        mrb_define_method_id(mrb, c, has_key[i], env_has_key, MRB_ARGS_REQ(1));
    }
    for (i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        mrb_define_method_id(mrb, c, readers[i], env_as_hash, MRB_ARGS_ANY());
    }
    for (i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
        mrb_define_method_id(mrb, c, writers[i], env_refuse, MRB_ARGS_ANY());
    }
}

void mrb_env_gem_final(mrb_state *mrb)
{
    (void)mrb;
}
