# SPDX-License-Identifier: Apache-2.0
"""response.send_file: httpd sends a file, with ranges and conditions, as if it had found it itself."""

import gzip
import os

import pytest
from harness import Truncated, h2, script, together, until

SENDFILE = pytest.mark.parametrize("sendfile", ["On", "Off"])
DATA = b"".join(b"%07d\n" % number for number in range(40_000))  # 320 KB
SEND = script("x.mrb", "response.send_file(Bench.config['files'] + '/data.bin')")
OK = script("ok.mrb", "print 'ok'")


def serve(httpd, *parts, files=(), sendfile="Off", **options):
    """Files outside of the DocumentRoot, and scripts that send them."""
    folder = httpd.root / "files"
    folder.mkdir(mode=0o755, exist_ok=True)
    for name, content in {"data.bin": DATA, "page.html": b"<p>", "empty": b"", **dict(files)}.items():
        (folder / name).write_bytes(content)
    os.utime(folder / "data.bin", (1_700_000_000, 1_700_000_000))
    httpd.run(f"EnableSendfile {sendfile}", f"BenchSet files {folder}", SEND, OK, *parts, **options)
    return folder


class TestWholeFiles:
    """Status, type, length, bytes."""

    @pytest.mark.short
    @SENDFILE
    def test_a_file(self, httpd, sendfile):
        serve(httpd, sendfile=sendfile)
        with httpd.connect() as connection:
            for _ in range(3):
                answer = connection.get("/x.mrb")
                assert answer.body == DATA
                assert answer.headers["Content-Length"] == str(len(DATA))
                assert answer.headers["Last-Modified"] == "Tue, 14 Nov 2023 22:13:20 GMT"
                assert answer.headers["Accept-Ranges"] == "bytes"
                assert connection.get("/ok.mrb").body == b"ok"

    @SENDFILE
    def test_head(self, httpd, sendfile):
        serve(httpd, sendfile=sendfile)
        with httpd.connect() as connection:
            for _ in range(2):
                answer = connection.request("HEAD", "/x.mrb")
                assert (answer.body, answer.headers["Content-Length"]) == (b"", str(len(DATA)))
                assert connection.get("/ok.mrb").body == b"ok"

    @pytest.mark.short
    def test_its_type_is_the_servers_or_the_scripts(self, httpd):
        serve(httpd, script("t.mrb", """
            name, type = request.query_string.split("=")
            response.content_type = type if type
            response.send_file("#{Bench.config['files']}/#{name}")
        """))
        assert httpd.get("/t.mrb?page.html").headers["Content-Type"] == "text/html"
        assert httpd.get("/t.mrb?data.bin").headers["Content-Type"] == "application/octet-stream"
        assert httpd.get("/t.mrb?page.html=text/x").headers["Content-Type"] == "text/x"

    def test_an_empty_file(self, httpd):
        serve(httpd, script("e.mrb", "response.send_file(Bench.config['files'] + '/empty')"))
        with httpd.connect() as connection:
            answer = connection.get("/e.mrb")
            assert (answer.status, answer.body, answer.headers["Content-Length"]) == (200, b"", "0")
            assert connection.get("/ok.mrb").body == b"ok"

    @pytest.mark.short
    @SENDFILE
    def test_between_texts(self, httpd, sendfile):
        serve(httpd, script("m.mrb", """
            file = Bench.config["files"] + "/data.bin"
            print "before "
            response.send_file(file)
            print " between "
            response.send_file(file)
            print " after"
        """), sendfile=sendfile)
        assert httpd.get("/m.mrb").body == b"before " + DATA + b" between " + DATA + b" after"

    def test_after_a_flush(self, httpd):
        serve(httpd, script("m.mrb", "print 'first '; response.flush; "
                                     "response.send_file(Bench.config['files'] + '/data.bin')"))
        answer = httpd.get("/m.mrb")
        assert answer.chunked and answer.body == b"first " + DATA

    def test_status_and_headers_are_the_scripts(self, httpd):
        serve(httpd, script("m.mrb", """
            response.status = 404
            response["X-Mine"] = "1"
            response.last_modified = Time.at(0)
            response.send_file(Bench.config["files"] + "/page.html")
        """), script("download.mrb", """
            response["Content-Disposition"] = 'attachment; filename="x"'
            response.send_file(Bench.config["files"] + "/page.html")
        """))
        answer = httpd.get("/m.mrb")
        assert (answer.status, answer.body, answer.headers["X-Mine"]) == (404, b"<p>", "1")
        assert answer.headers["Last-Modified"] == "Thu, 01 Jan 1970 00:00:00 GMT"
        assert httpd.get("/download.mrb").headers["Content-Disposition"] == 'attachment; filename="x"'

    def test_a_true_length_and_a_false_one(self, httpd):
        serve(httpd, *[script(f"{name}.mrb", f"""
            response["Content-Length"] = "{length}"
            response.send_file(Bench.config["files"] + "/data.bin")
        """) for name, length in (("true", len(DATA)), ("short", 5), ("long", len(DATA) + 1))])
        assert httpd.get("/true.mrb").body == DATA
        for name in ("short", "long"):
            answer = httpd.get(f"/{name}.mrb")
            assert answer.body == DATA and answer.headers["Content-Length"] == str(len(DATA))

    @pytest.mark.short
    def test_what_cannot_be_sent(self, httpd):
        serve(httpd, script("r.mrb", """
            ["/none", "", "/data.bin/x"].each do |name|
              begin
                response.send_file(Bench.config["files"] + name)
                print "sent"
              rescue Bench::Error => e
                puts e.message.sub(Bench.config["files"], "F")
              end
            end
            ["a\\0b", nil, 5].each do |name|
              begin
                response.send_file(name)
                print "sent"
              rescue ArgumentError, TypeError => e
                puts e.class
              end
            end
        """), script("u.mrb", "response.send_file(Bench.config['files'] + '/none')"))
        assert httpd.get("/r.mrb").text == (
            "cannot send F/none: No such file or directory\ncannot send F: Is a directory\n"
            "cannot send F/data.bin/x: Not a directory\nArgumentError\nTypeError\nTypeError\n")
        assert httpd.get("/u.mrb").status == 500
        httpd.log.expects("BENCH0010", "cannot send", "/none", times=1)

    def test_a_fifo_is_not_waited_for(self, httpd):
        folder = serve(httpd, script("f.mrb", """
            begin
              response.send_file(Bench.config["files"] + "/fifo")
            rescue Bench::Error
              print "refused"
            end
        """))
        os.mkfifo(folder / "fifo", 0o666)
        assert httpd.get("/f.mrb").text == "refused"

    def test_an_unreadable_file(self, httpd):
        folder = serve(httpd, script("f.mrb", """
            begin
              response.send_file(Bench.config["files"] + "/secret")
            rescue Bench::Error => e
              print e.message
            end
        """))
        (folder / "secret").write_bytes(b"secret")
        (folder / "secret").chmod(0o000)
        if os.geteuid() == 0:  # httpd serves as another user then
            assert "Permission denied" in httpd.get("/f.mrb").text

    @SENDFILE
    def test_a_file_that_is_replaced_meanwhile(self, httpd, sendfile):
        """What was opened is what is sent."""
        folder = serve(httpd, script("r.mrb", """
            path = Bench.config["files"] + "/data.bin"
            response.send_file(path)
            File.unlink(path) rescue nil
            print "."
        """), sendfile=sendfile)
        folder.chmod(0o777)
        assert httpd.get("/r.mrb").body == DATA + b"."
        assert not (folder / "data.bin").exists()

    def test_relative_paths(self, httpd):
        """A server has no current directory worth the name: httpd's is /."""
        serve(httpd, script("r.mrb", "response.send_file(Bench.config['files'][1..-1] + '/data.bin')"))
        assert httpd.get("/r.mrb").body == DATA


