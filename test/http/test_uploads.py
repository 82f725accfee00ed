# SPDX-License-Identifier: Apache-2.0
"""Forms with files: what the script gets, what is left of it, what is too much."""

import os

import pytest
from harness import h2, script, together, until

TYPE = {"Content-Type": "multipart/form-data; boundary=B"}
OK = script("ok.mrb", "print 'ok'")


def part(name, data, filename=None, kind=None):
    head = f'Content-Disposition: form-data; name="{name}"'
    if filename is not None:
        head += f'; filename="{filename}"'
    if kind:
        head += f"\r\nContent-Type: {kind}"
    return b"--B\r\n" + head.encode("latin-1") + b"\r\n\r\n" + data + b"\r\n"


def form(*parts):
    return b"".join(parts) + b"--B--\r\n"


def serve(httpd, *parts, **options):
    """With a directory for temporary files of its own, that can be looked into."""
    folder = httpd.root / "tmp"
    folder.mkdir()
    folder.chmod(0o777)
    httpd.run(*parts, env={"TMPDIR": str(folder)}, **options)
    return folder


def nothing_left(folder):
    """The request ends a moment after the client has its answer."""
    until(lambda: not any(folder.iterdir()), f"no file in {folder}")


class TestUpload:
    """{filename:, type:, name:, tempfile:, head:}, as in Rack"""

    @pytest.mark.short
    def test_a_file_and_fields(self, httpd):
        folder = serve(httpd, script("x.mrb", """
            up = request.params["doc"]
            p up.is_a?(Hash), up.keys, up[:filename], up[:type], up[:name], up[:head]
            f = up[:tempfile]
            p f.read == "line\\nmore \\0\\xff", f.pos, f.rewind, f.gets, f.size, File.exist?(f.path), f.read(3)
            p request.POST["a"], request["list"], request.GET
            p request.params["doc"].equal?(up), request.POST["doc"].equal?(up)
        """))
        body = form(part("a", b"1"), part("doc", b"line\nmore \0\xff", "C:\\dir\\my file.txt", "text/x"),
                    part("list[]", b"x"), part("list[]", b"y"))
        answer = httpd.post("/x.mrb?q=1", body, headers=TYPE)
        assert answer.status == 200
        lines = answer.text.split("\n")
        assert lines[:5] == ["true", "[:filename, :type, :name, :tempfile, :head]", '"my file.txt"',
                             '"text/x"', '"doc"']
        assert lines[5].startswith('"Content-Disposition: form-data; name=')
        assert lines[6:13] == ["true", "12", "0", '"line\\n"', "12", "true", '"mor"']
        assert lines[13:18] == ['"1"', '["x", "y"]', '{"q"=>"1"}', "true", "true"]
        nothing_left(folder)

    @pytest.mark.short
    @pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 1_000_003])
    def test_sizes_and_all_bytes(self, httpd, size):
        folder = serve(httpd, script("x.mrb", "f = request.params['f'][:tempfile]; print f.read"))
        data = (bytes(range(256)) * (size // 256 + 1))[:size]
        body = form(part("a", b"x"), part("f", data, "f.bin"), part("z", b"y"))
        assert httpd.post("/x.mrb", body, headers=TYPE).body == data
        nothing_left(folder)

    @pytest.mark.short
    def test_boundaries_that_are_none(self, httpd):
        serve(httpd, script("x.mrb", "print request.params['f'][:tempfile].read"))
        for data in (b"-B", b"\r\n--", b"\r\n--Bx\r\n", b"\n--B\n", b"\r\n", b"\r\n\r\n--C--",
                     b"\r\r\n--b--\r\n", b"x" * 65_530 + b"\r\n--Bb\r\n" + b"y" * 100):
            assert httpd.post("/x.mrb", form(part("f", data, "f")), headers=TYPE).body == data

    @pytest.mark.short
    def test_byte_by_byte(self, httpd):
        serve(httpd, script("x.mrb", "print request.params['a'], request.params['f'][:tempfile].read"))
        body = form(part("a", b"text"), part("f", b"\r\n--Bx data \r", "f"))
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", headers={**TYPE, "Transfer-Encoding": "chunked"})
            for byte in body:
                connection.send_bytes(b"1\r\n%c\r\n" % byte)
            connection.send_bytes(b"0\r\n\r\n")
            assert connection.response().body == b"text\r\n--Bx data \r"

    def test_several_files_nested_and_in_lists(self, httpd):
        folder = serve(httpd, script("x.mrb", """
            docs = request.params["user"]["docs"]
            print docs.map { |d| d[:filename] + "=" + d[:tempfile].read }.join(" "), " ",
                  request.params["user"]["name"], " ", request.params["pics"]["a"][:tempfile].read
        """))
        body = form(part("user[docs][]", b"one", "1.txt"), part("user[name]", b"me"),
                    part("user[docs][]", b"two", "2.txt"), part("pics[a]", b"pic", "p.png"))
        assert httpd.post("/x.mrb", body, headers=TYPE).text == "1.txt=one 2.txt=two me pic"
        nothing_left(folder)

    def test_a_field_in_which_nothing_was_chosen(self, httpd):
        serve(httpd, script("x.mrb", "p request.params.key?('f'), request.params['f']"))
        assert httpd.post("/x.mrb", form(part("f", b"", "")), headers=TYPE).text == "false\nnil\n"

    @pytest.mark.short
    def test_the_body_can_be_read_before_and_after(self, httpd):
        serve(httpd, script("x.mrb", """
            first = request.body.read(7)
            n = request.params["f"][:tempfile].read.bytesize
            rest = request.body.read
            request.body.rewind
            print first, n, request.body.read == rest ? " same" : " other"
        """))
        assert httpd.post("/x.mrb", form(part("f", b"x" * 100_000, "f")), headers=TYPE).text == \
            "--B\r\nCo100000 same"

    @pytest.mark.short
    def test_in_a_rack_application(self, httpd):
        folder = serve(httpd, "AddHandler bench-rack .ru", script("x.ru", """
            use Rack::Lint
            run ->(env) do
              up = Rack::Request.new(env).params["f"]
              [200, { "content-type" => "text/plain" }, [up[:filename], up[:tempfile].read,
                Rack::Request.new(env).params["f"][:tempfile].equal?(up[:tempfile]).to_s]]
            end
        """))
        for _ in range(3):
            answer = httpd.post("/x.ru", form(part("f", b"data", "f.txt")), headers=TYPE)
            assert answer.text == "f.txtdatatrue"
        nothing_left(folder)


class TestTemporaryFiles:
    """They end with the request, however it ends."""

    BODY = form(part("f", b"x" * 100_000, "f.bin"), part("g", b"y" * 100_000, "g.bin"))

    @pytest.mark.short
    @pytest.mark.parametrize("how", ["print 'ok'", "raise 'no'", "exit", "halt 403", "response.finish",
                                     "response.internal_redirect('/ok.mrb')",
                                     "print 'part'; response.flush; raise 'no'", "response.not_found",
                                     "request.subrequest('/ok.mrb')", "$kept = request.params"])
    def test_at_the_end_of_the_script(self, httpd, how):
        folder = serve(httpd, script("x.mrb", f"""
            path = request.params["f"][:tempfile].path
            Bench.log.warn "there: #{{File.exist?(path)}}"
            {how}
        """), OK)
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", self.BODY, TYPE)
            connection.response(partial=True)
        until(httpd.idle, "the request to end")
        nothing_left(folder)
        httpd.log.expects("there: true", times=1)
        if "raise" in how:
            httpd.log.expects("BENCH0010", "no", times=1)

    def test_they_are_there_while_a_slow_client_reads(self, httpd):
        folder = serve(httpd, script("x.mrb", """
            response.send_file(request.params["f"][:tempfile].path)
        """), OK)
        data = bytes(range(256)) * 40_000  # 10 MB
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", form(part("f", data, "f.bin")), TYPE)
            answer = connection.response_head()
            answer.add(connection._take(100))
            assert httpd.get("/ok.mrb").body == b"ok"
            connection.rest(answer)
            assert answer.body == data
        until(httpd.idle, "the request to end")
        nothing_left(folder)

    @pytest.mark.short
    def test_a_client_that_goes_away_in_the_middle(self, httpd):
        folder = serve(httpd, script("x.mrb", "request.params; Bench.log.error 'read it all'"), OK)
        body = form(part("f", b"x" * 1_000_000, "f.bin"))
        for cut in (10, 100, 300_000, len(body) - 5):
            with httpd.connect() as connection:
                connection.send("POST", "/x.mrb", headers={**TYPE, "Content-Length": str(len(body))})
                connection.send_bytes(body[:cut])
                if cut == 300_000:
                    until(lambda: any(folder.iterdir()), "the file to be written")
            nothing_left(folder)
        assert httpd.get("/ok.mrb").body == b"ok"

    @pytest.mark.short
    def test_a_malformed_one_leaves_none(self, httpd):
        folder = serve(httpd, script("x.mrb", "request.params; print 'parsed'"), OK)
        whole = self.BODY
        for body in (whole[:-20], whole[:150_000], whole.replace(b"--B--", b"--C--"), b"x" * 100_000):
            assert httpd.post("/x.mrb", body, headers=TYPE).status == 400
            until(httpd.idle, "the request to end")
            nothing_left(folder)
        httpd.log.expects("[bench:info]", "BENCH0017", "x.mrb", times=4)

    def test_a_script_may_move_one_away(self, httpd):
        """What it has moved stays; what it has removed itself is no error."""
        keep = httpd.root / "keep"
        keep.mkdir()
        keep.chmod(0o777)
        folder = serve(httpd, f"BenchSet keep {keep}", script("x.mrb", """
            f = request.params["f"][:tempfile]
            f.close
            File.rename(f.path, Bench.config["keep"] + "/mine")
            File.unlink(request.params["g"][:tempfile].path)
            print "moved"
        """))
        assert httpd.post("/x.mrb", self.BODY, headers=TYPE).text == "moved"
        assert (keep / "mine").read_bytes() == b"x" * 100_000
        nothing_left(folder)

    def test_their_names_and_rights(self, httpd):
        """Nobody else on the machine may read them or guess where they are."""
        folder = serve(httpd, script("x.mrb", "print request.params['f'][:tempfile].path; "
                                              "response.flush; 800.times { print 'x' * 10_000 }"))
        names = set()
        for _ in range(3):
            with httpd.connect() as connection:
                connection.send("POST", "/x.mrb", self.BODY, TYPE)
                answer = connection.response_head()
                connection.first_chunk(answer)
                status = os.stat(answer.text)
                assert status.st_mode & 0o077 == 0
                assert answer.text.startswith(str(folder))
                names.add(answer.text)
                connection.rest(answer)  # the script has been waiting for this reader
        assert len(names) == 3

    def test_a_kept_one_is_closed_and_gone(self, httpd):
        folder = serve(httpd, script("keep.mrb", "$up = request.params['f']; print 'kept'"),
                       script("use.mrb", """
                           begin
                             print $up[:tempfile].read.to_s.bytesize
                           rescue StandardError => e
                             print e.class
                           end
                       """), threads=1, processes=1)
        assert httpd.post("/keep.mrb", self.BODY, headers=TYPE).text == "kept"
        nothing_left(folder)
        assert httpd.get("/use.mrb").status == 200

    @pytest.mark.short
    def test_descriptors_do_not_pile_up(self, httpd):
        serve(httpd, script("x.mrb", "request.params; GC.start; print 'ok'"), threads=1, processes=1)

        def count():
            return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in httpd.children())

        for turn in range(60):
            assert httpd.post("/x.mrb", self.BODY, headers=TYPE).text == "ok"
            until(httpd.idle, "the request to end")
            if turn == 9:
                before = count()
        assert count() <= before + 4

    @pytest.mark.short
    def test_memory_while_a_large_one_comes(self, httpd):
        """32 MB of file: none of it is held."""
        serve(httpd, script("x.mrb", "print request.params['f'][:tempfile].size"), threads=1,
              processes=1)
        httpd.post("/x.mrb", self.BODY, headers=TYPE)
        before, most = httpd.resident_kib(), 0
        size = 32 << 20
        body = form(part("f", b"", "f.bin")).split(b"\r\n--B--")
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", headers={**TYPE, "Content-Length": str(
                size + len(body[0]) + len(b"\r\n--B--") + len(body[1]))})
            connection.send_bytes(body[0])
            for _ in range(32):
                connection.send_bytes(b"x" * (1 << 20))
                most = max(most, httpd.resident_kib())
            connection.send_bytes(b"\r\n--B--" + body[1])
            assert connection.response().text == str(size)
        assert max(most, httpd.resident_kib()) - before < 8 * 1024


