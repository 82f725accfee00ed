# SPDX-License-Identifier: Apache-2.0
"""BenchErrorPage On: what went wrong, for whoever writes the script.  Nobody else sees it."""

import html
import re

import pytest
from harness import Truncated, file, h2, script

ON = "BenchErrorPage On"
HTML = {"Accept": "text/html,application/xhtml+xml"}
OK = script("ok.mrb", "print 'ok'")
RAISES = script("x.mrb", """
    def inner
      raise ArgumentError, "what happened"
    end

    def outer
      inner
    end
    # before
    outer
    # after
""")


def expects_no_reflection(answer, payload):
    assert payload not in answer.body.decode("latin-1"), answer


class TestOff:
    """By default the client learns nothing."""

    @pytest.mark.short
    def test_by_default(self, httpd):
        httpd.run(RAISES, script("y.mrb", "if"))
        for name in "xy":
            for headers in ({}, HTML):
                answer = httpd.get(f"/{name}.mrb", headers=headers)
                assert answer.status == 500
                for secret in ("what happened", "ArgumentError", "syntax", ".mrb", str(httpd.root)):
                    assert secret not in answer.text
        httpd.log.expects("BENCH0010", "what happened", times=2)
        httpd.log.expects("BENCH0011", times=2)

    def test_where_it_is_off_again(self, httpd):
        httpd.run(ON, "<Location /off>", "BenchErrorPage Off", "</Location>", RAISES,
                  script("off/x.mrb", RAISES.content))
        assert "what happened" in httpd.get("/x.mrb").text
        assert "what happened" not in httpd.get("/off/x.mrb").text
        httpd.log.expects("BENCH0010", times=2)


