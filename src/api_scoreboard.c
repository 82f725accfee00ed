/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Apache::Scoreboard: what all workers of the server are doing.
 *
 * Floor 2.
 *
 * The scoreboard is shared memory that every worker writes to without a lock, so each record is
 * copied before it is looked at.  How much was served and how much time it took httpd counts only
 * with ExtendedStatus On, which is the default where mod_status is loaded.
 */
#include "api.h"

#include <string.h>
#include <unistd.h>

#include <ap_mpm.h>
#include <scoreboard.h>
#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/hash.h>
#include <mruby/string.h>

/* By their numbers. */
static const char *const names[SERVER_NUM_STATUS] = {
    "SERVER_DEAD",       "SERVER_STARTING",       "SERVER_READY",     "SERVER_BUSY_READ",
    "SERVER_BUSY_WRITE", "SERVER_BUSY_KEEPALIVE", "SERVER_BUSY_LOG",  "SERVER_BUSY_DNS",
    "SERVER_CLOSING",    "SERVER_GRACEFUL",       "SERVER_IDLE_KILL",
};

static int limit(int which)
{
    int value = 0;

    ap_mpm_query(which, &value);
    return value;
}

/* ---- going through the workers ---------------------------------------------------------- */

typedef struct {
    int servers;
    int threads;
    int server;            /* of the worker below */
    int thread;            /* that of the next one */
    process_score process; /* its process */
    worker_score worker;
} walk_t;

static void begin(walk_t *walk)
{
    walk->servers = ap_exists_scoreboard_image() ? limit(AP_MPMQ_HARD_LIMIT_DAEMONS) : 0;
    walk->threads = limit(AP_MPMQ_HARD_LIMIT_THREADS);
    walk->server = 0;
    walk->thread = 0;
}

/* Copies the next worker; 0 when there is none left. */
static int next(walk_t *walk)
{
    if (walk->thread == walk->threads) {
        walk->thread = 0;
        walk->server++;
    }
    if (walk->server >= walk->servers) {
        return 0;
    }
    if (walk->thread == 0) {
        const process_score *process = ap_get_scoreboard_process(walk->server);

        if (process) {
            walk->process = *process;
        } else {
            memset(&walk->process, 0, sizeof(walk->process));
        }
    }
    ap_copy_scoreboard_worker(&walk->worker, walk->server, walk->thread++);
    return 1;
}

static int status_of(const walk_t *walk)
{
    return walk->worker.status < SERVER_NUM_STATUS ? walk->worker.status : SERVER_DEAD;
}

/* Whether the worker can be given something to do, or has something. */
static int is_alive(const walk_t *walk)
{
    return walk->process.pid && !walk->process.quiescing;
}

static int is_idle(const walk_t *walk, int generation)
{
    return is_alive(walk) && status_of(walk) == SERVER_READY &&
           walk->process.generation == generation;
}

static int is_busy(const walk_t *walk, int generation)
{
    int status = status_of(walk);

    return is_alive(walk) && status != SERVER_DEAD && status != SERVER_STARTING &&
           status != SERVER_IDLE_KILL && !is_idle(walk, generation);
}

/* A Float: mod_mruby's scripts divide this by a limit and expect the fraction. */
static mrb_value count(mrb_state *mrb, int (*test)(const walk_t *, int))
{
    int generation = limit(AP_MPMQ_GENERATION);
    walk_t walk;
    int n = 0;

    for (begin(&walk); next(&walk);) {
        n += test(&walk, generation);
    }
    return mrb_float_value(mrb, n);
}

static mrb_value busy_worker(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return count(mrb, is_busy);
}

static mrb_value idle_worker(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return count(mrb, is_idle);
}

static mrb_value text(mrb_state *mrb, const char *bytes, size_t room)
{
    return mrb_str_new(mrb, bytes, (mrb_int)strnlen(bytes, room));
}

/* status: client address -> name, of workers that have a client. */
static mrb_value status(mrb_state *mrb, mrb_value self)
{
    mrb_value hash = mrb_hash_new(mrb);
    walk_t walk;

    (void)self;
    for (begin(&walk); next(&walk);) {
        int arena = mrb_gc_arena_save(mrb);
        int of_worker = status_of(&walk);

        if (of_worker >= SERVER_BUSY_READ && of_worker <= SERVER_GRACEFUL &&
            *walk.worker.client64) {
            mrb_hash_set(mrb, hash, text(mrb, walk.worker.client64, sizeof(walk.worker.client64)),
                         mrb_str_new_cstr(mrb, names[of_worker]));
        }
        mrb_gc_arena_restore(mrb, arena);
    }
    return hash;
}

/* counter: name -> how many workers. */
static mrb_value counter(mrb_state *mrb, mrb_value self)
{
    mrb_value hash = mrb_hash_new(mrb);
    int found[SERVER_NUM_STATUS] = {0};
    walk_t walk;
    int i;

    (void)self;
    for (begin(&walk); next(&walk);) {
        found[status_of(&walk)]++;
    }
    for (i = 0; i < SERVER_NUM_STATUS; i++) {
        mrb_hash_set(mrb, hash, mrb_str_new_cstr(mrb, names[i]), mrb_fixnum_value(found[i]));
    }
    return hash;
}

