/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request body on its way in, piece by piece, to its end; and again for whoever comes later.
 *
 * Floor 1.  Knows httpd.  Must not know mruby.
 *
 *     bench_input_register()     once: the filter that replays
 *       bench_input_of()         the body of a request
 *         bench_input_read() ...
 *       bench_input_done()       a content handler has ended: nobody comes later
 *
 * What Content-Length says is not asked: chunked and HTTP/2 bodies have none.  The end is where
 * httpd's input filters say that it is.
 *
 * A body can be read from httpd once.  What was read is kept in a spool, so that Ruby can rewind;
 * and from the first read on a filter of ours stands in front of httpd's: another reader of the
 * same request (mod_proxy, a script after an internal redirect) gets all of it from the beginning.
 */
#ifndef BENCH_INPUT_H
#define BENCH_INPUT_H

#include <httpd.h>

typedef struct bench_input_t bench_input_t;

void bench_input_register(void);

/* The body of a request, one for it and all that it is redirected to; made at the first call.
 * That of a subrequest is empty. */
bench_input_t *bench_input_of(request_rec *r);

/* Lends some bytes from offset on, until the next call: at least one, at most limit.
 * offset is at most where the bytes read so far end.
 * APR_SUCCESS; APR_EOF behind the last; APR_ECONNABORTED if the client has gone;
 * APR_EGENERAL if the body is too large, malformed or late: see bench_input_status();
 * any status of a temporary file. */
apr_status_t bench_input_read(bench_input_t *in, apr_off_t offset, apr_size_t limit,
                              const char **data, apr_size_t *size);

/* What the client gets for a body that cannot be read. */
int bench_input_status(const bench_input_t *in);

/* Whether httpd's own input filter has answered the client already that its body is refused. */
int bench_input_answered(request_rec *r);

/* After httpd has given r other filters: puts the replaying one, if there was one, before them. */
void bench_input_moved(request_rec *r);

/* Takes the replaying filter away, if there is one. */
void bench_input_done(request_rec *r);

#endif