class TestOn:
    """Class, message, source lines with the one at fault, backtrace, request."""

    @pytest.mark.short
    def test_as_html(self, httpd):
        httpd.run(ON, RAISES)
        answer = httpd.get("/x.mrb?a=1", headers={**HTML, "X-Mine": "a header"})
        assert answer.status == 500
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        text = answer.text
        assert text.startswith("<!DOCTYPE html>") and text.rstrip().endswith("</html>")
        for part in ("ArgumentError", "what happened", f"{httpd.docs}/x.mrb, line 2", "GET /x.mrb?a=1",
                     "X-Mine", "a header", "BenchErrorPage On"):
            assert part in text, part
        marked = re.findall(r"<mark>(.*?)</mark>", text)
        assert len(marked) == 1 and html.unescape(marked[0]).endswith(
            '2    raise ArgumentError, "what happened"')
        assert "def inner" in text and "def outer" in text
        for line in ("x.mrb:2:in inner", "x.mrb:6:in outer", "x.mrb:9"):
            assert line in text
        httpd.log.expects("BENCH0010", "what happened", times=1)

    @pytest.mark.short
    @pytest.mark.parametrize("accept", [None, "*/*", "application/json", "text/plain", ""])
    def test_as_text(self, httpd, accept):
        httpd.run(ON, RAISES)
        answer = httpd.get("/x.mrb", headers={} if accept is None else {"Accept": accept})
        assert answer.status == 500
        assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert "<" not in answer.text.replace("<-", "")
        assert answer.text.startswith("ArgumentError: what happened\n")
        assert re.search(r'^> +2 .*raise ArgumentError, "what happened"$', answer.text, re.M)
        assert "x.mrb:6:in outer" in answer.text and "GET /x.mrb HTTP/1.1" in answer.text
        httpd.log.expects("BENCH0010", times=1)

    @pytest.mark.short
    def test_a_syntax_error(self, httpd):
        httpd.run(ON, script("x.mrb", "a = 1\nb = )\nprint a\n"), "AddHandler bench-erb .erb",
                  script("y.erb", "one\ntwo <% if %>\n"))
        answer = httpd.get("/x.mrb", headers=HTML)
        assert answer.status == 500 and "syntax error" in answer.text.lower()
        assert len(re.findall("<mark>", answer.text)) == 1 and "b = )" in answer.text
        answer = httpd.get("/y.erb", headers=HTML)
        assert answer.status == 500 and "y.erb" in answer.text
        httpd.log.expects("BENCH0011", times=2)

    def test_in_a_required_file_and_an_application(self, httpd):
        httpd.run(ON, "AddHandler bench-rack .ru", script("x.mrb", "require_relative 'lib'\nrun_it"),
                  script("lib.rb", "\n\ndef run_it\n  raise 'in the library'\nend\n"),
                  script("a.ru", "run ->(env) do\n  raise 'in the application'\nend\n"),
                  script("b.ru", "run ->(env) { nil }\n"))
        answer = httpd.get("/x.mrb", headers=HTML)
        assert f"{httpd.docs}/lib.rb, line 3" in answer.text and "in the library" in answer.text
        answer = httpd.get("/a.ru", headers=HTML)
        assert "in the application" in answer.text and "a.ru, line 2" in answer.text
        answer = httpd.get("/b.ru", headers=HTML)
        assert answer.status == 500 and "not nil" in answer.text
        httpd.log.expects("BENCH0010", times=3)

    @pytest.mark.short
    def test_nothing_of_the_scripts_answer_is_left(self, httpd):
        httpd.run(ON, script("x.mrb", """
            response.status = 201
            response.content_type = "image/png"
            response["X-Mine"] = "1"
            response["Content-Length"] = "5"
            response["ETag"] = '"x"'
            response.set_cookie("a", "1")
            print "part of the page"
            raise "no"
        """), OK)
        with httpd.connect() as connection:
            answer = connection.request("GET", "/x.mrb", headers={**HTML, "If-None-Match": '"x"'})
            assert answer.status == 500 and "part of the page" not in answer.text.split("<h2>")[0]
            for name in ("X-Mine", "ETag", "Set-Cookie"):
                assert name not in answer.headers
            assert answer.headers["Content-Type"].startswith("text/html")
        assert httpd.get("/ok.mrb").body == b"ok"
        httpd.log.expects("BENCH0010", times=1)

    def test_after_something_was_sent_there_is_none(self, httpd):
        httpd.run(ON, script("x.mrb", "print 'part'; response.flush; raise 'no'"))
        with pytest.raises(Truncated) as cut:
            httpd.get("/x.mrb", headers=HTML)
        assert cut.value.response.body == b"part"
        httpd.log.expects("BENCH0010", times=1)

    def test_head(self, httpd):
        httpd.run(ON, RAISES, OK)
        with httpd.connect() as connection:
            answer = connection.request("HEAD", "/x.mrb", headers=HTML)
            assert (answer.status, answer.body) == (500, b"")
        assert httpd.get("/ok.mrb").body == b"ok"
        httpd.log.expects("BENCH0010", times=1)

    def test_other_failures_are_httpds_own(self, httpd):
        httpd.run(ON, script("secret.mrb", "print 1", 0o000), script("p.mrb", "request.params"))
        assert httpd.get("/none.mrb", headers=HTML).status == 404
        assert httpd.get("/secret.mrb", headers=HTML).status == 403
        assert httpd.get("/p.mrb?a=%zz", headers=HTML).status == 400
        httpd.log.expects("BENCH0013", times=1)

    def test_instead_of_an_error_document(self, httpd):
        httpd.run(ON, "ErrorDocument 500 'the text'", RAISES)
        assert "what happened" in httpd.get("/x.mrb").text
        httpd.log.expects("BENCH0010", times=1)

    def test_in_a_subrequest(self, httpd):
        httpd.run(ON, RAISES, script("y.mrb", "r = request.subrequest('/x.mrb'); print r.status, "
                                              "r.body.include?('what happened')"))
        assert httpd.get("/y.mrb").text == "500true"
        httpd.log.expects("BENCH0010", times=1)

    @pytest.mark.mpms("event", "worker")
    def test_over_http2(self, httpd):
        httpd.run(ON, "Protocols h2c http/1.1", RAISES, modules=["http2"])
        with h2.connect(httpd) as client:
            answer = client.get("/x.mrb")
            assert answer.status == 500 and "what happened" in answer.text
        httpd.log.expects("BENCH0010", times=1)


