/* SPDX-License-Identifier: Apache-2.0 */
#include "urlform.h"

#include <string.h>

static int is_separator(const bench_urlform_t *form, char c)
{
    return c && strchr(form->separators, c);
}

int bench_urlform_next(bench_urlform_t *form, bench_urlform_pair_t *pair)
{
    while (form->at < form->end) {
        const char *begin = form->at;
        const char *end = begin;
        const char *equals;

        while (end < form->end && !is_separator(form, *end)) {
            end++;
        }
        form->at = end < form->end ? end + 1 : end;
        while (end < form->end && form->at < form->end && *form->at == ' ') {
            form->at++;
        }
        if (begin == end) {
            continue;
        }
        equals = memchr(begin, '=', (size_t)(end - begin));
        pair->name = begin;
        pair->name_size = (size_t)((equals ? equals : end) - begin);
        pair->value = equals ? equals + 1 : NULL;
        pair->value_size = equals ? (size_t)(end - equals - 1) : 0;
        return 1;
    }
    return 0;
}

size_t bench_urlform_count(const char *text, size_t size, const char *separators)
{
    size_t n = 0;
    size_t i;

    for (i = 0; i < size; i++) {
        n += text[i] && strchr(separators, text[i]);
    }
    return n;
}

static int hex(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

ptrdiff_t bench_urlform_decode(char *out, const char *text, size_t size)
{
    char *begin = out;
    size_t i;

    for (i = 0; i < size; i++) {
        if (text[i] == '+') {
            *out++ = ' ';
        } else if (text[i] == '%') {
            int high = i + 2 < size ? hex(text[i + 1]) : -1;
            int low = i + 2 < size ? hex(text[i + 2]) : -1;

            if (high < 0 || low < 0) {
                return -1;
            }
            *out++ = (char)(high << 4 | low);
            i += 2;
        } else {
            *out++ = text[i];
        }
    }
    return out - begin;
}
