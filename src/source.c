/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include <errno.h>

#include <apr_file_io.h>
#include <apr_time.h>

/* A writer that truncates a file and then fills it needs a moment: a file that has changed less
 * than this ago is waited for, so that its beginning is not taken for the whole. */
#define WRITER_NEEDS apr_time_from_msec(10)
/* The clock of file times ticks every 1 to 10 ms; where its times have no fraction, every 1 or 2 s.
 */
#define FINE_TICK apr_time_from_msec(50)
#define COARSE_TICK apr_time_from_msec(2100)
#define READ_ATTEMPTS 8

static void set_stamp(bench_stamp_t *stamp, const apr_finfo_t *finfo)
{
    apr_time_t tick = finfo->ctime % APR_USEC_PER_SEC == 0 ? COARSE_TICK : FINE_TICK;

    stamp->device = finfo->device;
    stamp->inode = finfo->inode;
    stamp->size = finfo->size;
    stamp->mtime = finfo->mtime;
    stamp->ctime = finfo->ctime;
    /* Only ctime counts here: it cannot be set by hand, and every change sets it. */
    stamp->settled = apr_time_now() - finfo->ctime > tick;
}

static int same_file(const apr_finfo_t *a, const apr_finfo_t *b)
{
    return a->ctime == b->ctime && a->mtime == b->mtime && a->size == b->size &&
           a->inode == b->inode && a->device == b->device;
}

/* One attempt: APR_EAGAIN if the file changed meanwhile. */
static apr_status_t read_once(const char *path, bench_source_t *source)
{
    apr_finfo_t named, before, after;
    apr_time_t age;
    apr_file_t *file;
    apr_status_t rv = apr_stat(&named, path, BENCH_STAMP_WANTS, source->pool);

    if (rv != APR_SUCCESS && rv != APR_INCOMPLETE) {
        return rv;
    }
    if (named.filetype != APR_REG) {
        return named.filetype == APR_DIR ? EISDIR : EINVAL;
    }
    age = apr_time_now() - named.ctime;
    if (age >= 0 && age < WRITER_NEEDS) {
        apr_sleep(WRITER_NEEDS - age);
    }
    rv =
        apr_file_open(&file, path, APR_FOPEN_READ | APR_FOPEN_BINARY, APR_OS_DEFAULT, source->pool);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = apr_file_info_get(&before, BENCH_STAMP_WANTS, file);
    if (rv == APR_SUCCESS || rv == APR_INCOMPLETE) {
        source->text = apr_palloc(source->pool, (apr_size_t)before.size + 1);
        /* One byte more than there should be, to see a file that has grown. */
        rv = apr_file_read_full(file, source->text, (apr_size_t)before.size + 1, &source->size);
        rv = rv == APR_EOF ? APR_SUCCESS : rv;
    }
    if (rv == APR_SUCCESS) {
        rv = apr_file_info_get(&after, BENCH_STAMP_WANTS, file);
        rv = rv == APR_INCOMPLETE ? APR_SUCCESS : rv;
    }
    apr_file_close(file);
    if (rv == APR_SUCCESS &&
        (!same_file(&before, &after) || source->size != (apr_size_t)before.size)) {
        rv = APR_EAGAIN;
    }
    if (rv == APR_SUCCESS) {
        set_stamp(&source->stamp, &after);
    }
    return rv;
}

apr_status_t bench_source_read(const char *path, bench_source_t *source)
{
    apr_status_t rv = apr_pool_create(&source->pool, NULL);
    apr_sha1_ctx_t sha1;
    int attempt;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = APR_EAGAIN;
    for (attempt = 0; rv == APR_EAGAIN && attempt < READ_ATTEMPTS; attempt++) {
        apr_pool_clear(source->pool);
        rv = read_once(path, source);
    }
    if (rv == APR_SUCCESS) {
        apr_sha1_init(&sha1);
        apr_sha1_update_binary(&sha1, (const unsigned char *)source->text,
                               (unsigned int)source->size);
        apr_sha1_final(source->digest, &sha1);
    }
    return rv;
}
