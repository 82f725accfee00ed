# SPDX-License-Identifier: Apache-2.0
"""The middleware and helpers of Rack that are there, by its names."""

import base64

import pytest
from harness import script

RU = "AddHandler bench-rack .ru"


def stack(uses, body):
    """Middleware in front of an application."""
    return script("x.ru", "\n".join([*uses, f"run ->(env) do\n{body}\nend"]))


class TestMiddleware:
    """Head ContentLength ContentType ETag MethodOverride Runtime CommonLogger Static Auth::Basic"""

    @pytest.mark.short
    def test_all_of_them_in_a_row(self, httpd):
        httpd.run(RU, stack(["use Rack::CommonLogger", "use Rack::Runtime", "use Rack::Head",
                             "use Rack::ETag", "use Rack::ContentLength", "use Rack::ContentType, 'text/x'",
                             "use Rack::MethodOverride"], "[200, {}, ['body of ', env['REQUEST_METHOD']]]"))
        answer = httpd.get("/x.ru")
        assert answer.text == "body of GET"
        assert answer.headers["Content-Type"] == "text/x"
        assert answer.headers["Content-Length"] == "11"
        assert answer.headers["ETag"].startswith('W/"')
        assert answer.headers["X-Runtime"].count(".") == 1
        assert httpd.request("HEAD", "/x.ru").body == b""
        assert httpd.log.lines("[bench:info]", '"GET /x.ru HTTP/1.1" 200 11')

    def test_content_length_and_type(self, httpd):
        httpd.run(RU, stack(["use Rack::ContentLength", "use Rack::ContentType"], """
            case env["PATH_INFO"]
            when "/own" then [200, { "Content-Type" => "a/b", "Content-Length" => "3" }, ["own"]]
            when "/none" then [204, {}, []]
            else [200, {}, ["caf\u00e9"]]
            end
        """))
        answer = httpd.get("/x.ru")
        assert (answer.headers["Content-Length"], answer.headers["Content-Type"]) == ("5", "text/html")
        assert httpd.get("/x.ru/own").headers["Content-Type"] == "a/b"
        answer = httpd.get("/x.ru/none")
        assert answer.status == 204 and "Content-Type" not in answer.headers

    @pytest.mark.short
    def test_etag(self, httpd):
        httpd.run(RU, stack(["use Rack::ETag"], """
            case env["PATH_INFO"]
            when "/own" then [200, { "ETag" => '"own"' }, ["x"]]
            when "/404" then [404, {}, ["x"]]
            when "/each" then [200, {}, ("a".."c")]
            else [200, {}, [env["QUERY_STRING"]]]
            end
        """))
        one, same, other = (httpd.get(f"/x.ru?{query}").headers["ETag"] for query in "aab")
        assert one == same != other
        assert httpd.get("/x.ru?a", headers={"If-None-Match": one}).status == 304
        assert httpd.get("/x.ru/own").headers["ETag"] == '"own"'
        assert "ETag" not in httpd.get("/x.ru/404").headers
        assert httpd.get("/x.ru/each").text == "abc"

    @pytest.mark.short
    def test_method_override(self, httpd):
        httpd.run(RU, stack(["use Rack::MethodOverride"], """
            [200, {}, [env["REQUEST_METHOD"], " ", env["rack.methodoverride.original_method"].to_s]]
        """))
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        assert httpd.post("/x.ru", b"_method=put", headers=form).text == "PUT POST"
        assert httpd.post("/x.ru", b"_method=brew", headers=form).text == "POST "
        assert httpd.post("/x.ru", b"", headers={"X-HTTP-Method-Override": "DELETE"}).text == "DELETE POST"
        assert httpd.get("/x.ru?_method=PUT").text == "GET "
        assert httpd.post("/x.ru", b"_method=put", headers={
            **form, "X-HTTP-Method-Override": "DELETE"}).text == "PUT POST"

    def test_headers_without_regard_to_case(self, httpd):
        httpd.run(script("x.mrb", """
            h = Rack::Headers.new
            h["X-A"] = "1"
            h["x-b"] = "2"
            p h["x-a"], h["X-A"], h["X-B"], h.key?("X-B"), h.fetch("X-A"), h.fetch("X-None", 5), h["None"]
            p h.delete("X-A"), h.size, h.to_a, h.is_a?(Hash), h.merge("Y" => "3")["y"]
        """))
        assert httpd.get("/x.mrb").text == (
            '"1"\n"1"\n"2"\ntrue\n"1"\n5\nnil\n"1"\n1\n[["x-b", "2"]]\ntrue\n"3"\n')

    @pytest.mark.short
    def test_method_override_of_a_broken_form(self, httpd):
        """Rack takes it as it is: the application sees a POST."""
        httpd.run(RU, stack(["use Rack::MethodOverride"], "[200, {}, [env['REQUEST_METHOD']]]"))
        for body in (b"_method=%zz", b"a=1&a[b]=2&_method=PUT"):
            answer = httpd.post("/x.ru", body, headers={
                "Content-Type": "application/x-www-form-urlencoded"})
            assert (answer.status, answer.text) == (200, "POST")
        httpd.log.expects("[bench:warn]", "x.ru", times=2)

    @pytest.mark.short
    def test_static(self, httpd):
        httpd.run(RU, "BenchSet docs ${DOCS}", script("pub/a.txt", "static"), script("pub/index.html", "index"),
                  script("secret.txt", "secret"), stack([
                      "use Rack::Static, urls: ['/pub'], root: Bench.config['docs'], index: 'index.html'"],
                      "[200, {}, ['app ', env['PATH_INFO']]]"))
        answer = httpd.get("/x.ru/pub/a.txt")
        assert (answer.text, answer.headers["Content-Type"]) == ("static", "text/plain")
        assert httpd.get("/x.ru/pub/").text == "index"
        assert httpd.get("/x.ru/pub/none").status == 404
        assert httpd.get("/x.ru/other").text == "app /other"
        assert httpd.post("/x.ru/pub/a.txt").text == "app /pub/a.txt"
        for bad in ("/x.ru/pub/../secret.txt", "/x.ru/pub/%2e%2e/secret.txt",
                    "/x.ru/pub/..%2fsecret.txt", "/x.ru/pub/%252e%252e/secret.txt",
                    "/x.ru/pub/%2e%2e%2fsecret.txt", "/x.ru/pub/a%2500.txt", "/x.ru/pub//../secret.txt"):
            assert "secret" not in httpd.get(bad).text.replace("/secret.txt", ""), bad

    @pytest.mark.short
    def test_basic_authentication(self, httpd):
        httpd.run(RU, stack([
            "use(Rack::Auth::Basic, 'Realm') { |user, password| user == 'me' && password == 'a:b' }"],
            "[200, {}, ['hello ', env['REMOTE_USER']]]"))
        answer = httpd.get("/x.ru")
        assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, 'Basic realm="Realm"')
        for login, status in (("me:a:b", 200), ("me:wrong", 401), ("me", 401), (":", 401), ("", 401)):
            token = base64.b64encode(login.encode()).decode()
            answer = httpd.get("/x.ru", headers={"Authorization": f"Basic {token}"})
            assert answer.status == status, login
            assert status == 401 or answer.text == "hello me"
        for header in ("Basic", "Basic !!!", "Bearer x", "basic", "", "Basic \xff"):
            assert httpd.get("/x.ru", headers={"Authorization": header}).status == 401, header

    def test_common_logger_to_an_object_of_its_own(self, httpd):
        httpd.run(RU, stack(["class Log; def write(text); Bench.log.warn 'mine ' + text; end; end",
                             "use Rack::CommonLogger, Log.new"], "[404, {}, ['no']]"))
        assert httpd.get("/x.ru/p?q").status == 404
        httpd.log.expects("mine 127.0.0.1 - - ", '"GET /x.ru/p?q HTTP/1.1" 404 2', times=1)