/* ---- what was served -------------------------------------------------------------------- */

static mrb_value total_access(mrb_state *mrb, mrb_value self)
{
    mrb_float sum = 0;
    walk_t walk;

    (void)self;
    for (begin(&walk); next(&walk);) {
        sum += (mrb_float)walk.worker.access_count;
    }
    return mrb_float_value(mrb, sum);
}

static mrb_value total_kbyte(mrb_state *mrb, mrb_value self)
{
    apr_off_t sum = 0;
    walk_t walk;

    (void)self;
    for (begin(&walk); next(&walk);) {
        sum += walk.worker.bytes_served;
    }
    return mrb_float_value(mrb, (mrb_float)(sum / 1024));
}

/* access_counter(pid): what that process has served; -1: there is no such process. */
static mrb_value access_counter(mrb_state *mrb, mrb_value self)
{
    mrb_int pid;
    mrb_int sum = 0;
    int found = 0;
    walk_t walk;

    (void)self;
    mrb_get_args(mrb, "i", &pid);
    for (begin(&walk); next(&walk);) {
        if (pid > 0 && (walk.process.pid == pid || walk.worker.pid == pid)) {
            found = 1;
            sum += (mrb_int)walk.worker.access_count;
        }
    }
    return mrb_int_value(mrb, found ? sum : -1);
}

/* ---- time and load ---------------------------------------------------------------------- */

static apr_time_t restarted(void)
{
    const global_score *global = ap_exists_scoreboard_image() ? ap_get_scoreboard_global() : NULL;

    return global ? global->restart_time : apr_time_now();
}

/* In microseconds. */
static mrb_value restart_time(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_float_value(mrb, (mrb_float)restarted());
}

/* In seconds. */
static mrb_value uptime(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_float_value(mrb, (mrb_float)apr_time_sec(apr_time_now() - restarted()));
}

/* cpu_load: per cent of one processor since the start, children that have ended left out. */
static mrb_value cpu_load(mrb_state *mrb, mrb_value self)
{
    mrb_float sum = 0;
    clock_t of_process = 0; /* each worker has that of its process, as of its last request */
    mrb_float seconds = (mrb_float)(apr_time_now() - restarted()) / APR_USEC_PER_SEC;
    walk_t walk;

    (void)self;
    for (begin(&walk); next(&walk);) {
#ifdef HAVE_TIMES
        const struct tms *times = &walk.worker.times;
        clock_t ticks = times->tms_utime + times->tms_stime + times->tms_cutime + times->tms_cstime;

        of_process = ticks > of_process ? ticks : of_process;
#endif
        if (walk.thread == walk.threads) {
            sum += (mrb_float)of_process;
            of_process = 0;
        }
    }
    return mrb_float_value(mrb,
                           seconds > 0 ? sum / (mrb_float)sysconf(_SC_CLK_TCK) / seconds * 100 : 0);
}

static mrb_value loadavg(mrb_state *mrb, mrb_value self)
{
    ap_loadavg_t load;
    mrb_value values[3];

    (void)self;
    ap_get_loadavg(&load);
    values[0] = mrb_float_value(mrb, load.loadavg);
    values[1] = mrb_float_value(mrb, load.loadavg5);
    values[2] = mrb_float_value(mrb, load.loadavg15);
    return mrb_ary_new_from_values(mrb, 3, values);
}

static mrb_value pid(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_int_value(mrb, (mrb_int)getpid());
}

static mrb_value server_limit(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_int_value(mrb, limit(AP_MPMQ_HARD_LIMIT_DAEMONS));
}

static mrb_value thread_limit(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return mrb_int_value(mrb, limit(AP_MPMQ_HARD_LIMIT_THREADS));
}

/* ----------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    mrb_func_t function;
    mrb_aspec arguments;
} methods[] = {
    {"status", status, MRB_ARGS_NONE()},
    {"counter", counter, MRB_ARGS_NONE()},
    {"pid", pid, MRB_ARGS_NONE()},
    {"cpu_load", cpu_load, MRB_ARGS_NONE()},
    {"loadavg", loadavg, MRB_ARGS_NONE()},
    {"server_limit", server_limit, MRB_ARGS_NONE()},
    {"thread_limit", thread_limit, MRB_ARGS_NONE()},
    {"access_counter", access_counter, MRB_ARGS_REQ(1)},
    {"total_kbyte", total_kbyte, MRB_ARGS_NONE()},
    {"total_access", total_access, MRB_ARGS_NONE()},
    {"uptime", uptime, MRB_ARGS_NONE()},
    {"restart_time", restart_time, MRB_ARGS_NONE()},
    {"idle_worker", idle_worker, MRB_ARGS_NONE()},
    {"busy_worker", busy_worker, MRB_ARGS_NONE()},
};

void bench_api_scoreboard_define(mrb_state *mrb, bench_api_t *api)
{
    struct RClass *klass =
        mrb_define_class_under(mrb, mrb_class_get(mrb, "Apache"), "Scoreboard", mrb->object_class);
    size_t i;

    (void)api;
    for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        mrb_define_method(mrb, klass, methods[i].name, methods[i].function, methods[i].arguments);
    }
}
