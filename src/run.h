/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of a script for a request: take the thread's interpreter, show it the request, call,
 * and turn what comes out into a status and a line in the log.
 *
 * Floor 4.  Knows everything below.  Must not know which phase of httpd it is called from.
 */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include <apr_file_info.h>
#include <httpd.h>

#include "conf.h"

/* Runs the file at path as the content handler of r.  finfo: what httpd's stat of path has said,
 * or NULL.
 * OK: there is a response, whole or broken off.  Otherwise nothing was sent, and httpd is to
 * answer with the status returned: 403, 404, 500, 503, or that of a body that cannot be read. */
int bench_run_script(request_rec *r, const bench_dir_conf_t *conf, const char *path,
                     const apr_finfo_t *finfo);

#endif
