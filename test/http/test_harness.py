# SPDX-License-Identifier: Apache-2.0
"""The harness itself, on an httpd without the module: it must see what the tests rely on."""

import os
import signal
import socket

import pytest
from harness import (NoAnswer, Truncated, background, file, h2, script, server, together, until,
                     vhost)

PLAIN = {"bench": False}


class TestServer:
    """An httpd starts, answers, restarts and stops."""

    def test_a_file_is_served(self, httpd):
        httpd.run(script("a.txt", "hello\n"), **PLAIN)
        answer = httpd.get("/a.txt")
        assert (answer.status, answer.body) == (200, b"hello\n")
        assert answer.headers["content-type"] == "text/plain"

    def test_lines_reach_the_configuration(self, httpd):
        httpd.run("Alias /other ${ROOT}/other", '<Directory "${ROOT}/other">',
                  "Require all granted", "</Directory>", file("other/x.txt", "there"),
                  modules=["alias"], **PLAIN)
        assert httpd.get("/other/x.txt").body == b"there"

    def test_virtual_hosts_are_told_apart_by_name(self, httpd):
        httpd.run(vhost("a.test", "DocumentRoot htdocs/a"),
                  vhost("b.test", "DocumentRoot htdocs/b"),
                  script("a/x.txt", "A"), script("b/x.txt", "B"), **PLAIN)
        assert httpd.get("/x.txt", host="a.test").body == b"A"
        assert httpd.get("/x.txt", host="b.test").body == b"B"

    def test_tls(self, httpd):
        httpd.run(script("a.txt", "safe"), tls=True, **PLAIN)
        assert httpd.get("/a.txt", tls=True).body == b"safe"

    def test_a_graceful_restart_replaces_the_children(self, httpd):
        httpd.run(script("a.txt", "hello"), **PLAIN)
        old = until(httpd.children, "children")
        httpd.graceful()
        assert httpd.get("/a.txt").body == b"hello"
        assert not set(old) & set(httpd.children())

    def test_children_are_measured(self, httpd):
        httpd.run(**PLAIN)
        until(lambda: httpd.resident_kib() > 1000, "resident memory")

    def test_configtest_says_what_is_wrong(self, httpd):
        assert httpd.configtest("KeepAlive On", **PLAIN).ok
        result = httpd.configtest("KeepAlive Sometimes", **PLAIN)
        assert not result.ok
        assert "KeepAlive" in result.output

    def test_a_port_that_somebody_else_has_taken(self, httpd, monkeypatch):
        free_ports = server._free_ports
        with socket.create_server(("127.0.0.1", 0)) as taken:
            ports = iter([[taken.getsockname()[1]] * 2])
            monkeypatch.setattr(server, "_free_ports", lambda n: next(ports, None) or free_ports(n))
            httpd.run(script("a.txt", "hello"), **PLAIN)
            assert httpd.get("/a.txt").body == b"hello"

    def test_a_server_that_does_not_start_is_a_failure(self, httpd):
        with pytest.raises(AssertionError, match="Nonsense"):
            httpd.run("Nonsense On", **PLAIN)
        httpd.process = None


class TestLog:
    """What must not stand in an error log fails the test."""

    def test_a_line_of_level_warn_or_worse_fails(self, httpd):
        httpd.run(script("secret.txt", "x"), '<Files "secret.txt">', "Require all denied",
                  "</Files>", **PLAIN)
        assert httpd.get("/secret.txt").status == 403
        with pytest.raises(AssertionError, match="AH01630"):
            httpd.log.verify()
        httpd.log.expects("AH01630", "secret.txt", times=1)
        httpd.log.verify()

    def test_the_number_of_lines_is_held_to(self, httpd):
        httpd.run(script("secret.txt", "x"), '<Files "secret.txt">', "Require all denied",
                  "</Files>", **PLAIN)
        httpd.get("/secret.txt")
        httpd.log.expects("AH01630", times=1)
        httpd.get("/secret.txt")
        with pytest.raises(AssertionError, match="2 times, not 1"):
            httpd.log.verify()
        httpd.log._expected.clear()
        httpd.log.expects("AH01630", times=2)

    def test_a_child_that_dies_of_a_signal_fails(self, httpd):
        httpd.run(**PLAIN)
        victim = until(httpd.children, "children")[0]
        os.kill(victim, signal.SIGSEGV)
        httpd.log.expects("AH0005", "exit signal Segmentation fault")
        httpd.log._expected.clear()
        with pytest.raises(AssertionError, match="exit signal"):
            httpd.log.verify()
        httpd.log.expects("AH0005", "exit signal")

    def test_what_is_no_log_line_fails(self, httpd):
        httpd.run(**PLAIN)
        (httpd.root / "reports" / "asan.1").write_text("==1==ERROR: something\n")
        with pytest.raises(AssertionError, match="something"):
            httpd.log.verify()
        httpd.log.expects("==1==ERROR")

    def test_each_virtual_host_has_its_own_log(self, httpd):
        httpd.run(vhost("a.test", "ErrorLog logs/a.log", '<Location "/">', "Require all denied",
                        "</Location>"), **PLAIN)
        httpd.get("/", host="a.test")
        httpd.log.expects("AH01630", file="a.log")
        assert not httpd.log.lines("AH01630", file="error.log")


