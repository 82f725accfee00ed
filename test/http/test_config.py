# SPDX-License-Identifier: Apache-2.0
"""The configuration: what is refused, how settings merge, what .htaccess may say."""

import pytest
from harness import file, script, vhost

SHOW = "print %w[a b c d e].map { |key| Bench.config[key].inspect }.join(' ')"


def serve(httpd, name="/x.mrb", **options):
    answer = httpd.get(name, **options)
    assert answer.status == 200
    return answer.text


class TestBenchSet:
    """BenchSet KEY VALUE is Bench.config["KEY"]."""

    @pytest.mark.short
    def test_values(self, httpd):
        httpd.run("BenchSet a text", 'BenchSet b "two words"', 'BenchSet c "100% \\\\"',
                  'BenchSet d "grüße"', 'BenchSet "a key" found', "BenchSet a again",
                  script("x.mrb", SHOW + "\nprint ' ', Bench.config['a key'], Bench.config['A']"))
        assert serve(httpd) == '"again" "two words" "100% \\\\" "grüße" nil found'

    def test_none_at_all(self, httpd):
        httpd.run(script("x.mrb", "p Bench.config['x'], Bench.config[nil]"))
        assert serve(httpd) == "nil\nnil\n"

    def test_what_a_script_does_to_it_does_not_stay(self, httpd):
        httpd.run("BenchSet a conf", script("x.mrb", """
            print Bench.config["a"]
            begin
              Bench.config["a"] << "changed"
              Bench.config["a"] = "mine"
            rescue StandardError
            end
        """), processes=1, threads=1)
        assert [serve(httpd) for _ in range(3)] == ["conf"] * 3


class TestMerge:
    """Settings merge like httpd's own: an inner section keeps what it does not say (fault 13)."""

    @pytest.mark.short
    def test_from_the_server_to_htaccess(self, httpd):
        httpd.run(
            "BenchSet a server", "BenchSet b server", "BenchSet c server", "BenchSet d server",
            vhost("v.test", "BenchSet b vhost", "BenchSet c vhost", "BenchSet d vhost",
                  '<Directory "${DOCS}">', "AllowOverride FileInfo", "BenchSet c directory",
                  "BenchSet d directory", "</Directory>",
                  "<Location /in/located.mrb>", "BenchSet e location", "</Location>"),
            vhost("other.test"),
            *[script(name, SHOW) for name in ("x.mrb", "in/x.mrb", "in/located.mrb")],
            script("in/.htaccess", "BenchSet d htaccess\nBenchSet e htaccess\n"))
        assert serve(httpd, "/x.mrb", host="v.test") == \
            '"server" "vhost" "directory" "directory" nil'
        assert serve(httpd, "/in/x.mrb", host="v.test") == \
            '"server" "vhost" "directory" "htaccess" "htaccess"'
        assert serve(httpd, "/in/located.mrb", host="v.test") == \
            '"server" "vhost" "directory" "htaccess" "location"'
        assert serve(httpd, "/x.mrb", host="other.test") == \
            '"server" "server" "server" "server" nil'

    def test_files_and_if(self, httpd):
        httpd.run("BenchSet a server", '<Files "special.mrb">', "BenchSet b files", "</Files>",
                  "<If \"%{QUERY_STRING} == 'if'\">", "BenchSet c if", "</If>",
                  script("x.mrb", SHOW), script("special.mrb", SHOW))
        assert serve(httpd) == '"server" nil nil nil nil'
        assert serve(httpd, "/special.mrb") == '"server" "files" nil nil nil'
        assert serve(httpd, "/special.mrb?if") == '"server" "files" "if" nil nil'

    @pytest.mark.parametrize("inner", ["BenchSet z z", "BenchCodeCache never", "BenchGroup inner",
                                       "BenchIsolation request", "BenchLoadPath inner"])
    def test_any_inner_directive_keeps_all_outer_ones(self, httpd, inner):
        httpd.run("<Location /app>", "BenchScript app.mrb", "BenchSet a outer",
                  "BenchLoadPath outer", "</Location>", "<Location /app/in>", inner, "</Location>",
                  file("app.mrb", "require 'tool'; print TOOL, Bench.config['a']"),
                  file("outer/tool.rb", "TOOL = 'tool '"), file("inner/none.rb"))
        for url in ("/app", "/app/in", "/app/in/x"):
            assert serve(httpd, url) == "tool outer"

    def test_groups_by_place(self, httpd):
        httpd.run("BenchGroup top", vhost("v.test", "BenchGroup vhost", "<Location /in>",
                                          "BenchGroup location", "</Location>"), vhost("w.test"),
                  *[script(name, "print Bench.interpreter[:group]") for name in
                    ("x.mrb", "in/x.mrb")])
        assert serve(httpd, host="v.test") == "vhost"
        assert serve(httpd, "/in/x.mrb", host="v.test") == "location"
        assert serve(httpd, "/in/x.mrb", host="w.test") == "top"

    def test_settings_of_one_request_do_not_reach_the_next(self, httpd):
        httpd.run(vhost("a.test", "BenchSet a A"), vhost("b.test", "BenchSet a B"), vhost("c.test"),
                  script("x.mrb", "print Bench.config['a'].inspect"), processes=1, threads=1)
        for _ in range(3):
            for name, value in (("a", '"A"'), ("b", '"B"'), ("c", "nil")):
                assert serve(httpd, host=f"{name}.test") == value


