/* SPDX-License-Identifier: Apache-2.0 */
/* Script files: compiled once, shared, seen when they change, refused when they are no Ruby. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>
#include <apr_thread_proc.h>

#include "script.h"

static apr_pool_t *pool;
static char directory[] = "/tmp/bench-unit-XXXXXX";

static const char *path_of(const char *name)
{
    return apr_pstrcat(pool, directory, "/", name, NULL);
}

/* In place, as an editor that does not replace the file. */
static const char *write_bytes(const char *name, const char *text, size_t size)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char *write_file(const char *name, const char *text)
{
    return write_bytes(name, text, strlen(text));
}

static bench_interp_t *open_attached(void)
{
    bench_interp_t *interp = unit_open();

    assert_int_equal(bench_script_attach(interp), APR_SUCCESS);
    return interp;
}

static void close_attached(bench_interp_t *interp)
{
    bench_script_detach(interp);
    unit_close(interp);
}

typedef struct {
    bench_interp_t *interp;
    const char *path;
    bench_cache_e cache;
    bench_fault_t fault;
    struct RProc *proc;
} job_t;

static job_t job_of(bench_interp_t *interp, const char *path, bench_cache_e cache)
{
    job_t job;

    memset(&job, 0, sizeof(job));
    job.interp = interp;
    job.path = path;
    job.cache = cache;
    return job;
}

static mrb_value get_and_call(mrb_state *mrb, void *data)
{
    job_t *job = data;
    apr_finfo_t finfo;
    apr_status_t rv = apr_stat(&finfo, job->path, APR_FINFO_MIN, NULL);

    bench_file_t file = {job->path, bench_script_language(job->path),
                         rv == APR_SUCCESS ? &finfo : NULL};

    job->proc = bench_script_get(job->interp, &file, job->cache, &job->fault);
    if (!job->proc) {
        return mrb_nil_value();
    }
    return mrb_yield_with_class(mrb, mrb_obj_value(job->proc), 0, NULL, mrb_top_self(mrb),
                                mrb->object_class);
}

/* The number that the script's last line is; -1: there is no script, see job->fault. */
static mrb_int run(job_t *job)
{
    mrb_value value;

    assert_int_equal(bench_interp_protect(job->interp, get_and_call, job, &value), APR_SUCCESS);
    return job->proc ? mrb_integer(value) : -1;
}

static void a_file_runs_and_stays_loaded(void **state)
{
    job_t job = job_of(open_attached(), write_file("a.mrb", "40 + 2"), BENCH_CACHE_STAT);
    struct RProc *first;

    (void)state;
    assert_int_equal(run(&job), 42);
    first = job.proc;
    mrb_full_gc(job.interp->mrb);
    assert_int_equal(run(&job), 42);
    assert_ptr_equal(job.proc, first);
    close_attached(job.interp);
}

/* Same size, same second, most often the same tick of the kernel's clock. */
static void every_edit_is_seen(void **state)
{
    job_t job = job_of(open_attached(), NULL, BENCH_CACHE_STAT);
    int i;

    (void)state;
    for (i = 100; i < 160; i++) {
        job.path = write_file("edited.mrb", apr_itoa(pool, i));
        assert_int_equal(run(&job), i);
    }
    close_attached(job.interp);
}

static void a_replaced_file_is_seen(void **state)
{
    job_t job = job_of(open_attached(), write_file("replaced.mrb", "1"), BENCH_CACHE_STAT);

    (void)state;
    assert_int_equal(run(&job), 1);
    assert_int_equal(rename(write_file("new.mrb", "2"), job.path), 0);
    assert_int_equal(run(&job), 2);
    close_attached(job.interp);
}

static void forever_means_forever(void **state)
{
    job_t job = job_of(open_attached(), write_file("forever.mrb", "1"), BENCH_CACHE_FOREVER);

    (void)state;
    assert_int_equal(run(&job), 1);
    write_file("forever.mrb", "2");
    assert_int_equal(run(&job), 1);
    job.cache = BENCH_CACHE_STAT;
    assert_int_equal(run(&job), 2);
    close_attached(job.interp);
}

static void never_compiles_each_time(void **state)
{
    job_t job = job_of(open_attached(), write_file("never.mrb", "1"), BENCH_CACHE_NEVER);
    struct RProc *first;

    (void)state;
    assert_int_equal(run(&job), 1);
    first = job.proc;
    assert_int_equal(run(&job), 1);
    assert_ptr_not_equal(job.proc, first);
    close_attached(job.interp);
}

static void what_is_not_ruby_is_refused(void **state)
{
    static const struct {
        const char *text;
        size_t size;
        const char *message;
    } cases[] = {
        {"1\n2\ndef", 7, "3:"},
        {"if true", 7, "1:"},
        {"1\n\0002", 4, "2:0: there is a NUL byte"},
    };
    job_t job = job_of(open_attached(), NULL, BENCH_CACHE_STAT);
    unsigned i;

    (void)state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int again;

        job.path = write_bytes(apr_psprintf(pool, "bad%u.mrb", i), cases[i].text, cases[i].size);
        for (again = 0; again < 2; again++) {
            assert_int_equal(run(&job), -1);
            assert_int_equal(job.fault.status, APR_EGENERAL);
            assert_memory_equal(job.fault.message, cases[i].message, strlen(cases[i].message));
        }
    }
    write_file("bad0.mrb", "7");
    job.path = path_of("bad0.mrb");
    assert_int_equal(run(&job), 7);
    close_attached(job.interp);
}

