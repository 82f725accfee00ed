# SPDX-License-Identifier: Apache-2.0
"""Scripts that httpd runs for its own requests, also in the middle of another script."""

import gzip

import pytest
from harness import script

SSI = ["Options +Includes", "AddOutputFilter INCLUDES .shtml .smrb",
       "AddHandler bench-script .smrb"]
INCLUDE = {"modules": ["include"]}


def include(*names):
    return " ".join(f'<!--#include virtual="{name}" -->' for name in names)


class TestIncluded:
    """mod_include runs scripts into a page."""

    @pytest.mark.short
    def test_into_a_static_page(self, httpd):
        httpd.run(*SSI, script("page.shtml", f"<p>{include('/a.mrb', '/b.mrb?q=1')}</p>"),
                  script("a.mrb", "print 'A', request.path"),
                  script("b.mrb", "print 'B', request.query_string"), **INCLUDE)
        for _ in range(3):
            assert httpd.get("/page.shtml").body == b"<p>A/a.mrb Bq=1</p>"

    def test_many_times(self, httpd):
        httpd.run(*SSI, script("page.shtml", include(*["/n.mrb"] * 30)),
                  script("n.mrb", "$n = ($n || 0) + 1; print $n"), processes=1, threads=1,
                  **INCLUDE)
        assert httpd.get("/page.shtml").text == " ".join(str(n) for n in range(1, 31))

    def test_status_and_header_of_an_included_script_are_its_own(self, httpd):
        httpd.run(*SSI, script("page.shtml", include("/a.mrb") + "."),
                  script("a.mrb", "response.headers['X-Inner'] = '1'; response.status = 201; "
                                  "print 'inner'"), **INCLUDE)
        answer = httpd.get("/page.shtml")
        assert (answer.status, answer.body) == (200, b"inner.")

    def test_one_that_fails_leaves_the_page(self, httpd):
        httpd.run(*SSI, script("page.shtml", f"a {include('/raise.mrb')} z"),
                  script("raise.mrb", "print 'part'; raise 'no'"), **INCLUDE)
        answer = httpd.get("/page.shtml")
        assert answer.status == 200
        assert answer.text.startswith("a ") and answer.text.endswith(" z")
        assert "part" not in answer.text
        httpd.log.expects("BENCH0010", "raise.mrb:1: no", times=1)
        if httpd.log.lines("[include:error]"):
            httpd.log.expects("[include:error]", "raise.mrb")

    def test_one_that_reads_a_body_does_not_wait_for_the_next_request(self, httpd):
        httpd.run(*SSI, script("page.shtml", f"[{include('/body.mrb')}]"),
                  script("body.mrb", "print request.body.read.inspect"), **INCLUDE)
        with httpd.connect() as connection:
            for _ in range(3):
                assert connection.get("/page.shtml").body == b'[""]'
            assert connection.request("GET", "/page.shtml", b"body").body == b'[""]'
            assert connection.get("/page.shtml").body == b'[""]'


