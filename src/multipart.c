/* SPDX-License-Identifier: Apache-2.0 */
#include "multipart.h"

#include <string.h>

enum { PREAMBLE, HEAD, DATA, AFTER_DATA, DONE };

/* What a step leaves behind. */
enum { GO_ON, WANTS_MORE, STOPPED };

typedef enum { NO_LINE, OTHER_LINE, BOUNDARY_LINE, END_LINE } line_t;

int bench_multipart_init(bench_multipart_t *parser, const char *boundary, size_t size,
                         const bench_multipart_callbacks_t *callbacks, void *context)
{
    parser->callbacks = callbacks;
    parser->context = context;
    parser->error = NULL;
    parser->state = PREAMBLE;
    parser->skipped = 0;
    parser->used = 0;
    if (size == 0 || size > BENCH_MULTIPART_BOUNDARY) {
        parser->error = "a multipart boundary of a size that cannot be";
        return BENCH_MULTIPART_MALFORMED;
    }
    memcpy(parser->boundary, "--", 2);
    memcpy(parser->boundary + 2, boundary, size);
    parser->boundary_size = size + 2;
    return 0;
}

static void consume(bench_multipart_t *parser, size_t size)
{
    parser->used -= size;
    memmove(parser->buffer, parser->buffer + size, parser->used);
}

static int malformed(bench_multipart_t *parser, const char *error, int *result)
{
    parser->error = error;
    *result = BENCH_MULTIPART_MALFORMED;
    return STOPPED;
}

static int is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

/* Takes the next line off the buffer, and says what it is.  At the end of the body a line needs no
 * line feed. */
static line_t take_line(bench_multipart_t *parser, int final)
{
    const char *begin = parser->buffer;
    const char *feed = memchr(begin, '\n', parser->used);
    const char *end = feed ? feed + 1 : begin + parser->used;
    size_t size = (size_t)(end - begin);
    size_t length = parser->boundary_size;
    line_t line = OTHER_LINE;

    if (parser->used == 0 || (!feed && !final)) {
        return NO_LINE;
    }
    while (begin < end && is_blank(end[-1])) {
        end--;
    }
    while (begin < end && is_blank(*begin)) {
        begin++;
    }
    if ((size_t)(end - begin) >= length && memcmp(begin, parser->boundary, length) == 0) {
        if ((size_t)(end - begin) == length) {
            line = BOUNDARY_LINE;
        } else if ((size_t)(end - begin) == length + 2 && memcmp(begin + length, "--", 2) == 0) {
            line = END_LINE;
        }
    }
    consume(parser, size);
    parser->skipped += (int)size;
    return line;
}

static int preamble(bench_multipart_t *parser, int final, int *result)
{
    line_t line;

    while ((line = take_line(parser, final)) == OTHER_LINE) {
    }
    if (parser->skipped + parser->used > BENCH_MULTIPART_PREAMBLE && line == NO_LINE) {
        return malformed(parser, "no multipart boundary at the beginning", result);
    }
    if (line == NO_LINE) {
        return WANTS_MORE;
    }
    /* Nothing but the end and its line end: a form without fields. */
    parser->state = line == END_LINE && (size_t)parser->skipped == parser->boundary_size + 4 &&
                            parser->used == 0
                        ? DONE
                        : HEAD;
    return GO_ON;
}

static int head(bench_multipart_t *parser, int *result)
{
    const char *end = memmem(parser->buffer, parser->used, "\r\n\r\n", 4);
    size_t size;

    if (!end) {
        return parser->used > BENCH_MULTIPART_HEAD
                   ? malformed(parser, "the head of a part is too large", result)
                   : WANTS_MORE;
    }
    size = (size_t)(end - parser->buffer) + 2;
    *result = parser->callbacks->on_head(parser->context, parser->buffer, size);
    if (*result) {
        return STOPPED;
    }
    consume(parser, size + 2);
    parser->state = DATA;
    return GO_ON;
}

/* The boundary in the buffer that has its line end or dashes behind it, or NULL. */
static const char *find_boundary(const bench_multipart_t *parser)
{
    const char *from = parser->buffer;
    const char *end = parser->buffer + parser->used;
    const char *found;

    while ((found = memmem(from, (size_t)(end - from), parser->boundary, parser->boundary_size)) !=
           NULL) {
        const char *behind = found + parser->boundary_size;

        if (end - behind >= 2 && (memcmp(behind, "\r\n", 2) == 0 || memcmp(behind, "--", 2) == 0)) {
            return found;
        }
        from = found + 1;
    }
    return NULL;
}

static int pass_data(bench_multipart_t *parser, size_t size, int *result)
{
    *result = size > 0 ? parser->callbacks->on_data(parser->context, parser->buffer, size) : 0;
    return *result != 0;
}

static int data(bench_multipart_t *parser, int *result)
{
    const char *boundary = find_boundary(parser);
    size_t kept = parser->boundary_size + 4;
    size_t size;

    if (!boundary) {
        if (parser->used <= kept) {
            return WANTS_MORE;
        }
        size = parser->used - kept;
        if (pass_data(parser, size, result)) {
            return STOPPED;
        }
        consume(parser, size);
        return WANTS_MORE;
    }
    size = (size_t)(boundary - parser->buffer);
    if (size >= 2 && memcmp(boundary - 2, "\r\n", 2) == 0) {
        size -= 2;
    }
    if (pass_data(parser, size, result) ||
        (*result = parser->callbacks->on_end(parser->context)) != 0) {
        return STOPPED;
    }
    /* The line end in front of the boundary; without one, this is the beginning of the boundary,
     * whose line is then not recognised: as Rack has it. */
    consume(parser, size + 2);
    parser->state = AFTER_DATA;
    return GO_ON;
}

static int after_data(bench_multipart_t *parser, int final)
{
    line_t line;

    while ((line = take_line(parser, final)) == OTHER_LINE) {
    }
    if (line == NO_LINE) {
        if (final) {
            parser->state = DONE;
            return GO_ON;
        }
        return WANTS_MORE;
    }
    parser->state = line == END_LINE ? DONE : HEAD;
    return GO_ON;
}

static int run(bench_multipart_t *parser, int final)
{
    int result = 0;
    int step = GO_ON;

    while (step == GO_ON) {
        switch (parser->state) {
        case PREAMBLE:
            step = preamble(parser, final, &result);
            break;
        case HEAD:
            step = head(parser, &result);
            break;
        case DATA:
            step = data(parser, &result);
            break;
        case AFTER_DATA:
            step = after_data(parser, final);
            break;
        default:
            parser->used = 0; /* what stands behind the end is of no interest */
            step = WANTS_MORE;
        }
    }
    return result;
}

int bench_multipart_feed(bench_multipart_t *parser, const char *bytes, size_t size)
{
    while (size > 0) {
        size_t room = sizeof(parser->buffer) - parser->used;
        size_t n = size < room ? size : room;
        int result;

        memcpy(parser->buffer + parser->used, bytes, n);
        parser->used += n;
        bytes += n;
        size -= n;
        result = run(parser, 0);
        if (result) {
            return result;
        }
        if (n == 0) {
            parser->error = "a line of the multipart body is too long";
            return BENCH_MULTIPART_MALFORMED;
        }
    }
    return 0;
}

int bench_multipart_finish(bench_multipart_t *parser)
{
    int result = run(parser, 1);

    if (result == 0 && parser->state != DONE) {
        parser->error = "the multipart body ends in the middle";
        result = BENCH_MULTIPART_MALFORMED;
    }
    return result;
}