class TestLimits:
    """How many files, parts and bytes, by directives."""

    LIMITED = script("x.mrb", """
        begin
          print request.params.size
        rescue Bench::Params::LimitError => e
          print "limit"
        end
    """)

    def ask(self, httpd, *parts, path="/x.mrb"):
        return httpd.post(path, form(*parts), headers=TYPE).text

    @pytest.mark.short
    def test_how_many_files(self, httpd):
        """As in Rack, one less than the number that is named there: 127."""
        folder = serve(httpd, self.LIMITED)
        assert self.ask(httpd, *[part(f"f{n}", b"x", "f") for n in range(127)]) == "127"
        assert self.ask(httpd, *[part(f"f{n}", b"x", "f") for n in range(128)]) == "limit"
        nothing_left(folder)

    def test_bench_upload_limit(self, httpd):
        folder = serve(httpd, "BenchUploadLimit 3", "<Location /more>", "BenchUploadLimit 1000",
                       "</Location>", self.LIMITED, script("more/x.mrb", self.LIMITED.content))
        files = [part(f"f{n}", b"x", "f") for n in range(200)]
        assert self.ask(httpd, *files[:2], part("a", b"1"), part("b", b"2")) == "4"
        assert self.ask(httpd, *files[:4]) == "limit"
        assert self.ask(httpd, *files, path="/more/x.mrb") == "200"
        nothing_left(folder)

    @pytest.mark.short
    def test_how_many_parts(self, httpd):
        serve(httpd, "BenchParamLimit 10", self.LIMITED)
        assert self.ask(httpd, *[part(f"f{n}", b"x") for n in range(9)]) == "9"
        assert self.ask(httpd, *[part(f"f{n}", b"x") for n in range(11)]) == "limit"

    @pytest.mark.short
    def test_how_large_the_fields(self, httpd):
        """16 MB without files, as in Rack; BenchFormSize says otherwise."""
        folder = serve(httpd, self.LIMITED, "<Location /less>", "BenchFormSize 10K", "</Location>",
                       script("less/x.mrb", self.LIMITED.content))
        assert self.ask(httpd, part("a", b"x" * 16_000_000)) == "1"
        assert self.ask(httpd, part("a", b"x" * 17_000_000)) == "limit"
        assert self.ask(httpd, part("a", b"x" * 9_000), path="/less/x.mrb") == "1"
        assert self.ask(httpd, part("a", b"x" * 10_300), path="/less/x.mrb") == "limit"
        assert self.ask(httpd, part("f", b"x" * 100_000, "f"), path="/less/x.mrb") == "1"
        nothing_left(folder)

    def test_how_large_the_heads(self, httpd):
        serve(httpd, script("x.mrb", "print request.params.size"))
        long = part("a", b"1").replace(b"\r\n\r\n", b"\r\nX-Long: " + b"x" * 70_000 + b"\r\n\r\n")
        assert httpd.post("/x.mrb", form(part("a", b"1"), long), headers=TYPE).status == 400
        heads = b"".join(part(f"p{n}", b"").replace(b"\r\n\r\n", b"\r\nX: " + b"x" * 8000 + b"\r\n\r\n")
                         for n in range(2200))
        assert httpd.post("/x.mrb", form(heads), headers=TYPE).status == 400
        httpd.log.expects("BENCH0017", times=2)

    def test_how_deep(self, httpd):
        serve(httpd, "BenchParamDepth 3", self.LIMITED)
        assert self.ask(httpd, part("a[b][c]", b"1")) == "1"
        assert self.ask(httpd, part("a[b][c][d]", b"1")) == "limit"

    @pytest.mark.short
    def test_the_whole_body_is_httpds(self, httpd):
        folder = serve(httpd, "LimitRequestBody 50000", script("x.mrb", "print request.params.size"), OK)
        assert httpd.post("/x.mrb", form(part("f", b"x" * 40_000, "f")), headers=TYPE).text == "1"
        body = form(part("f", b"x" * 60_000, "f"))
        assert httpd.post("/x.mrb", body, headers=TYPE).status == 413
        chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        answer = httpd.post("/x.mrb", chunked, headers={**TYPE, "Transfer-Encoding": "chunked"})
        assert answer.status == 413
        assert httpd.get("/ok.mrb").body == b"ok"
        nothing_left(folder)

    @pytest.mark.parametrize("boundary", ["x" * 1025, "x" * 5000])
    def test_how_long_the_boundary(self, httpd, boundary):
        serve(httpd, script("x.mrb", "print request.params.size"))
        answer = httpd.post("/x.mrb", b"--" + boundary.encode() + b"--\r\n", headers={
            "Content-Type": f"multipart/form-data; boundary={boundary}"})
        assert answer.status == 400
        httpd.log.expects("BENCH0017", "boundary", times=1)

    def test_a_flood_of_parts_leaves_no_memory(self, httpd):
        """A CVE of others: a huge body of parts."""
        serve(httpd, self.LIMITED, OK, threads=1, processes=1)
        body = form(*[part("a", b"", "f") for _ in range(5000)])
        self.ask(httpd, body)
        before = httpd.resident_kib()
        for _ in range(10):
            assert httpd.post("/x.mrb", body, headers=TYPE).text == "limit"
        assert httpd.resident_kib() - before < 4000
        assert httpd.get("/ok.mrb").body == b"ok"


