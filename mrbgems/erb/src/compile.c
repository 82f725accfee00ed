/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A template becomes Ruby source: its text becomes string literals, each followed by as many line
 * feeds as the text had, so that each line of the source stands for the same line of the template
 * and a backtrace names the right one.
 */
#include "erb.h"

#include <string.h>

#include <mruby/class.h>
#include <mruby/presym.h>
#include <mruby/string.h>

/* mruby takes literals of less than 64 KB, and shifts long ones about while it reads them. */
enum { LITERAL_MAX = 16 * 1024 };

typedef enum { TRIM_NOTHING, TRIM_AFTER, TRIM_LINES, TRIM_DASH } trim_e; /* nil > <> - */

/* What stands behind <% */
typedef enum { TAG_CODE, TAG_VALUE, TAG_COMMENT } tag_e;

typedef struct {
    mrb_state *mrb;
    const char *begin, *at, *end;
    trim_e trim;
    int percent; /* lines that begin with % are code */

    mrb_value out;
    mrb_value text; /* not yet put */
    const char *put;
    mrb_int put_len;
    int open; /* something stands on the current line of out */

    int line_start;    /* at is the beginning of a line */
    int tag_was_first; /* the current line begins with a tag */
} compiler_t;

/* ---- what comes out ------------------------------------------------------------------------ */

static void cat(compiler_t *c, const char *bytes, mrb_int len)
{
    mrb_str_cat(c->mrb, c->out, bytes, (size_t)len);
}

static void end_line(compiler_t *c)
{
    cat(c, "\n", 1);
    c->open = 0;
}

static void begin_statement(compiler_t *c)
{
    if (c->open) {
        cat(c, "; ", 2);
    }
    c->open = 1;
}

static void cat_escaped(compiler_t *c, const char *bytes, mrb_int len)
{
    static const char digits[] = "0123456789abcdef";
    mrb_int done = 0;
    mrb_int i;

    for (i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        char escape[4] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
        mrb_int n = 0;

        if (byte == '"' || byte == '\\' || byte == '#') {
            escape[1] = (char)byte;
            n = 2;
        } else if (byte == '\n') {
            escape[1] = 'n';
            n = 2;
        } else if ((byte < ' ' && byte != '\t') || byte == 0x7f) {
            n = 4;
        }
        if (n > 0) {
            cat(c, bytes + done, i - done);
            cat(c, escape, n);
            done = i + 1;
        }
    }
    cat(c, bytes + done, len - done);
}

static void put_text(compiler_t *c)
{
    const char *bytes = RSTRING_PTR(c->text);
    mrb_int left = RSTRING_LEN(c->text);

    while (left > 0) {
        mrb_int n = left < LITERAL_MAX ? left : LITERAL_MAX;
        mrb_int i;

        begin_statement(c);
        cat(c, c->put, c->put_len);
        cat(c, " \"", 2);
        cat_escaped(c, bytes, n);
        cat(c, "\"", 1);
        for (i = 0; i < n; i++) {
            if (bytes[i] == '\n') {
                cat(c, "\n", 1);
            }
        }
        bytes += n;
        left -= n;
    }
    mrb_str_resize(c->mrb, c->text, 0);
}

static void put_code(compiler_t *c, tag_e tag, const char *code, mrb_int len)
{
    mrb_int i;

    switch (tag) {
    case TAG_CODE:
        begin_statement(c);
        if (len > 0 && code[len - 1] == '\n') {
            cat(c, code, len - 1);
            end_line(c);
        } else {
            cat(c, code, len);
        }
        break;
    case TAG_VALUE:
        begin_statement(c);
        cat(c, c->put, c->put_len);
        cat(c, "((", 2);
        cat(c, code, len);
        cat(c, ").to_s)", 7);
        break;
    case TAG_COMMENT:
        for (i = 0; i < len; i++) {
            if (code[i] == '\n') {
                end_line(c);
            }
        }
        break;
    }
}

