/* SPDX-License-Identifier: Apache-2.0 */
#include "errorpage.h"

#include <stdlib.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_strings.h>
#include <http_protocol.h>

/* Lines to show on each side of the one at fault. */
#define AROUND 5
#define LONGEST_LINE 1024

typedef struct {
    bench_output_t *out;
    apr_pool_t *pool;
    int html;
} page_t;

static void put(page_t *page, const char *text)
{
    bench_output_write(page->out, text, strlen(text));
}

/* Text that is not ours. */
static void put_text(page_t *page, const char *text)
{
    put(page, page->html ? ap_escape_html(page->pool, text) : text);
}

static int accepts_html(const request_rec *r)
{
    const char *accept = apr_table_get(r->headers_in, "Accept");

    return accept && (ap_strcasestr(accept, "text/html") || ap_strcasestr(accept, "text/*"));
}

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Error in a script</title>\n<style>\n"
    ":root { color-scheme: light dark; }\n"
    "body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; "
    "padding: 0 1rem; }\n"
    "h1 { font-size: 1.4rem; margin-bottom: 0; }\nh2 { font-size: 1rem; }\n"
    "h1 + p { white-space: pre-wrap; }\n"
    "pre { overflow-x: auto; padding: .5rem; border: 1px solid #8886; border-radius: .3rem; }\n"
    "mark { background: #d332; color: inherit; display: block; }\n"
    "table { border-collapse: collapse; }\ntd { padding: .1rem 1rem .1rem 0; vertical-align: top; "
    "overflow-wrap: anywhere; }\n</style></head><body>\n";

static void put_heading(page_t *page, const char *text)
{
    put(page, page->html ? "<h2>" : "\n");
    put(page, text);
    put(page, page->html ? "</h2>\n" : ":\n");
}

/* "path:12:3" -> path and 12.  0: there is no line in it. */
static int split_where(apr_pool_t *pool, const char *where, char **path)
{
    char *colon;

    *path = apr_pstrdup(pool, where);
    for (colon = strchr(*path, ':'); colon; colon = strchr(colon + 1, ':')) {
        int line = atoi(colon + 1);

        if (line > 0) {
            *colon = '\0';
            return line;
        }
    }
    return 0;
}

static void put_line(page_t *page, int number, const char *line, int marked)
{
    put(page, marked && page->html ? "<mark>" : "");
    put(page, apr_psprintf(page->pool, "%s%4d  ", marked ? ">" : " ", number));
    put_text(page, line);
    put(page, marked && page->html ? "</mark>" : "\n");
}

static void put_source(page_t *page, const char *where)
{
    char line[LONGEST_LINE];
    char *path;
    int fault = split_where(page->pool, where, &path);
    apr_file_t *file;
    int begins = 1;
    int number;

    if (!fault || apr_file_open(&file, path, APR_FOPEN_READ | APR_FOPEN_BUFFERED, 0, page->pool) !=
                      APR_SUCCESS) {
        return;
    }
    put_heading(page, apr_psprintf(page->pool, "%s, line %d",
                                   page->html ? ap_escape_html(page->pool, path) : path, fault));
    put(page, page->html ? "<pre>" : "");
    number = 1;
    while (number <= fault + AROUND && apr_file_gets(line, sizeof(line), file) == APR_SUCCESS) {
        apr_size_t end = strcspn(line, "\r\n");
        int complete = line[end] != '\0';

        line[end] = '\0';
        if (number >= fault - AROUND && begins) {
            put_line(page, number, line, number == fault);
        }
        /* What is left of a line that is too long to show is passed over. */
        begins = complete;
        number += complete;
    }
    put(page, page->html ? "</pre>\n" : "");
    apr_file_close(file);
}

static void put_backtrace(page_t *page, const char *backtrace)
{
    const char *at = backtrace;
    const char *arrow;

    if (!*backtrace) {
        return;
    }
    put_heading(page, "Backtrace");
    put(page, page->html ? "<pre>" : "");
    while ((arrow = strstr(at, " <- ")) != NULL) {
        put_text(page, apr_pstrmemdup(page->pool, at, (apr_size_t)(arrow - at)));
        put(page, "\n");
        at = arrow + 4;
    }
    put_text(page, at);
    put(page, page->html ? "\n</pre>\n" : "\n");
}

static int put_header(void *data, const char *name, const char *value)
{
    page_t *page = data;

    /* What lets somebody in does not belong on a page that may be passed on. */
    if (ap_cstr_casecmp(name, "Authorization") == 0 || ap_cstr_casecmp(name, "Cookie") == 0 ||
        ap_cstr_casecmp(name, "Proxy-Authorization") == 0) {
        value = "(not shown)";
    }
    put(page, page->html ? "<tr><td>" : "  ");
    put_text(page, name);
    put(page, page->html ? "</td><td>" : ": ");
    put_text(page, value);
    put(page, page->html ? "</td></tr>\n" : "\n");
    return 1;
}

static void put_request(page_t *page, const request_rec *r)
{
    put_heading(page, "Request");
    put(page, page->html ? "<p><code>" : "");
    put_text(page, r->the_request ? r->the_request : r->uri);
    put(page, page->html ? "</code></p>\n<table>\n" : "\n");
    apr_table_do(put_header, page, r->headers_in, NULL);
    put(page, page->html ? "</table>\n" : "");
}

void bench_errorpage_write(bench_output_t *out, const bench_errorpage_t *error)
{
    request_rec *r = out->r;
    page_t page = {out, r->pool, accepts_html(r)};

    ap_set_content_type(r, page.html ? "text/html; charset=utf-8" : "text/plain; charset=utf-8");
    put(&page, page.html ? head : "");
    put(&page, page.html ? "<h1>" : "");
    put_text(&page, error->what);
    put(&page, page.html ? "</h1>\n<p>" : ": ");
    put_text(&page, error->message);
    put(&page, page.html ? "</p>\n" : "\n");
    put_source(&page, error->where);
    put_backtrace(&page, error->backtrace);
    put_request(&page, r);
    put(&page, page.html
                   ? "<p><small>mod_bench shows this because of <code>BenchErrorPage On</code>."
                     "</small></p>\n</body></html>\n"
                   : "\nmod_bench shows this because of BenchErrorPage On.\n");
}