class TestRanges:
    """Parts of a file, through httpd's own range filter."""

    @pytest.mark.short
    @SENDFILE
    def test_one(self, httpd, sendfile):
        serve(httpd, sendfile=sendfile)
        size = len(DATA)
        with httpd.connect() as connection:
            for wanted, begin, end in (("0-0", 0, 1), ("8-15", 8, 16), ("300000-", 300_000, size),
                                       ("-10", size - 10, size), ("0-99999999", 0, size),
                                       ("65530-65545", 65530, 65546)):
                answer = connection.request("GET", "/x.mrb", headers={"Range": f"bytes={wanted}"})
                assert (answer.status, answer.body) == (206, DATA[begin:end]), wanted
                assert answer.headers["Content-Range"] == f"bytes {begin}-{end - 1}/{size}"
                assert answer.headers["Content-Length"] == str(end - begin)
            answer = connection.request("GET", "/x.mrb", headers={"Range": f"bytes={size}-"})
            assert answer.status == 416 and b"0000000" not in answer.body
            assert connection.get("/ok.mrb").body == b"ok"
            assert connection.request("GET", "/x.mrb", headers={"Range": "lines=1-2"}).body == DATA
            assert connection.get("/ok.mrb").body == b"ok"

    @SENDFILE
    def test_several(self, httpd, sendfile):
        serve(httpd, sendfile=sendfile)
        answer = httpd.get("/x.mrb", headers={"Range": "bytes=0-6,80-86,-8"})
        assert answer.status == 206
        assert answer.headers["Content-Type"].startswith("multipart/byteranges")
        for part in (b"0000000\r\n", b"0000010\r\n", b"0039999\n\r\n"):
            assert part in answer.body

    def test_of_the_same_file_only(self, httpd):
        serve(httpd)
        date = "Tue, 14 Nov 2023 22:13:20 GMT"
        answer = httpd.get("/x.mrb", headers={"Range": "bytes=0-6", "If-Range": date})
        assert (answer.status, answer.body) == (206, b"0000000")
        answer = httpd.get("/x.mrb", headers={"Range": "bytes=0-6",
                                              "If-Range": "Tue, 14 Nov 2023 22:13:19 GMT"})
        assert (answer.status, answer.body) == (200, DATA)

    def test_head_of_one(self, httpd):
        serve(httpd)
        with httpd.connect() as connection:
            answer = connection.request("HEAD", "/x.mrb", headers={"Range": "bytes=0-6"})
            assert answer.status in (200, 206) and answer.body == b""
            assert connection.get("/ok.mrb").body == b"ok"

    @pytest.mark.short
    def test_of_what_a_script_prints(self, httpd):
        serve(httpd, script("p.mrb", "response['Accept-Ranges'] = 'bytes'; print '0123456789' * 10"))
        answer = httpd.get("/p.mrb", headers={"Range": "bytes=10-14"})
        assert (answer.status, answer.body) == (206, b"01234")


