/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs in a query string, and their escapes; and what is UTF-8. */
#include "unit.h"

#include <stdio.h>

#include "urlform.h"
#include "utf8.h"

/* Every pair as "name=value|" or "name|". */
static const char *pairs_of(const char *text, const char *separators)
{
    static char seen[256];
    bench_urlform_t form = {text, text + strlen(text), separators};
    bench_urlform_pair_t pair;
    size_t used = 0;

    seen[0] = '\0';
    while (bench_urlform_next(&form, &pair)) {
        used += (size_t)snprintf(seen + used, sizeof(seen) - used, "%.*s%s%.*s|",
                                 (int)pair.name_size, pair.name, pair.value ? "=" : "",
                                 (int)pair.value_size, pair.value ? pair.value : "");
    }
    return seen;
}

static void pairs_are_split(void **state)
{
    (void)state;
    assert_string_equal(pairs_of("", "&"), "");
    assert_string_equal(pairs_of("a=1&b=2", "&"), "a=1|b=2|");
    assert_string_equal(pairs_of("a=1;b=2", "&"), "a=1;b=2|");
    assert_string_equal(pairs_of("a=1;b=2&c=3", "&;"), "a=1|b=2|c=3|");
    assert_string_equal(pairs_of("&&a&&", "&"), "a|");
    assert_string_equal(pairs_of("a", "&"), "a|");
    assert_string_equal(pairs_of("a=", "&"), "a=|");
    assert_string_equal(pairs_of("=b", "&"), "=b|");
    assert_string_equal(pairs_of("a=b=c", "&"), "a=b=c|");
    assert_string_equal(pairs_of("a=1;  b=2", ";"), "a=1|b=2|");
    assert_string_equal(pairs_of("a=1; ", ";"), "a=1|");
}

static void separators_are_counted(void **state)
{
    (void)state;
    assert_int_equal(bench_urlform_count("a&b;c&", 6, "&"), 2);
    assert_int_equal(bench_urlform_count("a&b;c&", 6, "&;"), 3);
    assert_int_equal(bench_urlform_count("a\0b", 3, "&"), 0);
}

static void escapes_are_decoded(void **state)
{
    static const struct {
        const char *text, *decoded;
    } cases[] = {
        {"", ""},
        {"a+b", "a b"},
        {"%41%5a", "AZ"},
        {"100%25", "100%"},
        {"%e2%82%AC", "\xe2\x82\xac"},
    };
    static const char *const bad[] = {"%", "%4", "a%", "%zz", "%4g", "%%41"};
    char out[32];
    unsigned i;

    (void)state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ptrdiff_t n = bench_urlform_decode(out, cases[i].text, strlen(cases[i].text));

        assert_int_equal(n, strlen(cases[i].decoded));
        assert_memory_equal(out, cases[i].decoded, (size_t)n);
    }
    assert_int_equal(bench_urlform_decode(out, "a%00b", 5), 3);
    assert_memory_equal(out, "a\0b", 3);
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(bench_urlform_decode(out, bad[i], strlen(bad[i])), -1);
    }
}

static void utf8_is_told_from_the_rest(void **state)
{
    static const char *const good[] = {"",
                                       "abc",
                                       "\xc3\xa9",
                                       "\xe2\x82\xac",
                                       "\xf0\x9f\x98\x80",
                                       "\xed\x9f\xbf",
                                       "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {"\x80",
                                      "\xc3",
                                      "\xc0\xaf",
                                      "\xe0\x80\x80",
                                      "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "a\xffz",
                                      "\xe2\x82"};
    unsigned i;

    (void)state;
    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(bench_utf8_is_valid(good[i], strlen(good[i])));
    }
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(bench_utf8_is_valid(bad[i], strlen(bad[i])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_split),
        cmocka_unit_test(separators_are_counted),
        cmocka_unit_test(escapes_are_decoded),
        cmocka_unit_test(utf8_is_told_from_the_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