class TestBenchScript:
    """All requests there run one script."""

    @pytest.mark.short
    def test_in_a_location(self, httpd):
        httpd.run("<Location /app>", "BenchScript app.mrb", "</Location>",
                  file("app.mrb", "print request.path"), script("x.mrb", "print 'x'"))
        for url in ("/app", "/app/", "/app/deep/down.html", "/app/x.mrb"):
            assert serve(httpd, url) == url
        assert serve(httpd, "/x.mrb") == "x"
        assert httpd.get("/application").status == 404

    @pytest.mark.short
    def test_a_location_with_the_name_of_a_directory(self, httpd):
        httpd.run("<Location /docs>", "BenchScript app.mrb", "</Location>",
                  file("app.mrb", "print request.request_method, request.path"),
                  script("docs/index.html", "static"), script("docs/sub/a.txt", "static"))
        for url in ("/docs", "/docs/", "/docs/index.html", "/docs/sub", "/docs/sub/",
                    "/docs/sub/a.txt", "/docs/none/a.txt"):
            assert serve(httpd, url) == f"GET{url}"

    def test_the_whole_server(self, httpd):
        httpd.run("<Location />", "BenchScript app.mrb", "</Location>",
                  file("app.mrb", "print request.path"), script("index.html", "static"))
        for url in ("/", "/index.html", "/any/thing"):
            assert serve(httpd, url) == url

    def test_in_a_directory_and_in_files(self, httpd):
        httpd.run('<Directory "${DOCS}/all">', "BenchScript app.mrb", "</Directory>",
                  '<Files "*.page">', "BenchScript page.mrb", "</Files>",
                  file("app.mrb", "print 'app'"), file("page.mrb", "print 'page'"),
                  script("all/a.txt", "static"), script("b.page", "static"))
        assert serve(httpd, "/all/a.txt") == "app"
        assert serve(httpd, "/b.page") == "page"

    def test_an_inner_script_replaces_the_outer_one(self, httpd):
        httpd.run("<Location /a>", "BenchScript a.mrb", "</Location>", "<Location /a/b>",
                  "BenchScript b.mrb", "</Location>", file("a.mrb", "print 'a'"),
                  file("b.mrb", "print 'b'"))
        assert [serve(httpd, url) for url in ("/a", "/a/b", "/a/c")] == ["a", "b", "a"]

    def test_access_control_still_applies(self, httpd):
        httpd.run("<Location /app>", "BenchScript app.mrb", "Require all denied", "</Location>",
                  file("app.mrb", "print 'secret'"))
        assert httpd.get("/app").status == 403
        httpd.log.expects("AH01630", times=1)

    def test_a_body_and_a_query(self, httpd):
        httpd.run("<Location /app>", "BenchScript app.mrb", "</Location>",
                  file("app.mrb", "print request.query_string, request.body.read"))
        assert httpd.post("/app/x?q=1&", b"body").body == b"q=1&body"

    @pytest.mark.short
    def test_a_change_is_seen_and_a_loss_is_404(self, httpd):
        httpd.run("<Location /app>", "BenchScript app.mrb", "</Location>",
                  file("app.mrb", "print 'aaa'"))
        for text in ("aaa", "bbb", "ccc"):
            httpd.add(file("app.mrb", f"print '{text}'"))
            for _ in range(httpd.workers):
                assert serve(httpd, "/app") == text
        (httpd.root / "app.mrb").unlink()
        assert httpd.get("/app").status == 404
        httpd.add(file("app.mrb", "print 'back'"))
        assert serve(httpd, "/app") == "back"


