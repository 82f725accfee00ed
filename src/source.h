/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a script file, read whole or not at all, and how to see that it is another one.
 *
 * Floor 0.  Knows APR.  Must not know httpd or mruby.
 *
 * A file counts as changed when its device, inode, size, mtime or ctime has.  The kernel's clock
 * for these ticks in milliseconds (in seconds on some file systems), so that two changes may carry
 * one time: a stamp that was taken within a tick of the last change is not settled, and its file
 * has to be read again, and compared, until it is.
 */
#ifndef BENCH_SOURCE_H
#define BENCH_SOURCE_H

#include <apr_file_info.h>
#include <apr_pools.h>
#include <apr_sha1.h>

#define BENCH_SOURCE_DIGEST APR_SHA1_DIGESTSIZE

/* Which state of a file was read. */
typedef struct {
    apr_dev_t device;
    apr_ino_t inode;
    apr_off_t size;
    apr_time_t mtime;
    apr_time_t ctime;
    int settled; /* its last change was long enough ago that the next one will show */
} bench_stamp_t;

#define BENCH_STAMP_WANTS \
    (APR_FINFO_IDENT | APR_FINFO_SIZE | APR_FINFO_MTIME | APR_FINFO_CTIME | APR_FINFO_TYPE)

/* Whether a file of which a stat says finfo is surely still the one that was read. */
static inline int bench_stamp_holds(const bench_stamp_t *stamp, const apr_finfo_t *finfo)
{
    return stamp->settled && stamp->ctime == finfo->ctime && stamp->mtime == finfo->mtime &&
           stamp->size == finfo->size && stamp->inode == finfo->inode &&
           stamp->device == finfo->device;
}

/* A file's text, in a pool of its own. */
typedef struct {
    apr_pool_t *pool;
    char *text;
    apr_size_t size;
    bench_stamp_t stamp;
    unsigned char digest[APR_SHA1_DIGESTSIZE];
} bench_source_t;

/* Reads the file at path.  The caller destroys source->pool if there is one, also after an error.
 * APR_SUCCESS; APR_EAGAIN if the file kept changing meanwhile; EISDIR or EINVAL for what is no
 * file; any status of stat, open and read. */
apr_status_t bench_source_read(const char *path, bench_source_t *source);

#endif
