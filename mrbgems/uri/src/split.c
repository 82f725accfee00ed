/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A URI's components, by the grammar of RFC 3986.
 */
#include "uri.h"

#include <string.h>

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/presym.h>
#include <mruby/string.h>

/* A piece of the text; no piece at all if it begins nowhere. */
typedef struct {
    const char *at;
    mrb_int len;
} piece_t;

typedef struct {
    piece_t scheme, userinfo, host, port, path, opaque, query, fragment;
} parts_t;

/* Which characters stand for themselves in a component, beside letters, digits and %XX. */
#define SUB_DELIMS "-._~!$&'()*+,;="
#define REG_NAME SUB_DELIMS
#define USERINFO SUB_DELIMS ":"
#define SEGMENTS SUB_DELIMS ":@/"
#define FRAGMENT SEGMENTS "?"

static piece_t piece(const char *at, mrb_int len)
{
    piece_t made = {at, len};

    return made;
}

/* How much of a piece, from its beginning, has none of the characters. */
static mrb_int up_to(piece_t text, const char *characters)
{
    mrb_int i = 0;

    while (i < text.len && (text.at[i] == '\0' || !strchr(characters, text.at[i]))) {
        i++;
    }
    return i;
}

/* Takes the first n bytes off. */
static piece_t take(piece_t *text, mrb_int n)
{
    piece_t taken = piece(text->at, n);

    text->at += n;
    text->len -= n;
    return taken;
}

static int begins_with(piece_t text, const char *what)
{
    mrb_int n = (mrb_int)strlen(what);

    return text.len >= n && memcmp(text.at, what, (size_t)n) == 0;
}

static int is_made_of(piece_t text, const char *characters)
{
    mrb_int i;

    for (i = 0; i < text.len; i++) {
        char c = text.at[i];

        if (gem_percent_value(text.at + i, text.len - i) >= 0) {
            i += 2;
        } else if (!gem_is_alnum(c) && (c == '\0' || !strchr(characters, c))) {
            return 0;
        }
    }
    return 1;
}

static int is_digits(piece_t text)
{
    mrb_int i;

    for (i = 0; i < text.len; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') {
            return 0;
        }
    }
    return 1;
}

static int is_scheme(piece_t text)
{
    mrb_int i;

    if (text.len == 0 || !gem_is_alnum(text.at[0]) || (text.at[0] >= '0' && text.at[0] <= '9')) {
        return 0;
    }
    for (i = 1; i < text.len; i++) {
        char c = text.at[i];

        if (!gem_is_alnum(c) && c != '+' && c != '-' && c != '.') {
            return 0;
        }
    }
    return 1;
}

/* ---- addresses ----------------------------------------------------------------------------- */

static int is_ipv4(piece_t text)
{
    int numbers;

    for (numbers = 0; numbers < 4; numbers++) {
        piece_t number = take(&text, up_to(text, "."));
        int value = 0;
        mrb_int i;

        if (number.len < 1 || number.len > 3 || !is_digits(number) ||
            (number.len > 1 && number.at[0] == '0')) {
            return 0;
        }
        for (i = 0; i < number.len; i++) {
            value = value * 10 + number.at[i] - '0';
        }
        if (value > 255 || (text.len == 0) != (numbers == 3)) {
            return 0;
        }
        if (text.len > 0) {
            take(&text, 1);
        }
    }
    return 1;
}

/* Eight groups of up to four digits; the last two may be an IPv4 address, and "::" stands for any
 * number of groups, once. */