class TestPathInfo:
    """What follows the name of a script in the URL."""

    def test_it_is_accepted_or_refused_as_httpd_is_told(self, httpd):
        httpd.run("<Location /strict.mrb>", "AcceptPathInfo Off", "</Location>",
                  script("x.mrb", "print request.path"), script("strict.mrb", "print 'strict'"))
        assert serve(httpd, "/x.mrb/more/of/it") == "/x.mrb/more/of/it"
        assert serve(httpd, "/strict.mrb") == "strict"
        assert httpd.get("/strict.mrb/more").status == 404


class TestHtaccess:
    """BenchSet and BenchCodeCache only, and only where AllowOverride says FileInfo."""

    ALLOW = ['<Directory "${DOCS}">', "AllowOverride FileInfo", "</Directory>"]

    @pytest.mark.short
    def test_what_is_allowed(self, httpd):
        httpd.run(*self.ALLOW, script("in/x.mrb", SHOW),
                  script("in/.htaccess", "BenchSet a mine\nBenchCodeCache never\n"))
        assert serve(httpd, "/in/x.mrb") == '"mine" nil nil nil nil'

    def test_a_handler_may_be_set(self, httpd):
        httpd.run(*self.ALLOW, script("in/x.page", "print 'run'"),
                  script("in/.htaccess", "AddHandler bench-script .page\n"))
        assert serve(httpd, "/in/x.page") == "run"

    @pytest.mark.parametrize("line", ["BenchSet a 1", "BenchCodeCache never"])
    def test_without_file_info_nothing_is(self, httpd, line):
        httpd.run('<Directory "${DOCS}">', "AllowOverride Limit", "</Directory>",
                  script("in/x.mrb", "print 1"), script("in/.htaccess", line))
        assert httpd.get("/in/x.mrb").status == 500
        httpd.log.expects("not allowed here", line.split()[0], times=1)

    @pytest.mark.parametrize("line", ["BenchScript /etc/hosts", "BenchGroup g",
                                      "BenchMaxRequests 1", "BenchThreadInit x.mrb",
                                      "BenchLoadPath /tmp", "BenchIsolation request"])
    def test_all_others_are_refused(self, httpd, line):
        httpd.run(*self.ALLOW, script("in/x.mrb", "print 1"), script("in/.htaccess", line))
        assert httpd.get("/in/x.mrb").status == 500
        httpd.log.expects("not allowed here", line.split()[0], times=1)

    def test_a_bad_value_is_a_500_that_says_so(self, httpd):
        httpd.run(*self.ALLOW, script("in/x.mrb", "print 1"),
                  script("in/.htaccess", "BenchCodeCache sometimes"))
        assert httpd.get("/in/x.mrb").status == 500
        httpd.log.expects('BenchCodeCache: "sometimes" is not known', times=1)

    def test_a_change_is_seen_at_the_next_request(self, httpd):
        httpd.run(*self.ALLOW, script("in/x.mrb", SHOW), script("in/.htaccess", "BenchSet a 1"))
        for number in range(5):
            httpd.add(script("in/.htaccess", f"BenchSet a {number}"))
            assert serve(httpd, "/in/x.mrb").startswith(f'"{number}"')


