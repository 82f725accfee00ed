# SPDX-License-Identifier: Apache-2.0
"""request.body is an IO that can be rewound, and whoever reads after Ruby gets all of it."""

import gzip
import hashlib
import random
import resource
import socket
import threading
from contextlib import contextmanager

import pytest
from harness import h2, script, together, until

CHUNKED = {"Transfer-Encoding": "chunked"}
ECHO = script("echo.mrb", "print request.body.read")
SIZES = [0, 1, 8192, 65535, 65536, 65537, 200_000]


def chunks(*pieces):
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def data(size):
    return (b"0123456789abcdef" * (size // 16 + 1))[:size]


class TestAsAnIO:
    """gets, each, read with a buffer, rewind, pos, eof?"""

    @pytest.mark.short
    def test_lines(self, httpd):
        httpd.run(script("x.mrb", "b = request.body; while l = b.gets; p l; end; p b.gets"))
        assert httpd.post("/x.mrb", b"one\ntwo\r\n\nlast").text == \
            '"one\\n"\n"two\\r\\n"\n"\\n"\n"last"\nnil\n'
        assert httpd.post("/x.mrb", b"").text == "nil\n"
        assert httpd.post("/x.mrb", b"\n").text == '"\\n"\nnil\n'

    def test_lines_longer_than_anything(self, httpd):
        httpd.run(script("x.mrb", "request.body.each { |l| puts l.bytesize }"))
        lines = [100, 8191, 8192, 65535, 65536, 300_000, 1]
        assert httpd.post("/x.mrb", b"".join(b"x" * (n - 1) + b"\n" for n in lines)).text == \
            "".join(f"{n}\n" for n in lines)

    @pytest.mark.short
    def test_lines_in_any_packets(self, httpd):
        httpd.run(script("x.mrb", "response.flush; request.body.each { |l| p l }"))
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", headers=CHUNKED)
            answer = connection.response_head()
            for piece in (b"on", b"e", b"\n", b"two\nthr", b"ee\n\nfour"):
                connection.send_bytes(b"%x\r\n%s\r\n" % (len(piece), piece))
            connection.send_bytes(b"0\r\n\r\n")
            connection.rest(answer)
        assert answer.text == '"one\\n"\n"two\\n"\n"three\\n"\n"\\n"\n"four"\n'

    @pytest.mark.short
    def test_all_its_methods(self, httpd):
        httpd.run(script("x.mrb", """
            b = request.body
            buffer = "old content"
            p b.pos, b.read(3, buffer), buffer, b.pos, b.eof?
            p b.gets, b.read(0), b.pos, b.rewind, b.pos
            p b.read(nil, buffer).equal?(buffer), buffer, b.eof?, b.read, b.read(1), b.read(0)
            p b.read(5, buffer), buffer
            b.rewind
            p b.each { }.equal?(b), b.map { |l| l }, b.eof?
            b.rewind
            p b.map { |l| l.size }, b.to_a, b.close
        """))
        assert httpd.post("/x.mrb", b"abcdef\nxyz").text == (
            '0\n"abc"\n"abc"\n3\nfalse\n'
            '"def\\n"\n""\n7\n0\n0\n'
            'true\n"abcdef\\nxyz"\ntrue\n""\nnil\n""\n'
            'nil\n""\n'
            'true\n[]\ntrue\n'
            '[7, 3]\n[]\nnil\n')

    def test_one_position_for_all_handles(self, httpd):
        httpd.run(script("x.mrb", "print request.body.read(2), request.env['rack.input'].read(2), "
                                  "Bench.request.body.read"))
        assert httpd.post("/x.mrb", b"abcdef").body == b"abcdef"

    def test_wrong_arguments(self, httpd):
        httpd.run(script("x.mrb", """
            [[-1], ["x"], [1, 5], [Object.new], [1, nil, 3]].each do |arguments|
              begin
                request.body.read(*arguments)
                print "taken "
              rescue TypeError, ArgumentError => e
                print e.class, " "
              end
            end
            begin
              request.body.read(1, "frozen".freeze)
            rescue FrozenError => e
              print e.class
            end
            print request.body.read
        """))
        answer = httpd.post("/x.mrb", b"abc").text
        assert answer.startswith("ArgumentError TypeError TypeError TypeError ArgumentError ")
        assert answer.endswith("FrozenErrorbc") or answer.endswith("FrozenErrorabc")

    @pytest.mark.short
    @pytest.mark.parametrize("how", ["length", "chunked"])
    def test_read_rewound_and_read_again(self, httpd, how):
        httpd.run(script("x.mrb", """
            first = request.body.read
            request.body.rewind
            pieces = []
            while piece = request.body.read(10_000)
              pieces << piece
            end
            request.body.rewind
            half = request.body.read(first.size / 2) || ""
            request.body.rewind
            print first == pieces.join, first == request.body.read, first.start_with?(half),
                  first.bytesize
        """))
        with httpd.connect() as connection:
            for size in SIZES:
                body, headers = (data(size), {}) if how == "length" else \
                    (chunks(*([data(size)] if size else [])), CHUNKED)
                answer = connection.request("POST", "/x.mrb", body, headers)
                assert answer.text == f"truetruetrue{size}"

    def test_rewound_before_it_has_all_come(self, httpd):
        httpd.run(script("x.mrb", """
            response.flush
            a = request.body.read(5)
            request.body.rewind
            b = request.body.read(3)
            c = request.body.read
            request.body.rewind
            print a, "|", b, "|", c, "|", request.body.read
        """))
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", headers={"Content-Length": "10"})
            answer = connection.response_head()
            connection.send_bytes(b"01234")
            connection.send_bytes(b"56789")
            connection.rest(answer)
        assert answer.body == b"01234|012|3456789|0123456789"

    def test_binary_and_nul(self, httpd):
        """Fault 9 of mod_mruby: NULs in place of what the client had sent."""
        httpd.run(script("x.mrb", "request.body.read(70_000); request.body.rewind; "
                                  "print request.body.read"))
        body = bytes(range(256)) * 400 + b"\0" * 1000
        assert httpd.post("/x.mrb", body).body == body

    @pytest.mark.short
    def test_a_copy_is_the_scripts_own(self, httpd):
        httpd.run(script("x.mrb", "s = request.body.read; s << 'more'; s[0] = 'X'; "
                                  "request.body.rewind; print request.body.read"))
        for size in (10, 100_000):
            assert httpd.post("/x.mrb", data(size)).body == data(size)

    @pytest.mark.short
    def test_after_the_request(self, httpd):
        httpd.run(script("keep.mrb", "$body = request.body; print $body.read(3)"),
                  script("use.mrb", """
                      [:read, :gets, :rewind, :pos, :eof?, :to_a].each do |name|
                        begin
                          $body.__send__(name)
                          print "got in "
                        rescue Bench::StaleError
                          print "stale "
                        end
                      end
                      print request.body.read
                  """), threads=1, processes=1)
        assert httpd.post("/keep.mrb", b"secret").body == b"sec"
        assert httpd.post("/use.mrb", b"own").text == "stale " * 6 + "own"


class TestTheNextReader:
    """What Ruby has read, some of it or all, the next one gets from the beginning."""

    READS = ["", "request.body.read(1)", "request.body.read(70_000)", "request.body.gets",
             "request.body.read", "request.body.read; request.body.rewind",
             "request.body.read(10); request.body.rewind; request.body.read(5)", "request.params"]

    @pytest.mark.short
    @pytest.mark.parametrize("number", range(len(READS)), ids=[text or "nothing" for text in READS])
    def test_another_script(self, httpd, number):
        httpd.run(script("x.mrb", f"{self.READS[number]}\nresponse.internal_redirect('/echo.mrb')"),
                  ECHO)
        with httpd.connect() as connection:
            for size in SIZES:
                form = {"Content-Type": "text/plain"}
                assert connection.request("POST", "/x.mrb", data(size), form).body == data(size)
                assert connection.request("POST", "/x.mrb", chunks(*([data(size)] if size else [])),
                                          {**CHUNKED, **form}).body == data(size)

    def test_several_scripts_one_after_the_other(self, httpd):
        httpd.run(script("a.mrb", "request.body.read(3); response.internal_redirect('/b.mrb')"),
                  script("b.mrb", "request.body.read; response.internal_redirect('/c.mrb')"),
                  script("c.mrb", "request.body.gets; response.internal_redirect('/echo.mrb')"), ECHO)
        for size in SIZES:
            assert httpd.post("/a.mrb", data(size)).body == data(size)

    @pytest.mark.short
    @pytest.mark.parametrize("read", ["", "request.body.read(5)", "request.body.read",
                                      "request.body.read; request.body.rewind"])
    def test_mod_proxy(self, httpd, read):
        """It got an empty body in others."""
        with backend() as server:
            httpd.run(f"ProxyPass /proxied http://127.0.0.1:{server.port}/", ECHO,
                      script("x.mrb", f"{read}\nresponse.internal_redirect('/proxied?q=1')"),
                      modules=["proxy", "proxy_http"])
            for size in SIZES:
                for body, headers in ((data(size), {}),
                                      (chunks(*([data(size)] if size else [])), CHUNKED)):
                    answer = httpd.post("/x.mrb", body, headers=headers)
                    assert answer.text == f"POST /?q=1 {size} {digest(data(size))}"

    def test_a_cgi_script(self, httpd):
        """mod_cgi reads it by itself."""
        httpd.run("AddHandler cgi-script .cgi", "<Directory ${DOCS}>", "Options +ExecCGI",
                  "</Directory>",
                  script("sum.cgi", "#!/bin/sh\nprintf 'Content-Type: text/plain\\r\\n\\r\\n'\n"
                                    "exec cksum\n", 0o755),
                  script("x.mrb", "request.body.read(7); response.internal_redirect('/sum.cgi')"),
                  script("y.mrb", "request.body.read; response.internal_redirect('/sum.cgi')"),
                  modules=["cgi"])
        for size in SIZES:
            sums = {httpd.post(path, data(size)).body for path in ("/sum.cgi", "/x.mrb", "/y.mrb")}
            assert len(sums) == 1 and sums.pop().split()[1] == b"%d" % size

    @pytest.mark.short
    def test_the_next_request_on_the_connection_is_another(self, httpd):
        httpd.run(script("x.mrb", "request.body.read(7); response.internal_redirect('/deaf.mrb')"),
                  script("deaf.mrb", "print 'deaf'"), ECHO)
        with httpd.connect() as connection:
            for size in SIZES * 2:
                assert connection.request("POST", "/x.mrb", data(size)).body == b"deaf"
                assert connection.request("POST", "/echo.mrb", b"next").body == b"next"

    def test_a_subrequest_has_none(self, httpd):
        httpd.run(script("x.mrb", "print request.subrequest('/in.mrb').body, request.body.read, "
                                  "request.subrequest('/in.mrb').body"),
                  script("in.mrb", "p request.body.read, request.body.gets, request.body.read(5)"))
        assert httpd.post("/x.mrb", b"outer").text == '""\nnil\nnil\nouter""\nnil\nnil\n'

    def test_through_a_filter_of_httpds(self, httpd):
        """What mod_deflate has inflated is not inflated again."""
        httpd.run("SetInputFilter DEFLATE", script("x.mrb", "request.body.read(9); "
                                                            "response.internal_redirect('/echo.mrb')"),
                  ECHO, modules=["deflate", "filter"])
        for size in SIZES:
            text = random.Random(size).randbytes(size)  # mod_deflate refuses what shrinks too well
            answer = httpd.post("/x.mrb", gzip.compress(text), headers={"Content-Encoding": "gzip"})
            assert answer.body == text


class TestUnread:
    """What nobody reads, httpd discards."""

    @pytest.mark.short
    def test_much_of_it(self, httpd):
        httpd.run(script("deaf.mrb", "print 'deaf'"), script("peep.mrb", "print request.body.read(3)"),
                  threads=4, processes=1)
        with httpd.connect() as connection:
            for _ in range(8):
                connection.request("POST", "/peep.mrb", data(100))
            before = httpd.resident_kib()
            for _ in range(3):
                assert connection.request("POST", "/deaf.mrb", data(8_000_000)).body == b"deaf"
                assert connection.request("POST", "/peep.mrb", data(8_000_000)).body == b"012"
        assert httpd.resident_kib() - before < 2000

    def test_after_an_exception_and_a_halt(self, httpd):
        httpd.run(script("halt.mrb", "request.body.read(3); halt 403, {}, 'no'"),
                  script("exit.mrb", "request.body.read(3); print 'bye'; exit"), ECHO)
        with httpd.connect() as connection:
            for name, status in (("halt", 403), ("exit", 200)):
                assert connection.request("POST", f"/{name}.mrb", data(50_000)).status == status
                assert connection.request("POST", "/echo.mrb", b"next").body == b"next"


class TestMemory:
    """A body is never held in memory; what does not fit in 64 KB goes to an unlinked file."""

    MB = 64

    def test_64_mb_read_in_pieces(self, httpd):
        httpd.run(script("x.mrb", """
            bytes = 0
            while piece = request.body.read(65_536)
              bytes += piece.bytesize
            end
            print bytes
        """), script("warm.mrb", "print request.body.read(300_000).bytesize"), threads=1, processes=1)
        httpd.post("/warm.mrb", data(1_000_000))
        before, most = httpd.resident_kib(), 0
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", headers=CHUNKED)
            block = data(1 << 20)
            for _ in range(self.MB):
                connection.send_bytes(b"100000\r\n" + block + b"\r\n")
                most = max(most, httpd.resident_kib())
            connection.send_bytes(b"0\r\n\r\n")
            assert connection.response().text == str(self.MB << 20)
        assert max(most, httpd.resident_kib()) - before < 8 * 1024

    @pytest.mark.short
    def test_64_mb_streamed_out(self, httpd):
        httpd.run(script("x.mrb", f"piece = 'x' * 65_536; {self.MB * 16}.times {{ print piece }}"),
                  script("warm.mrb", "print 'x' * 65_536"), threads=1, processes=1)
        httpd.get("/warm.mrb")
        before, most, got = httpd.resident_kib(), 0, 0
        with httpd.connect() as connection:
            connection.send("GET", "/x.mrb")
            answer = connection.response_head()
            assert answer.chunked
            while connection._chunk(answer):
                got += len(answer._body)
                answer._body.clear()
                if got % (1 << 22) < 65_536:
                    most = max(most, httpd.resident_kib())
        assert answer.complete and got == self.MB << 20
        assert max(most, httpd.resident_kib()) - before < 8 * 1024

    @pytest.mark.short
    def test_no_temporary_file_is_left(self, httpd):
        (httpd.root / "tmp").mkdir()
        (httpd.root / "tmp").chmod(0o777)
        httpd.run(ECHO, script("raise.mrb", "request.body.read; raise 'no'"),
                  script("gone.mrb", "response.flush; request.body.read"),
                  env={"TMPDIR": str(httpd.root / "tmp")})
        assert httpd.post("/echo.mrb", data(500_000)).body == data(500_000)
        assert httpd.post("/raise.mrb", data(500_000)).status == 500
        with httpd.connect() as connection:
            connection.send("POST", "/gone.mrb", headers={"Content-Length": "900000"})
            connection.response_head()
            connection.send_bytes(data(500_000))
        httpd.log.expects("BENCH0010", "raise.mrb", times=1)
        until(httpd.idle, "the request to end")
        assert list((httpd.root / "tmp").iterdir()) == []

    def test_a_disk_that_is_full(self, httpd):
        """A limit on the size of files stands for it."""
        with files_of_at_most(100_000):
            httpd.run(script("x.mrb", """
                begin
                  print request.body.read.bytesize
                rescue Bench::Error => e
                  print e.class, ": ", e.message
                end
            """), script("y.mrb", "print request.body.read.bytesize"), ECHO)
        assert httpd.post("/x.mrb", data(160_000)).body == b"160000"
        answer = httpd.post("/x.mrb", data(400_000))
        assert answer.text.startswith("Bench::Error: the request body cannot be kept in a temporary file: ")
        assert httpd.post("/y.mrb", data(400_000)).status == 500
        httpd.log.expects("BENCH0010", "y.mrb", "cannot be kept in a temporary file", times=1)
        assert httpd.post("/echo.mrb", b"next").body == b"next"


class TestAtTheSameTime:
    """Bodies of many clients do not mix."""

    @pytest.mark.short
    def test_large_and_small(self, httpd):
        httpd.run(script("x.mrb", "a = request.body.read(100); request.body.rewind; "
                                  "print request.body.read"), threads=24, processes=8)

        def client(number):
            with httpd.connect() as connection:
                for turn in range(6):
                    body = bytes([65 + number]) * (SIZES[turn] + number)
                    assert connection.request("POST", "/x.mrb", body).body == body

        together(6, client)


@pytest.mark.mpms("event", "worker")
class TestHttp2:
    """Bodies without a length, on mod_http2's threads."""

    CONF = ["Protocols h2 h2c http/1.1"]
    MODULES = {"modules": ["http2", "proxy", "proxy_http"]}

    @pytest.mark.short
    def test_read_rewound_and_handed_on(self, httpd):
        httpd.run(*self.CONF, script("x.mrb", "request.body.read(5); request.body.rewind; "
                                              "print request.body.read"),
                  script("y.mrb", "request.body.read(5); response.internal_redirect('/x.mrb')"),
                  **self.MODULES)
        with h2.connect(httpd) as client:
            for size in (0, 1, 10_000, 60_000):
                for path in ("/x.mrb", "/y.mrb"):
                    assert client.post(path, data(size)).body == data(size)

    def test_to_mod_proxy(self, httpd):
        with backend() as server:
            httpd.run(*self.CONF, f"ProxyPass /proxied http://127.0.0.1:{server.port}/",
                      script("x.mrb", "request.body.read; response.internal_redirect('/proxied')"),
                      **self.MODULES)
            with h2.connect(httpd) as client:
                for size in (1, 10_000, 60_000):
                    assert client.post("/x.mrb", data(size)).text == \
                        f"POST / {size} {digest(data(size))}"


@contextmanager
def files_of_at_most(size):
    """What is started meanwhile cannot write larger ones."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def digest(body):
    return hashlib.sha256(body).hexdigest()


@contextmanager
def backend():
    """A server that says what it was asked, and for each body its size and digest."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = threading.Thread(target=_serve, args=(listener,), daemon=True)
    server.start()
    server.port = listener.getsockname()[1]
    try:
        yield server
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        until(lambda: not server.is_alive(), "the backend to end")


def _serve(listener):
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        with client, client.makefile("rb") as stream:
            method, target, _ = stream.readline().decode().split()
            fields = {}
            while line := stream.readline().strip():
                name, _, value = line.decode().partition(":")
                fields[name.lower()] = value.strip()
            body = _body(stream, fields)
            text = f"{method} {target} {len(body)} {digest(body)}".encode()
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                           % (len(text), text))


def _body(stream, fields):
    if fields.get("transfer-encoding") != "chunked":
        return stream.read(int(fields.get("content-length", 0)))
    body = b""
    while size := int(stream.readline().split(b";")[0], 16):
        body += stream.read(size)
        stream.readline()
    stream.readline()
    return body
