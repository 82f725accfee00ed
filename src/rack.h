/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rack applications: bench-rack for a .ru file that a URL maps to, BenchRack for one that is
 * mounted at a Location.
 *
 * Floor 5.  Knows run.  Must not know the other handlers and phases.
 *
 * The file is loaded once per interpreter and watched like a required file.  A response of the
 * usual shape (a Hash of headers, an Array of Strings) is sent from here; any other goes through
 * Rack::Handler in mrblib, which knows the rest of what the specification allows.
 */
#ifndef BENCH_RACK_H
#define BENCH_RACK_H

#include <httpd.h>

#include "code.h"
#include "conf.h"

/* Serves a request by the application in file; the rest as for bench_run(). */
int bench_rack_serve(request_rec *r, const bench_dir_conf_t *conf, const bench_file_t *file,
                     const char *mount);

#endif
