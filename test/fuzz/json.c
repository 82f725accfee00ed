/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON.parse on anything.  What it takes, it must write and read again as the same.
 *
 * The first byte chooses options.  Built with libFuzzer by `make fuzz`, and with replay.c for `make
 * test`.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mruby.h>
#include <mruby/class.h>
#include <mruby/error.h>
#include <mruby/hash.h>
#include <mruby/string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    const char *text;
    size_t length;
    unsigned options;
} input_t;

static mrb_value options(mrb_state *mrb, unsigned bits)
{
    static const char *const names[] = {"symbolize_names", "freeze", "allow_nan"};
    mrb_value hash = mrb_hash_new(mrb);
    unsigned i;

    for (i = 0; i < 3; i++) {
        mrb_hash_set(mrb, hash, mrb_symbol_value(mrb_intern_cstr(mrb, names[i])),
                     mrb_bool_value(bits >> i & 1));
    }
    mrb_hash_set(mrb, hash, mrb_symbol_value(mrb_intern_lit(mrb, "max_nesting")),
                 mrb_fixnum_value(bits & 8 ? 0 : 20));
    return hash;
}

static mrb_value body(mrb_state *mrb, void *data)
{
    input_t *input = data;
    mrb_value json = mrb_obj_value(mrb_module_get(mrb, "JSON"));
    mrb_value how = options(mrb, input->options);
    mrb_value text = mrb_str_new(mrb, input->text, (mrb_int)input->length);
    mrb_value value = mrb_funcall(mrb, json, "parse", 2, text, how);
    mrb_value once = mrb_funcall(mrb, json, "generate", 2, value, how);
    mrb_value again = mrb_funcall(mrb, json, "parse", 2, once, how);
    mrb_value pretty = mrb_funcall(mrb, json, "pretty_generate", 2, again, how);

    again = mrb_funcall(mrb, json, "parse", 2, pretty, how);
    if (!mrb_str_equal(mrb, once, mrb_funcall(mrb, json, "generate", 2, again, how))) {
        fprintf(stderr, "not the same after a round trip: %s\n", mrb_string_cstr(mrb, once));
        abort();
    }
    return mrb_true_value();
}

/* Only JSON's own errors may come of text.  A float that is too large becomes infinite, and is
 * refused when it is written. */
static void check_error(mrb_state *mrb, mrb_value error)
{
    struct RClass *json = mrb_module_get(mrb, "JSON");

    if (!mrb_obj_is_kind_of(mrb, error, mrb_class_get_under(mrb, json, "JSONError"))) {
        fprintf(stderr, "unexpected: %s\n", mrb_string_cstr(mrb, mrb_inspect(mrb, error)));
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mrb_state *mrb;
    input_t input;
    mrb_bool raised;
    mrb_value result;

    if (size == 0) {
        return 0;
    }
    input.options = data[0];
    input.text = (const char *)data + 1;
    input.length = size - 1;
    mrb = mrb_open();
    if (!mrb) {
        abort();
    }
    result = mrb_protect_error(mrb, body, &input, &raised);
    if (raised) {
        check_error(mrb, result);
    }
    mrb_close(mrb);
    return 0;
}