class TestNothingGetsIn:
    """What strangers send is shown as text."""

    EVIL = "<script>alert(1)</script>"

    @pytest.mark.short
    def test_through_the_url(self, httpd):
        httpd.run(ON, RAISES, script("m.mrb", "raise request.query_string + request.path_info"),
                  script("p.mrb", "raise request.params['a']"))
        for url in (f"/x.mrb?{self.EVIL}", f"/x.mrb/{self.EVIL}", f"/m.mrb?{self.EVIL}",
                    f"/m.mrb/{self.EVIL}", f"/p.mrb?a={self.EVIL}",
                    "/p.mrb?a=%3Cscript%3Ealert(1)%3C/script%3E",
                    "/p.mrb?a=%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E%00"):
            answer = httpd.get(url, headers=HTML)
            assert answer.status == 500
            expects_no_reflection(answer, "<script>")
            expects_no_reflection(answer, "<img")
        httpd.log.expects("BENCH0010")

    @pytest.mark.short
    def test_through_headers_and_methods(self, httpd):
        httpd.run(ON, RAISES, script("h.mrb", "raise request.headers['X-Evil']"))
        for name in "xh":
            answer = httpd.get(f"/{name}.mrb", headers={
                **HTML, "X-Evil": self.EVIL, "Referer": self.EVIL, "User-Agent": "'\"><script>"})
            assert "X-Evil" in answer.text
            expects_no_reflection(answer, "<script>")
        httpd.log.expects("BENCH0010")

    @pytest.mark.short
    def test_through_the_names_of_files_and_classes(self, httpd):
        name = "<b>&\"'.mrb"
        httpd.run(ON, script(name, "Evil = Class.new(StandardError)\ndef Evil.to_s; '<i>evil</i>'; end\n"
                                   "def (Evil).name; '<i>evil</i>'; end\nraise Evil, '<u>msg</u>'\n"
                                   "# <s>source</s>\n"))
        answer = httpd.get("/%3Cb%3E%26%22'.mrb", headers=HTML)
        assert answer.status == 500
        for tag in ("<b>", "<i>", "<u>", "<s>"):
            expects_no_reflection(answer, tag)
        httpd.log.expects("BENCH0010", times=1)

    def test_bytes_that_are_no_text(self, httpd):
        httpd.run(ON, script("x.mrb", "raise \"a\\0b\\xff\\x1b[31m\\r\\n<\" + 'x' * 100_000"), OK)
        answer = httpd.get("/x.mrb", headers=HTML)
        assert answer.status == 500 and b"\0" not in answer.body
        assert httpd.get("/ok.mrb").body == b"ok"
        httpd.log.expects("BENCH0010", times=1)

    @pytest.mark.short
    def test_credentials_are_not_shown(self, httpd):
        httpd.run(ON, RAISES)
        secrets = {"Authorization": "Basic c2VjcmV0", "Proxy-Authorization": "Basic c2VjcmV0",
                   "Cookie": "session=c2VjcmV0", "authorization": "Bearer c2VjcmV0"}
        for name, value in secrets.items():
            for headers in (HTML, {}):
                answer = httpd.get("/x.mrb", headers={**headers, name: value})
                assert "c2VjcmV0" not in answer.text
                assert name in answer.text and "not shown" in answer.text
        httpd.log.expects("BENCH0010", times=8)

    def test_files_that_are_no_scripts_are_not_shown(self, httpd):
        """A message that looks like a place does not make the page read that file."""
        httpd.run(ON, file("secret.txt", "the secret\n"),
                  script("x.mrb", "raise request.query_string"))
        answer = httpd.get(f"/x.mrb?{httpd.root}/secret.txt:1:", headers=HTML)
        assert answer.status == 500 and "the secret" not in answer.text
        httpd.log.expects("BENCH0010", times=1)

    def test_long_lines_and_no_lines(self, httpd):
        httpd.run(ON, script("x.mrb", "a = '" + "y" * 5000 + "'\nraise 'here'\n# tail"),
                  script("y.mrb", "raise 'one'"), script("z.mrb", "def f(n) = f(n + 1)\nf(0)"))
        answer = httpd.get("/x.mrb", headers=HTML)
        assert answer.status == 500 and answer.text.count("<mark>") == 1
        marked = re.search(r"<mark>(.*?)</mark>", answer.text)[1]
        assert "raise" in marked, marked
        for name in "yz":
            assert httpd.get(f"/{name}.mrb", headers=HTML).status == 500
        httpd.log.expects("BENCH0010", times=3)
