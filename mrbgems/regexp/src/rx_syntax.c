/* SPDX-License-Identifier: Apache-2.0 */
#include "rx_syntax.h"

#include <string.h>

#include <mruby/string.h>

#include "rx_reader.h"
#include "rx_text.h"

bool rx_fail(rx_reader_t *r, const char *at, const char *error)
{
    r->syntax->error = error;
    r->syntax->error_at = (size_t)(at - r->syntax->source);
    return false;
}

void rx_put(rx_reader_t *r, const char *text)
{
    mrb_str_cat_cstr(r->mrb, r->out, text);
}

void rx_put_number(rx_reader_t *r, const char *format, unsigned n)
{
    char buffer[32];

    snprintf(buffer, sizeof(buffer), format, n);
    rx_put(r, buffer);
}

void rx_begin_atom(rx_reader_t *r, bool wrap)
{
    r->atom = (size_t)RSTRING_LEN(r->out);
    r->wrap = wrap;
}

static void wrap_atom(rx_reader_t *r)
{
    mrb_value tail =
        mrb_str_new(r->mrb, RSTRING_PTR(r->out) + r->atom, RSTRING_LEN(r->out) - (mrb_int)r->atom);

    mrb_str_resize(r->mrb, r->out, (mrb_int)r->atom);
    rx_put(r, "(?:");
    mrb_str_cat_str(r->mrb, r->out, tail);
    rx_put(r, ")");
}

/* ---- repetition ---- */

#define NO_END ((unsigned long)-1)
#define TOO_BIG 100000ul

typedef struct {
    unsigned long least;
    unsigned long most;
    bool fixed; /* {n} */
} interval_t;

static unsigned long read_count(const char **p, const char *end)
{
    unsigned long n = 0;

    for (; *p < end && **p >= '0' && **p <= '9'; (*p)++) {
        n = n > TOO_BIG ? n : n * 10 + (unsigned long)(**p - '0');
    }
    return n;
}

/* {n} {n,} {n,m} {,m} at p; false, and nothing read, when it is just a brace. */
static bool read_interval(rx_reader_t *r, interval_t *interval)
{
    const char *p = r->p + 1;
    const char *first = p;
    const char *second;
    bool some;

    interval->least = read_count(&p, r->end);
    interval->most = interval->least;
    interval->fixed = p >= r->end || *p != ',';
    some = p > first;
    if (!interval->fixed) {
        second = ++p;
        interval->most = read_count(&p, r->end);
        some |= p > second;
        if (p == second) {
            interval->most = NO_END;
        }
    }
    if (!some || p >= r->end || *p != '}') {
        return false;
    }
    r->p = p + 1;
    return true;
}

bool rx_accept(rx_reader_t *r, char c)
{
    if (r->p < r->end && *r->p == c) {
        r->p++;
        return true;
    }
    return false;
}

/* After an interval, ? makes it lazy, but {n}? is {n} or nothing; + is a repetition of its own. */
static bool repeat_interval(rx_reader_t *r, const char *at, const interval_t *interval)
{
    if (interval->least > TOO_BIG || (interval->most > TOO_BIG && interval->most != NO_END)) {
        return rx_fail(r, at, "too big number for repeat range");
    }
    if (interval->least > interval->most) {
        return rx_fail(r, at, "upper is smaller than lower in repeat range");
    }
    rx_put_number(r, "{%u", (unsigned)interval->least);
    if (!interval->fixed) {
        rx_put(r, ",");
        if (interval->most != NO_END) {
            rx_put_number(r, "%u", (unsigned)interval->most);
        }
    }
    rx_put(r, "}");
    if (rx_accept(r, '?')) {
        if (interval->fixed) {
            wrap_atom(r);
        }
        rx_put(r, "?");
    }
    return true;
}

static bool read_repetition(rx_reader_t *r)
{
    const char *at = r->p;
    interval_t interval = {0, 0, false};
    char c = *r->p;

    if (c == '{' && !read_interval(r, &interval)) {
        rx_char_t brace = {'{', false};

        rx_begin_atom(r, false);
        rx_put_char(r, r->out, brace);
        r->p++;
        return true;
    }
    if (r->atom == RX_NOWHERE) {
        return rx_fail(r, at, "target of repeat operator is not specified");
    }
    if (r->wrap) {
        wrap_atom(r);
    }
    r->wrap = true;
    if (c == '{') {
        return repeat_interval(r, at, &interval);
    }
    r->p++;
    mrb_str_cat(r->mrb, r->out, &c, 1);
    if (rx_accept(r, '?')) {
        rx_put(r, "?");
    } else if (rx_accept(r, '+')) {
        rx_put(r, "+");
    }
    return true;
}