class TestResponse:
    """Rack::Response"""

    @pytest.mark.short
    def test_built_and_finished(self, httpd):
        httpd.run(RU, stack(["use Rack::Lint"], """
            r = Rack::Response.new(["first "], 201, { "X-A" => "1" }) if env["PATH_INFO"] == "/array"
            r ||= Rack::Response.new("first ", 201, { "X-A" => "1" })
            r.write "second"
            r["X-B"] = "2"
            r.content_type = "text/x"
            r.set_cookie("c", value: "3", path: "/")
            r.add_header "X-C", "4"
            r.add_header "X-C", "5"
            r.finish
        """))
        answer = httpd.get("/x.ru")
        assert (answer.status, answer.text) == (201, "first second")
        assert answer.headers["Content-Type"] == "text/x"
        assert [answer.headers[name] for name in ("X-A", "X-B", "Set-Cookie")] == ["1", "2", "c=3; path=/"]
        assert ", ".join(answer.headers.all("X-C")).replace(" ", "") == "4,5"
        assert httpd.get("/x.ru/array").text == "first second"

    def test_its_other_methods(self, httpd):
        httpd.run(RU, stack(["use Rack::Lint"], """
            r = Rack::Response.new
            seen = [r.status, r.ok?, r.empty?, r.body, r.content_length]
            r.status = 404
            seen += [r.not_found?, r.client_error?, r.server_error?, r.successful?, r.redirect?]
            r.redirect("/there", 303)
            seen += [r.location, r.status, r.redirect?]
            r.etag = '"e"'
            r.cache_control = "no-cache"
            r["X-Gone"] = "1"
            seen += [r.has_header?("ETAG"), r.delete_header("X-Gone"), r["x-gone"], r.etag, r.cache_control]
            r.write seen.inspect
            r.finish
        """))
        answer = httpd.get("/x.ru")
        assert (answer.status, answer.headers["Location"]) == (303, "/there")
        assert answer.text == ('[200, true, true, [], nil, true, true, false, false, false, "/there", 303, '
                               'true, true, "1", nil, "\\"e\\"", "no-cache"]')

    def test_no_content_and_class_level_brackets(self, httpd):
        httpd.run(RU, stack(["use Rack::Lint"], """
            if env["PATH_INFO"] == "/b"
              Rack::Response[200, { "x-a" => "1" }, ["b"]].finish
            else
              r = Rack::Response.new("dropped", 204, { "Content-Type" => "a/b" })
              r.finish
            end
        """))
        answer = httpd.get("/x.ru")
        assert answer.status == 204 and "Content-Type" not in answer.headers
        assert httpd.get("/x.ru/b").text == "b"

    def test_with_a_block(self, httpd):
        httpd.run(RU, stack(["use Rack::Lint"], """
            Rack::Response.new { |r| r.status = 202; r.write "in the block" }.finish
        """))
        answer = httpd.get("/x.ru")
        assert (answer.status, answer.text) == (202, "in the block")