/* ---- what goes in -------------------------------------------------------------------------- */

static int looking_at(const compiler_t *c, const char *at, const char *what)
{
    size_t len = strlen(what);

    return (size_t)(c->end - at) >= len && memcmp(at, what, len) == 0;
}

/* The first occurrence of two characters before a limit, otherwise the limit. */
static const char *find(const char *at, const char *limit, const char two[2])
{
    while (limit - at >= 2) {
        const char *first = memchr(at, two[0], (size_t)(limit - at - 1));

        if (!first) {
            break;
        }
        if (first[1] == two[1]) {
            return first;
        }
        at = first + 1;
    }
    return limit;
}

static const char *end_of_line(const compiler_t *c)
{
    const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));

    return newline ? newline + 1 : c->end;
}

/* Whether a line feed is next, which is then behind us and in out. */
static int take_newline(compiler_t *c)
{
    if (looking_at(c, c->at, "\r\n")) {
        c->at += 2;
    } else if (looking_at(c, c->at, "\n")) {
        c->at += 1;
    } else {
        return 0;
    }
    end_line(c);
    c->line_start = 1;
    return 1;
}

/* A line that begins with %. */
static void percent_line(compiler_t *c)
{
    const char *next = end_of_line(c);
    const char *end = next;

    if (end[-1] == '\n') {
        end--;
    }
    if (end > c->at && end[-1] == '\r') {
        end--;
    }
    put_text(c);
    put_code(c, TAG_CODE, c->at + 1, end - c->at - 1);
    end_line(c);
    c->at = next;
}

/* What is between the line's beginning, or the last tag, and <%- is left out if it is blank. */
static const char *without_indentation(const compiler_t *c, const char *tag)
{
    const char *begin = tag;

    if (c->percent && !c->line_start) {
        return tag;
    }
    while (begin > c->at && (begin[-1] == ' ' || begin[-1] == '\t')) {
        begin--;
    }
    return begin == c->at ? begin : tag;
}

/* Text up to the end of the line or to the next tag.  Says whether at a tag, behind its <% */
static int text(compiler_t *c)
{
    const char *next = end_of_line(c);
    const char *tag;

    if (c->percent && c->line_start && *c->at == '%') {
        if (!looking_at(c, c->at, "%%")) {
            percent_line(c);
            return 0;
        }
        c->at++;
        c->line_start = 0;
    }
    tag = find(c->at, next, "<%");
    if (tag == next) {
        mrb_str_cat(c->mrb, c->text, c->at, (size_t)(next - c->at));
        c->at = next;
        c->line_start = 1;
        return 0;
    }
    if (c->line_start) {
        c->tag_was_first = tag == c->at && !looking_at(c, tag, "<%%");
    }
    if (looking_at(c, tag, "<%%")) {
        mrb_str_cat(c->mrb, c->text, c->at, (size_t)(tag + 2 - c->at));
        c->at = tag + 3;
        c->line_start = 0;
        return 0;
    }
    if (c->trim == TRIM_DASH && looking_at(c, tag, "<%-")) {
        const char *end = without_indentation(c, tag);

        mrb_str_cat(c->mrb, c->text, c->at, (size_t)(end - c->at));
        c->at = tag + 3;
    } else {
        mrb_str_cat(c->mrb, c->text, c->at, (size_t)(tag - c->at));
        c->at = tag + 2;
    }
    c->line_start = 0;
    return 1;
}

static void fail_unclosed(compiler_t *c, const char *tag)
{
    mrb_int line = 1;
    const char *at;

    for (at = c->begin; at < tag; at++) {
        line += *at == '\n';
    }
    mrb_raisef(c->mrb, mrb_class_get_id(c->mrb, MRB_SYM(SyntaxError)), "line %i: <%% without %%>",
               line);
}

/* Reads up to and with %>.  The code is put into c->text, where %%> has become %>; says whether the
 * tag ends in -%> and that means something. */
