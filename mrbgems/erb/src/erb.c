/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ERB: what of it is in C.
 */
#include "erb.h"

#include <mruby/class.h>
#include <mruby/presym.h>
#include <mruby/string.h>

#include "gem_escape.h"

static mrb_value html_escape(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return gem_escape_html(mrb, mrb_obj_as_string(mrb, mrb_get_arg1(mrb)));
}

static mrb_value url_encode(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return gem_escape_url(mrb, mrb_obj_as_string(mrb, mrb_get_arg1(mrb)), GEM_ESCAPE_URL);
}

/* The self of whoever called the method that calls this. */
static mrb_value caller(mrb_state *mrb, mrb_value self)
{
    const mrb_callinfo *ci = mrb->c->ci;

    (void)self;
    return ci - mrb->c->cibase < 2 ? mrb_top_self(mrb) : ci[-2].stack[0];
}

void mrb_erb_gem_init(mrb_state *mrb)
{
    struct RClass *erb = mrb_define_class_id(mrb, MRB_SYM(ERB), mrb->object_class);
    struct RClass *util = mrb_define_module_under_id(mrb, erb, MRB_SYM(Util));

    mrb_define_class_method_id(mrb, erb, MRB_SYM(__compile), gem_erb_compile, MRB_ARGS_REQ(3));
    mrb_define_method_id(mrb, erb, MRB_SYM(__caller), caller, MRB_ARGS_NONE());
    mrb_define_module_function_id(mrb, util, MRB_SYM(html_escape), html_escape, MRB_ARGS_REQ(1));
    mrb_define_module_function_id(mrb, util, MRB_SYM(h), html_escape, MRB_ARGS_REQ(1));
    mrb_define_module_function_id(mrb, util, MRB_SYM(url_encode), url_encode, MRB_ARGS_REQ(1));
    mrb_define_module_function_id(mrb, util, MRB_SYM(u), url_encode, MRB_ARGS_REQ(1));
}

void mrb_erb_gem_final(mrb_state *mrb)
{
    (void)mrb;
}
