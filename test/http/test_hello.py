# SPDX-License-Identifier: Apache-2.0
"""hello.mrb: the first thing anybody tries, on every kind of connection."""

import pytest
from harness import script

HELLO = script("hello.mrb", 'print "Hello mod_bench!!!\\n"\n')
GREETING = b"Hello mod_bench!!!\n"


class TestHello:
    """A script in the docroot is run, and its output is the answer."""

    @pytest.mark.short
    def test_the_answer_is_what_the_script_printed(self, httpd):
        httpd.run(HELLO)
        answer = httpd.get("/hello.mrb")
        assert answer.status == 200
        assert answer.body == GREETING
        assert answer.headers["Content-Length"] == "19"
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert not answer.chunked
        assert "Last-Modified" not in answer.headers and "ETag" not in answer.headers

    def test_the_same_script_a_hundred_times(self, httpd):
        httpd.run(HELLO)
        assert {httpd.get("/hello.mrb").body for _ in range(100)} == {GREETING}

    def test_other_files_are_served_as_ever(self, httpd):
        httpd.run(HELLO, script("page.txt", 'print "not run"'))
        answer = httpd.get("/page.txt")
        assert (answer.status, answer.body) == (200, b'print "not run"')

    def test_a_handler_may_be_set_for_any_name(self, httpd):
        httpd.run("<Location /app>", "SetHandler bench-script", "</Location>",
                  script("app/page.txt", "print 'run'"))
        assert httpd.get("/app/page.txt").body == b"run"

    def test_a_script_may_stand_in_a_sub_directory(self, httpd):
        httpd.run(script("a/b/c.mrb", "print 'deep'"))
        assert httpd.get("/a/b/c.mrb").body == b"deep"


class TestKeepAlive:
    """Several requests on one connection."""

    @pytest.mark.short
    def test_one_after_the_other(self, httpd):
        httpd.run(HELLO)
        with httpd.connect() as connection:
            for _ in range(20):
                answer = connection.get("/hello.mrb")
                assert (answer.status, answer.body) == (200, GREETING)

    def test_pipelined_requests_are_answered_in_order(self, httpd):
        httpd.run(script("echo.mrb", "print request.query_string"))
        with httpd.connect() as connection:
            for number in range(20):
                connection.send("GET", f"/echo.mrb?{number}")
            assert [connection.response().body for _ in range(20)] == \
                [b"%d" % number for number in range(20)]

    def test_pipelined_in_one_packet_with_bodies_between(self, httpd):
        httpd.run(script("body.mrb", "print request.request_method, ' ', request.body.read"),
                  script("deaf.mrb", "print 'deaf'"))
        with httpd.connect() as connection:
            connection.send_bytes(
                connection.format("POST", "/body.mrb", b"one")
                + connection.format("GET", "/deaf.mrb")
                + connection.format("POST", "/deaf.mrb", b"GET /never.mrb HTTP/1.1\r\n\r\n")
                + connection.format("PUT", "/body.mrb", b"5\r\nfours\r\n0\r\n\r\n",
                                    headers={"Transfer-Encoding": "chunked"})
                + connection.format("HEAD", "/deaf.mrb")
                + connection.format("POST", "/body.mrb", b"last"))
            answers = [connection.response() for _ in range(6)]
        assert [answer.status for answer in answers] == [200] * 6
        assert [answer.body for answer in answers] == \
            [b"POST one", b"deaf", b"deaf", b"PUT fours", b"", b"POST last"]

    def test_connection_close_is_heeded(self, httpd):
        httpd.run(HELLO)
        with httpd.connect() as connection:
            answer = connection.get("/hello.mrb", headers={"Connection": "close"})
            assert answer.body == GREETING
            assert connection.is_closed()

    def test_a_client_that_has_said_all_it_has_to_say(self, httpd):
        httpd.run(HELLO)
        with httpd.connect() as connection:
            connection.send("GET", "/hello.mrb")
            connection.half_close()
            assert connection.response().body == GREETING
            assert connection.is_closed()


class TestHttp10:
    """Clients of 1996 get their answer, too."""

    def test_without_a_host_and_without_keep_alive(self, httpd):
        httpd.run(HELLO)
        data = httpd.raw(b"GET /hello.mrb HTTP/1.0\r\n\r\n")
        head, _, body = data.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert body == GREETING

    def test_ab_style_keep_alive(self, httpd):
        httpd.run(HELLO)
        with httpd.connect() as connection:
            for _ in range(3):
                answer = connection.get("/hello.mrb", version="1.0",
                                        headers={"Connection": "Keep-Alive"})
                assert answer.body == GREETING
                assert answer.headers["Connection"].lower() == "keep-alive"

    def test_a_long_answer_ends_with_the_connection(self, httpd):
        httpd.run(script("long.mrb", "1000.times { print 'x' * 100 }"))
        with httpd.connect() as connection:
            answer = connection.get("/long.mrb", version="1.0")
            assert not answer.chunked
            assert answer.body == b"x" * 100_000