class TestConditions:
    """If-Modified-Since and its relatives, by the file's own time."""

    @pytest.mark.short
    @SENDFILE
    def test_not_modified(self, httpd, sendfile):
        serve(httpd, sendfile=sendfile)
        with httpd.connect() as connection:
            for when, status in (("Tue, 14 Nov 2023 22:13:20 GMT", 304),
                                 ("Tue, 14 Nov 2023 22:13:19 GMT", 200)):
                answer = connection.request("GET", "/x.mrb", headers={"If-Modified-Since": when})
                assert (answer.status, answer.body) == (status, b"" if status == 304 else DATA)
            assert connection.get("/ok.mrb").body == b"ok"

    def test_with_a_tag_of_the_scripts(self, httpd):
        serve(httpd, script("t.mrb", "response.etag = 'v1'; "
                                     "response.send_file(Bench.config['files'] + '/data.bin')"))
        answer = httpd.get("/t.mrb", headers={"If-None-Match": '"v1"'})
        assert (answer.status, answer.body) == (304, b"")
        assert httpd.get("/t.mrb", headers={"If-None-Match": '"v2"'}).body == DATA
        answer = httpd.get("/t.mrb", headers={"Range": "bytes=0-6", "If-Range": '"v1"'})
        assert (answer.status, answer.body) == (206, b"0000000")
        assert httpd.get("/t.mrb", headers={"Range": "bytes=0-6", "If-Range": '"v2"'}).body == DATA