class TestConfigtest:
    """Bad configuration does not start, and says what is expected."""

    def test_good_configuration(self, httpd):
        result = httpd.configtest(
            "BenchCodeCache FOREVER", "BenchIsolation request", "BenchGroup g",
            "BenchMaxRequests 1000", "BenchThreadInit init.rb", "BenchLoadPath lib htdocs",
            "BenchSet a b", "<Location /app>", "BenchScript app.mrb", "</Location>",
            file("init.rb", "1"), file("app.mrb", "print 1"), file("lib/a.rb"))
        assert result.ok, result.output
        assert "Syntax OK" in result.output

    @pytest.mark.parametrize("line, message", [
        ("BenchCodeCache sometimes",
         'BenchCodeCache: "sometimes" is not known; expected one of: stat, forever, never'),
        ("BenchIsolation total",
         'BenchIsolation: "total" is not known; expected one of: thread, request'),
        ("BenchMaxRequests x",
         'BenchMaxRequests: "x" is not a number of requests (0 for no limit)'),
        ("BenchMaxRequests -1", 'BenchMaxRequests: "-1" is not a number of requests'),
        ("BenchMaxRequests 1k", 'BenchMaxRequests: "1k" is not a number of requests'),
        ("BenchMaxRequests 99999999999999999999", "is not a number of requests"),
        ("BenchMaxRequests ''", "BenchMaxRequests takes one argument"),
        ("BenchLoadPath nowhere", "BenchLoadPath: ${ROOT}/nowhere is not a directory"),
        ("BenchLoadPath good.mrb", "BenchLoadPath: ${ROOT}/good.mrb is not a directory"),
        ("BenchLoadPath lib nowhere", "BenchLoadPath: ${ROOT}/nowhere is not a directory"),
        ("BenchThreadInit nowhere.mrb",
         "BenchThreadInit: cannot open ${ROOT}/nowhere.mrb: No such file or directory"),
        pytest.param("BenchThreadInit bad.mrb", "BenchThreadInit: ${ROOT}/bad.mrb:3:",
                     marks=pytest.mark.short),
        ("BenchThreadInit lib", "BenchThreadInit: "),
        ("BenchGroup ''", "BenchGroup takes one argument"),
        ("BenchSet '' value", "BenchSet takes two arguments"),
        ("BenchSet a", "BenchSet takes two arguments"),
        ("BenchGroup", "BenchGroup takes one argument"),
        ("BenchLoadPath", "BenchLoadPath"),
    ])
    def test_bad_values_at_the_server(self, httpd, line, message):
        self.refused(httpd, [line], message)

    @pytest.mark.parametrize("line, message", [
        ("BenchScript nowhere.mrb",
         "BenchScript: cannot open ${ROOT}/nowhere.mrb: No such file or directory"),
        ("BenchScript bad.mrb", "BenchScript: ${ROOT}/bad.mrb:3:"),
        ("BenchScript lib", "BenchScript: "),
        ("BenchScript", "BenchScript takes one argument"),
        ("BenchThreadInit good.mrb", "BenchThreadInit not allowed"),
        ("BenchMaxRequests 5", "BenchMaxRequests not allowed"),
    ])
    def test_bad_values_in_a_location(self, httpd, line, message):
        self.refused(httpd, ["<Location /app>", line, "</Location>"], message)

    def test_a_script_for_the_whole_server_needs_a_section(self, httpd):
        self.refused(httpd, ["BenchScript good.mrb"], "BenchScript not allowed here")

    def test_unknown_directives_are_httpds(self, httpd):
        self.refused(httpd, ["BenchNonsense 1"], "Invalid command 'BenchNonsense'")

    def test_nothing_of_a_script_is_run(self, httpd):
        result = httpd.configtest("BenchThreadInit init.rb", file("init.rb", "raise 'ran'"))
        assert result.ok, result.output

    def refused(self, httpd, lines, message):
        result = httpd.configtest(*lines, file("good.mrb", "print 1"), file("lib/a.rb"),
                                  file("bad.mrb", "x = 1\nif x\n  print )\nend\n"))
        assert not result.ok
        assert message.replace("${ROOT}", str(httpd.root)) in result.output
        assert "Syntax error on line" in result.output or "Invalid command" in result.output