class TestScriptInScript:
    """A script's output runs other scripts on the same interpreter, before it has ended."""

    @pytest.mark.short
    def test_the_inner_one_runs_in_the_middle(self, httpd):
        """Fault 11 of mod_mruby: a deadlock."""
        httpd.run(*SSI, script("outer.smrb", f"""
            mine = request
            local, @ivar = "local", "ivar"
            print 'before {include("/inner.mrb")} '
            response.flush
            print mine.path, request.path, local, @ivar, response.status, Bench.request.path
            print ' {include("/inner.mrb?2")}'
        """), script("inner.mrb", """
            print "<", request.path, request.query_string, @ivar.inspect, response.status, ">"
            @ivar = "inner"
            response.status = 404
        """), **INCLUDE)
        expected = ("before </inner.mrbnil200> /outer.smrb/outer.smrblocalivar200/outer.smrb "
                    "</inner.mrb2nil200>")
        with httpd.connect() as connection:
            for _ in range(3):
                answer = connection.get("/outer.smrb")
                assert (answer.status, answer.text) == (200, expected)

    def test_three_deep_and_large(self, httpd):
        httpd.run(*SSI,
                  script("1.smrb", f"print '1' * 50_000, '{include('/2.smrb')}', '1' * 50_000"),
                  script("2.smrb", f"print '2' * 50_000, '{include('/3.mrb')}', '2' * 50_000"),
                  script("3.mrb", "print '3' * 50_000"), script("ok.mrb", "print 'ok'"), **INCLUDE)
        for _ in range(3):
            answer = httpd.get("/1.smrb")
            assert answer.body == (b"1" * 50_000 + b"2" * 50_000 + b"3" * 50_000 + b"2" * 50_000
                                   + b"1" * 50_000)
        assert httpd.get("/ok.mrb").body == b"ok"

    def test_a_script_that_includes_itself_comes_to_an_end(self, httpd):
        httpd.run(*SSI, "LimitInternalRecursion 10 8", script("x.smrb", f"""
            print 'x{include("/x.smrb?more")}'
        """), script("ok.mrb", "print 'ok'"), **INCLUDE)
        httpd.get("/x.smrb")
        assert httpd.get("/ok.mrb").body == b"ok"
        httpd.log.expects("AH00125", times=1)
        httpd.log.expects("[include:error]", "x.smrb")

    @pytest.mark.parametrize("inner, text", [
        pytest.param("raise 'inner'", "", marks=pytest.mark.short),
        ("exit", ""), ("print 'i'; exit", "i"), ("abort", ""),
        ("def m(n); m(n + 1); end; m(0)", ""), ("1 +", "")])
    def test_how_the_inner_one_ends_is_its_own_affair(self, httpd, inner, text):
        httpd.run(*SSI, script("outer.smrb", f"""
            begin
              print 'a{include("/inner.mrb")}b'
              response.flush
              print "c"
            rescue StandardError => e
              print "leaked " + e.message
            end
        """), script("inner.mrb", inner), script("ok.mrb", "print 'ok'"), **INCLUDE)
        for _ in range(2):
            answer = httpd.get("/outer.smrb")
            assert answer.status == 200
            body = answer.text.replace("[an error occurred while processing this directive]", "")
            assert body == f"a{text}bc"
        assert httpd.get("/ok.mrb").body == b"ok"
        for number in ("BENCH0010", "BENCH0011"):
            if httpd.log.lines(number):
                httpd.log.expects(number, "inner.mrb", times=2)
        if httpd.log.lines("[include:error]"):
            httpd.log.expects("[include:error]", "inner.mrb")

    def test_handles_of_the_inner_one_are_stale_in_the_outer_one(self, httpd):
        httpd.run(*SSI, script("outer.smrb", f"""
            print '{include("/inner.mrb")}.'  # it is run when something follows it
            response.flush
            begin
              print $inner.path
            rescue Bench::StaleError
              print " stale"
            end
            print request.path
        """), script("inner.mrb", "$inner = request; print 'kept'"), **INCLUDE)
        assert httpd.get("/outer.smrb").text == "kept. stale/outer.smrb"

    def test_each_in_a_group_of_its_own(self, httpd):
        httpd.run(*SSI, "<Location /inner.mrb>", "BenchGroup inner", "BenchIsolation request",
                  "</Location>", script("outer.smrb", f"""
            $here = "outer"
            print '{include("/inner.mrb")}.'
            response.flush
            print $here
        """), script("inner.mrb", "print $here.inspect, Bench.interpreter[:group]; $here = 1"),
            **INCLUDE)
        for _ in range(3):
            assert httpd.get("/outer.smrb").text == "nilinner.outer"

    def test_the_last_allowed_run_of_an_interpreter(self, httpd):
        httpd.run(*SSI, "BenchMaxRequests 1", script("outer.smrb", f"""
            $mine = "still here"
            print '{include("/inner.mrb", "/inner.mrb")} '
            response.flush
            print $mine
        """), script("inner.mrb", "print 'i'"), **INCLUDE)
        for _ in range(3):
            assert httpd.get("/outer.smrb").text == "i i still here"

    def test_a_library_that_changes_in_the_middle(self, httpd):
        httpd.run(*SSI, "BenchLoadPath lib", script("outer.smrb", f"""
            require "v"
            print V, '{include("/inner.mrb")}.'
            response.flush
            request.body.read
            print '{include("/inner.mrb")}', V
        """), script("inner.mrb", "require 'v'; print V"), script("../lib/v.rb", "V = 'old'"),
            **INCLUDE)
        with httpd.connect() as connection:
            connection.send("POST", "/outer.smrb", headers={"Content-Length": "1"})
            answer = connection.response_head()
            connection.first_chunk(answer)
            httpd.add(script("../lib/v.rb", "V = 'newer'"))
            connection.send_bytes(b".")
            connection.rest(answer)
        assert answer.text == "oldold.oldold"
        assert httpd.post("/outer.smrb", b".").text == "newernewer.newernewer"


