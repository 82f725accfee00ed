/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any pattern on any subject: a RegexpError at most.
 *
 * The first byte chooses options, the second says how long the pattern is; the subject is what
 * follows. Built with libFuzzer by `make fuzz`, and with replay.c for `make test`.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <mruby.h>
#include <mruby/class.h>
#include <mruby/error.h>
#include <mruby/string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    const char *pattern;
    size_t pattern_length;
    const char *subject;
    size_t subject_length;
    unsigned options;
} input_t;

static mrb_value body(mrb_state *mrb, void *data)
{
    static const char *const methods[] = {"match", "scan", "split", "index", "rindex", "partition"};
    input_t *input = data;
    mrb_value source = mrb_str_new(mrb, input->pattern, (mrb_int)input->pattern_length);
    mrb_value subject = mrb_str_new(mrb, input->subject, (mrb_int)input->subject_length);
    mrb_value regexp = mrb_funcall(mrb, mrb_obj_value(mrb_class_get(mrb, "Regexp")), "new", 2,
                                   source, mrb_fixnum_value((mrb_int)input->options));
    mrb_value whole;
    size_t i;

    for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        mrb_funcall(mrb, mrb_funcall(mrb, subject, methods[i], 1, regexp), "inspect", 0);
    }
    whole = mrb_funcall(mrb, subject, "gsub", 2, regexp, mrb_str_new_lit(mrb, "\\0"));
    if (!mrb_str_equal(mrb, whole, subject)) {
        fprintf(stderr, "gsub by \\0 has changed the string\n");
        abort();
    }
    mrb_funcall(mrb, subject, "gsub", 2, regexp, mrb_str_new_lit(mrb, "<\\1\\`\\'\\+\\\\>"));
    return mrb_funcall(mrb, mrb_obj_value(mrb_class_get(mrb, "Regexp")), "union", 2, regexp,
                       source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mrb_state *mrb;
    input_t input;
    mrb_bool raised;
    mrb_value result;

    if (size < 2) {
        return 0;
    }
    input.options = data[0] & 39;
    input.pattern_length = data[1] < size - 2 ? data[1] : size - 2;
    input.pattern = (const char *)data + 2;
    input.subject = input.pattern + input.pattern_length;
    input.subject_length = size - 2 - input.pattern_length;
    mrb = mrb_open();
    if (!mrb) {
        abort();
    }
    result = mrb_protect_error(mrb, body, &input, &raised);
    if (raised && !mrb_obj_is_kind_of(mrb, result, mrb_class_get(mrb, "RegexpError"))) {
        fprintf(stderr, "unexpected: %s\n", mrb_string_cstr(mrb, mrb_inspect(mrb, result)));
        abort();
    }
    mrb_close(mrb);
    return 0;
}
