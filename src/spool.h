/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that were read once and may be wanted again: the first in memory, the rest in a file that
 * has no name.
 *
 * Floor 0.  Knows APR.  Must not know httpd or mruby.
 */
#ifndef BENCH_SPOOL_H
#define BENCH_SPOOL_H

#include <apr_file_io.h>
#include <apr_pools.h>

#define BENCH_SPOOL_MEMORY 65536 /* more than this goes to the file */
#define BENCH_SPOOL_PIECE 32768  /* is read back from it at once */

typedef struct {
    apr_pool_t *pool;
    char *memory;
    apr_size_t in_memory;
    apr_size_t capacity;
    apr_file_t *file; /* NULL until it is needed */
    apr_off_t size;   /* of all */
    char *piece;      /* what was read back last */
} bench_spool_t;

void bench_spool_init(bench_spool_t *spool, apr_pool_t *pool);

/* Adds bytes at the end.  APR_SUCCESS, or any status of writing to a temporary file. */
apr_status_t bench_spool_append(bench_spool_t *spool, const char *data, apr_size_t size);

/* Lends some of the bytes from offset on, until the next call: at least one, at most limit.
 * APR_SUCCESS; APR_EOF at the end; any status of reading a file. */
apr_status_t bench_spool_read(bench_spool_t *spool, apr_off_t offset, apr_size_t limit,
                              const char **data, apr_size_t *size);

/* A file that has no name any more, open for reading and writing, closed with the pool. */
apr_status_t bench_spool_open_file(apr_file_t **file, apr_pool_t *pool);

#endif