static int is_ipv6(piece_t text)
{
    int groups = 0;
    int gap = begins_with(text, "::");

    if (gap) {
        take(&text, 2);
    }
    while (text.len > 0) {
        mrb_int len = up_to(text, ":");
        mrb_int i;

        if (len == text.len && memchr(text.at, '.', (size_t)len)) {
            groups += 2;
            if (!is_ipv4(take(&text, len))) {
                return 0;
            }
            break;
        }
        if (len < 1 || len > 4) {
            return 0;
        }
        for (i = 0; i < len; i++) {
            if (gem_hex_value(text.at[i]) < 0) {
                return 0;
            }
        }
        groups++;
        take(&text, len);
        if (begins_with(text, "::")) {
            if (gap) {
                return 0;
            }
            gap = 1;
            take(&text, 2);
        } else if (text.len > 0) {
            take(&text, 1);
            if (text.len == 0) {
                return 0;
            }
        }
    }
    return gap ? groups <= 7 : groups == 8;
}

/* "v1.anything": an address of a kind that is still to come. */
static int is_future(piece_t text)
{
    piece_t version;
    mrb_int i;

    if (text.len == 0 || text.at[0] != 'v') {
        return 0;
    }
    take(&text, 1);
    version = take(&text, up_to(text, "."));
    for (i = 0; i < version.len; i++) {
        if (gem_hex_value(version.at[i]) < 0) {
            return 0;
        }
    }
    return version.len > 0 && text.len > 1 && !memchr(text.at, '%', (size_t)text.len) &&
           is_made_of(text, USERINFO);
}

