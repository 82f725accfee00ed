# SPDX-License-Identifier: Apache-2.0
"""request and Rack::Request answer what Rack 2.2's Rack::Request answers to the same request."""

from itertools import zip_longest

import pytest
from harness import script
from harness.rack import ASKED, environment

CONF = "UseCanonicalName On"  # SERVER_NAME is localhost, whatever Host says
SCRIPTS = [script("own.mrb", ASKED + "\nprint Asked.helpers(request)"),
           script("rack.mrb", ASKED + "\nprint Asked.helpers(Rack::Request.new(request.env))")]

STUMBLED = ": ! other"  # Rack itself has raised what it does not mean to: no model to follow
FORM = "application/x-www-form-urlencoded"


def compare(httpd, rack, requests):
    """Every difference between the two of ours and Rack's, in one report."""
    httpd.run(CONF, *SCRIPTS)
    differences = []
    for method, more, query, headers, body in requests:
        headers = {"Host": "localhost", **headers}
        if body is not None and "Content-Length" not in headers:
            headers["Content-Length"] = str(len(body))
        for name in ("/own.mrb", "/rack.mrb"):
            target = name + more + (f"?{query}" if query else "")
            ours = httpd.request(method, target, body, headers)
            env = environment(method, name + more, query, headers, script=name)
            env["HTTP_CONNECTION"] = "close"
            theirs = rack.ask({"ask": "helpers", "env": env,
                               "body": (body or b"").decode("latin-1")})
            pairs = list(zip_longest(ours.text.split("\n"), theirs.split("\n")))
            wrong = [f"\n  ours {mine}\n  rack {wanted}" for mine, wanted in pairs
                     if mine != wanted and not str(wanted).endswith(STUMBLED)]
            if ours.status != 200 or wrong:
                differences.append(f"{method} {target} {headers} {body!r}: {ours.status}"
                                   + "".join(wrong))
    assert not differences, "\n".join(differences)


def get(query="", more="", **headers):
    return ("GET", more, query,
            {name.replace("_", "-"): value for name, value in headers.items()}, None)


def post(body, **headers):
    return ("POST", "", "", {name.replace("_", "-"): value for name, value in headers.items()}, body)


class TestTheSameAnswers:
    """Every method of Rack::Request that only reads."""

    @pytest.mark.short
    def test_methods_of_http(self, httpd, rack):
        compare(httpd, rack, [(method, "", "", {}, b"" if method in ("POST", "PUT") else None)
                              for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
                                             "LINK", "UNLINK", "BREW", "get")])

    def test_paths_and_queries(self, httpd, rack):
        compare(httpd, rack, [
            get(), get("a=1"), get("?"), get("a=b?c=d"), get("a=%41&a[]=1&b[c]=d"),
            get(more="/more"), get("q=1", "/more/of/it"), get(more="/a;b=c,d:e@f"),
            get("x" * 200), get("a[b][][c]=1&a[b][][c]=2&a[b][][d]=3")])

    def test_hosts_and_ports(self, httpd, rack):
        compare(httpd, rack, [get(Host=host) for host in (
            "localhost", "localhost:80", "example.test", "example.test:8080", "example.test:443",
            "EXAMPLE.test", "a_b-c.test:1", "192.0.2.7", "192.0.2.7:81", "[2001:db8::1]",
            "[2001:db8::1]:8080", "[::1]:80")])

    @pytest.mark.short
    def test_what_proxies_say(self, httpd, rack):
        compare(httpd, rack, [
            get(X_Forwarded_Host=host) for host in (
                "outer.test", "outer.test:8443", "a.test, b.test", "2001:db8::5",
                "[2001:db8::5]:99", " c.test ", "a b")
        ] + [
            get(X_Forwarded_Proto=proto, Host="x.test:443") for proto in (
                "https", "http", "https, http", "wss", "HTTPS", "", "ftp,https")
        ] + [
            get(X_Forwarded_Scheme="https"), get(X_Forwarded_Scheme="gopher"),
            get(X_Forwarded_Ssl="on"), get(X_Forwarded_Ssl="off"),
            get(X_Forwarded_Scheme="http", X_Forwarded_Proto="https"),
            get(X_Forwarded_Port="8443"), get(X_Forwarded_Port="8443, 80"),
            get(X_Forwarded_Port="x"), get(X_Forwarded_Proto="https", X_Forwarded_Port="8443",
                                           X_Forwarded_Host="outer.test")])

    def test_whose_address(self, httpd, rack):
        compare(httpd, rack, [get(X_Forwarded_For=value) for value in (
            "192.0.2.1", "192.0.2.1, 10.0.0.1", "10.1.2.3", "10.1.2.3, 192.168.1.1",
            "1.2.3.4, 127.0.0.1, ::1", "172.16.0.1, 172.31.255.255", "172.15.0.1", "172.32.0.1",
            "172.2.0.1", "fd12:3456::1", "fd12::", "fdx2:1::", "2001:db8::9", "[2001:db8::9]:1234",
            "unknown", "localhost", "unix", "unix:/x", "LOCALHOST", "192.0.2.1:8080",
            "  192.0.2.1   ,\t10.0.0.1", ",,", "", "172.16", "10.evil.test", "127.0.0.1.evil.test",
            "fdab:", "172.160.0.1")])

    @pytest.mark.short
    def test_content_types(self, httpd, rack):
        compare(httpd, rack, [post(b"a=1&b=2", Content_Type=value) for value in (
            FORM, FORM.upper(), FORM + "; charset=utf-8", FORM + ";charset=UTF-8;x=\"y\"", "", ";",
            "text/plain; charset=\"iso-8859-1\"", "text/plain,charset=x", "text/plain ; A = b ; c",
            "text/plain; =x", "text/plain; a=\"", "text/plain; a=\"b;c\"", "application/json",
            "multipart/form-data", "text/html;;;x=1")] + [post(b"a=1&b=2"), post(b""), post(b"=")])

    def test_what_the_client_accepts(self, httpd, rack):
        compare(httpd, rack, [get(Accept_Encoding=value, Accept_Language=value) for value in (
            "gzip", "gzip, br", "gzip;q=0.5, *;q=0", "gzip; q=0.8 , deflate", "a;x=1;q=0.2", "",
            " ", "gzip;q=", "gzip;q=x", "gzip;q=.5", "gzip;q=1.2.3", ",gzip", "de-DE,de;q=0.9",
            "gzip;Q=0.5", "gzip;q= 0.5")])

    def test_the_rest(self, httpd, rack):
        compare(httpd, rack, [
            get(User_Agent="me/1.0 (\xfc)", Referer="http://x.test/?a=1"),
            get(X_Requested_With="XMLHttpRequest"), get(X_Requested_With="xmlhttprequest"),
            get(User_Agent="", Referer="")])

    @pytest.mark.short
    def test_cookies(self, httpd, rack):
        compare(httpd, rack, [get(Cookie=value) for value in (
            "a=1", "a=1; b=2", "a=1;b=2", "a=1,b=2", "a=%20%41+x", "a=%zz", "a=1; a=2", "a", "a=",
            "=1", "; a=1", "a=1;", "a=1;  b=2", "a=b=c", "a = 1", "a=\"quoted\"", "%61=1", "",
            ";;;", "a[b]=1; a[]=2", "a=\xff\xfe", "\xff=1", "a=1; ; b=2", " a=1", "a=%00",
            "a=1&b=2", "$Version=1; a=1")])


