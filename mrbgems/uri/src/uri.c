/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The halves of URI and CGI that are in C.
 */
#include "uri.h"

#include <mruby/class.h>
#include <mruby/presym.h>

void mrb_uri_gem_init(mrb_state *mrb)
{
    struct RClass *uri = mrb_define_module_id(mrb, MRB_SYM(URI));
    struct RClass *cgi = mrb_define_class_id(mrb, MRB_SYM(CGI), mrb->object_class);

    gem_escape_init(mrb, uri, cgi);
    gem_html_init(mrb, cgi);
    gem_split_init(mrb, uri);
}

void mrb_uri_gem_final(mrb_state *mrb)
{
    (void)mrb;
}