class TestTogether:
    """Uploads of many clients."""

    @pytest.mark.short
    def test_they_do_not_mix(self, httpd):
        folder = serve(httpd, script("x.mrb", "up = request.params['f']; print up[:filename], "
                                              "up[:tempfile].read, request.params['a']"),
                       threads=8, processes=8)

        def client(number):
            data = bytes([65 + number]) * 70_000
            with httpd.connect() as connection:
                for turn in range(6):
                    body = form(part("a", b"%d" % turn), part("f", data, f"{number}.txt"))
                    assert connection.request("POST", "/x.mrb", body, TYPE).body == \
                        b"%d.txt%s%d" % (number, data, turn)

        together(6, client)
        nothing_left(folder)

    @pytest.mark.short
    @pytest.mark.mpms("event", "worker")
    def test_over_http2(self, httpd):
        folder = serve(httpd, "Protocols h2c http/1.1", script("x.mrb", """
            request.env["CONTENT_TYPE"] = "multipart/form-data; boundary=B"
            print Rack::Request.new(request.env).params["f"][:tempfile].read
        """), modules=["http2"])
        with h2.connect(httpd) as client:
            for _ in range(3):
                assert client.post("/x.mrb", form(part("f", b"x" * 50_000, "f"))).body == b"x" * 50_000
        nothing_left(folder)

    def test_over_tls(self, httpd):
        folder = serve(httpd, script("x.mrb", "print request.params['f'][:tempfile].read"), tls=True)
        body = form(part("f", b"x" * 500_000, "f"))
        assert httpd.post("/x.mrb", body, headers=TYPE, tls=True).body == b"x" * 500_000
        nothing_left(folder)
