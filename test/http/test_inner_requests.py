# SPDX-License-Identifier: Apache-2.0
"""request.subrequest and response.internal_redirect: scripts that ask httpd, and hand over to it."""

import gzip

import pytest
from harness import Truncated, h2, script, together, until

OK = script("ok.mrb", "print 'ok'")
SHOW = """
    r = request.subrequest(request.query_string)
    puts r.status, r.content_type.inspect, r.body.bytesize, r.body
"""
ASK = script("ask.mrb", SHOW)


class TestSubrequest:
    """status, headers and body of what this server would answer to another URL."""

    @pytest.mark.short
    def test_of_a_static_file(self, httpd):
        httpd.run(ASK, script("a.txt", "static"), script("big.txt", "0123456789" * 30_000),
                  script("empty.txt"), script("nul.bin", b"\0a\0b"))
        with httpd.connect() as connection:
            assert connection.get("/ask.mrb?/a.txt").text == '200\n"text/plain"\n6\nstatic\n'
            assert connection.get("/ask.mrb?/big.txt").text == \
                '200\n"text/plain"\n300000\n' + "0123456789" * 30_000 + "\n"
            assert connection.get("/ask.mrb?/empty.txt").text == '200\n"text/plain"\n0\n\n'
            assert connection.get("/ask.mrb?/nul.bin").body == b"200\nnil\n4\n\0a\0b\n"

    @pytest.mark.short
    def test_of_another_script(self, httpd):
        """Fault 11 of mod_mruby: a subrequest to another script deadlocked."""
        httpd.run(script("x.mrb", """
            r = request.subrequest("/in.mrb?a=1")
            p r.status, r.ok?, r.headers["X-Inner"], r.headers["Set-Cookie"], r.content_type
            print r.body, r.to_s == r.body
        """), script("in.mrb", """
            response.status = 201
            response["X-Inner"] = request.query_string
            response.set_cookie("a", "1")
            response.set_cookie("b", "2")
            response.content_type = "text/inner"
            print request.path, request.request_method, request.params["a"]
        """))
        for _ in range(3):
            answer = httpd.post("/x.mrb", b"outer body")
            assert answer.text == \
                '201\nfalse\n"a=1"\n"a=1, b=2"\n"text/inner"\n/in.mrbGET1true'
            assert answer.status == 200
            assert "X-Inner" not in answer.headers and "Set-Cookie" not in answer.headers
            assert answer.headers["Content-Type"] == "text/html; charset=utf-8"

    @pytest.mark.short
    def test_a_long_answer_of_another_script(self, httpd):
        """Fault 11 of mod_mruby: 20,000 bytes with a filter on top of them deadlocked."""
        httpd.run(ASK, script("long.mrb", "200.times { print 'x' * 1000 }"),
                  script("flush.mrb", "5.times { print 'abc'; response.flush }"))
        assert httpd.get("/ask.mrb?/long.mrb").text.endswith("\n200000\n" + "x" * 200_000 + "\n")
        assert httpd.get("/ask.mrb?/flush.mrb").text.endswith("\n15\n" + "abc" * 5 + "\n")

    def test_methods(self, httpd):
        httpd.run(script("x.mrb", """
            %w[GET HEAD POST PUT DELETE OPTIONS BREW post].each do |method|
              r = request.subrequest("/in.mrb", method)
              puts "#{r.status} #{r.headers["X-Method"]} #{r.body}"
            end
            puts request.subrequest("/in.mrb", :put).body
        """), script("in.mrb", "response['X-Method'] = request.request_method; "
                               "print request.request_method, request.body.read"))
        assert httpd.get("/x.mrb").text == (
            "200 GET GET\n200 HEAD \n200 POST POST\n200 PUT PUT\n200 DELETE DELETE\n"
            "200 OPTIONS OPTIONS\n200 BREW BREW\n200 POST POST\nPUT\n")

    @pytest.mark.short
    def test_of_what_is_not_to_be_had(self, httpd):
        httpd.run("<Location /secret.txt>", "Require all denied", "</Location>",
                  script("x.mrb", """
                      %w[/none.txt /none.mrb /secret.txt /dir].each do |uri|
                        r = request.subrequest(uri)
                        puts "#{uri} #{r.status} #{r.ok?} #{r.body.include?("secret")}"
                      end
                  """), script("secret.txt", "secret"), script("dir/x.txt"))
        assert httpd.get("/x.mrb").text == (
            "/none.txt 404 false false\n/none.mrb 404 false false\n/secret.txt 403 false false\n"
            "/dir 301 false false\n")
        httpd.log.expects("AH01630", "secret.txt", times=1)

    @pytest.mark.short
    def test_of_a_script_that_fails(self, httpd):
        httpd.run(script("x.mrb", """
            %w[/raise.mrb /syntax.mrb /late.mrb /exit.mrb /halt.mrb /limit.mrb].each do |uri|
              r = request.subrequest(uri)
              puts "#{uri} #{r.status} #{r.body.include?("part") ? "part" : ""}"
            end
            puts "still here", request.path, response.status
        """), script("raise.mrb", "print 'part'; raise 'no'"), script("syntax.mrb", "if"),
            script("late.mrb", "print 'part'; response.flush; raise 'no'"),
            script("exit.mrb", "print 'part'; exit 1"), script("halt.mrb", "halt 403, {}, 'part'"),
            script("limit.mrb", "halt 99"), OK)
        with httpd.connect() as connection:
            for _ in range(2):
                answer = connection.get("/x.mrb")
                assert answer.status == 200 and "still here\n/x.mrb\n200\n" in answer.text
                lines = answer.text.split("\n")
                assert lines[:2] == ["/raise.mrb 500 ", "/syntax.mrb 500 "]
                assert lines[2].startswith("/late.mrb 50")
                assert lines[3:6] == ["/exit.mrb 200 part", "/halt.mrb 403 part", "/limit.mrb 500 "]
        assert httpd.get("/ok.mrb").body == b"ok"
        httpd.log.expects("BENCH0010", "raise.mrb", times=2)
        httpd.log.expects("BENCH0010", "late.mrb", times=2)
        httpd.log.expects("BENCH0010", "limit.mrb", times=2)
        httpd.log.expects("BENCH0011", "syntax.mrb", times=2)

    @pytest.mark.short
    def test_nested(self, httpd):
        httpd.run(script("n.mrb", """
            n = request.query_string.to_i
            mine = "local #{n}"
            request.notes["n"] = n.to_s
            response["X-N"] = n.to_s
            inner = n > 0 ? request.subrequest("/n.mrb?#{n - 1}") : nil
            print "(", n, request.query_string, inner ? inner.headers["X-N"] + inner.body : "", mine,
                  request.notes["n"], response["X-N"], ")"
        """))
        text = "(00local 000)"
        for n in range(1, 9):
            text = f"({n}{n}{n - 1}{text}local {n}{n}{n})"
        for _ in range(3):
            assert httpd.get("/n.mrb?8").text == text

    def test_nested_without_end(self, httpd):
        """httpd limits how deep it goes; the script at the bottom gets an answer that says so."""
        httpd.run(script("n.mrb", "r = request.subrequest('/n.mrb'); print r.status, ' ', r.body[0, 60]"),
                  OK)
        answer = httpd.get("/n.mrb")
        assert answer.status == 200 and "500" in answer.text
        assert httpd.get("/ok.mrb").body == b"ok"
        httpd.log.expects("AH00", "subrequest")

    def test_many_one_after_the_other(self, httpd):
        """The inner request's memory ends with it."""
        httpd.run(script("x.mrb", """
            n = 0
            300.times { n += request.subrequest("/big.mrb").body.bytesize; GC.start }
            print n
        """), script("big.mrb", "print 'x' * 100_000"), threads=1, processes=1)
        assert httpd.get("/x.mrb").text == "30000000"
        before = httpd.resident_kib()
        assert httpd.get("/x.mrb").text == "30000000"
        assert httpd.resident_kib() - before < 8000

    def test_a_file_of_many_megabytes(self, httpd):
        httpd.run(script("x.mrb", "r = request.subrequest('/big.txt'); print r.body.bytesize, "
                                  "r.body[0, 5], r.body[-5, 5]"),
                  script("big.txt", b"begin" + b"x" * 5_000_000 + b"enddd"))
        assert httpd.get("/x.mrb").text == "5000010beginenddd"

    @pytest.mark.short
    def test_what_cannot_be_asked(self, httpd):
        httpd.run(script("x.mrb", """
            ["x", "", "http://x.test/", "../x", "/a\\nb", "/a\\0b", "*", nil, 5, :x].each do |uri|
              begin
                request.subrequest(uri)
                print "asked "
              rescue ArgumentError, TypeError => e
                print e.class, " "
              end
            end
            begin
              request.subrequest("/ok.mrb", "GE\\nT")
              print "asked"
            rescue ArgumentError => e
              print e.class
            end
        """), OK)
        assert httpd.get("/x.mrb").text.split() == ["ArgumentError"] * 11

    def test_filters_of_the_outer_request(self, httpd):
        """What is caught is not compressed; what is sent is."""
        httpd.run("SetOutputFilter DEFLATE", script("x.mrb", "print request.subrequest('/a.txt').body, "
                                                             "request.subrequest('/in.mrb').body"),
                  script("a.txt", "static " * 1000), script("in.mrb", "print 'inner' * 1000"),
                  modules=["deflate", "filter"])
        answer = httpd.get("/x.mrb", headers={"Accept-Encoding": "gzip"})
        assert gzip.decompress(answer.body) == b"static " * 1000 + b"inner" * 1000

    @pytest.mark.short
    def test_in_the_middle_of_streaming(self, httpd):
        httpd.run(script("x.mrb", """
            3.times do |i|
              print i
              response.flush
              print request.subrequest("/in.mrb?#{i}").body
              print "x" * 9000
            end
        """), script("in.mrb", "response['X-In'] = '1'; print '<', request.query_string, '>'"))
        answer = httpd.get("/x.mrb")
        assert answer.text == "".join(f"{i}<{i}>" + "x" * 9000 for i in range(3))
        assert "X-In" not in answer.headers

    def test_of_one_that_redirects_inside(self, httpd):
        httpd.run(script("x.mrb", "r = request.subrequest('/go.mrb'); print r.status, r.body"),
                  script("go.mrb", "print 'dropped'; response.internal_redirect('/ok.mrb')"), OK)
        assert httpd.get("/x.mrb").text == "200ok"

    def test_error_documents_are_for_clients(self, httpd):
        """A script gets the status; an index is served as ever."""
        httpd.run("ErrorDocument 404 /page.mrb", "DirectoryIndex index.mrb", ASK,
                  script("page.mrb", "print 'the page'"), script("dir/index.mrb", "print 'index'"),
                  script("own.mrb", "response.status = 404; response.error_document!"))
        for uri in ("/none.txt", "/own.mrb"):
            text = httpd.get(f"/ask.mrb?{uri}").text
            assert text.startswith("404\n") and text.endswith("\n0\n\n")
        assert httpd.get("/ask.mrb?/dir/").text == '200\n"text/html; charset=utf-8"\n5\nindex\n'

    def test_in_its_own_group(self, httpd):
        httpd.run("<Location /in.mrb>", "BenchGroup inner", "</Location>",
                  "<Location /fresh.mrb>", "BenchIsolation request", "</Location>",
                  script("x.mrb", "$mine = 'outer'; print request.subrequest('/in.mrb').body, "
                                  "request.subrequest('/fresh.mrb').body, $mine"),
                  script("in.mrb", "print $mine.inspect, Bench.interpreter[:group]"),
                  script("fresh.mrb", "print $mine.inspect"))
        for _ in range(3):
            assert httpd.get("/x.mrb").text == "nilinnernilouter"

    @pytest.mark.short
    def test_objects_of_the_inner_one_are_stale(self, httpd):
        httpd.run(script("x.mrb", """
            request.subrequest("/in.mrb")
            begin
              $inner.path
            rescue Bench::StaleError
              print "stale "
            end
            begin
              $env["PATH_INFO"]
            rescue Bench::StaleError
              print "stale "
            end
            print request.path
        """), script("in.mrb", "$inner = request; $env = request.env; print 'x'"),
            threads=1, processes=1)
        assert httpd.get("/x.mrb").text == "stale stale /x.mrb"

    def test_a_client_that_has_gone(self, httpd):
        """The inner script's output is caught; the outer one notices at its own."""
        httpd.run(script("x.mrb", """
            begin
              response.flush
              loop { print request.subrequest("/in.mrb").body }
            ensure
              Bench.log.warn "ensured"
            end
        """), script("in.mrb", "print 'x' * 20_000"), OK)
        with httpd.connect() as connection:
            connection.send("GET", "/x.mrb")
            connection.response_head()
        httpd.log.expects("ensured", times=1)
        assert httpd.get("/ok.mrb").body == b"ok"

    @pytest.mark.short
    def test_many_at_the_same_time(self, httpd):
        httpd.run(script("x.mrb", "q = request.query_string; r = request.subrequest('/in.mrb?' + q); "
                                  "print r.body, '|', request.query_string, '|', r.headers['X-Q']"),
                  script("in.mrb", "sleep 0.001 * rand(10); response['X-Q'] = request.query_string; "
                                   "print request.query_string"), threads=8, processes=8)

        def client(number):
            with httpd.connect() as connection:
                for turn in range(10):
                    token = f"{number}-{turn}"
                    assert connection.get(f"/x.mrb?{token}").text == f"{token}|{token}|{token}"

        together(6, client)

    @pytest.mark.short
    @pytest.mark.mpms("event", "worker")
    def test_over_http2(self, httpd):
        httpd.run("Protocols h2c http/1.1", script("x.mrb", "r = request.subrequest('/in.mrb?1'); "
                                                            "print r.status, r.body"),
                  script("in.mrb", "print 'inner' * 5000"), ASK, script("a.txt", "static"),
                  modules=["http2"])
        with h2.connect(httpd) as client:
            for answer in client.fetch([("GET", "/x.mrb", None)] * 4):
                assert answer.text == "200" + "inner" * 5000
            assert client.get("/ask.mrb?/a.txt").text.endswith("static\n")


