# SPDX-License-Identifier: Apache-2.0
"""TLS, and HTTP/2 whose requests run on mod_http2's own threads."""

import pytest
from harness import Truncated, h2, script, until

HELLO = script("hello.mrb", "print 'hello'")
ECHO = script("echo.mrb", "print request.request_method, request.query_string, request.body.read")
TLS = {"tls": True}


class TestTls:
    """The same over TLS."""

    @pytest.mark.short
    def test_requests_of_all_sizes(self, httpd):
        httpd.run(HELLO, ECHO, script("big.mrb", "print '0123456789' * 100_000"), **TLS)
        with httpd.connect(tls=True) as connection:
            for _ in range(3):
                assert connection.get("/hello.mrb").body == b"hello"
                assert connection.get("/big.mrb").body == b"0123456789" * 100_000
                assert connection.request("POST", "/echo.mrb?1", b"x" * 500_000).body == \
                    b"POST1" + b"x" * 500_000

    def test_an_answer_that_is_cut(self, httpd):
        httpd.run(script("x.mrb", "print 'part'; response.flush; raise 'no'"), **TLS)
        with pytest.raises(Truncated):
            httpd.get("/x.mrb", tls=True)
        httpd.log.expects("BENCH0010", "x.mrb:1: no", times=1)

    def test_a_client_that_goes_away(self, httpd):
        httpd.run(HELLO, script("endless.mrb", "loop { print 'x' * 10_000 }"), **TLS)
        with httpd.connect(tls=True) as connection:
            connection.send("GET", "/endless.mrb")
            connection.first_chunk(connection.response_head())
        httpd.log.expects("BENCH0015", times=1)
        assert httpd.get("/hello.mrb", tls=True).body == b"hello"