class TestLint:
    """It finds what an application and a server do wrong; its messages say what."""

    @pytest.mark.short
    @pytest.mark.parametrize("text, message", [
        ("nil", "response nil is not an Array of three"), ("[200, {}]", "is not an Array of three"),
        ("['x', {}, []]", "status \"x\" is not"), ("[200, 5, []]", "headers 5"),
        ("[200, { 5 => 'x' }, []]", "header name 5"), ("[200, { 'a b' => 'x' }, []]", "not a token"),
        ("[200, { 'x' => 5 }, []]", "header x is not a String: 5"),
        ("[200, { 'x' => \"a\\0\" }, []]", "control characters"), ("[200, {}, 5]", "body 5"),
        ("[204, { 'content-length' => '0' }, []]", "status 204 has a content-length"),
        ("[200, {}, [5]]", "the body gave 5"), ("env['rack.input'].close", "must not be called"),
        ("env['rack.input'].read(1, 2, 3)", "3 arguments"), ("env['rack.input'].read(-5)", "length -5"),
        ("env['rack.input'].gets(1)", "gets with arguments")])
    def test_messages(self, httpd, text, message):
        httpd.run(RU, stack(["use Rack::Lint"], text))
        assert httpd.get("/x.ru").status == 500
        httpd.log.expects("BENCH0010", "x.ru", "LintError", message, times=1)

    @pytest.mark.parametrize("change, message", [
        ("env.delete('rack.input')", "env has no rack.input"),
        ("env['REQUEST_METHOD'] = 'G T'", "REQUEST_METHOD is"),
        ("env['SCRIPT_NAME'] = '/'", "SCRIPT_NAME is /"), ("env['PATH_INFO'] = 'x'", "PATH_INFO is"),
        ("env['HTTP_CONTENT_TYPE'] = 'x'", "HTTP_CONTENT_TYPE"),
        ("env['CONTENT_LENGTH'] = 'x'", "CONTENT_LENGTH is"), ("env['X'] = 5", "X is not a String"),
        ("env['rack.url_scheme'] = 'ftp'", "rack.url_scheme is"), ("env[:a] = 1", "key :a"),
        ("env['rack.version'] = '1'", "rack.version is"), ("env['rack.errors'] = 5", "rack.errors does not")])
    def test_the_servers_part(self, httpd, change, message):
        httpd.run(RU, stack(["class Break", "  def initialize(app); @app = app; end", "  def call(env)",
                             f"    {change}", "    @app.call(env)", "  end", "end", "use Break",
                             "use Rack::Lint"], "[200, {}, []]"))
        assert httpd.get("/x.ru").status == 500
        httpd.log.expects("BENCH0010", "LintError", message, times=1)


class TestUtils:
    """Rack::Utils and its neighbours"""

    def test_a_handful(self, httpd):
        httpd.run(script("x.mrb", """
            p Rack::Utils.status_code(:not_found), Rack::Utils.status_code(204)
            p Rack::Utils.parse_cookies("HTTP_COOKIE" => "a=1; b=2"), Rack::Utils.parse_cookies_header(nil)
            p Rack::Utils.secure_compare("a", "a"), Rack::Utils.secure_compare("a", "b"), Rack::Utils.secure_compare("a", "aa")
            h = {}
            Rack::Utils.set_cookie_header!(h, "a", "1")
            p h
            p Rack::VERSION
        """))
        assert httpd.get("/x.mrb").text == (
            '404\n204\n{"a"=>"1", "b"=>"2"}\n{}\ntrue\nfalse\nfalse\n{"set-cookie"=>"a=1"}\n[1, 3]\n')
