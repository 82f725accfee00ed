# SPDX-License-Identifier: Apache-2.0
"""Rack applications, mounted and mapped; and what a developer sees of an error."""

import pytest

from harness.config import script

RACK = 'AddHandler bench-rack .ru'
APP = """
    use Rack::Lint
    map "/deep" do
      run ->(env) { [200, {"content-type" => "text/plain"}, [env["SCRIPT_NAME"], "|", env["PATH_INFO"]]] }
    end
    map("/nonsense") { run ->(env) { ENV["NONE"] } }
    run ->(env) { [200, {"content-type" => "text/plain"}, [env["SCRIPT_NAME"], "|", env["PATH_INFO"]]] }
"""


class TestMounted:
    """BenchRack puts an application at a Location, which is then its SCRIPT_NAME."""

    @pytest.mark.short
    def test_paths(self, httpd):
        httpd.run("<Location /shop>", "BenchRack htdocs/app.rb", "</Location>",
                  "<Location /shop/files>", "BenchRack none", "</Location>",
                  script("app.rb", APP), script("shop/files/a.txt", "a file"))
        assert httpd.get("/shop").text == "/shop|"
        assert httpd.get("/shop/x/y").text == "/shop|/x/y"
        assert httpd.get("/shop/deep/z").text == "/shop/deep|/z"
        assert httpd.get("/shop/files/a.txt").text == "a file"

    def test_it_stands_in_a_location_with_a_plain_path(self, httpd):
        for section in ('<Directory "/">', '<LocationMatch "^/a">', '<Location "/a*">'):
            name = section[1:].split()[0]
            test = httpd.configtest(f"{section}\nBenchRack app.ru\n</{name}>")
            assert not test.ok and "BenchRack: stands in a <Location> with a plain path" in test.output


class TestFile:
    """bench-rack serves a .ru file under its own name."""

    @pytest.mark.short
    def test_paths_and_a_change(self, httpd):
        httpd.run(RACK, script("app.ru", APP))
        assert httpd.get("/app.ru/x").text == "/app.ru|/x"
        httpd.add(script("app.ru", "run ->(env) { [200, {}, ['new']] }"))
        assert httpd.get("/app.ru/x").text == "new"

    @pytest.mark.short
    def test_nonsense_is_a_500_that_says_what_it_was(self, httpd):
        httpd.run(RACK, script("app.ru", "run ->(env) { [200, {}, 'text'] }"))
        assert httpd.get("/app.ru").status == 500
        httpd.log.expects("BENCH0010", "its body is", "text")

    def test_bodies_are_closed(self, httpd):
        httpd.run(RACK, script("app.ru", """
            class Body
              def each; yield "a"; raise "in the middle" if $fail; yield "b"; end
              def close; $closed = ($closed || 0) + 1; end
            end
            run ->(env) {
              return [200, {}, [$closed.inspect]] if env["PATH_INFO"] == "/closed"
              $fail = env["PATH_INFO"] == "/fail"
              [200, {}, Body.new]
            }
        """), threads=1, processes=1)
        assert httpd.get("/app.ru/good").text == "ab"
        assert httpd.get("/app.ru/closed").text == "1"


class TestErrorPage:
    """BenchErrorPage On shows what went wrong, escaped; Off, the default, shows nothing."""

    @pytest.mark.short
    def test_html_and_text(self, httpd):
        httpd.run("BenchErrorPage On", script("x.mrb", "one = 1\nraise '<script>alert(1)</script>'\n"))
        page = httpd.get("/x.mrb?<b>", headers={"Accept": "text/html", "Cookie": "secret=1"})
        assert page.status == 500 and "text/html" in page.headers["Content-Type"]
        assert "&lt;script&gt;alert(1)" in page.text and "<script>" not in page.text
        assert "<mark>&gt;" in page.text or "<mark>>" in page.text
        assert "secret=1" not in page.text
        plain = httpd.get("/x.mrb")
        assert plain.status == 500 and "text/plain" in plain.headers["Content-Type"]
        assert "RuntimeError: <script>" in plain.text and ">   2  raise" in plain.text
        httpd.log.expects("BENCH0010", "alert", times=2)

    def test_off_by_default(self, httpd):
        httpd.run(script("x.mrb", "raise 'nobody sees this'"))
        assert "nobody sees" not in httpd.get("/x.mrb", headers={"Accept": "text/html"}).text
        httpd.log.expects("BENCH0010", "nobody sees this")
