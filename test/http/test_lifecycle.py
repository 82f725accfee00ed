# SPDX-License-Identifier: Apache-2.0
"""Restarts, stops and the ends of children: no request fails, no interpreter is left open."""

import signal

import pytest
from harness import NoAnswer, background, file, script, until

HELLO = script("hello.mrb", "print 'hello'")


def check_accounts(httpd):
    """Every child that opened interpreters has closed them all, and said so at its end."""
    opened, closed = {}, {}
    for counts, number in ((opened, "BENCH0002"), (closed, "BENCH0003")):
        for found in httpd.log.grep(r"\[pid (\d+).*" + number):
            counts[found[1]] = counts.get(found[1], 0) + 1
    assert opened and opened == closed
    ends = {found[1]: (int(found[2]), int(found[3])) for found in
            httpd.log.grep(r"\[pid (\d+).*BENCH0004: .*?(\d+) \w+ opened, (\d+) closed")}
    for pid, count in opened.items():
        assert ends.get(pid) == (count, count)
    return opened


class TestGracefulRestart:
    """SIGUSR1 while clients ask."""

    @pytest.mark.short
    def test_five_times_under_load(self, httpd):
        httpd.run(HELLO, script("slow.mrb", "sleep 0.02; print 'slow' * 5000"), children=2)

        def job():
            assert httpd.get("/hello.mrb").body == b"hello"
            assert httpd.get("/slow.mrb").body == b"slow" * 5000

        with background(job) as crowd:
            for _ in range(5):
                rounds = crowd.rounds
                httpd.graceful()
                until(lambda: crowd.failures or crowd.rounds > rounds + 5, "requests go on")
        httpd.stop()
        assert len(check_accounts(httpd)) >= 5

    def test_a_running_script_ends_in_peace(self, httpd):
        httpd.run(script("x.mrb", "response.flush; print request.body.read; sleep 0.2; "
                                  "print ' whole' * 3000"), HELLO)
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", headers={"Content-Length": "4"})
            answer = connection.response_head()
            httpd.process.send_signal(signal.SIGUSR1)
            until(lambda: httpd._generations() == 2, "the new generation")
            assert httpd.get("/hello.mrb").body == b"hello"
            connection.send_bytes(b"half")
            connection.rest(answer)
            assert answer.complete and answer.body == b"half" + b" whole" * 3000
        until(httpd.idle, "the old generation")
        httpd.stop()
        check_accounts(httpd)

    def test_new_settings_and_scripts_are_read(self, httpd):
        httpd.run("BenchCodeCache forever", "BenchThreadInit init.rb",
                  'Include "${ROOT}/more.conf"', file("init.rb", "$init = 'old init'"),
                  file("more.conf", "BenchSet a old\n"),
                  script("x.mrb", "print Bench.config['a'], ' ', $init"))
        assert httpd.get("/x.mrb").text == "old old init"
        httpd.add(file("init.rb", "$init = 'new init'"), file("more.conf", "BenchSet a new\n"))
        httpd.graceful()
        assert httpd.get("/x.mrb").text == "new new init"

    def test_a_hard_restart(self, httpd):
        httpd.run(HELLO)
        for _ in range(2):
            assert httpd.get("/hello.mrb").body == b"hello"
            until(httpd.idle, "no connection")
            before = httpd._generations()
            httpd.process.send_signal(signal.SIGHUP)
            until(lambda: httpd._generations() > before, "the new generation")
        assert httpd.get("/hello.mrb").body == b"hello"
        httpd.stop()
        check_accounts(httpd)


class TestStop:
    """The end of the server."""

    @pytest.mark.short
    def test_every_interpreter_is_closed(self, httpd):
        httpd.run(script("x.mrb", "print 1; response.flush; request.body.read"), children=2)
        for _ in range(3):
            for _ in range(10):
                httpd.get("/x.mrb")
        httpd.stop()
        check_accounts(httpd)

    def test_a_graceful_stop_waits_for_a_running_script(self, httpd):
        httpd.run(script("x.mrb", "response.flush; request.body.read; print 'whole' * 3000"))
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", headers={"Content-Length": "1"})
            answer = connection.response_head()
            httpd.process.send_signal(signal.SIGWINCH)
            httpd.log.expects("WINCH")
            connection.send_bytes(b".")
            connection.rest(answer)
            assert answer.complete and answer.body == b"whole" * 3000
        until(lambda: httpd.process.poll() is not None, "httpd to end")
        httpd.stop()

    @pytest.mark.mpms("prefork")  # its signal handler ends the process under the running script
    @pytest.mark.parametrize("source", [
        pytest.param("loop { [1, 'a' * 100].inspect }", marks=pytest.mark.short),
        "loop { print 'x' * 1000; response.flush }", "sleep 30",
        "request.body.read", "def m(n); n > 100 ? sleep(30) : m(n + 1); end; m(0)"])
    def test_while_a_script_runs_under_prefork(self, httpd, source):
        httpd.run(script("x.mrb", f"response.flush\n{source}"))
        connections = [httpd.connect() for _ in range(2)]
        for connection in connections:
            connection.send("POST", "/x.mrb", headers={"Content-Length": "1"})
            connection.response_head()
        httpd.stop(busy=True)
        for connection in connections:
            connection.close()
        assert not httpd.log.lines("exit signal")


class TestEndOfChildren:
    """MaxConnectionsPerChild ends a child in normal operation."""

    def test_no_request_fails_and_all_is_closed(self, httpd):
        httpd.run("MaxConnectionsPerChild 10", HELLO, children=2, threads=2, processes=3)
        for _ in range(60):
            try:
                assert httpd.get("/hello.mrb").body == b"hello"
            except NoAnswer:  # of httpd's own: event drops what its ending child has accepted
                assert httpd.mpm == "event"
        httpd.stop()
        assert len(check_accounts(httpd)) >= 3


class TestOneProcess:
    """httpd -X, as in a debugger."""

    def test_it_serves_and_stops(self, httpd):
        httpd.run(HELLO, flags=["-X"])
        for _ in range(5):
            assert httpd.get("/hello.mrb").body == b"hello"
        httpd.stop()
        assert len(httpd.log.lines("BENCH0002")) == len(httpd.log.lines("BENCH0003"))