class TestRedirectedInside:
    """Internal redirects end in a script."""

    def test_a_directory_index(self, httpd):
        httpd.run("DirectoryIndex index.mrb",
                  script("index.mrb", "print 'index of ', request.path"),
                  script("sub/index.mrb", "print 'sub ', request.query_string"))
        assert httpd.get("/").text == "index of /index.mrb"
        assert httpd.get("/sub/?a=1").text == "sub a=1"
        assert httpd.get("/sub").status == 301

    def test_a_directory_index_with_a_body(self, httpd):
        httpd.run("DirectoryIndex index.mrb", script("index.mrb", "print request.body.read"))
        with httpd.connect() as connection:
            for _ in range(3):
                assert connection.request("POST", "/", b"to the index").body == b"to the index"

    def test_a_fallback(self, httpd):
        httpd.run("FallbackResource /app.mrb", script("app.mrb", "print 'app'"),
                  script("a.txt", "static"))
        assert httpd.get("/any/thing").body == b"app"
        assert httpd.get("/a.txt").body == b"static"

    @pytest.mark.short
    def test_an_error_document(self, httpd):
        httpd.run("ErrorDocument 404 /missing.mrb", "ErrorDocument 500 /failed.mrb",
                  script("missing.mrb", "print 'nothing here: ', request.request_method"),
                  script("failed.mrb", "print 'sorry'"), script("raise.mrb", "raise 'no'"))
        for method in ("GET", "POST"):
            answer = httpd.request(method, "/nowhere.html", b"body" if method == "POST" else None)
            assert answer.status == 404
            assert answer.body.startswith(b"nothing here")
        answer = httpd.get("/raise.mrb")
        assert (answer.status, answer.body) == (500, b"sorry")
        assert httpd.get("/nowhere.mrb").body.startswith(b"nothing here")
        httpd.log.expects("BENCH0010", "raise.mrb", times=1)

    def test_an_error_document_that_fails_itself(self, httpd):
        httpd.run("ErrorDocument 404 /worse.mrb", "ErrorDocument 500 /worse.mrb",
                  script("worse.mrb", "raise 'worse'"), script("ok.mrb", "print 'ok'"))
        assert httpd.get("/nowhere.html").status == 404
        assert httpd.get("/worse.mrb").status == 500
        assert httpd.get("/ok.mrb").body == b"ok"
        httpd.log.expects("BENCH0010", "worse")


class TestFilters:
    """The output goes through httpd's filters like any other."""

    @pytest.mark.short
    def test_compression(self, httpd):
        httpd.run("SetOutputFilter DEFLATE", script("x.mrb", "print 'x' * 10; response.flush; "
                                                             "print 'y' * 100_000"),
                  script("small.mrb", "print 'small' * 100"), modules=["deflate", "filter"])
        for name, body in (("x", b"x" * 10 + b"y" * 100_000), ("small", b"small" * 100)):
            answer = httpd.get(f"/{name}.mrb", headers={"Accept-Encoding": "gzip"})
            assert answer.headers["Content-Encoding"] == "gzip"
            assert gzip.decompress(answer.body) == body
        assert httpd.get("/small.mrb").body == b"small" * 100

    def test_substitution(self, httpd):
        httpd.run("AddOutputFilter SUBSTITUTE .mrb", 'Substitute "s/old/new/n"',
                  script("x.mrb", "1000.times { print 'old and ' }"), modules=["substitute"])
        assert httpd.get("/x.mrb").body == b"new and " * 1000

    def test_a_compressed_request_body(self, httpd):
        httpd.run("SetInputFilter DEFLATE", script("x.mrb", "print request.body.read"),
                  modules=["deflate", "filter"])
        text = "".join(f"{number} squeezed " for number in range(5000)).encode()
        answer = httpd.post("/x.mrb", gzip.compress(text), headers={"Content-Encoding": "gzip"})
        assert answer.body == text
