/* SPDX-License-Identifier: Apache-2.0 */
#include "spool.h"

#include <string.h>

#include <apr_strings.h>

void bench_spool_init(bench_spool_t *spool, apr_pool_t *pool)
{
    memset(spool, 0, sizeof(*spool));
    spool->pool = pool;
}

apr_status_t bench_spool_open_file(apr_file_t **file, apr_pool_t *pool)
{
    const char *directory;
    char *path;
    apr_status_t rv = apr_temp_dir_get(&directory, pool);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    path = apr_pstrcat(pool, directory, "/mod_bench.XXXXXX", NULL);
    rv = apr_file_mktemp(file, path,
                         APR_FOPEN_CREATE | APR_FOPEN_READ | APR_FOPEN_WRITE | APR_FOPEN_EXCL |
                             APR_FOPEN_BINARY,
                         pool);
    return rv == APR_SUCCESS ? apr_file_remove(path, pool) : rv;
}

/* Grows the memory by doubling: most bodies are small, and the pool lives as long as the request.
 */
static void make_room(bench_spool_t *spool, apr_size_t wanted)
{
    apr_size_t capacity = spool->capacity ? spool->capacity : 1024;
    char *memory;

    while (capacity < wanted) {
        capacity *= 2;
    }
    if (capacity > BENCH_SPOOL_MEMORY) {
        capacity = BENCH_SPOOL_MEMORY;
    }
    if (capacity > spool->capacity) {
        memory = apr_palloc(spool->pool, capacity);
        if (spool->in_memory > 0) {
            memcpy(memory, spool->memory, spool->in_memory);
        }
        spool->memory = memory;
        spool->capacity = capacity;
    }
}

apr_status_t bench_spool_append(bench_spool_t *spool, const char *data, apr_size_t size)
{
    apr_status_t rv = APR_SUCCESS;
    apr_off_t end = 0;

    if (!spool->file) {
        apr_size_t n;

        make_room(spool, spool->in_memory + size);
        n = spool->capacity - spool->in_memory;
        n = size < n ? size : n;
        memcpy(spool->memory + spool->in_memory, data, n);
        spool->in_memory += n;
        spool->size += (apr_off_t)n;
        data += n;
        size -= n;
        if (size == 0) {
            return APR_SUCCESS;
        }
        rv = bench_spool_open_file(&spool->file, spool->pool);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_file_seek(spool->file, APR_END, &end);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_file_write_full(spool->file, data, size, NULL);
    }
    if (rv == APR_SUCCESS) {
        spool->size += (apr_off_t)size;
    }
    return rv;
}

apr_status_t bench_spool_read(bench_spool_t *spool, apr_off_t offset, apr_size_t limit,
                              const char **data, apr_size_t *size)
{
    apr_off_t position = offset - (apr_off_t)spool->in_memory;
    apr_status_t rv;

    if (offset >= spool->size) {
        return APR_EOF;
    }
    if (position < 0) {
        apr_size_t left = (apr_size_t)-position;

        *data = spool->memory + offset;
        *size = left < limit ? left : limit;
        return APR_SUCCESS;
    }
    if (!spool->piece) {
        spool->piece = apr_palloc(spool->pool, BENCH_SPOOL_PIECE);
    }
    rv = apr_file_seek(spool->file, APR_SET, &position);
    if (rv == APR_SUCCESS) {
        *size = limit < BENCH_SPOOL_PIECE ? limit : BENCH_SPOOL_PIECE;
        rv = apr_file_read(spool->file, spool->piece, size);
        *data = spool->piece;
    }
    return rv;
}
