# SPDX-License-Identifier: Apache-2.0
"""Many requests at once: nobody waits for a stranger, and nothing crosses over."""

import itertools
import random
import time

import pytest
from harness import NoAnswer, file, script, together
from harness.tool import TOOL

OK = script("ok.mrb", "print 'ok'")


class TestNobodyWaits:
    """No lock is held while Ruby runs, sleeps, reads or compiles."""

    @pytest.mark.short
    def test_four_sleeps_at_once(self, httpd):
        """Fault 6 of mod_mruby: four seconds."""
        httpd.run(script("sleep.mrb", "print sleep(1)"))
        begin = time.monotonic()
        answers = together(4, lambda _: httpd.get("/sleep.mrb").body)
        assert answers == [b"1"] * 4
        assert 1 <= time.monotonic() - begin < 2 * TOOL.slowness

    def test_many_short_sleeps(self, httpd):
        httpd.run(script("sleep.mrb", "sleep 0.25; print 'slept'"), threads=20, processes=20)
        begin = time.monotonic()
        assert set(together(20, lambda _: httpd.get("/sleep.mrb").body)) == {b"slept"}
        assert time.monotonic() - begin < 1.5 * TOOL.slowness

    @pytest.mark.short
    def test_a_slow_body_holds_up_nobody(self, httpd):
        """Fault 7 of mod_mruby: unrelated scripts waited for a stranger's body."""
        httpd.run(OK, script("body.mrb", "response.flush; print request.body.read"))
        slow = [httpd.connect() for _ in range(httpd.workers - 1)]
        heads = []
        for connection in slow:
            connection.send("POST", "/body.mrb", headers={"Content-Length": "2"})
            heads.append(connection.response_head())  # it runs, and waits
            connection.send_bytes(b"a")
        for _ in range(20):
            assert httpd.get("/ok.mrb").body == b"ok"
        for connection, answer in zip(slow, heads):
            connection.send_bytes(b"b")
            connection.rest(answer)
            assert answer.body == b"ab"
            connection.close()

    def test_a_busy_loop_holds_up_nobody(self, httpd):
        httpd.run(OK, script("busy.mrb", "response.flush; n = 0; n += 1 while n < 3_000_000; "
                                         "print n"))
        with httpd.connect() as connection:
            connection.send("GET", "/busy.mrb")
            answer = connection.response_head()
            assert httpd.get("/ok.mrb").body == b"ok"
            connection.rest(answer)
            assert answer.body == b"3000000"

    def test_a_large_script_that_compiles_holds_up_nobody(self, httpd):
        httpd.run(OK, script("large.mrb", "".join(f"def m{n}; [{n}, 'x']; end\n"
                                                  for n in range(5000)) + "print m7.inspect"))
        names = ("/large.mrb", "/ok.mrb")
        answers = together(httpd.workers, lambda n: httpd.get(names[n % 2]).body)
        assert answers == [(b'[7, "x"]', b"ok")[n % 2] for n in range(httpd.workers)]