static int read_code(compiler_t *c)
{
    const char *tag = c->at;

    for (;;) {
        const char *close = find(c->at, c->end, "%>");
        int dash;

        if (close == c->end) {
            fail_unclosed(c, tag);
        }
        if (close > c->at && close[-1] == '%') {
            mrb_str_cat(c->mrb, c->text, c->at, (size_t)(close - 1 - c->at));
            mrb_str_cat(c->mrb, c->text, "%>", 2);
            c->at = close + 2;
            continue;
        }
        dash = c->trim == TRIM_DASH && close > c->at && close[-1] == '-';
        mrb_str_cat(c->mrb, c->text, c->at, (size_t)(close - dash - c->at));
        c->at = close + 2;
        return dash;
    }
}

/* A tag, from behind its <% to behind its %> and what that takes with it. */
static void tag(compiler_t *c)
{
    tag_e kind = TAG_CODE;
    int dash;

    put_text(c);
    if (c->at[-1] == '%' && c->at < c->end && (*c->at == '=' || *c->at == '#')) {
        kind = *c->at++ == '=' ? TAG_VALUE : TAG_COMMENT;
    }
    dash = read_code(c);
    if (memchr(RSTRING_PTR(c->text), '\n', (size_t)RSTRING_LEN(c->text))) {
        c->tag_was_first = 0;
    }
    put_code(c, kind, RSTRING_PTR(c->text), RSTRING_LEN(c->text));
    mrb_str_resize(c->mrb, c->text, 0);
    if (c->trim == TRIM_AFTER || dash || (c->trim == TRIM_LINES && c->tag_was_first)) {
        take_newline(c);
    }
}

static void set_trim_mode(compiler_t *c, mrb_value mode)
{
    static const struct {
        const char *name;
        trim_e trim;
        int percent;
    } modes[] = {{"", TRIM_NOTHING, 0}, {">", TRIM_AFTER, 0},   {"<>", TRIM_LINES, 0},
                 {"-", TRIM_DASH, 0},   {"%", TRIM_NOTHING, 1}, {"%>", TRIM_AFTER, 1},
                 {">%", TRIM_AFTER, 1}, {"%<>", TRIM_LINES, 1}, {"<>%", TRIM_LINES, 1},
                 {"%-", TRIM_DASH, 1},  {"-%", TRIM_DASH, 1}};
    mrb_state *mrb = c->mrb;
    size_t i;

    if (mrb_nil_p(mode)) {
        return;
    }
    if (mrb_integer_p(mode) && mrb_integer(mode) >= 0 && mrb_integer(mode) <= TRIM_LINES) {
        c->trim = (trim_e)mrb_integer(mode);
        return;
    }
    for (i = 0; mrb_string_p(mode) && i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (mrb_str_equal(mrb, mode, mrb_str_new_cstr(mrb, modes[i].name))) {
            c->trim = modes[i].trim;
            c->percent = modes[i].percent;
            return;
        }
    }
    mrb_raisef(mrb, E_ARGUMENT_ERROR, "no such trim mode: %!v", mode);
}

mrb_value gem_erb_compile(mrb_state *mrb, mrb_value self)
{
    compiler_t c;
    mrb_value mode;
    mrb_int len;

    (void)self;
    memset(&c, 0, sizeof(c));
    mrb_get_args(mrb, "sos", &c.begin, &len, &mode, &c.put, &c.put_len);
    c.mrb = mrb;
    c.at = c.begin;
    c.end = c.begin + len;
    c.line_start = 1;
    set_trim_mode(&c, mode);
    c.out = mrb_str_new_capa(mrb, len + len / 4 + 64);
    c.text = mrb_str_new_capa(mrb, 256);
    while (c.at < c.end) {
        if (text(&c)) {
            tag(&c);
        }
    }
    put_text(&c);
    return c.out;
}