class TestWire:
    """The client sees answers as they are, cut ones too."""

    def test_pipelined_answers_come_one_by_one(self, httpd):
        httpd.run(script("a.txt", "A"), script("b.txt", "BB"), **PLAIN)
        with httpd.connect() as connection:
            connection.send("GET", "/a.txt")
            connection.send("HEAD", "/b.txt")
            connection.send("GET", "/b.txt", headers={"Connection": "close"})
            assert connection.response().body == b"A"
            assert connection.response().headers["Content-Length"] == "2"
            assert connection.response().body == b"BB"
            assert connection.is_closed()

    def test_chunks_are_put_together(self, httpd):
        text = "x" * 3000 + "<!--#echo var='A' -->" + "y" * 20000
        httpd.run("Options +Includes", "AddOutputFilter INCLUDES .shtml",
                  script("a.shtml", text), modules=["include"], **PLAIN)
        answer = httpd.get("/a.shtml")
        assert answer.chunked and answer.complete
        assert answer.body == b"x" * 3000 + b"(none)" + b"y" * 20000

    def test_a_cut_answer_is_noticed(self, httpd):
        httpd.run(script("big.txt", "x" * 3_000_000), **PLAIN)
        with httpd.connect() as connection:
            connection.send("GET", "/big.txt")
            head = connection.response_head()
            head.add(connection._take(10))
            connection.socket.shutdown(2)
            connection.rest(head)
            assert not head.complete
            connection._methods.append("GET")
            with pytest.raises((NoAnswer, Truncated)):
                connection.response()

    def test_raw_bytes(self, httpd):
        httpd.run(script("a.txt", "A"), **PLAIN)
        assert httpd.raw(b"GET /a.txt HTTP/1.0\r\n\r\n").endswith(b"\r\n\r\nA")


class TestCrowd:
    """Many clients at once, and none of their failures is lost."""

    def test_together(self, httpd):
        httpd.run(script("a.txt", "A"), **PLAIN)
        answers = together(8, lambda number: (number, httpd.get("/a.txt").body))
        assert answers == [(number, b"A") for number in range(8)]

    def test_a_failure_in_the_background_is_raised(self, httpd):
        httpd.run(script("a.txt", "A"), **PLAIN)

        def job():
            assert httpd.get("/missing.txt").status == 200

        with pytest.raises(AssertionError):
            with background(job) as crowd:
                until(lambda: crowd.rounds, "a round")

    def test_the_background_runs_until_the_block_ends(self, httpd):
        httpd.run(script("a.txt", "A"), **PLAIN)
        with background(lambda: httpd.get("/a.txt")) as crowd:
            until(lambda: crowd.rounds > 50, "fifty rounds")
        assert not crowd.failures


@pytest.mark.mpms("event", "worker")  # mod_http2 serves nothing under prefork
class TestHttp2:
    """Streams in parallel, in the clear and over TLS."""

    FILES = [script(f"{number}.txt", str(number) * 40_000) for number in range(5)]
    REQUESTS = [("GET", f"/{number}.txt", None) for number in range(5)]

    @pytest.mark.parametrize("tls", [False, True], ids=["h2c", "h2"])
    def test_parallel_streams(self, httpd, tls):
        httpd.run("Protocols h2c h2 http/1.1", *self.FILES, modules=["http2"], tls=tls, **PLAIN)
        with h2.connect(httpd, tls) as client:
            answers = client.fetch(self.REQUESTS)
        assert [answer.status for answer in answers] == [200] * 5
        assert [answer.text for answer in answers] == [str(number) * 40_000 for number in range(5)]