class TestNothingCrosses:
    """Each answer belongs to its request: status, header, body, settings."""

    ECHO = script("echo.mrb", """
        token = request.query_string
        status, size = token.split("-").map { |part| part.to_i }
        response.status = status
        response.headers["X-Token"] = token
        response.content_type = "text/x-#{status}"
        local = request.body.read
        part = token + "|" + local + "|"
        (size / part.bytesize + 1).times { print part }
        print request.headers["X-Sent"], "|", request.path, "|", response.status
    """)

    def check(self, connection, random_):
        status = random_.choice([200, 200, 201, 404, 418, 500, 503])
        size = random_.choice([0, 1, 100, 8000, 8300, 40_000])
        token = f"{status}-{size}-{random_.randrange(10**9)}"
        body = str(random_.randrange(10**9)).encode() * random_.choice([0, 1, 100])
        answer = connection.request("POST", f"/echo.mrb?{token}", body, {"X-Sent": token})
        part = token.encode() + b"|" + body + b"|"
        assert answer.status == status
        assert answer.headers["X-Token"] == token
        assert answer.headers["Content-Type"] == f"text/x-{status}"
        assert answer.body == part * (size // len(part) + 1) + b"%s|/echo.mrb|%d" % (
            token.encode(), status)
        return answer.headers.get("Connection") != "close"  # httpd closes after a 500 and a 503

    @pytest.mark.short
    def test_under_load(self, httpd):
        """Fault 8 of mod_mruby: 200 and 503 changed places."""
        httpd.run(self.ECHO, children=2, threads=8, processes=6)

        def client(number):
            random_ = random.Random(number)
            for _ in range(12):
                with httpd.connect() as connection:
                    goes_on = self.check(connection, random_)
                    try:
                        while goes_on and connection.answers < 20:
                            goes_on = self.check(connection, random_)
                    except NoAnswer:  # an event child that is busy closes connections that are kept
                        assert httpd.mpm == "event"

        together(6, client)

    def test_statuses_of_scripts_that_fail_and_scripts_that_do_not(self, httpd):
        httpd.run(OK, script("raise.mrb", "raise request.query_string"),
                  script("busy.mrb", "response.status = 503; print request.query_string"))
        expected = {"ok": (200, b"ok"), "busy": (503, b"7"), "raise": (500, None),
                    "missing": (404, None)}

        def client(number):
            for name in itertools.islice(itertools.cycle(expected), number, number + 60):
                answer = httpd.get(f"/{name}.mrb?7")
                status, body = expected[name]
                assert answer.status == status
                assert body in (None, answer.body)

        together(8, client)
        httpd.log.expects("BENCH0010", "raise.mrb:1: 7", times=8 * 15)


class TestEverythingAtOnce:
    """All kinds of scripts on all threads, while files change."""

    SCRIPTS = {
        "/ok.mrb": ("print 'ok'", 200, b"ok"),
        "/raise.mrb": ("raise 'no'", 500, None),
        "/exit.mrb": ("print 'e'; [1].each { exit }", 200, b"e"),
        "/lib.mrb": ("require 'lib'; print lib", 200, b"lib"),
        "/fresh/x.mrb": ("$n = ($n || 0) + 1; print $n", 200, b"1"),
        "/group/x.mrb": ("print Bench.interpreter[:group]", 200, b"g"),
        "/big.mrb": ("200.times { print 'x' * 500 }", 200, b"x" * 100_000),
        "/deep.mrb": ("def m; m; end; begin; m; rescue Exception; print 'd'; end", 200, b"d"),
        "/bad.mrb": ("1 +", 500, None),
        "/missing.mrb": (None, 404, None),
        "/garbage.mrb": ("a = (1..2000).map { |i| 'g' * i }; print a.size", 200, b"2000"),
    }

    @pytest.mark.short
    def test_for_a_while(self, httpd):
        httpd.run("BenchLoadPath lib", "BenchMaxRequests 20", "<Location /fresh>",
                  "BenchIsolation request", "</Location>", "<Location /group>", "BenchGroup g",
                  "</Location>", file("lib/lib.rb", "def lib; 'lib'; end"),
                  *[script(name[1:], source) for name, (source, _, _) in self.SCRIPTS.items()
                    if source])

        def client(number):
            random_ = random.Random(number)
            for _ in range(40):
                name = random_.choice(list(self.SCRIPTS))
                _, status, body = self.SCRIPTS[name]
                answer = httpd.get(name)
                assert (name, answer.status) == (name, status)
                assert body in (None, answer.body)
                if number == 0:
                    httpd.add(script("new.mrb", f"print {random_.random()}"))
                    (httpd.docs / "new.mrb").rename(httpd.docs / "newer.mrb")
                    assert httpd.get("/newer.mrb").status == 200

        together(6, client)
        for number in ("BENCH0010", "BENCH0011"):
            httpd.log.expects(number)
