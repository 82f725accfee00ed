# SPDX-License-Identifier: Apache-2.0
"""response: status and header are what the script says, and nothing else gets into them."""

import pytest
from harness import NoAnswer, script

HELLO = script("hello.mrb", "print 'hello'")


class TestStatus:
    """response.status="""

    @pytest.mark.parametrize("status, reason", [(200, "OK"), (201, "Created"), (202, "Accepted"),
                                                (301, "Moved Permanently"), (400, "Bad Request"),
                                                (404, "Not Found"), (418, None), (451, None),
                                                (500, "Internal Server Error"),
                                                pytest.param(503, "Service Unavailable",
                                                             marks=pytest.mark.short), (599, None)])
    def test_the_scripts_own_body_goes_with_any_status(self, httpd, status, reason):
        httpd.run("ErrorDocument 404 'replaced'", "ErrorDocument 500 'replaced'",
                  script("x.mrb", f"response.status = {status}; print 'mine'"))
        answer = httpd.get("/x.mrb")
        assert (answer.status, answer.body) == (status, b"mine")
        assert reason is None or answer.reason == reason

    def test_it_can_be_read_and_changed_until_something_is_sent(self, httpd):
        httpd.run(script("x.mrb", """
            print response.status
            response.status = 404
            print response.status
            print (response.status = 202)
        """))
        answer = httpd.get("/x.mrb")
        assert (answer.status, answer.body) == (202, b"200404202")

    def test_an_error_status_without_a_body(self, httpd):
        httpd.run("ErrorDocument 403 'replaced'", script("x.mrb", "response.status = 403"), HELLO)
        with httpd.connect() as connection:
            answer = connection.get("/x.mrb")
            assert (answer.status, answer.body) == (403, b"")
            assert connection.get("/hello.mrb").body == b"hello"

    @pytest.mark.parametrize("value", ["0", "-1", "99", "100", "101", "199", "600", "1000",
                                       "10 ** 20", "'x'", "nil", "Object.new"])
    def test_what_is_no_status_is_refused(self, httpd, value):
        httpd.run(script("x.mrb", f"""
            begin
              response.status = {value}
              print "accepted"
            rescue StandardError => e
              print "refused ", response.status
            end
        """))
        answer = httpd.get("/x.mrb")
        assert (answer.status, answer.body) == (200, b"refused 200")

    def test_it_does_not_stay_for_the_next_request(self, httpd):
        httpd.run(script("x.mrb", "response.status = 404; response.headers['X-Mine'] = 'x'"), HELLO)
        with httpd.connect() as connection:
            for _ in range(5):
                assert connection.get("/x.mrb").status == 404
                answer = connection.get("/hello.mrb")
                assert answer.status == 200 and "X-Mine" not in answer.headers


class TestNoBody:
    """204 and 304 have no body, whatever a script prints; the next answer is fine."""

    @pytest.mark.short
    @pytest.mark.parametrize("status", [204, 304])
    def test_no_byte_of_it_is_sent(self, httpd, status):
        printed = ["", "print 'x'", "print 'x' * 100_000", "print 'x'; response.flush; print 'y'"]
        httpd.run(HELLO, *[script(f"{number}.mrb", f"response.status = {status}; {source}")
                           for number, source in enumerate(printed)])
        with httpd.connect() as connection:
            for number in [*range(len(printed))] * 3:
                answer = connection.get(f"/{number}.mrb")
                assert answer.status == status
                assert "Transfer-Encoding" not in answer.headers
                assert connection.get("/hello.mrb").body == b"hello"

    @pytest.mark.parametrize("method, status", [("HEAD", 204), ("HEAD", 304), ("HEAD", 404)])
    def test_head_too(self, httpd, method, status):
        httpd.run(script("x.mrb", f"response.status = {status}; print 'x' * 100_000"), HELLO)
        with httpd.connect() as connection:
            assert connection.request(method, "/x.mrb").status == status
            assert connection.get("/hello.mrb").body == b"hello"