/* The compiler says this to stderr and to nobody else. */
static void what_is_too_complex_is_said(void **state)
{
    enum { LEVELS = 600 };
    char text[2 * LEVELS];
    job_t job;

    (void)state;
    memset(text, '[', LEVELS);
    memset(text + LEVELS, ']', LEVELS);
    job = job_of(open_attached(), write_bytes("deep.mrb", text, sizeof(text)), BENCH_CACHE_STAT);
    assert_int_equal(run(&job), -1);
    assert_string_equal(job.fault.message, "1:0: too complex expression");
    close_attached(job.interp);
}

static void what_cannot_be_read_is_said(void **state)
{
    job_t job = job_of(open_attached(), path_of("none.mrb"), BENCH_CACHE_STAT);

    (void)state;
    assert_int_equal(run(&job), -1);
    assert_true(APR_STATUS_IS_ENOENT(job.fault.status));
    job.path = directory;
    assert_int_equal(run(&job), -1);
    assert_int_equal(job.fault.status, EISDIR);
    close_attached(job.interp);
}

static void marks_and_line_ends_of_other_systems_do_no_harm(void **state)
{
    job_t job = job_of(open_attached(),
                       write_file("bom.mrb", "\xEF\xBB\xBF"
                                             "x = 5\r\nx + 1\r\n"),
                       BENCH_CACHE_STAT);

    (void)state;
    assert_int_equal(run(&job), 6);
    job.path = write_file("empty.mrb", "nil.to_i");
    assert_int_equal(run(&job), 0);
    close_attached(job.interp);
}

static void a_required_file_is_watched(void **state)
{
    job_t job = job_of(open_attached(), write_file("lib.mrb", "1"), BENCH_CACHE_STAT);

    (void)state;
    run(&job);
    assert_null(bench_script_outdated(job.interp, pool));
    bench_script_set_required(job.interp, job.path, 1);
    assert_true(bench_script_is_required(job.interp, job.path));
    assert_null(bench_script_outdated(job.interp, pool));
    write_file("lib.mrb", "2");
    assert_string_equal(bench_script_outdated(job.interp, pool), job.path);
    write_file("lib.mrb", "1");
    assert_null(bench_script_outdated(job.interp, pool));
    unlink(job.path);
    assert_string_equal(bench_script_outdated(job.interp, pool), job.path);
    close_attached(job.interp);
}

static void a_directive_s_file_is_checked(void **state)
{
    const char *bad = write_file("check.mrb", "1\n)");

    (void)state;
    assert_null(bench_script_check(write_file("good.mrb", "1"), pool));
    assert_memory_equal(bench_script_check(bad, pool), apr_pstrcat(pool, bad, ":2:", NULL),
                        strlen(bad) + 3);
    assert_string_equal(
        bench_script_check(path_of("none.mrb"), pool),
        apr_psprintf(pool, "cannot open %s: No such file or directory", path_of("none.mrb")));
}

/* ---- threads ---- */

#define THREADS 8
#define ROUNDS 30

typedef struct {
    const char *path;
    int wrong;
} task_t;

/* cmocka's asserts work on the main thread only. */
static void *APR_THREAD_FUNC one_thread(apr_thread_t *thread, void *data)
{
    task_t *task = data;
    job_t job = job_of(NULL, task->path, BENCH_CACHE_FOREVER);
    int i;
    mrb_value value;

    (void)thread;
    for (i = 0; i < ROUNDS; i++) {
        if (bench_interp_open(&job.interp) != APR_SUCCESS ||
            bench_script_attach(job.interp) != APR_SUCCESS) {
            task->wrong++;
            return NULL;
        }
        task->wrong +=
            bench_interp_protect(job.interp, get_and_call, &job, &value) != APR_SUCCESS ||
            !job.proc || mrb_integer(value) != 499500;
        bench_script_detach(job.interp);
        task->wrong += bench_interp_close(job.interp) != 0;
    }
    return NULL;
}

static void threads_share_what_one_has_compiled(void **state)
{
    const char *path = write_file("shared.mrb", "s = 0; 1000.times { |i| s += i }; s");
    apr_thread_t *threads[THREADS];
    task_t tasks[THREADS];
    int i;

    (void)state;
    for (i = 0; i < THREADS; i++) {
        tasks[i] = (task_t){path, 0};
        assert_int_equal(apr_thread_create(&threads[i], NULL, one_thread, &tasks[i], pool),
                         APR_SUCCESS);
    }
    for (i = 0; i < THREADS; i++) {
        apr_status_t ended;

        apr_thread_join(&ended, threads[i]);
        assert_int_equal(tasks[i].wrong, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_runs_and_stays_loaded),
        cmocka_unit_test(every_edit_is_seen),
        cmocka_unit_test(a_replaced_file_is_seen),
        cmocka_unit_test(forever_means_forever),
        cmocka_unit_test(never_compiles_each_time),
        cmocka_unit_test(what_is_not_ruby_is_refused),
        cmocka_unit_test(what_is_too_complex_is_said),
        cmocka_unit_test(what_cannot_be_read_is_said),
        cmocka_unit_test(marks_and_line_ends_of_other_systems_do_no_harm),
        cmocka_unit_test(a_required_file_is_watched),
        cmocka_unit_test(a_directive_s_file_is_checked),
        cmocka_unit_test(threads_share_what_one_has_compiled),
    };
    apr_dir_t *entries;
    apr_finfo_t entry;
    apr_pool_t *child;
    int failed;

    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_pool_create(&child, pool);
    if (!mkdtemp(directory) || bench_script_child_init(child) != APR_SUCCESS) {
        return 1;
    }
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (apr_dir_open(&entries, directory, pool) == APR_SUCCESS) {
        while (apr_dir_read(&entry, APR_FINFO_NAME, entries) == APR_SUCCESS) {
            unlink(path_of(entry.name));
        }
        apr_dir_close(entries);
        rmdir(directory);
    }
    apr_pool_destroy(pool);
    apr_terminate();
    return failed;
}
