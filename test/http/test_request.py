# SPDX-License-Identifier: Apache-2.0
"""request: what the client asked for, as it asked for it."""

import pytest
from harness import script

SHOW = script("show.mrb", """
    print request.request_method, "|", request.path, "|", request.query_string
""")


class TestRequestLine:
    """Method, path and query."""

    def test_any_method_reaches_the_script(self, httpd):
        httpd.run(SHOW)
        for method in ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "BREW"):
            assert httpd.request(method, "/show.mrb").text == f"{method}|/show.mrb|"

    def test_head_is_head(self, httpd):
        httpd.run(script("head.mrb", "response.headers['X-Method'] = request.request_method"))
        assert httpd.request("HEAD", "/head.mrb").headers["X-Method"] == "HEAD"

    @pytest.mark.short
    def test_the_query_is_raw(self, httpd):
        httpd.run(SHOW)
        for query in ("", "a=1&b=2", "a=%41&b=%zz", "?", "a=b?c=d", "%00", "a+b", "x" * 4000):
            assert httpd.get(f"/show.mrb?{query}").text == f"GET|/show.mrb|{query}"

    def test_without_a_query_it_is_empty(self, httpd):
        httpd.run(script("q.mrb", "p request.query_string"))
        assert httpd.get("/q.mrb").text == '""\n'

    def test_the_path_is_decoded(self, httpd):
        httpd.run(SHOW)
        for url in ("/show.mrb", "/sho%77.mrb", "//show.mrb", "/./show.mrb", "/a/../show.mrb",
                    "http://localhost/show.mrb"):
            assert httpd.get(url).text == "GET|/show.mrb|"

    def test_values_are_fresh_with_each_request(self, httpd):
        httpd.run(SHOW)
        with httpd.connect() as connection:
            for number in range(20):
                method = ("GET", "POST")[number % 2]
                assert connection.request(method, f"/show.mrb?{number}").text == \
                    f"{method}|/show.mrb|{number}"

    def test_a_script_may_change_its_copy(self, httpd):
        httpd.run(script("x.mrb", """
            request.path << "more"
            request.query_string << "more"
            request.headers["X-Mine"] << "more"
            print request.path, request.query_string, request.headers["X-Mine"]
        """))
        answer = httpd.get("/x.mrb?q", headers={"X-Mine": "mine"})
        assert answer.text == "/x.mrbqmine"


class TestHeaders:
    """request.headers[...]"""

    @pytest.mark.short
    def test_case_does_not_matter(self, httpd):
        httpd.run(script("h.mrb", """
            %w[X-Color x-color X-COLOR].each { |name| puts request.headers[name] }
        """))
        assert httpd.get("/h.mrb", headers={"x-CoLoR": "blue"}).text == "blue\n" * 3

    def test_absent_is_nil_and_empty_is_empty(self, httpd):
        httpd.run(script("h.mrb", "p request.headers['X-None'], request.headers['X-Empty'], "
                                  "request.headers['']"))
        assert httpd.get("/h.mrb", headers={"X-Empty": ""}).text == 'nil\n""\nnil\n'

    def test_bytes_survive(self, httpd):
        httpd.run(script("h.mrb", "print request.headers['X-Bytes']"))
        value = "\xff\xfe \"'\\ \xc3\xbc"
        assert httpd.get("/h.mrb", headers={"X-Bytes": value}).body == value.encode("latin-1")

    def test_repeated_headers_are_joined(self, httpd):
        httpd.run(script("h.mrb", "print request.headers['X-Twice']"))
        with httpd.connect() as connection:
            connection.send_bytes(b"GET /h.mrb HTTP/1.1\r\nHost: localhost\r\n"
                                  b"X-Twice: a\r\nX-Twice: b\r\n\r\n")
            assert connection.response().body == b"a, b"

    def test_a_long_value(self, httpd):
        httpd.run(script("h.mrb", "print request.headers['X-Long'].size"))
        assert httpd.get("/h.mrb", headers={"X-Long": "x" * 8000}).body == b"8000"

    def test_a_name_that_is_no_string(self, httpd):
        httpd.run(script("h.mrb", """
            begin
              request.headers[nil]
            rescue TypeError => e
              print e.class
            end
        """), script("nul.mrb", """
            begin
              p request.headers["X-A\\0B"]
            rescue ArgumentError => e
              puts "nil"
            end
        """))
        assert httpd.get("/h.mrb").body == b"TypeError"
        assert httpd.get("/nul.mrb", headers={"X-A": "1"}).body == b"nil\n"

    def test_the_host_and_all_that_clients_send(self, httpd):
        httpd.run(script("h.mrb", "puts request.headers['Host'], request.headers['User-Agent'], "
                                  "request.headers['Cookie'], request.headers['Authorization']"))
        answer = httpd.get("/h.mrb", host="example.test:81", headers={
            "User-Agent": "me/1", "Cookie": "a=1; b=2", "Authorization": "Basic eDp5"})
        assert answer.text == "example.test:81\nme/1\na=1; b=2\nBasic eDp5\n"


class TestBenchModule:
    """Bench.request and Bench.response are the same things by a longer name."""

    def test_long_names(self, httpd):
        httpd.run(script("x.mrb", """
            Bench.response.status = 201
            Bench.response.write Bench.request.path
            print Bench.version
        """))
        answer = httpd.get("/x.mrb")
        assert answer.status == 201
        path, version = answer.text[:6], answer.text[6:]
        assert path == "/x.mrb"
        assert version.count(".") == 2 and version.replace(".", "").isdigit()

    def test_they_work_in_methods_classes_and_blocks(self, httpd):
        httpd.run(script("x.mrb", """
            class Page
              def self.go; new.go; end
              def go; [1].each { print request.path, response.status }; end
            end
            Page.go
        """))
        assert httpd.get("/x.mrb").body == b"/x.mrb200"
