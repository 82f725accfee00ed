# SPDX-License-Identifier: Apache-2.0
"""What response can do beyond status and headers: cookies, redirects, conditions, lengths, halt."""

import pytest
from harness import Truncated, script

OK = script("ok.mrb", "print 'ok'")


def ruby(value):
    """A value as the source of a script has it; the conventions are those of test/rack/cruby.rb."""
    if isinstance(value, dict):
        return "{ " + ", ".join(
            f"{name}: " + (f"Time.at({one})" if name == "expires" and one is not None else ruby(one))
            for name, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(ruby(one) for one in value) + "]"
    if isinstance(value, str):
        if value.startswith(":"):
            return value
        return '"' + "".join(f"\\x{byte:02x}" for byte in value.encode("latin-1")) + '"'
    return {None: "nil", True: "true", False: "false"}.get(value) or str(value)


COOKIES = {
    "plain": [["set_cookie", "a", "1"]],
    "several": [["set_cookie", "a", "1"], ["set_cookie", "b", "2"], ["set_cookie", "a", "3"]],
    "escaped": [["set_cookie", "a b;\xe4", "x y;z=\"\xe4\xff\n%+/"]],
    "empty": [["set_cookie", "a", ""], ["set_cookie", "", "x"]],
    "nil": [["set_cookie", "a", None]],
    "a symbol, a number": [["set_cookie", ":sym", 5]],
    "array": [["set_cookie", "a", ["1", "2&3", ""]]],
    "value only": [["set_cookie", "a", {"value": "1"}]],
    "values": [["set_cookie", "a", {"value": ["x", "y"], "path": "/"}]],
    "path and domain": [["set_cookie", "a", {"value": "1", "path": "/p", "domain": "x.test"}]],
    "max age": [["set_cookie", "a", {"value": "1", "max_age": "60"}]],
    "max age as a number": [["set_cookie", "a", {"value": "1", "max_age": 60}]],
    "expires": [["set_cookie", "a", {"value": "1", "expires": 1700000000}]],
    "expires never": [["set_cookie", "a", {"value": "1", "expires": None}]],
    "secure": [["set_cookie", "a", {"value": "1", "secure": True, "httponly": True}]],
    "http_only": [["set_cookie", "a", {"value": "1", "http_only": True}]],
    "not http only": [["set_cookie", "a", {"value": "1", "httponly": False, "http_only": True}]],
    "not secure": [["set_cookie", "a", {"value": "1", "secure": False}]],
    "same site lax": [["set_cookie", "a", {"value": "1", "same_site": ":lax"}]],
    "same site Lax": [["set_cookie", "a", {"value": "1", "same_site": "Lax"}]],
    "same site None": [["set_cookie", "a", {"value": "1", "same_site": ":none", "secure": True}]],
    "same site true": [["set_cookie", "a", {"value": "1", "same_site": True}]],
    "same site false": [["set_cookie", "a", {"value": "1", "same_site": False}]],
    "all": [["set_cookie", "a", {"value": "1", "domain": ".x.test", "path": "/", "max_age": "1",
                                 "expires": 0, "secure": True, "httponly": True,
                                 "same_site": ":strict"}]],
    "delete": [["delete_cookie", "a"]],
    "delete with a path": [["delete_cookie", "a", {"path": "/p", "domain": "x.test"}]],
    "set, then delete": [["set_cookie", "a", "1"], ["set_cookie", "b", "2"], ["delete_cookie", "a"]],
    "set with a path, then delete": [
        ["set_cookie", "a", {"value": "1", "path": "/x"}], ["set_cookie", "a", {"value": "2", "path": "/y"}],
        ["delete_cookie", "a", {"path": "/x"}]],
    "delete, then set": [["delete_cookie", "a"], ["set_cookie", "a", "1"]],
    "delete and its value": [["delete_cookie", "a", {"value": "gone"}]],
}


class TestCookies:
    """set_cookie and delete_cookie, as Rack::Response has them; several are several headers."""

    @pytest.mark.short
    @pytest.mark.parametrize("kind", ["response", "Rack::Response.new"])
    def test_as_rack_does(self, httpd, rack, kind):
        httpd.run("AddHandler bench-rack .ru", "MaxKeepAliveRequests 0", *[
            self.write(kind, number, calls) for number, calls in enumerate(COOKIES.values())])
        differences = []
        for number, (name, calls) in enumerate(COOKIES.items()):
            wanted = rack.ask({"ask": "response", "calls": calls})
            answer = httpd.get(f"/{number}.{'mrb' if kind == 'response' else 'ru'}")
            lines = "\n".join(answer.headers.all("Set-Cookie"))
            mine = f'"Set-Cookie: {lines}"'.replace("\n", "\\x0a") if answer.status == 200 else "500"
            if mine != wanted:
                differences.append(f"{name}: {calls}\n  ours {mine}\n  rack {wanted}")
        assert not differences, "\n".join(differences)

    def write(self, kind, number, calls):
        text = f"r = {kind}\n" + "".join(
            f"r.{name}({', '.join(ruby(one) for one in arguments)})\n" for name, *arguments in calls)
        if kind == "response":
            return script(f"{number}.mrb", text)
        return script(f"{number}.ru", f"run ->(env) {{\n{text}r.finish }}")

    @pytest.mark.parametrize("value", ["'sometimes'", ":x", "5", "'lax '"])
    def test_same_site_that_is_none(self, httpd, value):
        httpd.run(script("x.mrb", f"""
            begin
              response.set_cookie("a", value: "1", same_site: {value})
              print "taken"
            rescue ArgumentError
              print "refused"
            end
        """))
        answer = httpd.get("/x.mrb")
        assert (answer.text, "Set-Cookie" in answer.headers) == ("refused", False)

    @pytest.mark.short
    @pytest.mark.parametrize("attribute", ["path", "domain", "max_age", "expires"])
    def test_nothing_gets_in_by_an_attribute(self, httpd, attribute):
        httpd.run(script("x.mrb", f"""
            ["/\\r\\nX-Evil: 1", "/\\nX-Evil: 1", "/\\0"].each do |bad|
              begin
                response.set_cookie("a", value: "1", {attribute}: bad)
                print "taken "
              rescue ArgumentError
                print "refused "
              end
            end
        """))
        answer = httpd.get("/x.mrb")
        assert answer.text == "refused " * 3
        assert "X-Evil" not in answer.headers and "Set-Cookie" not in answer.headers

    def test_there_and_back(self, httpd):
        httpd.run(script("set.mrb", "response.set_cookie('name \u00e4', \"v;l e\\n,\\\"\")"),
                  script("get.mrb", "p request.cookies"))
        cookie = httpd.get("/set.mrb").headers["Set-Cookie"].split(";")[0]
        answer = httpd.get("/get.mrb", headers={"Cookie": cookie})
        assert answer.text == '{"name+%C3%A4"=>"v;l e\\n,\\""}\n'

    def test_another_cookie_of_httpds_stays(self, httpd):
        httpd.run('Header add Set-Cookie "conf=1"', script("x.mrb", "response.set_cookie('a', '1')"),
                  modules=["headers"])
        assert sorted(httpd.get("/x.mrb").headers.all("Set-Cookie")) == ["a=1", "conf=1"]


class TestHeaders:
    """By the names of Rack::Response."""

    @pytest.mark.short
    def test_all_ways_to_read_and_write(self, httpd):
        httpd.run(script("x.mrb", """
            r = response
            r["X-A"] = "1"
            r.set_header("X-B", "2")
            r.add_header("X-C", "3")
            r.add_header("x-c", "4")
            r.add_header("X-D", nil)
            r.headers.add("X-E", "5")
            r.headers.add("X-E", "6")
            r.headers["X-F"] = "7"
            r.headers.merge!("X-G" => "8", "X-H" => 9)
            p r["x-a"], r.get_header("X-B"), r["X-C"], r.headers.get_all("X-C"), r["X-D"]
            p r.has_header?("x-b"), r.has_header?("X-None"), r.headers.key?("X-E")
            p r.delete_header("X-A"), r["X-A"], r.headers.delete("X-None"), r.headers.delete("X-F")
            p r.headers.to_h.select { |name, _| name != "Content-Type" }
            r.content_type = "text/x"
            p r.content_type, r["content-type"], r.headers.to_h["Content-Type"], r.content_length
            p r.headers.map { |name, value| name }
            p r.headers.fetch("X-G"), r.headers.fetch("X-None", 1), r.headers.size
            p r.headers.delete("Content-Type"), r.content_type
            r.location = "/there"
            p r.location
        """))
        answer = httpd.get("/x.mrb")
        assert answer.text == (
            '"1"\n"2"\n"3"\n["3", "4"]\nnil\ntrue\nfalse\ntrue\n"1"\nnil\nnil\n"7"\n'
            '{"X-B"=>"2", "X-C"=>"3, 4", "X-E"=>"5, 6", "X-G"=>"8", "X-H"=>"9"}\n'
            '"text/x"\n"text/x"\n"text/x"\nnil\n'
            '["Content-Type", "X-B", "X-C", "x-c", "X-E", "X-E", "X-G", "X-H"]\n"8"\n1\n8\n'
            '"text/x"\nnil\n"/there"\n')
        assert answer.headers.all("X-C") == ["3", "4"] and answer.headers.all("X-E") == ["5", "6"]
        assert answer.headers["Location"] == "/there" and answer.headers["X-H"] == "9"
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"

    @pytest.mark.short
    def test_what_kind_of_status(self, httpd):
        httpd.run(script("x.mrb", """
            [200, 201, 302, 404, 503].each do |status|
              response.status = status
              puts [:ok?, :successful?, :redirection?, :client_error?, :server_error?].map { |name|
                response.__send__(name) ? 1 : 0
              }.join
            end
        """))
        assert httpd.get("/x.mrb").text == "11000\n01000\n00100\n00010\n00001\n"

    @pytest.mark.short
    @pytest.mark.parametrize("name", ["X-Evil", "Location", "Set-Cookie", "Content-Type", "ETag",
                                      "Last-Modified"])
    @pytest.mark.parametrize("call", ["response[NAME] = VALUE", "response.add_header(NAME, VALUE)",
                                      "response.headers.add(NAME, VALUE)",
                                      "response.headers.merge!(NAME => VALUE)",
                                      "halt(200, { NAME => VALUE }, '')"])
    def test_no_way_leads_into_the_header(self, httpd, call, name):
        """Response splitting: a CVE of others."""
        httpd.run(script("x.mrb", "\n".join(
            f"""begin
                  {call.replace("NAME", repr(name)).replace("VALUE", value)}
                  print "taken "
                rescue ArgumentError
                  print "refused "
                end""" for value in ('"a\\r\\nX-In: 1"', '"a\\nX-In: 1"', '"a\\rX-In: 1"', '"a\\0b"'))))
        answer = httpd.get("/x.mrb")
        assert answer.text == "refused " * 4
        assert "X-In" not in answer.headers and "X-Evil" not in answer.headers

    def test_transfer_encoding_is_httpds(self, httpd):
        httpd.run(script("x.mrb", """
            ["Transfer-Encoding", "transfer-encoding"].each do |name|
              begin
                response[name] = "chunked"
                print "taken"
              rescue ArgumentError => e
                print e.message
              end
            end
        """))
        assert httpd.get("/x.mrb").text.count("Transfer-Encoding is httpd's") == 2

    def test_trailers_are_left_alone(self, httpd):
        """What the client sends behind its body is no header of the request."""
        httpd.run(script("x.mrb", "request.body.read; p request.headers['X-Trailer'], "
                                  "request.headers['X-Head']; response['Trailer'] = 'X-End'; "
                                  "print 'a' * 20_000"))
        with httpd.connect() as connection:
            for _ in range(2):
                connection.send("POST", "/x.mrb", b"3\r\nabc\r\n0\r\nX-Trailer: 1\r\nX-Head: 2\r\n\r\n",
                                {"Transfer-Encoding": "chunked", "X-Head": "1"})
                answer = connection.response()
                assert answer.text == 'nil\n"1"\n' + "a" * 20_000
                assert answer.headers["Trailer"] == "X-End"


class TestRedirect:
    """redirect(url, status)"""

    @pytest.mark.short
    def test_it_sets_status_and_location(self, httpd):
        httpd.run(script("a.mrb", "response.redirect('/there?x=1')"),
                  script("b.mrb", "response.redirect('http://other.test/', 301); print 'moved'"),
                  script("c.mrb", "response.redirect('/x', 303); response.finish; print 'not this'"),
                  script("d.mrb", "response.redirect(\"/a\\r\\nX-In: 1\")"))
        answer = httpd.get("/a.mrb")
        assert (answer.status, answer.headers["Location"], answer.body) == (302, "/there?x=1", b"")
        answer = httpd.get("/b.mrb")
        assert (answer.status, answer.headers["Location"], answer.body) == \
            (301, "http://other.test/", b"moved")
        assert httpd.get("/c.mrb").body == b""
        assert httpd.get("/d.mrb").status == 500
        httpd.log.expects("BENCH0010", "d.mrb:1", times=1)

    def test_a_post_is_answered_and_its_body_discarded(self, httpd):
        httpd.run(script("a.mrb", "response.redirect('/ok.mrb', 303)"), OK)
        with httpd.connect() as connection:
            answer = connection.request("POST", "/a.mrb", b"x" * 100_000)
            assert answer.status == 303
            assert connection.get(answer.headers["Location"]).body == b"ok"


class TestEnds:
    """finish, halt, not_found, error_document!: the script ends, the response is as it should be."""

    @pytest.mark.short
    def test_finish(self, httpd):
        httpd.run(script("x.mrb", """
            begin
              print "sent"
              response.finish
            rescue StandardError
              print "rescued"
            ensure
              Bench.log.warn "ensured"
            end
            print "not sent"
        """))
        assert httpd.get("/x.mrb").text == "sent"
        httpd.log.expects("ensured", times=1)

    @pytest.mark.short
    def test_halt(self, httpd):
        httpd.run(script("all.mrb", "print 'dropped'; halt 403, { 'X-A' => '1' }, 'no'; print 'x'"),
                  script("status.mrb", "print 'kept'; halt 404"),
                  script("nothing.mrb", "response.status = 201; print 'kept'; halt"),
                  script("parts.mrb", "halt 200, nil, ['a', 'b', 1]"),
                  script("deep.mrb", "def f; [1].each { halt 202, {}, 'deep' }; end; f; print 'x'"),
                  script("headers.mrb", "halt nil, { 'Content-Type' => 'a/b' }, 'typed'"))
        for name, status, body in (("all", 403, b"no"), ("status", 404, b"kept"), ("deep", 202, b"deep"),
                                   ("nothing", 201, b"kept"), ("parts", 200, b"ab1"),
                                   ("headers", 200, b"typed")):
            answer = httpd.get(f"/{name}.mrb")
            assert (answer.status, answer.body) == (status, body), name
        assert httpd.get("/all.mrb").headers["X-A"] == "1"
        assert httpd.get("/headers.mrb").headers["Content-Type"] == "a/b"

    def test_halt_after_something_was_sent(self, httpd):
        httpd.run(script("status.mrb", "print 'part'; response.flush; halt"),
                  script("body.mrb", "print 'part'; response.flush; halt 200, {}, 'more'"))
        assert httpd.get("/status.mrb").text == "part"
        with pytest.raises(Truncated):
            httpd.get("/body.mrb")
        httpd.log.expects("BENCH0010", "body.mrb:1", "too late", times=1)

    def test_halt_with_what_is_no_status(self, httpd):
        httpd.run(script("x.mrb", "halt 99"), script("y.mrb", "halt 'x'"))
        for name in ("x", "y"):
            assert httpd.get(f"/{name}.mrb").status == 500
            httpd.log.expects("BENCH0010", f"{name}.mrb:1", times=1)

    @pytest.mark.short
    def test_the_scripts_body_wins_over_error_document(self, httpd):
        """ngx_mruby: a script's own body with a non-200 status was replaced by the server's page."""
        httpd.run("ErrorDocument 404 'replaced'", "ErrorDocument 500 /page.mrb",
                  script("page.mrb", "print 'the page'"),
                  *[script(f"{status}.mrb", f"response.status = {status}; print 'mine'")
                    for status in (403, 404, 500, 503)],
                  script("halt.mrb", "halt 404, {}, 'mine'"),
                  script("empty.mrb", "response.status = 404"))
        for name, status in (("403", 403), ("404", 404), ("500", 500), ("503", 503), ("halt", 404)):
            answer = httpd.get(f"/{name}.mrb")
            assert (answer.status, answer.text) == (status, "mine")
        assert httpd.get("/empty.mrb").body == b""

    @pytest.mark.short
    def test_error_document_opts_in(self, httpd):
        httpd.run("ErrorDocument 404 'the text'", "ErrorDocument 403 /page.mrb",
                  script("page.mrb", "print 'the page for ', request.env['REDIRECT_STATUS'].to_s"),
                  script("text.mrb", "response.status = 404; print 'dropped'; response.error_document!"),
                  script("page403.mrb", "response.error_document!; response.status = 403"),
                  script("own.mrb", "response.status = 410; response.error_document!; print 'dropped'"),
                  script("fine.mrb", "response.error_document!; print 'fine'"),
                  script("not.mrb", "print 'dropped'; response.not_found; print 'x'"),
                  script("late.mrb", "print 'sent'; response.flush; response.error_document!"))
        answer = httpd.get("/text.mrb")
        assert (answer.status, answer.text) == (404, "the text")
        answer = httpd.get("/page403.mrb")
        assert answer.status == 403 and answer.text.startswith("the page for")
        answer = httpd.get("/own.mrb")
        assert answer.status == 410 and "dropped" not in answer.text and "Gone" in answer.text
        assert httpd.get("/fine.mrb").text == "fine"
        answer = httpd.get("/not.mrb")
        assert (answer.status, answer.text) == (404, "the text")
        with pytest.raises(Truncated):
            httpd.get("/late.mrb")
        httpd.log.expects("BENCH0010", "late.mrb:1: too late", times=1)

    def test_reset(self, httpd):
        httpd.run(script("x.mrb", "print 'dropped' * 100; response.reset; print 'kept'"),
                  script("late.mrb", "print 'x'; response.flush; begin; response.reset; "
                                     "rescue Bench::Error; print ' too late'; end; "
                                     "print response.sent?"))
        assert httpd.get("/x.mrb").text == "kept"
        assert httpd.get("/late.mrb").text == "x too latetrue"


class TestContentLength:
    """A length that the script sets has to be true: the client finds the end of the answer by it."""

    @pytest.mark.short
    def test_a_true_one(self, httpd):
        httpd.run(script("x.mrb", "response['Content-Length'] = '200000'; 20.times { print 'x' * 10_000 }"),
                  script("small.mrb", "response['Content-Length'] = 5; print 'hello'"), OK)
        with httpd.connect() as connection:
            for _ in range(2):
                answer = connection.get("/x.mrb")
                assert answer.headers["Content-Length"] == "200000" and len(answer.body) == 200_000
                assert connection.get("/small.mrb").body == b"hello"
                assert connection.get("/ok.mrb").body == b"ok"

    @pytest.mark.short
    def test_more_than_it_says(self, httpd):
        """What is too much raises; the client gets no byte of it as the next answer."""
        httpd.run(script("x.mrb", """
            response["Content-Length"] = "12000"
            begin
              10.times { print "x" * 10_000 }
            rescue Bench::Error => e
              Bench.log.warn e.message
              raise
            end
        """), OK)
        with httpd.connect() as connection:
            connection.send("GET", "/x.mrb")
            answer = connection.response(partial=True)
            assert (answer.status, len(answer.body), answer.complete) == (200, 10_000, False)
            assert connection.is_closed()
        httpd.log.expects("[bench:warn]", "x.mrb", times=1)
        httpd.log.expects("BENCH0010", times=1)
        assert httpd.get("/ok.mrb").body == b"ok"

    @pytest.mark.short
    def test_less_than_it_says(self, httpd):
        httpd.run(script("x.mrb", "response['Content-Length'] = '30000'; 2.times { print 'x' * 10_000 }"),
                  OK)
        with httpd.connect() as connection:
            with pytest.raises(Truncated):
                connection.get("/x.mrb")
            assert connection.is_closed()
        httpd.log.expects("[bench:error]", "BENCH0018", "30000", "20000", times=1)
        assert httpd.get("/ok.mrb").body == b"ok"

    @pytest.mark.parametrize("length", ["3", "50"])
    def test_a_small_answer_is_counted_by_httpd(self, httpd, length):
        """All of it is there before the header is sent: its length is simply right."""
        httpd.run(script("x.mrb", f"response['Content-Length'] = '{length}'; print 'hello'"), OK)
        with httpd.connect() as connection:
            answer = connection.get("/x.mrb")
            assert (answer.body, answer.headers["Content-Length"]) == (b"hello", "5")
            assert connection.get("/ok.mrb").body == b"ok"

    def test_of_head_and_of_no_content(self, httpd):
        httpd.run(script("head.mrb", "response['Content-Length'] = '12345'"),
                  script("none.mrb", "response.status = 204; response['Content-Length'] = '10'"), OK)
        with httpd.connect() as connection:
            assert connection.request("HEAD", "/head.mrb").headers["Content-Length"] == "12345"
            assert connection.get("/ok.mrb").body == b"ok"
            assert connection.get("/none.mrb").status == 204
            assert connection.get("/ok.mrb").body == b"ok"

    @pytest.mark.parametrize("value", ["-1", "x", "", "1 2", "1,2", "0x10", "9" * 40, "1.5", "+5", " 5"])
    def test_what_is_none_is_refused(self, httpd, value):
        httpd.run(script("x.mrb", f"""
            begin
              response["Content-Length"] = {value!r}
              print "taken"
            rescue ArgumentError
              print "refused"
            end
        """))
        assert httpd.get("/x.mrb").text == "refused"

    def test_two_of_them(self, httpd):
        httpd.run(script("x.mrb", "response.headers.add('Content-Length', '3'); "
                                  "response.headers.add('Content-Length', '300000'); "
                                  "3.times { print 'x' * 100_000 }"), OK)
        with httpd.connect() as connection:
            assert connection.get("/x.mrb").status == 500
        httpd.log.expects("BENCH0010", "longer than the Content-Length", times=1)
        assert httpd.get("/ok.mrb").body == b"ok"


class TestConditions:
    """etag= and last_modified=, judged by httpd itself."""

    TAGGED = script("x.mrb", """
        response.etag = "abc"
        response.last_modified = Time.at(1_700_000_000)
        print "the page"
    """)
    DATE = "Tue, 14 Nov 2023 22:13:20 GMT"

    @pytest.mark.short
    def test_etag(self, httpd):
        httpd.run(self.TAGGED, script("weak.mrb", "response.set_etag('w', weak: true); print 'page'"),
                  script("quoted.mrb", "response.etag = '\"q\"'; print response.etag"))
        answer = httpd.get("/x.mrb")
        assert (answer.headers["ETag"], answer.body) == ('"abc"', b"the page")
        for match, status in (('"abc"', 304), ('"other", "abc"', 304), ("*", 304), ('W/"abc"', 304),
                              ('"other"', 200)):
            answer = httpd.get("/x.mrb", headers={"If-None-Match": match})
            assert (answer.status, answer.body) == (status, b"" if status == 304 else b"the page"), match
            assert answer.headers["ETag"] == '"abc"'
        for match, status in (('"abc"', 200), ("*", 200), ('"other"', 412)):
            assert httpd.get("/x.mrb", headers={"If-Match": match}).status == status, match
        assert httpd.get("/weak.mrb").headers["ETag"] == 'W/"w"'
        assert httpd.get("/weak.mrb", headers={"If-None-Match": 'W/"w"'}).status == 304
        assert httpd.get("/quoted.mrb").text == '"q"'

    @pytest.mark.short
    def test_last_modified(self, httpd):
        httpd.run(script("x.mrb", "response.last_modified = Time.at(1_700_000_000); print 'the page'"),
                  script("text.mrb", f"response.last_modified = '{self.DATE}'; print 'the page'"))
        for name in ("x", "text"):
            assert httpd.get(f"/{name}.mrb").headers["Last-Modified"] == self.DATE
            for when, status in ((self.DATE, 304), ("Tue, 14 Nov 2023 22:13:21 GMT", 304),
                                 ("Tue, 14 Nov 2023 22:13:19 GMT", 200), ("nonsense", 200)):
                answer = httpd.get(f"/{name}.mrb", headers={"If-Modified-Since": when})
                assert (answer.status, answer.body) == \
                    (status, b"" if status == 304 else b"the page"), when
            assert httpd.get(f"/{name}.mrb", headers={
                "If-Unmodified-Since": "Tue, 14 Nov 2023 22:13:19 GMT"}).status == 412

    def test_the_script_asks_before_it_works(self, httpd):
        httpd.run(script("x.mrb", """
            response.etag = "abc"
            if response.not_modified?
              response.status = 304
              response.finish
            end
            print "much work"
        """))
        assert httpd.get("/x.mrb").body == b"much work"
        answer = httpd.get("/x.mrb", headers={"If-None-Match": '"abc"'})
        assert (answer.status, answer.body, answer.headers["ETag"]) == (304, b"", '"abc"')

    def test_they_are_for_successes(self, httpd):
        httpd.run(script("404.mrb", "response.status = 404; response.etag = 'abc'; print 'no'"),
                  script("none.mrb", "print 'page'"))
        for name, status in (("404", 404), ("none", 200)):
            assert httpd.get(f"/{name}.mrb", headers={"If-None-Match": '"abc"'}).status == status

    def test_a_large_page(self, httpd):
        """What is written is not sent, and not kept either, once the client has it."""
        httpd.run(script("x.mrb", "response.etag = 'abc'; 20.times { print 'x' * 10_000 }; "
                                  "Bench.log.warn 'written'"), OK)
        with httpd.connect() as connection:
            for match, status in (('"abc"', 304), ('"other"', 200)):
                answer = connection.request("GET", "/x.mrb", headers={"If-None-Match": match})
                assert (answer.status, len(answer.body)) == (status, 0 if status == 304 else 200_000)
                assert connection.get("/ok.mrb").body == b"ok"
            assert connection.request("GET", "/x.mrb", headers={"If-Match": '"other"'}).status == 412
        httpd.log.expects("written")

    def test_head_and_post(self, httpd):
        httpd.run(self.TAGGED)
        headers = {"If-None-Match": '"abc"'}
        assert httpd.request("HEAD", "/x.mrb", headers=headers).status == 304
        assert httpd.request("POST", "/x.mrb", b"", headers).status == 412

    def test_a_tag_that_cannot_be(self, httpd):
        httpd.run(script("x.mrb", "response.etag = \"a\\r\\nX-In: 1\""))
        assert httpd.get("/x.mrb").status == 500
        httpd.log.expects("BENCH0010", "x.mrb:1", times=1)

    def test_the_next_request_on_the_connection(self, httpd):
        httpd.run(self.TAGGED, OK)
        with httpd.connect() as connection:
            for _ in range(3):
                assert connection.request("GET", "/x.mrb", headers={
                    "If-None-Match": '"abc"'}).status == 304
                assert connection.get("/ok.mrb").body == b"ok"
