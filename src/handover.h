/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request that a script passes on to another content handler: to that of another file, to one
 * that it names (mod_proxy, say), or to whichever would have had it without us.
 *
 * Floor 1.  Knows httpd.  Must not know mruby.
 *
 * The phases before the content are over by then.  What they would have done for the request as
 * the script has left it is made up for: rules of access for another file, its type and handler,
 * the URL of a proxy in the form in which it is sent.
 */
#ifndef BENCH_HANDOVER_H
#define BENCH_HANDOVER_H

#include <httpd.h>

/* What the script has set. */
#define BENCH_HANDOVER_FILE 1    /* r->filename: a path, or proxy:URL */
#define BENCH_HANDOVER_HANDLER 2 /* r->handler */

/* Has another handler answer.  script is for the log.  Nothing of a response may have been sent.
 * Returns what a content handler returns: OK if there is a response. */
int bench_handover(request_rec *r, const char *script, int what);

/* Whether that has been done: BenchScript and BenchRack have had their turn. */
int bench_handover_passed(const request_rec *r);

#endif