class TestHowItIsSent:
    """By the system's sendfile where it can, through filters and protocols, to slow clients."""

    @pytest.mark.short
    @SENDFILE
    def test_to_a_slow_reader(self, httpd, sendfile):
        """Under event, the rest is sent by another thread, after the script has ended."""
        big = DATA * 30  # 9.6 MB: more than sockets hold
        serve(httpd, script("b.mrb", "response.send_file(Bench.config['files'] + '/big.bin')"),
              files={"big.bin": big}, sendfile=sendfile)
        with httpd.connect() as connection:
            connection.send("GET", "/b.mrb")
            answer = connection.response_head()
            answer.add(connection._take(1000))
            assert httpd.get("/ok.mrb").body == b"ok"
            connection.rest(answer)
            assert answer.body == big
            assert connection.get("/ok.mrb").body == b"ok"

    def test_to_a_client_that_goes_away(self, httpd):
        serve(httpd, script("b.mrb", "response.send_file(Bench.config['files'] + '/big.bin')"),
              files={"big.bin": DATA * 100})
        for _ in range(httpd.workers + 1):
            with httpd.connect() as connection:
                connection.send("GET", "/b.mrb")
                connection._take(10)
        until(httpd.idle, "the requests to end")
        assert httpd.get("/ok.mrb").body == b"ok"

    @SENDFILE
    def test_compressed(self, httpd, sendfile):
        serve(httpd, "SetOutputFilter DEFLATE", sendfile=sendfile, modules=["deflate", "filter"])
        answer = httpd.get("/x.mrb", headers={"Accept-Encoding": "gzip"})
        assert gzip.decompress(answer.body) == DATA

    @pytest.mark.short
    @SENDFILE
    def test_over_tls(self, httpd, sendfile):
        serve(httpd, sendfile=sendfile, tls=True)
        assert httpd.get("/x.mrb", tls=True).body == DATA

    @pytest.mark.short
    @pytest.mark.mpms("event", "worker")
    @SENDFILE
    def test_over_http2(self, httpd, sendfile):
        serve(httpd, "Protocols h2c http/1.1", sendfile=sendfile, modules=["http2"])
        with h2.connect(httpd) as client:
            answers = client.fetch([("GET", "/x.mrb", None)] * 6)
            assert [answer.body for answer in answers] == [DATA] * 6
            assert client.get("/ok.mrb").body == b"ok"

    def test_many_at_once(self, httpd):
        serve(httpd, threads=8, processes=8)

        def client(number):
            with httpd.connect() as connection:
                for turn in range(10):
                    begin = number * 1000 + turn
                    answer = connection.request("GET", "/x.mrb", headers={
                        "Range": f"bytes={begin}-{begin + 99}"})
                    assert answer.body == DATA[begin:begin + 100]
        together(6, client)

    @pytest.mark.short
    def test_descriptors_are_closed(self, httpd):
        serve(httpd, script("two.mrb", "2.times { response.send_file(Bench.config['files'] + "
                                       "'/data.bin') }; raise 'no' if request.query_string == '1'"),
              threads=1, processes=1)

        def count():
            return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in httpd.children())

        assert httpd.get("/two.mrb").body == DATA * 2
        until(httpd.idle, "the request to end")
        before = count()
        for _ in range(20):
            assert httpd.get("/two.mrb").body == DATA * 2
            assert httpd.get("/two.mrb?1").status == 500
        until(httpd.idle, "the requests to end")
        assert count() == before
        httpd.log.expects("BENCH0010", "two.mrb:1: no", times=20)

    def test_a_failure_after_it(self, httpd):
        """Nothing was sent yet: the client gets a 500, no byte of the file."""
        serve(httpd, script("f.mrb", "response.send_file(Bench.config['files'] + '/data.bin'); "
                                     "raise 'no'"),
              script("sent.mrb", "response.send_file(Bench.config['files'] + '/data.bin'); "
                                 "response.flush; raise 'no'"))
        answer = httpd.get("/f.mrb")
        assert answer.status == 500 and b"0000000" not in answer.body
        assert "Last-Modified" not in answer.headers and "Accept-Ranges" not in answer.headers
        with pytest.raises(Truncated):
            httpd.get("/sent.mrb")
        httpd.log.expects("BENCH0010", "mrb:1: no", times=2)