class TestHeaders:
    """response.headers[...]="""

    @pytest.mark.short
    def test_they_are_set_replaced_and_deleted(self, httpd):
        httpd.run(script("x.mrb", """
            response.headers["X-One"] = "1"
            response.headers["X-Two"] = "first"
            response.headers["x-two"] = "second"
            response.headers["X-Three"] = "gone"
            response.headers["X-THREE"] = nil
            response.headers["X-Four"] = nil
            p response.headers["x-one"], response.headers["X-TWO"], response.headers["X-Three"]
        """))
        answer = httpd.get("/x.mrb")
        assert answer.headers["X-One"] == "1"
        assert answer.headers["X-Two"] == "second"
        assert "X-Three" not in answer.headers and "X-Four" not in answer.headers
        assert answer.text == '"1"\n"second"\nnil\n'

    def test_absent_is_nil(self, httpd):
        """Fault 5 of mod_mruby: it crashed."""
        httpd.run(script("x.mrb", "p response.headers['X-None'], response.headers['']"))
        assert httpd.get("/x.mrb").text == "nil\nnil\n"

    def test_values_may_be_anything_with_to_s(self, httpd):
        httpd.run(script("x.mrb", """
            response.headers["X-Number"] = 42
            response.headers["X-Symbol"] = :sym
            response.headers["X-Empty"] = ""
        """))
        answer = httpd.get("/x.mrb")
        assert [answer.headers[name] for name in ("X-Number", "X-Symbol", "X-Empty")] == \
            ["42", "sym", ""]

    def test_a_value_does_not_change_with_its_string(self, httpd):
        """Fault 15 of mod_mruby: after a collection the value was gone."""
        httpd.run(script("x.mrb", """
            100.times do |i|
              name, value = "X-H#{i}", "value #{i} " * 20
              response.headers[name] = value
              value.replace("gone " * 50)
              name.replace("gone")
            end
            1000.times { |i| "garbage #{i}" * 10 }
            GC.start
        """))
        answer = httpd.get("/x.mrb")
        for number in range(100):
            assert answer.headers[f"X-H{number}"] == (f"value {number} " * 20).strip()

    def test_the_content_type(self, httpd):
        httpd.run(script("a.mrb", "response.content_type = 'text/plain'; print 'a'"),
                  script("b.mrb", "response.headers['content-type'] = 'image/png'; print 'b'"),
                  script("c.mrb", "p response.headers['Content-Type']; "
                                  "response.content_type = 'a/b'; "
                                  "p response.headers['CONTENT-TYPE']"),
                  HELLO)
        with httpd.connect() as connection:
            assert connection.get("/a.mrb").headers["Content-Type"] == "text/plain"
            assert connection.get("/b.mrb").headers["Content-Type"] == "image/png"
            assert connection.get("/c.mrb").headers["Content-Type"] == "a/b"
            assert connection.get("/hello.mrb").headers["Content-Type"] == \
                "text/html; charset=utf-8"

    def test_the_scripts_own_length_of_head(self, httpd):
        httpd.run(script("x.mrb", "response.headers['Content-Length'] = '5'; print 'hello'"))
        with httpd.connect() as connection:
            for _ in range(3):
                answer = connection.get("/x.mrb")
                assert (answer.body, answer.headers["Content-Length"]) == (b"hello", "5")
                assert connection.request("HEAD", "/x.mrb").headers["Content-Length"] == "5"

    def test_headers_set_by_httpd_itself_are_added(self, httpd):
        httpd.run('Header set X-Conf "conf"', 'Header always set X-Always "always"', HELLO,
                  modules=["headers"])
        answer = httpd.get("/hello.mrb")
        assert (answer.headers["X-Conf"], answer.headers["X-Always"]) == ("conf", "always")

    def test_after_something_was_sent_it_is_too_late(self, httpd):
        httpd.run(script("x.mrb", """
            print "sent"
            response.flush
            begin
              response.headers["X-Late"] = "late"
              response.status = 404
            rescue StandardError
            end
            print " all"
        """))
        with httpd.connect() as connection:
            for _ in range(3):
                answer = connection.get("/x.mrb")
                assert (answer.status, answer.body) == (200, b"sent all")
                assert "X-Late" not in answer.headers

    def test_long_and_many(self, httpd):
        httpd.run(script("x.mrb", """
            200.times { |i| response.headers["X-#{i}"] = i.to_s * 10 }
            response.headers["X-Long"] = "x" * 7000
        """))
        answer = httpd.get("/x.mrb")
        assert all(answer.headers[f"X-{number}"] == str(number) * 10 for number in range(200))
        assert answer.headers["X-Long"] == "x" * 7000

    def test_location_is_an_ordinary_header(self, httpd):
        httpd.run(script("x.mrb", "response.status = 302; response.headers['Location'] = '/else'"),
                  script("else", "not this"))
        answer = httpd.get("/x.mrb")
        assert (answer.status, answer.headers["Location"], answer.body) == (302, "/else", b"")


