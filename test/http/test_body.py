# SPDX-License-Identifier: Apache-2.0
"""request.body: every byte that the client sends, however it sends it."""

import pytest
from harness import NoAnswer, script, until

ECHO = script("echo.mrb", "print request.body.read")
SIZE = script("size.mrb", "print request.body.read.bytesize")
DEAF = script("deaf.mrb", "print 'deaf'")
CHUNKED = {"Transfer-Encoding": "chunked"}


def chunks(*pieces):
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


class TestWhole:
    """read without a length gives the whole body."""

    @pytest.mark.short
    def test_whatever_the_method(self, httpd):
        httpd.run(ECHO)
        for method in ("POST", "PUT", "PATCH", "DELETE", "GET"):
            assert httpd.request(method, "/echo.mrb", b"some text").body == b"some text"

    def test_no_body_is_an_empty_string(self, httpd):
        httpd.run(script("x.mrb", "p request.body.read, request.body.read"))
        assert httpd.get("/x.mrb").text == '""\n""\n'
        assert httpd.post("/x.mrb", b"").text == '""\n""\n'
        assert httpd.post("/x.mrb", chunks(), headers=CHUNKED).text == '""\n""\n'

    def test_a_second_read_is_empty(self, httpd):
        httpd.run(script("x.mrb", "p request.body.read, request.body.read"))
        assert httpd.post("/x.mrb", b"once").text == '"once"\n""\n'

    def test_binary(self, httpd):
        httpd.run(ECHO)
        data = bytes(range(256)) * 40
        assert httpd.post("/echo.mrb", data).body == data
        assert httpd.post("/echo.mrb", chunks(data), headers=CHUNKED).body == data

    @pytest.mark.short
    def test_in_two_packets(self, httpd):
        """Fault 9 of mod_mruby: what came in a second packet was NULs."""
        httpd.run(ECHO, script("wait.mrb", "response.flush; print request.body.read"))
        with httpd.connect() as connection:
            connection.send("POST", "/wait.mrb", headers={"Content-Length": "1000"})
            answer = connection.response_head()  # the script runs, and waits for the body
            connection.send_bytes(b"a" * 100)
            connection.send_bytes(b"b" * 900)
            connection.rest(answer)
            assert answer.body == b"a" * 100 + b"b" * 900

    @pytest.mark.short
    def test_chunked(self, httpd):
        httpd.run(ECHO)
        answer = httpd.post("/echo.mrb", chunks(b"one ", b"two ", b"x" * 20_000), headers=CHUNKED)
        assert answer.body == b"one two " + b"x" * 20_000

    def test_chunked_with_extensions_and_trailers(self, httpd):
        httpd.run(ECHO)
        body = b"3;a=b\r\none\r\n0\r\nX-Trailer: 1\r\n\r\n"
        assert httpd.post("/echo.mrb", body, headers=CHUNKED).body == b"one"

    def test_chunks_byte_by_byte(self, httpd):
        httpd.run(script("wait.mrb", "response.flush; print request.body.read"))
        with httpd.connect() as connection:
            connection.send("POST", "/wait.mrb", headers=CHUNKED)
            answer = connection.response_head()
            for byte in chunks(b"slow", b"er"):
                connection.send_bytes(bytes([byte]))
            connection.rest(answer)
            assert answer.body == b"slower"

    @pytest.mark.parametrize("size", [8191, 8192, 8193, 65536, 3_000_000])
    def test_sizes(self, httpd, size):
        data = bytes(range(251)) * (size // 251 + 1)
        httpd.run(ECHO)
        assert httpd.post("/echo.mrb", data[:size]).body == data[:size]

    def test_a_length_alone_allocates_nothing(self, httpd):
        """Fault 9 of mod_mruby: a Content-Length of 900 MB alone took 877 MB."""
        httpd.run(script("x.mrb", "response.flush; request.body.read(10)"), DEAF)
        httpd.get("/deaf.mrb")
        before = httpd.resident_kib()
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", headers={"Content-Length": "900000000"})
            connection.response_head()
            connection.send_bytes(b"x" * 10)
            assert httpd.resident_kib() - before < 100_000
        assert httpd.get("/deaf.mrb").body == b"deaf"


class TestPieces:
    """read(n) gives up to n bytes, and nil at the end."""

    def test_until_nil(self, httpd):
        httpd.run(script("x.mrb", """
            while piece = request.body.read(4)
              puts piece
            end
            p request.body.read(4), request.body.read
        """))
        assert httpd.post("/x.mrb", b"abcdefghij").text == 'abcd\nefgh\nij\nnil\n""\n'

    def test_pieces_do_not_depend_on_packets(self, httpd):
        httpd.run(script("x.mrb", "response.flush; while s = request.body.read(3); puts s; end"))
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", headers=CHUNKED)
            answer = connection.response_head()
            for piece in (b"1\r\na\r\n", b"1\r\nb\r\n", b"4\r\ncdef\r\n", b"0\r\n\r\n"):
                connection.send_bytes(piece)
            connection.rest(answer)
            assert answer.body == b"abc\ndef\n"

    def test_a_piece_and_then_the_rest(self, httpd):
        httpd.run(script("x.mrb", "p request.body.read(3), request.body.read(nil)"))
        assert httpd.post("/x.mrb", b"abcdef").text == '"abc"\n"def"\n'

    def test_nothing_asked_for(self, httpd):
        httpd.run(script("x.mrb", "p request.body.read(0), request.body.read(2)"))
        assert httpd.post("/x.mrb", b"ab").text == '""\n"ab"\n'

    def test_a_negative_length(self, httpd):
        httpd.run(script("x.mrb", """
            begin
              request.body.read(-1)
            rescue ArgumentError => e
              print e.class
            end
        """))
        assert httpd.post("/x.mrb", b"ab").body == b"ArgumentError"

    def test_more_than_there_is(self, httpd):
        httpd.run(script("x.mrb", "print request.body.read(1_000_000_000)"))
        assert httpd.post("/x.mrb", b"ab").body == b"ab"

    def test_a_megabyte_in_thousands(self, httpd):
        httpd.run(script("x.mrb", """
            n = bytes = 0
            while piece = request.body.read(1000)
              n += 1
              bytes += piece.bytesize
            end
            print n, " ", bytes
        """))
        assert httpd.post("/x.mrb", b"x" * 1_000_001).body == b"1001 1000001"


class TestUnread:
    """What a script does not read is none of the next request's business."""

    @pytest.mark.parametrize("body, headers", [
        (b"GET /evil HTTP/1.1\r\n\r\n", {}), (b"x" * 100_000, {}), (chunks(b"ab", b"c"), CHUNKED)],
        ids=["short", "long", "chunked"])
    def test_the_next_request_is_answered_right(self, httpd, body, headers):
        httpd.run(DEAF, ECHO)
        with httpd.connect() as connection:
            assert connection.request("POST", "/deaf.mrb", body, headers).body == b"deaf"
            assert connection.request("POST", "/echo.mrb", b"next").body == b"next"

    def test_half_read(self, httpd):
        httpd.run(script("half.mrb", "print request.body.read(3)"), ECHO)
        with httpd.connect() as connection:
            for _ in range(3):
                assert connection.request("POST", "/half.mrb", b"x" * 50_000).body == b"xxx"
                assert connection.request("POST", "/echo.mrb", b"next").body == b"next"

    def test_of_a_script_that_raises(self, httpd):
        """httpd closes a connection after a 500: the rest of the body must not become a request."""
        httpd.run(script("raise.mrb", "request.body.read(3); raise 'no'"), ECHO)
        with httpd.connect() as connection:
            assert connection.request("POST", "/raise.mrb", b"x" * 50_000).status == 500
            assert connection.is_closed()
        assert httpd.post("/echo.mrb", b"next").body == b"next"
        httpd.log.expects("BENCH0010", "raise.mrb:1: no", times=1)

    def test_of_a_script_that_is_not_there(self, httpd):
        httpd.run(ECHO)
        with httpd.connect() as connection:
            assert connection.request("POST", "/missing.mrb", b"x" * 50_000).status == 404
            assert connection.request("POST", "/echo.mrb", b"next").body == b"next"


class TestExpect100:
    """The client waits to be asked for its body."""

    EXPECT = {"Expect": "100-continue", "Content-Length": "4"}

    def test_it_is_asked_when_the_script_reads(self, httpd):
        httpd.run(ECHO)
        with httpd.connect() as connection:
            connection.send("POST", "/echo.mrb", headers=self.EXPECT)
            assert connection._line() == b"HTTP/1.1 100 Continue"
            assert connection._line() == b""
            connection.send_bytes(b"body")
            assert connection.response().body == b"body"

    def test_it_is_not_asked_when_nobody_reads(self, httpd):
        httpd.run(DEAF)
        with httpd.connect() as connection:
            connection.send("POST", "/deaf.mrb", headers=self.EXPECT)
            answer = connection.response()
            assert (answer.status, answer.body, answer.interim) == (200, b"deaf", [])


class TestBadBodies:
    """Bodies that cannot be read are the client's fault."""

    def test_more_than_the_limit_is_413(self, httpd):
        httpd.run("LimitRequestBody 1000", SIZE)
        assert httpd.post("/size.mrb", b"x" * 1000).body == b"1000"
        assert httpd.post("/size.mrb", b"x" * 1001).status == 413

    def test_more_than_the_limit_in_chunks_is_413(self, httpd):
        httpd.run("LimitRequestBody 1000", SIZE, DEAF)
        assert httpd.post("/size.mrb", chunks(b"x" * 1000), headers=CHUNKED).body == b"1000"
        answer = httpd.post("/size.mrb", chunks(b"x" * 900, b"x" * 900), headers=CHUNKED)
        assert answer.status == 413
        assert httpd.get("/deaf.mrb").body == b"deaf"

    @pytest.mark.short
    def test_a_malformed_chunk_is_400(self, httpd):
        httpd.run(SIZE, DEAF)
        with httpd.connect() as connection:
            connection.send("POST", "/size.mrb", b"5\r\nhello\r\nnonsense\r\n", CHUNKED)
            assert connection.response().status == 400
            assert connection.is_closed()
        httpd.log.expects("bench:info", "BENCH0017", "size.mrb", times=1)
        assert httpd.get("/deaf.mrb").body == b"deaf"

    def test_a_script_cannot_talk_over_it(self, httpd):
        """httpd has answered by the time the script learns of it; one answer is enough."""
        httpd.run("LimitRequestBody 10", script("x.mrb", """
            begin
              request.body.read
            rescue StandardError
              response.status = 200
              print "all is well"
            end
        """), DEAF)
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", chunks(b"x" * 20), CHUNKED)
            answer = connection.response()
            assert answer.status == 413 and b"all is well" not in answer.body
            assert connection.is_closed()
        assert httpd.get("/deaf.mrb").body == b"deaf"

    @pytest.mark.parametrize("headers, body", [
        pytest.param({"Content-Length": "1000"}, b"x" * 10, marks=pytest.mark.short),
        (CHUNKED, b"5\r\nhel"), (CHUNKED, b"")],
        ids=["length", "chunk", "nothing"])
    def test_a_client_that_goes_away_in_the_middle(self, httpd, headers, body):
        httpd.run(script("x.mrb", """
            response.flush
            begin
              request.body.read
              Bench.log.error "read it all"
            ensure
              Bench.log.warn "ensured"
            end
        """), DEAF)
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", headers=headers)
            connection.response_head()
            connection.send_bytes(body)
        httpd.log.expects("ensured", times=1)
        assert httpd.get("/deaf.mrb").body == b"deaf"

    def test_a_client_that_has_said_too_little(self, httpd):
        """Half closed: it still reads, but the rest of the body never comes."""
        httpd.run(SIZE, DEAF)
        with httpd.connect() as connection:
            connection.send("POST", "/size.mrb", headers={"Content-Length": "10"})
            connection.send_bytes(b"short")
            connection.half_close()
            try:
                assert connection.response().status >= 400
            except NoAnswer:
                pass
        until(httpd.idle, "the request to end")
        assert httpd.get("/deaf.mrb").body == b"deaf"

    def test_a_slow_client_is_408(self, httpd):
        httpd.run("Timeout 1", SIZE, DEAF)
        with httpd.connect() as connection:
            connection.send("POST", "/size.mrb", headers={"Content-Length": "10"})
            connection.send_bytes(b"short")
            assert connection.response().status == 408
        assert httpd.get("/deaf.mrb").body == b"deaf"


class TestStandardInput:
    """A server has no standard input: nothing waits for it."""

    def test_reading_it_ends_at_once(self, httpd):
        httpd.run(script("x.mrb", "p gets, $stdin.read, $stdin.gets, STDIN.gets"))
        assert httpd.post("/x.mrb", b"body").text == 'nil\n""\nnil\nnil\n'