class TestInternalRedirect:
    """The script ends, and httpd serves another path of this server in its place."""

    @pytest.mark.short
    def test_to_a_file_and_to_a_script(self, httpd):
        httpd.run(script("file.mrb", "print 'dropped'; response.internal_redirect('/a.txt'); print 'x'"),
                  script("script.mrb", "response['X-First'] = '1'; "
                                       "response.internal_redirect('/in.mrb?b=2'); print 'x'"),
                  script("in.mrb", "print request.path, '?', request.query_string, ' ', "
                                   "request.request_method, request.env['REDIRECT_URL'].to_s"),
                  script("a.txt", "static"))
        with httpd.connect() as connection:
            for _ in range(3):
                answer = connection.get("/file.mrb")
                assert (answer.status, answer.text) == (200, "static")
                assert answer.headers["Content-Type"] == "text/plain"
                assert connection.get("/script.mrb?a=1").text.startswith("/in.mrb?b=2 GET")
                assert connection.request("POST", "/script.mrb", b"x").text.startswith(
                    "/in.mrb?b=2 ")

    @pytest.mark.short
    def test_to_what_is_not_there(self, httpd):
        httpd.run("ErrorDocument 404 'not here'", OK, *[
            script(f"{name}.mrb", f"response.internal_redirect('{uri}')")
            for name, uri in (("a", "/none.txt"), ("b", "/none.mrb"))])
        for name in "ab":
            answer = httpd.get(f"/{name}.mrb")
            assert (answer.status, answer.text) == (404, "not here")
        assert httpd.get("/ok.mrb").body == b"ok"

    def test_to_itself_without_end(self, httpd):
        httpd.run(script("x.mrb", "response.internal_redirect('/x.mrb')"), OK)
        assert httpd.get("/x.mrb").status == 500
        assert httpd.get("/ok.mrb").body == b"ok"
        httpd.log.expects("AH00124", times=1)

    @pytest.mark.short
    def test_to_one_that_fails(self, httpd):
        httpd.run(script("x.mrb", "response.internal_redirect('/raise.mrb')"),
                  script("raise.mrb", "print 'part'; raise 'no'"))
        answer = httpd.get("/x.mrb")
        assert answer.status == 500 and "part" not in answer.text
        httpd.log.expects("BENCH0010", "raise.mrb:1: no", times=1)

    def test_ensure_runs_before_it(self, httpd):
        httpd.run(script("x.mrb", """
            begin
              response.internal_redirect("/in.mrb")
            rescue StandardError
              Bench.log.warn "rescued"
            ensure
              $ensured = "ensured"
            end
        """), script("in.mrb", "print $ensured"), threads=1, processes=1)
        assert httpd.get("/x.mrb").text == "ensured"

    @pytest.mark.short
    def test_where_it_cannot_go(self, httpd):
        httpd.run(script("x.mrb", """
            ["x", "", "http://x.test/", "/a\\nb", "/a\\0b", nil, 5].each do |uri|
              begin
                response.internal_redirect(uri)
                print "went "
              rescue ArgumentError, TypeError => e
                print e.class, " "
              end
            end
            print "x" * 10_000
            response.flush
            begin
              response.internal_redirect("/ok.mrb")
            rescue Bench::Error => e
              print e.message
            end
        """), OK)
        answer = httpd.get("/x.mrb")
        assert answer.text == ("ArgumentError " * 5 + "TypeError " * 2 + "x" * 10_000
                               + "too late: the response is on its way")

    def test_access_control_applies(self, httpd):
        httpd.run("<Location /secret.txt>", "Require all denied", "</Location>",
                  script("x.mrb", "response.internal_redirect('/secret.txt')"),
                  script("secret.txt", "secret"))
        answer = httpd.get("/x.mrb")
        assert answer.status == 403 and "secret" not in answer.text.replace("/secret.txt", "")
        httpd.log.expects("AH01630", times=1)

    def test_head(self, httpd):
        httpd.run(script("x.mrb", "response.internal_redirect('/a.txt')"), script("a.txt", "static"), OK)
        with httpd.connect() as connection:
            answer = connection.request("HEAD", "/x.mrb")
            assert (answer.status, answer.headers["Content-Length"], answer.body) == (200, "6", b"")
            assert connection.get("/ok.mrb").body == b"ok"

    @pytest.mark.short
    def test_globals_and_objects_of_the_first_one(self, httpd):
        httpd.run(script("x.mrb", "$first = request; response.internal_redirect('/in.mrb')"),
                  script("in.mrb", """
                      begin
                        $first.path
                      rescue Bench::StaleError
                        print "stale"
                      end
                  """), threads=1, processes=1)
        assert httpd.get("/x.mrb").text == "stale"

    def test_many_at_the_same_time(self, httpd):
        httpd.run(script("x.mrb", "response.internal_redirect('/in.mrb?' + request.query_string)"),
                  script("in.mrb", "sleep 0.001 * rand(10); print request.query_string, "
                                   "request.body.read"), threads=8, processes=8)

        def client(number):
            with httpd.connect() as connection:
                for turn in range(10):
                    token = f"{number}-{turn}"
                    assert connection.request("POST", f"/x.mrb?{token}", token.encode()).text == \
                        token * 2

        together(6, client)

    def test_a_client_that_goes_away(self, httpd):
        httpd.run(script("x.mrb", "response.internal_redirect('/in.mrb')"),
                  script("in.mrb", "response.flush; begin; loop { print 'x' * 10_000 }; ensure; "
                                   "Bench.log.warn 'ensured'; end"), OK)
        with httpd.connect() as connection:
            connection.send("GET", "/x.mrb")
            connection.response_head()
        httpd.log.expects("ensured", times=1)
        until(httpd.idle, "the request to end")
        assert httpd.get("/ok.mrb").body == b"ok"

    def test_one_that_is_cut_in_the_middle(self, httpd):
        httpd.run(script("x.mrb", "response.internal_redirect('/in.mrb')"),
                  script("in.mrb", "print 'part'; response.flush; raise 'no'"))
        with pytest.raises(Truncated):
            httpd.get("/x.mrb")
        httpd.log.expects("BENCH0010", "in.mrb:1: no", times=1)