/* ---- what stands for a place or a character ---- */

static void put_atom(rx_reader_t *r, const char *text, bool wrap)
{
    rx_begin_atom(r, wrap);
    rx_put(r, text);
}

static void put_one(rx_reader_t *r, rx_char_t c)
{
    rx_begin_atom(r, r->bytes && c.code >= 0x80 && !c.byte);
    rx_put_char(r, r->out, c);
}

/* PCRE2's own \b knows ASCII only here, and another idea of a word in its Unicode mode. */
static void put_boundary(rx_reader_t *r, bool negated)
{
    if (r->bytes || r->flags.classes == 'a') {
        put_atom(r, negated ? "\\B" : "\\b", true);
        return;
    }
    put_atom(r, negated ? "(?:(?<=W)(?=W)|(?<!W)(?!W))" : "(?:(?<=W)(?!W)|(?<!W)(?=W))", true);
    /* Each W stands for a character of a word. */
    {
        mrb_value word = rx_property(r, RX_WORD);
        mrb_value form = mrb_str_new(r->mrb, RSTRING_PTR(r->out) + r->atom,
                                     RSTRING_LEN(r->out) - (mrb_int)r->atom);
        mrb_int i;

        mrb_str_resize(r->mrb, r->out, (mrb_int)r->atom);
        for (i = 0; i < RSTRING_LEN(form); i++) {
            if (RSTRING_PTR(form)[i] == 'W') {
                mrb_str_cat_str(r->mrb, r->out, word);
            } else {
                mrb_str_cat(r->mrb, r->out, RSTRING_PTR(form) + i, 1);
            }
        }
    }
}

static bool put_property(rx_reader_t *r, const char *posix, char letter)
{
    char native[3] = {'\\', letter, 0};

    if (r->bytes || r->flags.classes != 'u') {
        put_atom(r, native, false);
    } else {
        bool negated = letter < 'a';

        rx_begin_atom(r, false);
        rx_put(r, negated ? "(?:(?!" : "");
        mrb_str_cat_str(r->mrb, r->out, rx_property(r, posix));
        rx_put(r, negated ? ")(?s:.))" : "");
    }
    return true;
}

/* p is behind the backslash.  False in *done: it is a character. */
static bool read_special(rx_reader_t *r, char letter, bool *done)
{
    char native[3] = {'\\', letter, 0};
    mrb_value property;

    *done = true;
    r->p++;
    switch (letter) {
    case 'A':
    case 'z':
    case 'Z':
    case 'G':
    case 'K':
        r->syntax->from_here |= letter == 'G';
        put_atom(r, native, true);
        return true;
    case 'R':
    case 'X':
        put_atom(r, native, false);
        return true;
    case 'b':
    case 'B':
        put_boundary(r, letter == 'B');
        return true;
    case 'w':
    case 'W':
        return put_property(r, RX_WORD, letter);
    case 'd':
    case 'D':
        return put_property(r, "digit", letter);
    case 's':
    case 'S':
        return put_property(r, "space", letter);
    case 'h':
    case 'H':
        put_atom(r, letter == 'h' ? "[0-9A-Fa-f]" : "[^0-9A-Fa-f]", false);
        return true;
    case 'p':
    case 'P':
        if (!rx_read_property(r, letter == 'P', &property)) {
            return false;
        }
        rx_begin_atom(r, false);
        mrb_str_cat_str(r->mrb, r->out, property);
        return true;
    case 'k':
    case 'g':
        return rx_read_reference(r, letter);
    default:
        r->p--;
        *done = false;
        return true;
    }
}

static bool read_escape(rx_reader_t *r)
{
    const char *at = r->p++;
    rx_char_t c;
    bool done;

    if (r->p >= r->end) {
        return rx_fail(r, at, "too short escape sequence");
    }
    if (rx_at_list(r)) {
        /* A repetition is of the last one. */
        do {
            if (!rx_read_listed(r, &c, &done)) {
                return false;
            }
            put_one(r, c);
        } while (!done);
        return true;
    }
    if (*r->p >= '0' && *r->p <= '9') {
        if (!rx_read_digits(r, &done) || done) {
            return r->syntax->error == NULL;
        }
    } else if (!read_special(r, *r->p, &done) || done) {
        return r->syntax->error == NULL;
    }
    if (!rx_read_escaped(r, &c)) {
        return false;
    }
    put_one(r, c);
    return true;
}