@pytest.mark.mpms("event", "worker")  # mod_http2 serves nothing under prefork
class TestHttp2:
    """Streams in parallel; each thread of mod_http2 has its interpreter, and closes it."""

    PLAIN = {"modules": ["http2"]}
    CONF = ["Protocols h2 h2c http/1.1", "H2MaxWorkers 6"]

    @pytest.mark.short
    @pytest.mark.parametrize("tls", [False, True], ids=["h2c", "h2"])
    def test_parallel_streams(self, httpd, tls):
        httpd.run(*self.CONF, HELLO, ECHO, script("big.mrb", "print request.query_string * 20_000"),
                  tls=tls, **self.PLAIN)
        with h2.connect(httpd, tls) as client:
            for turn in range(5):
                answers = client.fetch(
                    [("GET", f"/big.mrb?{number}", None) for number in range(8)]
                    + [("POST", f"/echo.mrb?{turn}", b"body" * 10_000),
                       ("GET", "/hello.mrb", None)])
                assert [answer.status for answer in answers] == [200] * 10
                assert [answer.text for answer in answers[:8]] == \
                    [str(number) * 20_000 for number in range(8)]
                assert answers[8].text == f"POST{turn}" + "body" * 10_000
                assert answers[9].text == "hello"

    @pytest.mark.short
    def test_interpreters_of_its_threads_are_closed(self, httpd):
        httpd.run(*self.CONF, "H2MaxWorkerIdleSeconds 1",
                  script("sleep.mrb", "sleep 0.1; print Bench.interpreter[:id]"), **self.PLAIN)
        with h2.connect(httpd) as client:
            answers = client.fetch([("GET", "/sleep.mrb", None)] * 12)
        assert len({answer.text for answer in answers}) > 1
        httpd.graceful()
        httpd.stop()
        opened, closed = len(httpd.log.lines("BENCH0002")), len(httpd.log.lines("BENCH0003"))
        assert opened == closed > 1
        assert all(found[1] == found[2] for found in
                   httpd.log.grep(r"BENCH0004.*?(\d+) \w+ opened, (\d+) closed"))

    def test_status_and_header(self, httpd):
        httpd.run(*self.CONF, script("x.mrb", """
            response.status = 418
            response.headers["X-Mine"] = request.headers["Host"].inspect
            response.content_type = "text/plain"
            print request.path
        """), **self.PLAIN)
        with h2.connect(httpd) as client:
            answer = client.get("/x.mrb")
        assert (answer.status, answer.body) == (418, b"/x.mrb")
        assert answer.headers["x-mine"] == '"localhost"'
        assert answer.headers["content-type"] == "text/plain"

    @pytest.mark.short
    def test_a_failure_is_a_500_and_other_streams_go_on(self, httpd):
        httpd.run(*self.CONF, HELLO, script("x.mrb", "raise 'no'"), **self.PLAIN)
        with h2.connect(httpd) as client:
            statuses = [answer.status for answer in client.fetch(
                [("GET", name, None) for name in ("/x.mrb", "/hello.mrb", "/none.mrb", "/x.mrb")])]
            assert statuses == [500, 200, 404, 500]
        httpd.log.expects("BENCH0010", "x.mrb:1: no", times=2)

    @pytest.mark.short
    def test_a_failure_in_the_middle_resets_the_stream(self, httpd):
        httpd.run(*self.CONF, HELLO, script("x.mrb", "print 'part'; response.flush; raise 'no'"),
                  **self.PLAIN)
        with h2.connect(httpd) as client:
            answer = client.get("/x.mrb")
            assert answer.status in (200, None)  # None: the reset has overtaken the header
            assert not answer.complete
            assert client.get("/hello.mrb").body == b"hello"
        httpd.log.expects("BENCH0010", "x.mrb:1: no", times=1)

    def test_a_body_without_a_length(self, httpd):
        httpd.run(*self.CONF, script("size.mrb", "print request.headers['Content-Length'].inspect, "
                                                 "request.body.read.bytesize"), **self.PLAIN)
        with h2.connect(httpd) as client:
            for size in (0, 1, 30_000, 60_000):
                assert client.post("/size.mrb", b"x" * size).text.endswith(str(size))

    def test_head_and_no_content(self, httpd):
        httpd.run(*self.CONF, HELLO, script("none.mrb", "response.status = 204; print 'x'"),
                  **self.PLAIN)
        with h2.connect(httpd) as client:
            answer = client.fetch([("HEAD", "/hello.mrb", None)])[0]
            assert (answer.status, answer.body) == (200, b"")
            answer = client.get("/none.mrb")
            assert (answer.status, answer.body) == (204, b"")
            assert client.get("/hello.mrb").body == b"hello"

    def test_a_stream_that_the_client_resets(self, httpd):
        httpd.run(*self.CONF, HELLO, script("endless.mrb", """
            begin
              loop { print "x" * 10_000 }
            ensure
              Bench.log.warn "ensured"
            end
        """), **self.PLAIN)
        with h2.connect(httpd) as client:
            stream = client.send("GET", "/endless.mrb")
            until(lambda: client._receive() or len(client._open[stream]) > 0, "some output")
            client.cancel(stream)
            assert client.get("/hello.mrb").body == b"hello"
        httpd.log.expects("ensured", times=1)

    def test_a_connection_that_goes_away(self, httpd):
        httpd.run(*self.CONF, HELLO, script("endless.mrb", """
            begin
              loop { print "x" * 10_000 }
            ensure
              Bench.log.warn "ensured"
            end
        """), **self.PLAIN)
        with h2.connect(httpd) as client:
            for _ in range(3):
                stream = client.send("GET", "/endless.mrb")
                until(lambda: client._receive() or len(client._open[stream]) > 0, "some output")
        httpd.log.expects("ensured", times=3)
        assert httpd.get("/hello.mrb").body == b"hello"

    def test_thread_init_and_globals_by_thread(self, httpd):
        httpd.run(*self.CONF, "<Location /fresh.mrb>", "BenchIsolation request", "</Location>",
                  script("x.mrb", "$mine ||= rand(10**9); sleep 0.02; print $mine"),
                  script("fresh.mrb", "p $mine; $mine = 1"), **self.PLAIN)
        with h2.connect(httpd) as client:
            seen = {answer.text for _ in range(4)
                    for answer in client.fetch([("GET", "/x.mrb", None)] * 6)}
            assert 1 < len(seen) <= 6 + httpd.workers
            assert {answer.text for answer in client.fetch([("GET", "/fresh.mrb", None)] * 10)} == \
                {"nil\n"}