static int is_host(piece_t text)
{
    if (text.len > 1 && text.at[0] == '[' && text.at[text.len - 1] == ']') {
        piece_t inside = piece(text.at + 1, text.len - 2);

        return is_ipv6(inside) || is_future(inside);
    }
    return is_made_of(text, REG_NAME);
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* What stands between // and the path. */
static int split_authority(piece_t text, parts_t *parts)
{
    mrb_int len = up_to(text, "@");

    if (len < text.len) {
        parts->userinfo = take(&text, len);
        take(&text, 1);
        if (!is_made_of(parts->userinfo, USERINFO)) {
            return 0;
        }
    }
    len = up_to(text, text.len > 0 && text.at[0] == '[' ? "]" : ":");
    if (len < text.len && text.at[len] == ']') {
        len++;
    }
    if (len > 0) {
        parts->host = take(&text, len);
        if (!is_host(parts->host)) {
            return 0;
        }
    }
    if (text.len > 0) {
        if (take(&text, 1).at[0] != ':') {
            return 0;
        }
        parts->port = text;
    }
    return is_digits(parts->port);
}

/* Whether a text is a URI or a relative reference. */
static int split(piece_t text, parts_t *parts)
{
    mrb_int len = up_to(text, "#");

    if (len < text.len) {
        parts->fragment = piece(text.at + len + 1, text.len - len - 1);
        text.len = len;
        if (!is_made_of(parts->fragment, FRAGMENT)) {
            return 0;
        }
    }
    len = up_to(text, "?");
    if (len < text.len) {
        parts->query = piece(text.at + len + 1, text.len - len - 1);
        text.len = len;
    }
    len = up_to(text, ":/");
    if (len < text.len && text.at[len] == ':') {
        parts->scheme = take(&text, len);
        take(&text, 1);
        if (!is_scheme(parts->scheme)) {
            return 0;
        }
    }
    if (begins_with(text, "//")) {
        take(&text, 2);
        if (!split_authority(take(&text, up_to(text, "/")), parts)) {
            return 0;
        }
    }
    if (!is_made_of(text, SEGMENTS)) {
        return 0;
    }
    if (parts->scheme.at && text.len > 0 && text.at[0] != '/') {
        /* What follows belongs to it, up to the fragment. */
        parts->opaque = text;
        if (parts->query.at) {
            parts->opaque.len = parts->query.at + parts->query.len - text.at;
            parts->query.at = NULL;
        }
    } else {
        parts->path = text;
    }
    return 1;
}

static void push(mrb_state *mrb, mrb_value list, piece_t part)
{
    mrb_ary_push(mrb, list, part.at ? mrb_str_new(mrb, part.at, part.len) : mrb_nil_value());
}

/* [scheme, userinfo, host, port, registry, path, opaque, query, fragment]; registry is always nil.
 */
static mrb_value uri_split(mrb_state *mrb, mrb_value self)
{
    struct RClass *error =
        mrb_class_get_under_id(mrb, mrb_class_ptr(self), MRB_SYM(InvalidURIError));
    parts_t parts;
    mrb_value value, list;
    piece_t text;
    mrb_int i;

    mrb_get_args(mrb, "o", &value);
    if (!mrb_string_p(value)) {
        mrb_raisef(mrb, error, "bad URI(is not URI?): %!v", value);
    }
    text = piece(RSTRING_PTR(value), RSTRING_LEN(value));
    for (i = 0; i < text.len; i++) {
        if (text.at[i] & 0x80) {
            mrb_raisef(mrb, error, "URI must be ascii only %!v", value);
        }
    }
    memset(&parts, 0, sizeof(parts));
    if (!split(text, &parts)) {
        mrb_raisef(mrb, error, "bad URI(is not URI?): %!v", value);
    }
    list = mrb_ary_new_capa(mrb, 9);
    push(mrb, list, parts.scheme);
    push(mrb, list, parts.userinfo);
    push(mrb, list, parts.host);
    push(mrb, list, parts.port);
    mrb_ary_push(mrb, list, mrb_nil_value());
    push(mrb, list, parts.path);
    push(mrb, list, parts.opaque);
    push(mrb, list, parts.query);
    push(mrb, list, parts.fragment);
    return list;
}

/* URI.__component?(name, text): whether it may be that component of a URI. */
static mrb_value uri_is_component(mrb_state *mrb, mrb_value self)
{
    mrb_sym name;
    piece_t text;
    int is;

    (void)self;
    mrb_get_args(mrb, "ns", &name, &text.at, &text.len);
    switch (name) {
    case MRB_SYM(scheme):
        is = is_scheme(text);
        break;
    case MRB_SYM(userinfo):
        is = is_made_of(text, USERINFO);
        break;
    case MRB_SYM(host):
        is = is_host(text);
        break;
    case MRB_SYM(port):
        is = is_digits(text);
        break;
    case MRB_SYM(path):
        is = is_made_of(text, SEGMENTS);
        break;
    default:
        is = 0;
    }
    return mrb_bool_value(is);
}

/* URI.__clean(text, is_query): what may not stand there is %-encoded, line breaks and tabs go.  nil
 * for a query with a % that is neither a code nor nearly one. */
static mrb_value uri_clean(mrb_state *mrb, mrb_value self)
{
    mrb_bool is_query;
    const char *from;
    mrb_int len, i;
    mrb_value text;
    char *to;

    (void)self;
    mrb_get_args(mrb, "sb", &from, &len, &is_query);
    if (len > MRB_INT_MAX / 3) {
        mrb_raise(mrb, E_ARGUMENT_ERROR, "string size too big");
    }
    text = mrb_str_new(mrb, NULL, len * 3);
    to = RSTRING_PTR(text);
    for (i = 0; i < len; i++) {
        char c = from[i];

        if (c == '\t' || c == '\n' || c == '\r') {
            continue;
        }
        if (is_query && c == '%' && i + 2 < len && gem_hex_value(from[i + 1]) < 0 &&
            gem_hex_value(from[i + 2]) < 0) {
            return mrb_nil_value();
        }
        if (c > ' ' && c < 0x7f && !(is_query && strchr("\"#'<>`", c))) {
            *to++ = c;
        } else {
            to = gem_percent(to, c);
        }
    }
    return mrb_str_resize(mrb, text, to - RSTRING_PTR(text));
}

void gem_split_init(mrb_state *mrb, struct RClass *uri)
{
    mrb_define_class_method_id(mrb, uri, MRB_SYM(split), uri_split, MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, uri, MRB_SYM_Q(__component), uri_is_component, MRB_ARGS_REQ(2));
    mrb_define_class_method_id(mrb, uri, MRB_SYM(__clean), uri_clean, MRB_ARGS_REQ(2));
}