static bool skipped(rx_reader_t *r)
{
    if (!r->flags.extended) {
        return false;
    }
    if (*r->p == '#') {
        while (r->p < r->end && *r->p != '\n') {
            r->p++;
        }
        return true;
    }
    if (*r->p == ' ' || (*r->p >= '\t' && *r->p <= '\r')) {
        r->p++;
        return true;
    }
    return false;
}

static bool read_one(rx_reader_t *r)
{
    mrb_value set;
    rx_char_t c;

    switch (*r->p) {
    case '\\':
        return read_escape(r);
    case '[':
        r->p++;
        if (!rx_read_set(r, &set)) {
            return false;
        }
        rx_begin_atom(r, false);
        mrb_str_cat_str(r->mrb, r->out, set);
        return true;
    case '(':
        return rx_read_open(r);
    case ')':
        return rx_close_group(r);
    case '|':
        r->p++;
        rx_put(r, "|");
        r->atom = RX_NOWHERE;
        return true;
    case '*':
    case '+':
    case '?':
    case '{':
        return read_repetition(r);
    case '^':
    case '$':
        put_atom(r, *r->p++ == '^' ? "^" : "$", true);
        return true;
    case '.':
        r->p++;
        put_atom(r, ".", false);
        return true;
    default:
        rx_read_plain(r, &c);
        put_one(r, c);
        return true;
    }
}

static bool read_all(rx_reader_t *r)
{
    int arena = mrb_gc_arena_save(r->mrb);

    while (r->p < r->end && (size_t)RSTRING_LEN(r->out) <= r->stop) {
        if (!skipped(r) && !read_one(r)) {
            return false;
        }
        mrb_gc_arena_restore(r->mrb, arena);
    }
    if (r->p >= r->end && r->deep > 0) {
        return rx_fail(r, r->end, "end pattern with unmatched parenthesis");
    }
    rx_close_options(r);
    return true;
}

static void start(rx_reader_t *r, rx_syntax_t *syntax, bool bytes)
{
    memset(r, 0, offsetof(rx_reader_t, levels));
    memset(&r->levels[0], 0, sizeof(r->levels[0]));
    r->syntax = syntax;
    r->mrb = syntax->mrb;
    r->p = syntax->source;
    r->end = syntax->source + syntax->length;
    r->out = mrb_str_new_capa(r->mrb, (mrb_int)syntax->length + 16);
    r->stop = RX_NOWHERE;
    r->bytes = bytes;
    r->atom = RX_NOWHERE;
    r->flags.ignorecase = (syntax->options & RX_IGNORECASE) != 0;
    r->flags.dotall = (syntax->options & RX_MULTILINE) != 0;
    r->flags.extended = (syntax->options & RX_EXTENDED) != 0;
    r->flags.classes = 'd';
    syntax->error = NULL;
}

bool rx_name_next(const char *names, size_t length, size_t *at, rx_name_t *name, const char **text)
{
    if (*at >= length) {
        return false;
    }
    memcpy(name, names + *at, sizeof(*name));
    *text = names + *at + sizeof(*name);
    *at += sizeof(*name) + name->length;
    return true;
}

void rx_syntax_init(rx_syntax_t *syntax, mrb_state *mrb, const char *source, size_t length,
                    unsigned options)
{
    memset(syntax, 0, sizeof(*syntax));
    syntax->mrb = mrb;
    syntax->source = source;
    syntax->length = length;
    syntax->options = options;
    syntax->bytes_only = (options & RX_NOENCODING) != 0;
    syntax->names = mrb_str_new_capa(mrb, 0);
    syntax->out = mrb_nil_value();
}

bool rx_syntax_scan(rx_syntax_t *syntax)
{
    rx_reader_t r;
    unsigned pass = 0;

    /* Once more when there are named groups: those before the first one were miscounted. */
    do {
        start(&r, syntax, false);
        r.scanning = true;
        mrb_str_resize(syntax->mrb, syntax->names, 0);
        if (!read_all(&r)) {
            return false;
        }
        syntax->groups = r.groups;
    } while (syntax->named && ++pass < 2);
    return true;
}

bool rx_syntax_translate(rx_syntax_t *syntax, bool bytes)
{
    rx_reader_t r;

    start(&r, syntax, bytes);
    syntax->out = r.out;
    return read_all(&r);
}

size_t rx_syntax_source_of(rx_syntax_t *syntax, bool bytes, size_t at)
{
    rx_reader_t r;

    start(&r, syntax, bytes);
    r.stop = at;
    read_all(&r);
    syntax->error = NULL;
    return (size_t)(r.p - syntax->source);
}