class TestSplitting:
    """Nothing that a script puts into a header ends it."""

    @pytest.mark.parametrize("name, value", [
        pytest.param("X-Evil", r"a\r\nX-Injected: 1", marks=pytest.mark.short),
        ("X-Evil", r"a\nX-Injected: 1"), ("X-Evil", r"a\r"),
        ("X-Evil", r"a\0b"), ("X-Evil", r"\n"), (r"X-Evil\r\nX-Injected", "1"),
        (r"X-Evil\0", "1"), (r"X-Evil\n", "1"), ("Content-Type", r"text/html\r\nX-Injected: 1"),
        ("Content-Type", r"text/html\0"), ("Location", r"/\r\n\r\n<script>")])
    def test_line_ends_and_nul_are_refused(self, httpd, name, value):
        httpd.run(script("x.mrb", f"""
            begin
              response.headers["{name}"] = "{value}"
              print "accepted"
            rescue ArgumentError
              print "refused"
            end
        """), HELLO)
        with httpd.connect() as connection:
            connection.send("GET", "/x.mrb")
            answer = connection.response()
            assert (answer.status, answer.body) == (200, b"refused")
            for injected in ("X-Injected", "X-Evil", "Location"):
                assert injected not in answer.headers
            assert connection.get("/hello.mrb").body == b"hello"

    def test_content_type_by_its_own_method(self, httpd):
        httpd.run(script("x.mrb", r"""
            begin
              response.content_type = "text/html\r\nX-Injected: 1"
            rescue ArgumentError => e
              print e.message.include?("\n") ? "bad" : "refused"
            end
        """))
        answer = httpd.get("/x.mrb")
        assert answer.body == b"refused" and "X-Injected" not in answer.headers

    @pytest.mark.parametrize("name", ["", "X Y", "X:Y", "Ü", "X(Y)", "X@Y"])
    def test_what_is_no_name_is_refused(self, httpd, name):
        httpd.run(script("x.mrb", f"""
            begin
              response.headers["{name}"] = "1"
              print "accepted"
            rescue ArgumentError
              print "refused"
            end
        """))
        assert httpd.get("/x.mrb").body == b"refused"

    @pytest.mark.parametrize("key", ["nil", "1", ":sym", "Object.new"])
    def test_a_name_that_is_no_string_does_no_harm(self, httpd, key):
        httpd.run(script("x.mrb", f"""
            begin
              response.headers[{key}] = "1"
            rescue StandardError
            end
            print "ok"
        """))
        assert httpd.get("/x.mrb").body == b"ok"

    def test_uncaught_it_is_a_500_without_the_value(self, httpd):
        httpd.run(script("x.mrb", r'response.headers["X-Evil"] = "a\r\nX-Injected: 1"'))
        answer = httpd.get("/x.mrb")
        assert answer.status == 500
        assert "X-Injected" not in answer.headers and b"X-Injected" not in answer.body
        httpd.log.expects("BENCH0010", "x.mrb:1:", "ArgumentError", times=1)


class TestFraming:
    """Where an answer ends is httpd's to say: no part of one is taken for the next."""

    @pytest.mark.parametrize("value", ["chunked", "x", ""])
    def test_the_transfer_encoding_is_not_a_scripts_affair(self, httpd, value):
        httpd.run(HELLO, script("x.mrb", f"""
            begin
              response.headers["transfer-encoding"] = "{value}"
            rescue ArgumentError
              print "refused"
            end
        """))
        with httpd.connect() as connection:
            for _ in range(3):
                assert connection.get("/x.mrb").body == b"refused"
                assert connection.get("/hello.mrb").body == b"hello"

    @pytest.mark.short
    @pytest.mark.parametrize("source", [
        "print 'x'; response.flush; print 'HTTP/1.1 200 OK\\r\\n\\r\\n'", "print 'x' * 20_000",
        "response.flush; print 'xx'; response.flush"], ids=["flushed", "streamed", "once"])
    def test_more_than_the_promised_length_is_not_sent(self, httpd, source):
        httpd.run(HELLO, script("x.mrb", f"response.headers['Content-Length'] = '1'; {source}"))
        with httpd.connect() as connection:
            connection.send("GET", "/x.mrb")
            connection.send("GET", "/hello.mrb")
            answer = connection.response(partial=True)
            # Refused before anything was sent, or broken off: never a byte more than was promised.
            assert answer.status == 500 or answer.body in (b"x", b"")
            try:
                assert connection.response().body == b"hello"
            except NoAnswer:  # closed: the client knows where it is
                pass
        self.may_be_logged(httpd)

    @pytest.mark.short
    @pytest.mark.parametrize("source", ["print 'x'; response.flush; print 'y'", "response.flush"],
                             ids=["some", "none"])
    def test_less_than_the_promised_length_is_a_cut_answer(self, httpd, source):
        httpd.run(HELLO, script("x.mrb", f"response.headers['Content-Length'] = '100'; {source}"))
        with httpd.connect() as connection:
            connection.send("GET", "/x.mrb")
            connection.send("GET", "/hello.mrb")
            answer = connection.response(partial=True)
            assert not answer.complete and answer.body in (b"xy", b"x", b"")
        self.may_be_logged(httpd)

    def test_a_length_that_is_right_streams_without_chunks(self, httpd):
        httpd.run(HELLO, script("x.mrb", "response.headers['Content-Length'] = '100000'; "
                                         "10.times { print 'x' * 10_000; response.flush }"))
        with httpd.connect() as connection:
            for _ in range(3):
                answer = connection.get("/x.mrb")
                assert answer.body == b"x" * 100_000 and not answer.chunked
                assert connection.get("/hello.mrb").body == b"hello"

    @pytest.mark.parametrize("value", ["-1", "abc", "1x", "1, 1", "99999999999999999999", ""])
    def test_a_length_that_is_none_does_no_harm(self, httpd, value):
        httpd.run(HELLO, script("x.mrb", f"""
            begin
              response.headers["Content-Length"] = "{value}"
            rescue ArgumentError
            end
            print "x"
            response.flush
            print "y"
        """))
        with httpd.connect() as connection:
            assert connection.get("/x.mrb").body == b"xy"
            assert connection.get("/hello.mrb").body == b"hello"

    def may_be_logged(self, httpd):
        if httpd.log.lines("[bench:error]"):
            httpd.log.expects("[bench:error]", "x.mrb")