class TestParametersOfBoth:
    """params is GET and POST together; what is in the form wins."""

    def test_a_form_and_a_query(self, httpd, rack):
        headers = {"Content-Type": FORM}
        compare(httpd, rack, [
            ("POST", "", "a=1&b=2&c[x]=1", headers, b"b=3&c[y]=2&d=4"),
            ("PUT", "", "a=1", headers, b"a=2"), ("PATCH", "", "a=1", headers, b"a=2"),
            ("DELETE", "", "a=1", headers, b"a=2"), ("GET", "", "a=1", headers, b"a=2"),
            ("POST", "", "a=%zz", headers, b"a=2"), ("POST", "", "a=1", headers, b"a=%zz"),
            ("POST", "", "", headers, b"a=1\0"), ("POST", "", "", headers, b"a=1;b=2"),
            ("POST", "", "", {}, b"untyped=1"), ("PUT", "", "", {}, b"untyped=1"),
            ("POST", "", "", {"Content-Type": "text/plain"}, b"a=1")])

    @pytest.mark.short
    def test_they_are_read_once_and_kept(self, httpd):
        httpd.run(script("x.mrb", """
            print request.params.equal?(request.params), request.GET.equal?(request.GET),
                  request.POST.equal?(request.POST), request.cookies.equal?(request.cookies)
            request.params["mine"] = 1
            print request["mine"], request[:a], request.values_at("a", "b", "none").inspect
            print request.body.read
        """))
        answer = httpd.post("/x.mrb?a=1", b"b=2", headers={"Content-Type": FORM})
        assert answer.text == 'truetruetruetrue11["1", "2", nil]b=2'

    def test_none_of_it_stays_for_the_next_request(self, httpd):
        httpd.run(script("x.mrb", "print request.params.inspect, request.cookies.inspect; "
                                  "request.params['kept'] = 1"), threads=1, processes=1)
        assert httpd.get("/x.mrb?a=1", headers={"Cookie": "c=1"}).text == '{"a"=>"1"}{"c"=>"1"}'
        assert httpd.get("/x.mrb").text == "{}{}"


class TestRackRequestChanges:
    """What Rack::Request writes goes into the environment, which every Rack::Request of it shares."""

    def test_update_and_delete(self, httpd):
        httpd.run(script("x.mrb", """
            env = request.env
            one, two = Rack::Request.new(env), Rack::Request.new(env)
            one.update_param("a", "new")
            one.update_param("fresh", "f")
            p two.params
            p two.delete_param("a")
            p one.GET
            one.set_header("HTTP_X_ADDED", "1")
            one.add_header("HTTP_X_ADDED", "2")
            p two.get_header("HTTP_X_ADDED"), env["HTTP_X_ADDED"]
            p two.has_header?("HTTP_X_NONE"), two.fetch_header("HTTP_X_NONE") { 7 }
            two.script_name = "/s"
            two.path_info = "/p"
            p one.path
        """))
        assert httpd.get("/x.mrb?a=1&b=2").text == (
            '{"a"=>"new", "b"=>"2", "fresh"=>"f"}\n"new"\n{"b"=>"2", "fresh"=>"f"}\n'
            '"1,2"\n"1,2"\nfalse\n7\n"/s/p"\n')
