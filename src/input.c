/* SPDX-License-Identifier: Apache-2.0 */
#include "input.h"

#include <apr_buckets.h>
#include <http_config.h>
#include <http_protocol.h>
#include <http_request.h>
#include <util_filter.h>

#include "conf.h"
#include "spool.h"

#define FILTER "BENCH_BODY"
#define PIECE 65536

struct bench_input_t {
    bench_spool_t spool;
    ap_filter_t *source;         /* ours of the first request: what is below it is read */
    ap_filter_t *filter;         /* ours of the request that is served now, or NULL */
    apr_bucket_brigade *brigade; /* from the filters below, not yet in the spool */
    apr_bucket *current;         /* was lent, and goes at the next read */
    apr_off_t replayed;          /* how far the other reader is */
    apr_status_t ended;          /* APR_SUCCESS: there may be more */
    int status;
    int answered;
};

/* The request that the client sent: a redirect inside of httpd has the same body. */
static request_rec *sender(request_rec *r)
{
    while (r->prev) {
        r = r->prev;
    }
    return r;
}

static bench_input_t *find(request_rec *r)
{
    return ap_get_module_config(sender(r)->request_config, &bench_module);
}

/* In front of the filters of r, which may be others than those of the request it came from. */
static void stand_before(bench_input_t *in, request_rec *r)
{
    if (!in->filter || in->filter->r != r) {
        in->filter = ap_add_input_filter(FILTER, in, r, r->connection);
        in->replayed = 0;
        if (!in->source) {
            /* Kept: filters below it (DEFLATE) may be in the middle of something, which those of a
             * redirected request could not go on with. */
            in->source = in->filter;
        }
    }
}

static bench_input_t *create(request_rec *r)
{
    bench_input_t *in = apr_pcalloc(r->pool, sizeof(*in));

    bench_spool_init(&in->spool, r->pool);
    in->brigade = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    ap_set_module_config(r->request_config, &bench_module, in);
    if (r->main) {
        in->ended = APR_EOF; /* a subrequest has no body */
    }
    return in;
}

bench_input_t *bench_input_of(request_rec *r)
{
    bench_input_t *in = find(r);

    if (!in) {
        in = create(sender(r));
    }
    if (in->ended == APR_SUCCESS || in->spool.size > 0) {
        stand_before(in, r);
    }
    return in;
}

int bench_input_status(const bench_input_t *in)
{
    return in->status;
}

int bench_input_answered(request_rec *r)
{
    const bench_input_t *in = find(r);

    return in && in->answered;
}

void bench_input_moved(request_rec *r)
{
    bench_input_t *in = find(r);

    if (in && in->filter) {
        in->filter = NULL;
        stand_before(in, r);
    }
}

void bench_input_done(request_rec *r)
{
    bench_input_t *in = find(r);

    if (in && in->filter) {
        ap_remove_input_filter(in->filter);
        in->filter = NULL;
    }
}

static apr_status_t failed(bench_input_t *in, apr_status_t rv)
{
    const conn_rec *c = in->source->c;

    if (c->aborted || APR_STATUS_IS_ECONNABORTED(rv) || APR_STATUS_IS_ECONNRESET(rv) ||
        APR_STATUS_IS_EOF(rv) || APR_STATUS_IS_EPIPE(rv)) {
        in->ended = APR_ECONNABORTED;
        return in->ended;
    }
    in->status = ap_map_http_request_error(rv, HTTP_BAD_REQUEST);
    if (in->status == AP_FILTER_ERROR) {
        in->answered = 1;
        in->status = in->source->r->status;
    }
    in->ended = APR_EGENERAL;
    return in->ended;
}

static apr_status_t fill(bench_input_t *in)
{
    apr_status_t rv =
        ap_get_brigade(in->source->next, in->brigade, AP_MODE_READBYTES, APR_BLOCK_READ, PIECE);

    if (rv == APR_SUCCESS && APR_BRIGADE_EMPTY(in->brigade)) {
        rv = APR_EOF; /* a filter that blocks and gives nothing has nothing left to give */
    }
    return rv;
}

/* The next bytes from httpd, into the spool; lent until the next call. */
static apr_status_t pull(bench_input_t *in, const char **data, apr_size_t *size)
{
    apr_status_t rv = APR_SUCCESS;

    *size = 0;
    while (rv == APR_SUCCESS && *size == 0 && in->ended == APR_SUCCESS) {
        apr_bucket *bucket;

        if (in->current) {
            apr_bucket_delete(in->current);
            in->current = NULL;
        }
        if (APR_BRIGADE_EMPTY(in->brigade)) {
            rv = fill(in);
            continue;
        }
        bucket = APR_BRIGADE_FIRST(in->brigade);
        in->current = bucket;
        if (APR_BUCKET_IS_EOS(bucket)) {
            in->ended = APR_EOF;
        } else if (!APR_BUCKET_IS_METADATA(bucket)) {
            rv = apr_bucket_read(bucket, data, size, APR_BLOCK_READ);
        }
    }
    if (rv != APR_SUCCESS) {
        return failed(in, rv);
    }
    return *size > 0 ? bench_spool_append(&in->spool, *data, *size) : in->ended;
}

apr_status_t bench_input_read(bench_input_t *in, apr_off_t offset, apr_size_t limit,
                              const char **data, apr_size_t *size)
{
    if (offset >= in->spool.size) {
        apr_status_t rv = pull(in, data, size);

        if (rv == APR_SUCCESS && *size > limit) {
            *size = limit;
        }
        return rv;
    }
    return bench_spool_read(&in->spool, offset, limit, data, size);
}

/* ---- the filter ------------------------------------------------------------------------- */

static void insert(apr_bucket_brigade *brigade, const char *data, apr_size_t size)
{
    /* Copied: what the spool lends is good until its next read only. */
    APR_BRIGADE_INSERT_TAIL(brigade,
                            apr_bucket_heap_create(data, size, NULL, brigade->bucket_alloc));
}

/* All modes that a reader of a body uses: READBYTES and, for a line, GETLINE, which here is the
 * same with what there is. */
static apr_status_t replay(ap_filter_t *filter, apr_bucket_brigade *brigade, ap_input_mode_t mode,
                           apr_read_type_e block, apr_off_t readbytes)
{
    bench_input_t *in = filter->ctx;
    apr_size_t limit = readbytes > 0 && readbytes < PIECE ? (apr_size_t)readbytes : PIECE;
    const char *data;
    apr_size_t size;
    apr_status_t rv;

    if (mode != AP_MODE_READBYTES && mode != AP_MODE_SPECULATIVE) {
        return ap_get_brigade(filter->next, brigade, mode, block, readbytes);
    }
    rv = bench_input_read(in, in->replayed, limit, &data, &size);
    if (rv == APR_SUCCESS) {
        insert(brigade, data, size);
        if (mode == AP_MODE_READBYTES) {
            in->replayed += (apr_off_t)size;
        }
    } else if (rv == APR_EOF) {
        APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_eos_create(brigade->bucket_alloc));
        rv = APR_SUCCESS;
    }
    return rv;
}

/* httpd gives a redirected request the filters of the protocol only. */
static void stand_before_redirected(request_rec *r)
{
    bench_input_t *in = r->prev ? find(r) : NULL;

    if (in && in->spool.size > 0) {
        stand_before(in, r);
    }
}

void bench_input_register(void)
{
    /* Above all that changes the content: where a content handler reads. */
    ap_register_input_filter(FILTER, replay, NULL, AP_FTYPE_RESOURCE);
    ap_hook_insert_filter(stand_before_redirected, NULL, NULL, APR_HOOK_LAST);
}