class TestNoBody:
    """HEAD is the same without a body, and the connection goes on."""

    def test_head_has_the_same_header(self, httpd):
        httpd.run(HELLO)
        with httpd.connect() as connection:
            get, head = connection.get("/hello.mrb"), connection.request("HEAD", "/hello.mrb")
            assert head.status == 200
            for name in ("Content-Length", "Content-Type"):
                assert head.headers[name] == get.headers[name]
            assert connection.get("/hello.mrb").body == GREETING

    def test_head_of_a_streamed_answer(self, httpd):
        httpd.run(HELLO, script("long.mrb", "1000.times { print 'x' * 100 }"))
        with httpd.connect() as connection:
            assert connection.request("HEAD", "/long.mrb").status == 200
            assert connection.get("/hello.mrb").body == GREETING

    def test_head_of_a_script_that_prints_nothing(self, httpd):
        httpd.run(HELLO, script("silent.mrb", "response.headers['X-Seen'] = 'yes'"))
        with httpd.connect() as connection:
            answer = connection.request("HEAD", "/silent.mrb")
            assert (answer.status, answer.headers["X-Seen"]) == (200, "yes")
            assert connection.get("/hello.mrb").body == GREETING


class TestSource:
    """What editors and people leave in a file."""

    def test_an_empty_script_is_an_empty_page(self, httpd):
        httpd.run(script("empty.mrb", ""), script("comment.mrb", "# nothing here"),
                  script("blank.mrb", "\n\n  \n"))
        with httpd.connect() as connection:
            for name in ("empty", "comment", "blank", "empty"):
                answer = connection.get(f"/{name}.mrb")
                assert (answer.status, answer.body) == (200, b"")
                assert answer.headers["Content-Length"] == "0"

    def test_a_byte_order_mark(self, httpd):
        httpd.run(script("bom.mrb", b"\xef\xbb\xbfprint 'bom'\n"))
        assert httpd.get("/bom.mrb").body == b"bom"

    def test_line_ends_of_windows(self, httpd):
        httpd.run(script("crlf.mrb", b"if true\r\n  print 'a'\r\nend\r\nprint 'b'\r\n"))
        assert httpd.get("/crlf.mrb").body == b"ab"

    def test_no_line_end_at_the_end(self, httpd):
        httpd.run(script("open.mrb", b"print 'open'"))
        assert httpd.get("/open.mrb").body == b"open"

    def test_what_stands_behind_end_is_not_run(self, httpd):
        httpd.run(script("end.mrb", b"print 'code'\n__END__\nprint 'data'\n"))
        assert httpd.get("/end.mrb").body == b"code"

    def test_text_in_utf8(self, httpd):
        httpd.run(script("utf8.mrb", "print 'grüße, ' + '日本'.size.to_s"))
        assert httpd.get("/utf8.mrb").text == "grüße, 2"

    def test_a_large_script(self, httpd):
        lines = "".join(f"def m{number}; {number}; end\n" for number in range(5000))
        httpd.run(script("large.mrb", lines + "print m0 + m4999\n"))
        assert httpd.get("/large.mrb").body == b"4999"

    def test_file_and_line_are_the_scripts(self, httpd):
        httpd.run(script("where.mrb", "# one\nprint __FILE__, ':', __LINE__"))
        assert httpd.get("/where.mrb").text == f"{httpd.docs}/where.mrb:2"


class TestNames:
    """Paths with what people put into them; the locale does not matter."""

    NAMES = [("with space.mrb", "/with%20space.mrb"), ("grüße.mrb", "/gr%C3%BC%C3%9Fe.mrb"),
             ("日本/本.mrb", "/%E6%97%A5%E6%9C%AC/%E6%9C%AC.mrb"),
             ("a+b&c=d.mrb", "/a+b&c=d.mrb"), ("100%.mrb", "/100%25.mrb"),
             ("it's \"q\".mrb", "/it's%20%22q%22.mrb")]

    @pytest.mark.parametrize("locale", [{}, {"LANG": None, "LC_ALL": None}, {"LC_ALL": "C"}],
                             ids=["inherited", "unset", "C"])
    def test_any_name_works(self, httpd, locale):
        httpd.run(*[script(name, "print 'ok ', request.path") for name, _ in self.NAMES],
                  env=locale)
        for name, url in self.NAMES:
            assert httpd.get(url).text == f"ok /{name}"

    def test_any_name_is_logged(self, httpd):
        httpd.run(*[script(name, "raise 'no'") for name, _ in self.NAMES], env={"LC_ALL": "C"})
        for _, url in self.NAMES:
            assert httpd.get(url).status == 500
        httpd.log.expects("BENCH0010", times=len(self.NAMES))
        httpd.log.expects("BENCH0010", "with space.mrb:1: no (RuntimeError)", times=1)

    def test_what_follows_the_name_is_no_path_of_a_script(self, httpd):
        httpd.run(HELLO)
        assert httpd.get("/hello.mrb/").status in (200, 404)
        assert httpd.get("/hello.mrbx").status == 404
