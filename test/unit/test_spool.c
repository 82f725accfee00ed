/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that are kept: read back from any place, whatever their number. */
#include "unit.h"

#include <stdlib.h>

#include "spool.h"

static apr_pool_t *pool;

static void check(apr_size_t total, apr_size_t piece)
{
    bench_spool_t spool;
    char *bytes = malloc(total + 1);
    apr_size_t at, i;
    const char *data;
    apr_size_t size;

    for (i = 0; i < total; i++) {
        bytes[i] = (char)(i * 31 + i / 251);
    }
    bench_spool_init(&spool, pool);
    for (at = 0; at < total; at += piece) {
        apr_size_t n = total - at < piece ? total - at : piece;

        assert_int_equal(bench_spool_append(&spool, bytes + at, n), APR_SUCCESS);
    }
    assert_int_equal(spool.size, total);
    for (at = 0; at < total; at += size) {
        assert_int_equal(bench_spool_read(&spool, (apr_off_t)at, 50000, &data, &size), APR_SUCCESS);
        assert_in_range(size, 1, 50000);
        assert_memory_equal(data, bytes + at, size);
    }
    assert_int_equal(bench_spool_read(&spool, (apr_off_t)total, 1, &data, &size), APR_EOF);
    assert_int_equal(spool.file != NULL, total > BENCH_SPOOL_MEMORY);
    free(bytes);
}

static void what_goes_in_comes_out(void **state)
{
    (void)state;
    check(0, 1);
    check(1, 1);
    check(1000, 7);
    check(BENCH_SPOOL_MEMORY, 4096);
    check(BENCH_SPOOL_MEMORY + 1, 4096);
    check(300000, 100000);
    check(300000, 999);
}

/* An upload is read and looked at in turn. */
static void reading_and_writing_alternate(void **state)
{
    bench_spool_t spool;
    char block[10000];
    apr_off_t at = 0;
    const char *data;
    apr_size_t size;
    int i;

    (void)state;
    bench_spool_init(&spool, pool);
    for (i = 0; i < 20; i++) {
        memset(block, 'a' + i, sizeof(block));
        assert_int_equal(bench_spool_append(&spool, block, sizeof(block)), APR_SUCCESS);
        while (bench_spool_read(&spool, at, 3000, &data, &size) == APR_SUCCESS) {
            assert_int_equal(data[0], 'a' + (int)(at / 10000));
            at += (apr_off_t)size;
        }
        assert_int_equal(at, (i + 1) * 10000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(reading_and_writing_alternate),
    };
    int failed;

    apr_initialize();
    apr_pool_create(&pool, NULL);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    apr_pool_destroy(pool);
    return failed;
}
