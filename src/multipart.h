/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame of a multipart body: where a part's head and data begin and end.
 *
 * Floor 0.  Knows C.  Must not know httpd or mruby, nor what stands in a head.
 *
 *     bench_multipart_init()
 *       bench_multipart_feed()     any number of pieces, of any size
 *     bench_multipart_finish()
 *
 * Data is handed on as it comes; what is kept is one head, or what may be the beginning of a
 * boundary.  Broken bodies are read as Rack 2.2 reads them.
 */
#ifndef BENCH_MULTIPART_H
#define BENCH_MULTIPART_H

#include <stddef.h>

#define BENCH_MULTIPART_HEAD 65536     /* bytes of a part's head at most */
#define BENCH_MULTIPART_PREAMBLE 16384 /* bytes before the first boundary at most */
#define BENCH_MULTIPART_BOUNDARY 1024  /* of a boundary at most; RFC 2046 allows 70 */

/* Each returns 0, or anything else to stop: feed and finish then return it. */
typedef struct {
    int (*on_head)(void *context, const char *head, size_t size);
    int (*on_data)(void *context, const char *data, size_t size);
    int (*on_end)(void *context); /* of the part's data */
} bench_multipart_callbacks_t;

typedef struct {
    const bench_multipart_callbacks_t *callbacks;
    void *context;
    const char *error; /* why the body is refused; a literal */
    int state;
    int skipped; /* bytes of the preamble so far */
    size_t boundary_size;
    size_t used;
    char boundary[BENCH_MULTIPART_BOUNDARY + 3]; /* with the two dashes in front */
    char buffer[BENCH_MULTIPART_HEAD + BENCH_MULTIPART_BOUNDARY + 16];
} bench_multipart_t;

/* Returned when the body is malformed; see error. */
#define BENCH_MULTIPART_MALFORMED (-1)

/* 0, or BENCH_MULTIPART_MALFORMED for a boundary that is empty or too long. */
int bench_multipart_init(bench_multipart_t *parser, const char *boundary, size_t size,
                         const bench_multipart_callbacks_t *callbacks, void *context);

/* 0; what a callback returned; BENCH_MULTIPART_MALFORMED. */
int bench_multipart_feed(bench_multipart_t *parser, const char *data, size_t size);

/* The body has ended.  The same. */
int bench_multipart_finish(bench_multipart_t *parser);

#endif
