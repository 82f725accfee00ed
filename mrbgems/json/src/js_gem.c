/* SPDX-License-Identifier: Apache-2.0 */
#include "js.h"

#include <mruby/class.h>

void mrb_json_gem_init(mrb_state *mrb)
{
    struct RClass *json = mrb_define_module(mrb, "JSON");
    struct RClass *error = mrb_define_class_under(mrb, json, "JSONError", E_STANDARD_ERROR);
    struct RClass *parser = mrb_define_class_under(mrb, json, "ParserError", error);

    mrb_define_class_under(mrb, json, "NestingError", parser);
    mrb_define_class_under(mrb, json, "GeneratorError", error);
    js_parse_init(mrb, json);
    js_state_init(mrb, json);
}

void mrb_json_gem_final(mrb_state *mrb)
{
    (void)mrb;
}
