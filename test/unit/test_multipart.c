/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of a multipart body, in pieces of every size. */
#include "unit.h"

#include <stdlib.h>

#include "multipart.h"

static char *seen;
static size_t used;

static void note(const char *text, size_t size)
{
    assert_true(used + size < 200000);
    memcpy(seen + used, text, size);
    used += size;
    seen[used] = '\0';
}

static int on_head(void *context, const char *head, size_t size)
{
    (void)context;
    note("{", 1);
    note(head, size);
    note("}", 1);
    return 0;
}

static int on_data(void *context, const char *data, size_t size)
{
    (void)context;
    note(data, size);
    return 0;
}

static int on_end(void *context)
{
    (void)context;
    note("|", 1);
    return 0;
}

static const bench_multipart_callbacks_t callbacks = {on_head, on_data, on_end};

/* What the parser makes of a body that comes in pieces of the given size. */
static int parse(const char *body, size_t size, size_t piece)
{
    bench_multipart_t *parser = malloc(sizeof(*parser));
    int result = bench_multipart_init(parser, "B", 1, &callbacks, NULL);
    size_t at;

    used = 0;
    seen[0] = '\0';
    for (at = 0; result == 0 && at < size; at += piece) {
        result = bench_multipart_feed(parser, body + at, size - at < piece ? size - at : piece);
    }
    if (result == 0) {
        result = bench_multipart_finish(parser);
    }
    free(parser);
    return result;
}

static void expect(const char *body, const char *wanted)
{
    size_t size = strlen(body);
    size_t piece;

    for (piece = 1; piece <= size + 1; piece++) {
        assert_int_equal(parse(body, size, piece), 0);
        assert_string_equal(seen, wanted);
    }
}

static void refuse(const char *body)
{
    size_t size = strlen(body);
    size_t piece;

    for (piece = 1; piece <= size + 1; piece++) {
        assert_int_equal(parse(body, size, piece), BENCH_MULTIPART_MALFORMED);
    }
}

static void parts_come_out(void **state)
{
    (void)state;
    expect("--B\r\nA: 1\r\n\r\none\r\n--B\r\nA: 2\r\n\r\ntwo\r\n--B--\r\n",
           "{A: 1\r\n}one|{A: 2\r\n}two|");
    expect("--B\r\nA: 1\r\n\r\n\r\n--B--", "{A: 1\r\n}|");
    expect("preamble\r\n--B\r\nA: 1\r\n\r\none\r\n--B--\r\nepilogue", "{A: 1\r\n}one|");
    expect("--B--\r\n", "");
}

static void what_looks_like_a_boundary_is_data(void **state)
{
    (void)state;
    expect("--B\r\nA: 1\r\n\r\n--Bx\r\n--\r\n-B\r\n--B--\r\n", "{A: 1\r\n}--Bx\r\n--\r\n-B|");
    expect("--B\r\nA: 1\r\n\r\n\r\n\r\n\r\n--B--\r\n", "{A: 1\r\n}\r\n\r\n|");
}

static void broken_bodies_are_refused(void **state)
{
    (void)state;
    refuse("nothing at all");
    refuse("--B\r\n");
    refuse("--B\r\nA: 1\r\n\r\nno end");
    refuse("--B\r\nA: 1\r\n");
}

static void any_byte_is_data(void **state)
{
    char body[300];
    size_t at = 0;
    int i;

    (void)state;
    memcpy(body, "--B\r\n\r\nA: 1\r\n\r\n", 15);
    at = 15;
    for (i = 0; i < 256; i++) {
        body[at++] = (char)i;
    }
    memcpy(body + at, "\r\n--B--\r\n", 9);
    at += 9;
    assert_int_equal(parse(body, at, 7), 0);
    assert_memory_equal(seen + used - 257, body + 15, 256);
}

static void what_is_kept_is_bounded(void **state)
{
    size_t size = 150000;
    char *body = malloc(size);

    (void)state;
    memset(body, 'x', size);
    assert_int_equal(parse(body, size, 1000), BENCH_MULTIPART_MALFORMED);
    memcpy(body, "--B\r\n", 5);
    assert_int_equal(parse(body, size, 1000), BENCH_MULTIPART_MALFORMED);
    memcpy(body, "--B\r\nA: 1\r\n\r\n", 13);
    memcpy(body + size - 9, "\r\n--B--\r\n", 9);
    assert_int_equal(parse(body, size, 1000), 0);
    assert_int_equal(used, size - 13 - 9 + 9);
    free(body);
}

static void a_boundary_has_a_size(void **state)
{
    static char big[BENCH_MULTIPART_BOUNDARY + 1];
    bench_multipart_t *parser = malloc(sizeof(*parser));

    (void)state;
    assert_int_equal(bench_multipart_init(parser, "", 0, &callbacks, NULL),
                     BENCH_MULTIPART_MALFORMED);
    assert_int_equal(bench_multipart_init(parser, big, sizeof(big), &callbacks, NULL),
                     BENCH_MULTIPART_MALFORMED);
    free(parser);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_come_out),
        cmocka_unit_test(what_looks_like_a_boundary_is_data),
        cmocka_unit_test(broken_bodies_are_refused),
        cmocka_unit_test(any_byte_is_data),
        cmocka_unit_test(what_is_kept_is_bounded),
        cmocka_unit_test(a_boundary_has_a_size),
    };
    int failed;

    seen = malloc(200000);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(seen);
    return failed;
}
