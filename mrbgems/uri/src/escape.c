/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %-encoding, in the four ways that Ruby has, and its inverse.
 */
#include "gem_escape.h"

#include <string.h>

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/presym.h>
#include <mruby/string.h>

#include "uri.h"

static int is_kept(char c, gem_escape_e keeps)
{
    if (gem_is_alnum(c) || c == '-' || c == '.' || c == '_') {
        return 1;
    }
    return c == (keeps == GEM_ESCAPE_FORM || keeps == GEM_ESCAPE_COMPONENT ? '*' : '~');
}

mrb_value gem_escape_url(mrb_state *mrb, mrb_value string, gem_escape_e keeps)
{
    const char *from = RSTRING_PTR(string);
    mrb_int len = RSTRING_LEN(string);
    int with_plus = keeps == GEM_ESCAPE_FORM || keeps == GEM_ESCAPE_CGI;
    mrb_int more = 0;
    mrb_value text;
    char *to;
    mrb_int i;

    for (i = 0; i < len; i++) {
        more += !is_kept(from[i], keeps) && !(with_plus && from[i] == ' ');
    }
    if (more > (MRB_INT_MAX - len) / 2) {
        mrb_raise(mrb, E_ARGUMENT_ERROR, "string size too big");
    }
    text = mrb_str_new(mrb, NULL, len + more * 2);
    to = RSTRING_PTR(text);
    from = RSTRING_PTR(string);
    for (i = 0; i < len; i++) {
        if (is_kept(from[i], keeps)) {
            *to++ = from[i];
        } else if (with_plus && from[i] == ' ') {
            *to++ = '+';
        } else {
            to = gem_percent(to, from[i]);
        }
    }
    return text;
}

/* What is no %XX stays as it is. */
static mrb_value unescape(mrb_state *mrb, const char *from, mrb_int len, int with_plus)
{
    mrb_value text = mrb_str_new(mrb, NULL, len);
    char *to = RSTRING_PTR(text);
    mrb_int i;

    for (i = 0; i < len; i++) {
        int byte = gem_percent_value(from + i, len - i);

        if (byte >= 0) {
            *to++ = (char)byte;
            i += 2;
        } else {
            *to++ = with_plus && from[i] == '+' ? ' ' : from[i];
        }
    }
    return mrb_str_resize(mrb, text, to - RSTRING_PTR(text));
}

/* ---- URI ----------------------------------------------------------------------------------- */

static mrb_value encode_as(mrb_state *mrb, gem_escape_e keeps)
{
    mrb_value value;

    mrb_get_args(mrb, "o", &value);
    return gem_escape_url(mrb, mrb_obj_as_string(mrb, value), keeps);
}

static mrb_value uri_encode_form(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return encode_as(mrb, GEM_ESCAPE_FORM);
}

static mrb_value uri_encode_component(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return encode_as(mrb, GEM_ESCAPE_COMPONENT);
}

/* A % that begins no %XX is an error. */
static mrb_value decode_strictly(mrb_state *mrb, int with_plus)
{
    mrb_value string;
    const char *from;
    mrb_int len, i;

    mrb_get_args(mrb, "S", &string);
    from = RSTRING_PTR(string);
    len = RSTRING_LEN(string);
    for (i = 0; i < len; i++) {
        if (from[i] == '%' && gem_percent_value(from + i, len - i) < 0) {
            mrb_raisef(mrb, E_ARGUMENT_ERROR, "invalid %%-encoding (%v)", string);
        }
    }
    return unescape(mrb, from, len, with_plus);
}

static mrb_value uri_decode_form(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return decode_strictly(mrb, 1);
}

static mrb_value uri_decode_component(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return decode_strictly(mrb, 0);
}

/* "a=b&c": pairs of name and value, the value "" where there is no "=". */
static mrb_value uri_decode_www_form(mrb_state *mrb, mrb_value self)
{
    const char *from;
    mrb_int len, i;
    mrb_value pairs;
    int arena;

    (void)self;
    mrb_get_args(mrb, "s", &from, &len);
    for (i = 0; i < len; i++) {
        if (from[i] & 0x80) {
            mrb_raise(mrb, E_ARGUMENT_ERROR,
                      "the input of URI.decode_www_form must be ASCII only string");
        }
    }
    pairs = mrb_ary_new(mrb);
    arena = mrb_gc_arena_save(mrb);
    while (len > 0) {
        const char *and = memchr(from, '&', (size_t)len);
        mrb_int whole = and? and-from : len;
        const char *equals = memchr(from, '=', (size_t)whole);
        mrb_int name = equals ? equals - from : whole;
        mrb_int value = equals ? whole - name - 1 : 0;
        mrb_value pair = mrb_assoc_new(mrb, unescape(mrb, from, name, 1),
                                       unescape(mrb, from + whole - value, value, 1));

        mrb_ary_push(mrb, pairs, pair);
        mrb_gc_arena_restore(mrb, arena);
        from += and? whole + 1 : whole;
        len -= and? whole + 1 : whole;
    }
    return pairs;
}

/* ---- CGI ----------------------------------------------------------------------------------- */

static mrb_value cgi_escape(mrb_state *mrb, mrb_value self)
{
    mrb_value string;

    (void)self;
    mrb_get_args(mrb, "S", &string);
    return gem_escape_url(mrb, string, GEM_ESCAPE_CGI);
}

static mrb_value cgi_escape_component(mrb_state *mrb, mrb_value self)
{
    mrb_value string;

    (void)self;
    mrb_get_args(mrb, "S", &string);
    return gem_escape_url(mrb, string, GEM_ESCAPE_URL);
}

static mrb_value cgi_unescape(mrb_state *mrb, mrb_value self)
{
    const char *from;
    mrb_int len;

    (void)self;
    mrb_get_args(mrb, "s", &from, &len);
    return unescape(mrb, from, len, 1);
}

static mrb_value cgi_unescape_component(mrb_state *mrb, mrb_value self)
{
    const char *from;
    mrb_int len;

    (void)self;
    mrb_get_args(mrb, "s", &from, &len);
    return unescape(mrb, from, len, 0);
}

void gem_escape_init(mrb_state *mrb, struct RClass *uri, struct RClass *cgi)
{
    mrb_define_class_method_id(mrb, uri, MRB_SYM(encode_www_form_component), uri_encode_form,
                               MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, uri, MRB_SYM(decode_www_form_component), uri_decode_form,
                               MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, uri, MRB_SYM(encode_uri_component), uri_encode_component,
                               MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, uri, MRB_SYM(decode_uri_component), uri_decode_component,
                               MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, uri, MRB_SYM(decode_www_form), uri_decode_www_form,
                               MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, cgi, MRB_SYM(escape), cgi_escape, MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, cgi, MRB_SYM(unescape), cgi_unescape, MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, cgi, MRB_SYM(escapeURIComponent), cgi_escape_component,
                               MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, cgi, MRB_SYM(unescapeURIComponent), cgi_unescape_component,
                               MRB_ARGS_REQ(1));
}
