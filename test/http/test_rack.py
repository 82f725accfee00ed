# SPDX-License-Identifier: Apache-2.0
"""Rack applications: bench-rack for .ru files, BenchRack for a mount; what they get, what they answer.

Every application of these tests runs under Rack::Lint, unless it is there to do what Lint forbids.
"""

import pytest
from harness import Truncated, file, h2, script, together, until

RU = "AddHandler bench-rack .ru"
OK = script("ok.mrb", "print 'ok'")
TEXT = '{ "content-type" => "text/plain" }'


def app(path, body, lint="use Rack::Lint\n"):
    """An application that is run with its environment."""
    return script(path, f"{lint}run ->(env) do\n{body}\nend\n")


def ru(path, text):
    """A whole .ru file."""
    return script(path, "use Rack::Lint\n" + script("x", text).content.decode())


class TestHello:
    """[status, headers, body]"""

    @pytest.mark.short
    def test_the_usual_kind(self, httpd):
        text = f"[200, {TEXT}, ['Hello ', 'Rack', '!']]"
        httpd.run(RU, app("x.ru", text, lint=""), app("lint.ru", text), OK)
        with httpd.connect() as connection:
            for _ in range(3):
                answer = connection.get("/x.ru")
                assert (answer.status, answer.body) == (200, b"Hello Rack!")
                assert answer.headers["Content-Type"] == "text/plain"
                assert answer.headers["Content-Length"] == "11"
                assert connection.get("/lint.ru").body == b"Hello Rack!"
                assert connection.get("/ok.mrb").body == b"ok"

    @pytest.mark.short
    def test_status_and_headers(self, httpd):
        httpd.run(RU, app("x.ru", """
            [201, { "Content-Type" => "text/x", "x-lower" => "1", "X-List" => "a\\nb", "ETag" => '"e"',
                    "Set-Cookie" => "a=1\\nb=2" }, ["created"]]
        """), app("array.ru", '[200, { "set-cookie" => ["a=1", "b=2"], "X-One" => ["1"] }, ["x"]]'),
            app("pairs.ru", '[200, [["X-A", "1"], ["X-A", "2"]], ["x"]]'),
            app("rack.ru", '[200, { "rack.own" => "x", "X-A" => "1" }, ["x"]]'))
        answer = httpd.get("/x.ru")
        assert answer.status == 201 and answer.headers["Content-Type"] == "text/x"
        assert answer.headers["x-lower"] == "1" and answer.headers["ETag"] == '"e"'
        assert answer.headers.all("X-List") == ["a", "b"]
        assert answer.headers.all("Set-Cookie") == ["a=1", "b=2"]
        answer = httpd.get("/array.ru")
        assert answer.headers.all("Set-Cookie") == ["a=1", "b=2"] and answer.headers["X-One"] == "1"
        assert httpd.get("/pairs.ru").headers.all("X-A") == ["1", "2"]
        assert "rack.own" not in httpd.get("/rack.ru").headers

    @pytest.mark.short
    def test_no_body_where_there_is_none(self, httpd):
        httpd.run(RU, app("204.ru", "[204, {}, []]"), app("304.ru", '[304, { "etag" => \'"a"\' }, []]'),
                  app("empty.ru", f"[200, {TEXT}, []]"), app("strings.ru", f"[200, {TEXT}, ['', '', '']]"),
                  app("head.ru", f"[200, {TEXT}, env['REQUEST_METHOD'] == 'HEAD' ? [] : ['x']]"),
                  app("careless.ru", f"[200, {TEXT}, ['x' * 100_000]]", lint=""), OK)
        with httpd.connect() as connection:
            for name, status in (("204", 204), ("304", 304), ("empty", 200), ("strings", 200)):
                answer = connection.get(f"/{name}.ru")
                assert (answer.status, answer.body) == (status, b"")
                assert connection.get("/ok.mrb").body == b"ok"
            for name in ("head", "careless"):
                assert connection.request("HEAD", f"/{name}.ru").body == b""
                assert connection.get("/ok.mrb").body == b"ok"

    @pytest.mark.short
    def test_error_status_keeps_its_body(self, httpd):
        httpd.run(RU, "ErrorDocument 404 'replaced'", app("x.ru", f"[404, {TEXT}, ['mine']]"))
        answer = httpd.get("/x.ru")
        assert (answer.status, answer.text) == (404, "mine")

    def test_methods_and_path_info(self, httpd):
        httpd.run(RU, app("x.ru", f"""
            [200, {TEXT}, [env["REQUEST_METHOD"], "|", env["SCRIPT_NAME"], "|", env["PATH_INFO"], "|",
                           env["QUERY_STRING"]]]
        """))
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"):
            assert httpd.request(method, "/x.ru/a%20b?c").text == f"{method}|/x.ru|/a b|c"
        assert httpd.get("/x.ru").text == "GET|/x.ru||"

    def test_large_ones(self, httpd):
        httpd.run(RU, app("x.ru", f"[200, {TEXT}, ['x' * 1_000_000, 'y' * 10]]"),
                  app("many.ru", f"[200, {TEXT}, ['0123456789'] * 20_000]"),
                  app("true.ru", '[200, { "content-length" => "30000" }, ["x" * 20_000, "y" * 10_000]]'),
                  OK)
        with httpd.connect() as connection:
            assert connection.get("/x.ru").body == b"x" * 1_000_000 + b"y" * 10
            assert connection.get("/many.ru").body == b"0123456789" * 20_000
            answer = connection.get("/true.ru")
            assert answer.headers["Content-Length"] == "30000" and len(answer.body) == 30_000
            assert connection.get("/ok.mrb").body == b"ok"

    @pytest.mark.short
    def test_conditions_and_ranges_are_httpds(self, httpd):
        httpd.run(RU, app("x.ru", """[200, { "etag" => '"abc"', "accept-ranges" => "bytes" },
                                      ["0123456789"]]""", lint=""), script("etag.ru", f"""
            use Rack::ETag
            run ->(env) {{ [200, {TEXT}, ["0123456789" * 2000]] }}
        """))
        assert httpd.get("/x.ru", headers={"If-None-Match": '"abc"'}).status == 304
        assert httpd.get("/x.ru", headers={"Range": "bytes=2-4"}).body == b"234"
        tag = httpd.get("/etag.ru").headers["ETag"]
        answer = httpd.get("/etag.ru", headers={"If-None-Match": tag})
        assert (answer.status, answer.body) == (304, b"")


class TestTheFile:
    """A .ru file is evaluated once in each interpreter, and again when it has changed."""

    @pytest.mark.short
    def test_once(self, httpd):
        httpd.run(RU, ru("x.ru", """
            $loads = ($loads || 0) + 1
            calls = 0
            run ->(env) { calls += 1; [200, {}, ["#{$loads}-#{calls}"]] }
        """), threads=1, processes=1)
        assert [httpd.get("/x.ru").text for _ in range(4)] == ["1-1", "1-2", "1-3", "1-4"]

    @pytest.mark.short
    def test_a_change_is_a_new_application_at_the_next_request(self, httpd):
        httpd.run(RU, app("x.ru", "[200, {}, ['old']]"))
        with httpd.connect() as connection:
            for number in range(20):
                httpd.add(app("x.ru", f"[200, {{}}, ['{number:03}']]"))
                assert connection.get("/x.ru").text == f"{number:03}"

    def test_every_worker_sees_it(self, httpd):
        httpd.run(RU, app("x.ru", "response.flush; env['rack.input'].read; [200, {}, ['old']]"))
        for text in ("old", "new"):
            httpd.add(app("x.ru", "stream = ->(s) { s.write('" + text + "'); s.flush; "
                                  "env['rack.input'].read }\n[200, {}, stream]"))
            assert {answer.text for answer in httpd.everywhere("/x.ru")} == {text}

    @pytest.mark.short
    def test_what_it_requires(self, httpd):
        httpd.run(RU, "BenchLoadPath lib", ru("x.ru", """
            require "part"
            require_relative "beside"
            run ->(env) { [200, {}, [PART, BESIDE]] }
        """), file("lib/part.rb", "PART = 'part '"), script("beside.rb", "BESIDE = 'beside'"))
        assert httpd.get("/x.ru").text == "part beside"
        httpd.add(file("lib/part.rb", "PART = 'changed '"))
        assert httpd.get("/x.ru").text == "changed beside"
        httpd.add(script("beside.rb", "BESIDE = 'there'"))
        assert httpd.get("/x.ru").text == "changed there"

    @pytest.mark.short
    def test_one_that_raises(self, httpd):
        """A 500, again at each request, until it is right."""
        httpd.run(RU, ru("x.ru", "$n = ($n || 0) + 1\nraise \"at load #{$n}\"\n"), OK, threads=1,
                  processes=1)
        assert httpd.get("/x.ru").status == 500
        assert httpd.get("/x.ru").status == 500
        httpd.log.expects("BENCH0010", "x.ru:3: at load", times=2)
        httpd.add(app("x.ru", "[200, {}, ['right']]"))
        assert httpd.get("/x.ru").text == "right"
        assert httpd.get("/ok.mrb").body == b"ok"

    @pytest.mark.short
    @pytest.mark.parametrize("text, number, message", [
        ("run ->(env) {", "BENCH0011", "x.ru:1:"), ("", "BENCH0010", "neither run nor map"),
        ("use Rack::Lint", "BENCH0010", "neither run nor map"),
        ("run", "BENCH0010", "neither run nor map"),
        ("run Nowhere", "BENCH0010", "Nowhere"), ("use nil\nrun ->(e) { }", "BENCH0010", "x.ru"),
        ("run(->(e) { }) { }", "BENCH0010", "not both"), ("run 5", "BENCH0010", "call"),
        ("run ->() { [200, {}, []] }", "BENCH0010", "argument"),
        ("map 'x' do\nrun ->(e) { }\nend", "BENCH0010", "slash"), ("exit", None, ""),
        ("map('/') { }", "BENCH0010", "neither run nor map"), ("halt 503", None, "")])
    def test_one_that_is_wrong(self, httpd, text, number, message):
        httpd.run(RU, script("x.ru", text), OK)
        with httpd.connect() as connection:
            answer = connection.get("/x.ru")
            assert answer.status == {"exit": 200, "halt 503": 503}.get(text, 500)
        if number:
            httpd.log.expects(number, message, times=1)
        assert httpd.get("/ok.mrb").body == b"ok"

    def test_one_that_is_not_there_or_cannot_be_read(self, httpd):
        httpd.run(RU, script("secret.ru", "run ->(e) { [200, {}, []] }", 0o000), OK)
        assert httpd.get("/none.ru").status == 404
        assert httpd.get("/secret.ru").status == 403
        assert httpd.get("/ok.mrb").body == b"ok"
        httpd.log.expects("secret.ru", times=1)

    def test_another_self_than_a_scripts(self, httpd):
        httpd.run(RU, script("x.ru", """
            @mine = "kept"
            mine = @mine
            def helper; "helped"; end
            run ->(env) { [200, {}, [mine, helper, @mine.inspect, self.to_s]] }
        """), OK)
        assert httpd.get("/x.ru").text == 'kepthelped"kept"main'
        assert httpd.get("/ok.mrb").body == b"ok"

    def test_frozen_headers_and_constants(self, httpd):
        httpd.run(RU, ru("x.ru", """
            HEADERS = { "x-a" => "1" }.freeze
            BODY = ["same"].freeze
            RESPONSE = [200, HEADERS, BODY].freeze
            run ->(env) { RESPONSE }
        """))
        for _ in range(3):
            answer = httpd.get("/x.ru")
            assert (answer.text, answer.headers["X-A"]) == ("same", "1")

    def test_memory_over_many_requests(self, httpd):
        """Fault 10 of mod_mruby: an entry of the arena for each request."""
        httpd.run(RU, app("x.ru", f"[200, {TEXT}, [env['HTTP_HOST'], env.size.to_s]]"),
                  app("each.ru", f"[200, {TEXT}, ('a'..'c')]"), app("nil.ru", "nil", lint=""),
                  script("live.mrb", """
                      GC.start
                      counts = ObjectSpace.count_objects
                      print counts[:TOTAL] - counts[:FREE]
                  """), threads=1, processes=1)
        for turn in range(900):
            httpd.get(f"/{('x', 'each', 'nil')[turn % 3]}.ru")
            if turn == 300:
                before = int(httpd.get("/live.mrb").text)
        assert int(httpd.get("/live.mrb").text) - before < 20
        httpd.log.expects("BENCH0010", "nil.ru", times=300)

    def test_in_isolation(self, httpd):
        httpd.run(RU, "BenchIsolation request", ru("x.ru", "n = 0\nrun ->(env) { n += 1; "
                                                           "[200, {}, [n.to_s]] }\n"))
        assert [httpd.get("/x.ru").text for _ in range(3)] == ["1"] * 3

    @pytest.mark.parametrize("cache", ["forever", "never"])
    def test_other_caches(self, httpd, cache):
        httpd.run(RU, f"BenchCodeCache {cache}", app("x.ru", "[200, {}, ['old']]"), threads=1,
                  processes=1)
        assert httpd.get("/x.ru").text == "old"
        httpd.add(app("x.ru", "[200, {}, ['new']]"))
        assert httpd.get("/x.ru").text == ("old" if cache == "forever" else "new")


class TestMount:
    """BenchRack FILE in a Location: SCRIPT_NAME is the Location."""

    SHOW = f"run ->(env) {{ [200, {TEXT}, [env['SCRIPT_NAME'], '|', env['PATH_INFO'], '|', " \
           "Rack::Request.new(env).path, '|', request.path]] }"

    @pytest.mark.short
    def test_script_name_and_path_info(self, httpd):
        httpd.run("<Location /app>", "BenchRack app.ru", "</Location>",
                  "<Location /deep/er/>", "BenchRack app.ru", "</Location>",
                  file("app.ru", "use Rack::Lint\n" + self.SHOW), OK)
        for url, script_name, path_info in (
                ("/app", "/app", ""), ("/app/", "/app", "/"), ("/app/x/y.html", "/app", "/x/y.html"),
                ("/app/a%20b", "/app", "/a b"), ("/deep/er/", "/deep/er", "/"),
                ("/deep/er/x", "/deep/er", "/x"), ("/app/x//y/../z", "/app", "/x/z")):
            whole = script_name + path_info
            assert httpd.get(url).text == f"{script_name}|{path_info}|{whole}|{whole}", url
        assert httpd.get("/ok.mrb").body == b"ok"
        assert httpd.get("/application").status == 404

    @pytest.mark.short
    def test_the_whole_server(self, httpd):
        httpd.run("<Location />", "BenchRack app.ru", "</Location>",
                  file("app.ru", "use Rack::Lint\n" + self.SHOW), script("index.html", "static"))
        for url in ("/", "/index.html", "/any/thing"):
            assert httpd.get(url).text == f"|{url}|{url}|{url}"

    def test_over_a_directory(self, httpd):
        httpd.run("<Location /docs>", "BenchRack app.ru", "</Location>",
                  file("app.ru", self.SHOW), script("docs/index.html", "static"))
        assert httpd.get("/docs/index.html").text.startswith("/docs|/index.html|")
        assert httpd.get("/docs/").text.startswith("/docs|/|")
        assert httpd.get("/docs").text.startswith("/docs||")

    @pytest.mark.short
    def test_one_in_another(self, httpd):
        httpd.run("<Location /a>", "BenchRack a.ru", "</Location>", "<Location /a/b>", "BenchRack b.ru",
                  "</Location>", "<Location /a/c>", "BenchScript c.mrb", "</Location>",
                  file("a.ru", "run ->(e) { [200, {}, ['a ' + e['SCRIPT_NAME']]] }"),
                  file("b.ru", "run ->(e) { [200, {}, ['b ' + e['SCRIPT_NAME']]] }"),
                  file("c.mrb", "print 'c'"))
        assert [httpd.get(url).text for url in ("/a/x", "/a/b/x", "/a/c/x", "/a/bb")] == \
            ["a /a", "b /a/b", "c", "a /a"]

    def test_a_change_and_a_loss(self, httpd):
        httpd.run("<Location /app>", "BenchRack app.ru", "</Location>",
                  file("app.ru", "run ->(e) { [200, {}, ['old']] }"))
        assert httpd.get("/app").text == "old"
        httpd.add(file("app.ru", "run ->(e) { [200, {}, ['new']] }"))
        assert httpd.get("/app").text == "new"
        (httpd.root / "app.ru").unlink()
        assert httpd.get("/app").status == 404

    def test_bodies_and_queries(self, httpd):
        httpd.run("<Location /app>", "BenchRack app.ru", "</Location>", file("app.ru", """
            use Rack::Lint
            run ->(env) { r = Rack::Request.new(env); [200, {}, [r.params.inspect, r.url]] }
        """))
        answer = httpd.post("/app/x?a=1", b"b=2", headers={
            "Content-Type": "application/x-www-form-urlencoded"})
        assert answer.text == '{"a"=>"1", "b"=>"2"}http://localhost/app/x?a=1'


class TestBuilder:
    """run, use, map, warmup"""

    @pytest.mark.short
    def test_use(self, httpd):
        httpd.run(RU, ru("x.ru", """
            class Add
              def initialize(app, *words, &block)
                @app, @words, @block = app, words, block
              end

              def call(env)
                status, headers, body = @app.call(env)
                [status, headers, [*@words, @block ? @block.call : "-", *body]]
              end
            end
            use Add, "one", "two"
            use(Add, "three") { "block" }
            run ->(env) { [200, {}, ["app"]] }
        """))
        assert httpd.get("/x.ru").text == "onetwo-threeblockapp"

    @pytest.mark.short
    def test_map(self, httpd):
        httpd.run("<Location /m>", "BenchRack x.ru", "</Location>", file("x.ru", """
            SHOW = ->(name) { ->(e) { [200, {}, ["#{name} #{e['SCRIPT_NAME']} #{e['PATH_INFO']}"]] } }
            use Rack::Lint
            map "/a" do
              use Rack::Lint
              run SHOW.call("a")
              map("/deep") { run SHOW.call("deep") }
            end
            map("/a/b") { run SHOW.call("b") }
            map("http://host.test/") { run SHOW.call("host") }
            map("/empty/") { run SHOW.call("slash") }
            run SHOW.call("default")
        """))
        for url, text in (("/m/a", "a /m/a "), ("/m/a/", "a /m/a /"), ("/m/a/x", "a /m/a /x"),
                          ("/m/ab", "default /m /ab"), ("/m/a/b/c", "b /m/a/b /c"),
                          ("/m/a/deep/x", "deep /m/a/deep /x"), ("/m", "default /m "),
                          ("/m/empty/x", "slash /m/empty /x")):
            assert httpd.get(url).text == text, url
        assert httpd.get("/m/a", host="host.test").text == "host /m /a"

    def test_map_alone_is_404_elsewhere(self, httpd):
        httpd.run(RU, ru("x.ru", "map('/a') { run ->(e) { [200, {}, ['a']] } }\n"))
        assert httpd.get("/x.ru/a").text == "a"
        answer = httpd.get("/x.ru/none")
        assert (answer.status, answer.headers["X-Cascade"]) == (404, "pass")

    def test_map_puts_the_environment_back(self, httpd):
        httpd.run(RU, ru("x.ru", """
            class After
              def initialize(app)
                @app = app
              end

              def call(env)
                status, headers, body = @app.call(env)
                [status, headers, body + [env["SCRIPT_NAME"], env["PATH_INFO"]]]
              end
            end
            use After
            map("/a") { run ->(env) { raise "no" if env["PATH_INFO"] == "/no"; [200, {}, ["in "]] } }
        """))
        assert httpd.get("/x.ru/a/b").text == "in /x.ru/a/b"
        assert httpd.get("/x.ru/a/no").status == 500
        assert httpd.get("/x.ru/a/b").text == "in /x.ru/a/b"
        httpd.log.expects("BENCH0010", "no", times=1)

    def test_others(self, httpd):
        httpd.run(RU, ru("x.ru", """
            warmup { |app| $warm = app.respond_to?(:call) }
            use Rack::Lint
            inner = Rack::Builder.new do
              run ->(env) { [200, {}, ["inner ", $warm.to_s]] }
            end
            other = Rack::Builder.app { run ->(env) { [404, {}, ["other"]] } }
            run Rack::Cascade.new([other, inner])
        """), ru("block.ru", "run { |env| [200, {}, ['block']] }\n"),
            ru("klass.ru", """
            class App
              def self.call(env)
                [200, {}, ["class"]]
              end
            end
            run App
        """))
        assert httpd.get("/x.ru").text == "inner true"
        assert httpd.get("/block.ru").text == "block"
        assert httpd.get("/klass.ru").text == "class"


class TestEnvironment:
    """rack.* and the rest; more of it in test_env.py"""

    @pytest.mark.short
    def test_lint_has_nothing_to_say(self, httpd):
        httpd.run(RU, app("x.ru", f"[200, {TEXT}, [env['REQUEST_METHOD']]]"), tls=True)
        for method in ("GET", "POST", "PUT", "OPTIONS", "BREW"):
            for path in ("/x.ru", "/x.ru/", "/x.ru/%00%ff", "/x.ru?", "/x.ru?%00"):
                if "%00" in path.split("?")[0]:
                    continue  # httpd refuses it by itself
                assert httpd.request(method, path, b"body").text == method
                assert httpd.request(method, path, b"body", tls=True).text == method

    @pytest.mark.short
    def test_what_it_writes_to_rack_errors(self, httpd):
        httpd.run(RU, app("x.ru", """
            e = env["rack.errors"]
            e.puts "one line"
            e.write "two\\nlines\\n"
            e << "three"
            e.flush
            [200, {}, []]
        """))
        assert httpd.get("/x.ru").status == 200
        for text in ("one line", "two", "lines", "three"):
            httpd.log.expects("[bench:warn]", f"x.ru: {text}", times=1)

    @pytest.mark.short
    def test_rack_input_can_be_rewound(self, httpd):
        httpd.run(RU, app("x.ru", """
            i = env["rack.input"]
            first = i.read
            i.rewind
            lines = []
            i.each { |line| lines << line }
            i.rewind
            buffer = ""
            i.read(5, buffer)
            [200, {}, [[first == lines.join, i.gets, buffer, i.read(2), i.read, i.read(1), i.read].inspect]]
        """))
        assert httpd.post("/x.ru", b"one two\nthree").text == \
            '[true, "wo\\n", "one t", "th", "ree", nil, ""]'
        body = b"".join(b"%09d\n" % number for number in range(20_000))
        assert httpd.post("/x.ru", body).text.startswith('[true, "')

    def test_the_server_says_how_it_runs(self, httpd):
        httpd.run(RU, app("x.ru", """
            [200, {}, [%w[rack.multithread rack.multiprocess rack.run_once].map { |n| env[n] }.inspect]]
        """))
        assert httpd.get("/x.ru").text == \
            ("[false, true, false]" if httpd.mpm == "prefork" else "[true, true, false]")

    def test_each_call_has_its_own(self, httpd):
        httpd.run(RU, app("x.ru", "n = env['mine']; env['mine'] = 'kept'; env['HTTP_HOST'] << 'x'; "
                                  "[200, {}, [n.inspect, env['HTTP_HOST'], Rack::Lint.name]]"),
                  threads=1, processes=1)
        for _ in range(3):
            assert httpd.get("/x.ru").text == "nillocalhostxRack::Lint"

    def test_scripts_own_words_work_too(self, httpd):
        """request and response are there as in a script; what print has written comes first."""
        httpd.run(RU, app("x.ru", """
            response["X-Before"] = "1"
            print "printed "
            [200, { "x-after" => request.path }, ["returned"]]
        """), app("halt.ru", "halt 403, {}, 'halted'"))
        answer = httpd.get("/x.ru")
        assert answer.text == "printed returned"
        assert (answer.headers["X-Before"], answer.headers["X-After"]) == ("1", "/x.ru")
        answer = httpd.get("/halt.ru")
        assert (answer.status, answer.text) == (403, "halted")


class TestBodies:
    """Arrays, each, call, to_path; close is always called."""

    CLASS = """
        class Body
          def initialize(*parts)
            @parts = parts
          end

          def each
            @parts.each do |part|
              raise part if part.is_a?(Class)
              yield part
            end
          end

          def close
            Bench.log.warn "closed"
          end
        end
    """

    def body_app(self, path, text, lint="use Rack::Lint\n"):
        return script(path, script("x", self.CLASS).content.decode() + lint
                      + f"run ->(env) do\n{text}\nend\n")

    @pytest.mark.short
    def test_each_is_streamed_part_by_part(self, httpd):
        httpd.run(RU, app("x.ru", """
            parts = Enumerator.new do |out|
              out << "first"
              out << env["rack.input"].read(1)
              out << "last"
            end
            [200, { "content-type" => "text/plain" }, parts]
        """))
        with httpd.connect() as connection:
            connection.send("POST", "/x.ru", headers={"Content-Length": "1"})
            answer = connection.response_head()
            connection.first_chunk(answer)
            assert answer.body == b"first"
            connection.send_bytes(b".")
            connection.rest(answer)
            assert answer.body == b"first.last"

    @pytest.mark.short
    def test_close_is_called(self, httpd):
        httpd.run(RU, self.body_app("x.ru", "[200, {}, Body.new('a', 'b')]"),
                  self.body_app("head.ru", "[200, {}, Body.new('x')]", lint=""),
                  self.body_app("204.ru", "[204, {}, Body.new]"))
        assert httpd.get("/x.ru").body == b"ab"
        httpd.log.expects("x.ru: closed", times=1)
        assert httpd.request("HEAD", "/head.ru").body == b""
        httpd.log.expects("head.ru: closed", times=1)
        assert httpd.get("/204.ru").status == 204
        httpd.log.expects("204.ru: closed", times=1)

    @pytest.mark.short
    def test_close_after_an_exception(self, httpd):
        httpd.run(RU, self.body_app("early.ru", "[200, {}, Body.new(RuntimeError)]"),
                  self.body_app("late.ru", "[200, {}, Body.new('part', RuntimeError)]"),
                  self.body_app("type.ru", "[200, {}, Body.new('part', 5)]", lint=""),
                  self.body_app("header.ru", '[200, { "X-A" => "a\\r\\nb" }, Body.new("x")]', lint=""),
                  self.body_app("status.ru", "[99, {}, Body.new('x')]", lint=""),
                  self.body_app("odd.ru", "[200, 5, Body.new('x')]", lint=""),
                  self.body_app("exit.ru", "[200, {}, Body.new('x', SystemExit)]"))
        for name in ("early", "header", "status", "odd"):
            assert httpd.get(f"/{name}.ru").status == 500, name
        for name in ("late", "type"):
            with pytest.raises(Truncated):
                httpd.get(f"/{name}.ru")
        httpd.get("/exit.ru")
        for name in ("early", "late", "type", "header", "status", "odd", "exit"):
            httpd.log.expects(f"{name}.ru: closed", times=1)
        httpd.log.expects("BENCH0010", times=6)
        for line in httpd.log.lines("BENCH0010"):
            assert ".ru: " in line or ".ru:" in line, line

    @pytest.mark.short
    def test_close_when_the_client_has_gone(self, httpd):
        httpd.run(RU, self.body_app("x.ru", """
            endless = Body.new
            def endless.each
              loop { yield "x" * 10_000 }
            ensure
              Bench.log.warn "ensured"
            end
            [200, {}, endless]
        """), OK)
        with httpd.connect() as connection:
            connection.send("GET", "/x.ru")
            connection.first_chunk(connection.response_head())
        httpd.log.expects("ensured", times=1)
        httpd.log.expects("x.ru: closed", times=1)
        assert httpd.get("/ok.mrb").body == b"ok"

    def test_close_that_raises(self, httpd):
        httpd.run(RU, script("x.ru", """
            class Body
              def each; yield "whole"; end
              def close; raise "at close"; end
            end
            run ->(env) { [200, {}, Body.new] }
        """), OK)
        with pytest.raises(Truncated):
            httpd.get("/x.ru")
        httpd.log.expects("BENCH0010", "at close", times=1)
        assert httpd.get("/ok.mrb").body == b"ok"

    @pytest.mark.short
    def test_call_is_given_a_stream(self, httpd):
        httpd.run(RU, app("x.ru", """
            [200, { "content-type" => "text/plain" }, ->(stream) do
              stream.write("one ", "two ")
              stream << "three "
              stream.flush
              stream.write(env["rack.input"].read(1))
              stream.close
              Bench.log.warn "closed: #{stream.closed?}"
            end]
        """))
        with httpd.connect() as connection:
            connection.send("POST", "/x.ru", headers={"Content-Length": "1"})
            answer = connection.response_head()
            connection.first_chunk(answer)
            assert answer.body == b"one two three "
            connection.send_bytes(b"4")
            connection.rest(answer)
            assert answer.body == b"one two three 4"
        httpd.log.expects("closed: true", times=1)

    def test_a_stream_after_its_close(self, httpd):
        httpd.run(RU, app("x.ru", """
            [200, {}, ->(stream) do
              stream.write("x")
              stream.close
              begin
                stream.write("y")
              rescue IOError
                Bench.log.warn "refused"
              end
            end]
        """))
        assert httpd.get("/x.ru").body == b"x"
        httpd.log.expects("refused", times=1)

    @pytest.mark.short
    @pytest.mark.parametrize("sendfile", ["On", "Off"])
    def test_to_path_is_sent_by_httpd(self, httpd, sendfile):
        data = b"0123456789" * 30_000
        httpd.run(f"EnableSendfile {sendfile}", RU, "BenchSet docs ${DOCS}", script("data.bin", data),
                  script("x.ru", """
                      class FileBody
                        def initialize(path); @path = path; end
                        def to_path; @path; end
                        def each; raise "each is not for this server"; end
                        def close; Bench.log.warn "closed"; end
                      end
                      use Rack::Lint
                      run ->(env) { [200, { "content-type" => "text/x" },
                                     FileBody.new(Bench.config["docs"] + "/data.bin")] }
                  """), OK)
        with httpd.connect() as connection:
            answer = connection.get("/x.ru")
            assert (answer.body, answer.headers["Content-Type"]) == (data, "text/x")
            answer = connection.request("GET", "/x.ru", headers={"Range": "bytes=5-7"})
            assert (answer.status, answer.body) == (206, b"567")
            assert connection.request("HEAD", "/x.ru").headers["Content-Length"] == str(len(data))
            assert connection.get("/ok.mrb").body == b"ok"
        httpd.log.expects("x.ru: closed", times=3)

    def test_to_path_that_is_not_there(self, httpd):
        httpd.run(RU, script("x.ru", """
            class FileBody
              def to_path; "/none/there"; end
              def each; yield "each"; end
            end
            run ->(env) { [200, {}, FileBody.new] }
        """))
        assert httpd.get("/x.ru").status == 500
        httpd.log.expects("BENCH0010", "/none/there", times=1)

    def test_other_things_that_each(self, httpd):
        httpd.run(RU, app("range.ru", "[200, {}, ('a'..'e')]"), app("enum.ru", "[200, {}, %w[x y].each]"),
                  app("proxy.ru", "[200, {}, Rack::BodyProxy.new(%w[p q]) { Bench.log.warn 'closed' }]"),
                  app("io.ru", "[200, {}, File.open(__FILE__)]", lint=""))
        assert httpd.get("/range.ru").text == "abcde"
        assert httpd.get("/enum.ru").text == "xy"
        assert httpd.get("/proxy.ru").text == "pq"
        httpd.log.expects("proxy.ru: closed", times=1)
        assert httpd.get("/io.ru").text == "run ->(env) do\n[200, {}, File.open(__FILE__)]\nend\n"

    @pytest.mark.short
    def test_work_ends_early_when_the_client_has_gone(self, httpd):
        """FrankenPHP, mod_wsgi: work done for clients that had gone."""
        httpd.run(RU, app("x.ru", """
            count = 0
            parts = Enumerator.new { |out| 100_000.times { count += 1; out << "x" * 1000 } }
            body = Rack::BodyProxy.new(parts) { Bench.log.warn(count < 90_000 ? "early" : "late") }
            [200, {}, body]
        """), OK)
        with httpd.connect() as connection:
            connection.send("GET", "/x.ru")
            connection.first_chunk(connection.response_head())
        httpd.log.expects("early", times=1)
        assert httpd.get("/ok.mrb").body == b"ok"


ODD = {
    "nil": "nil", "a number": "5", "a string": "'text'", "an empty array": "[]", "two": "[200, {}]",
    "four": "[200, {}, [], 1]", "a hash": "{ 1 => 2 }", "no status": "[nil, {}, []]",
    "status 0": "[0, {}, []]", "status 99": "[99, {}, []]", "status 1000": "[1000, {}, []]",
    "a negative status": "[-200, {}, []]", "a huge status": "[10**30, {}, []]",
    "a word for a status": "['ok', {}, []]", "status 100": "[100, {}, []]", "status 101": "[101, {}, []]",
    "no headers": "[200, nil, []]", "a number for headers": "[200, 1, []]",
    "a string for headers": "[200, 'x', []]", "a symbol for a header": "[200, { a: '1' }, []]",
    "a number for a value": "[200, { 'a' => 1 }, []]", "nil for a value": "[200, { 'a' => nil }, []]",
    "an empty name": "[200, { '' => 'x' }, []]", "a space in a name": "[200, { 'a b' => 'x' }, []]",
    "a colon in a name": "[200, { 'a:b' => 'x' }, []]", "a line end in a name": "[200, { \"a\\nb\" => 'x' }, []]",
    "CR in a value": "[200, { 'a' => \"x\\ry\" }, []]", "NUL in a value": "[200, { 'a' => \"x\\0y\" }, []]",
    "header injection": "[200, { 'a' => \"x\\r\\nx-in: 1\" }, []]",
    "Transfer-Encoding": "[200, { 'transfer-encoding' => 'chunked' }, ['x']]",
    "a length that is none": "[200, { 'content-length' => 'x' }, ['x']]",
    "no body": "[200, {}, nil]", "a string for a body": "[200, {}, 'text']",
    "a number for a body": "[200, {}, 5]", "a hash for a body": "[200, {}, { 'a' => 1 }]",
    "nil in the body": "[200, {}, [nil]]", "a number in the body": "[200, {}, ['x', 5]]",
    "an array in the body": "[200, {}, [['x']]]", "a symbol in the body": "[200, {}, [:x]]",
    "an object": "Object.new", "a class": "String", "true": "true", "itself": "env",
    "an array in itself": "a = [200, {}]; a << a; a", "a lambda that takes none": "[200, {}, ->() { }]",
    "a status that raises": "o = Object.new; def o.to_i; raise 'at to_i'; end; [o, {}, []]",
    "headers that raise": "o = Object.new; def o.each; raise 'at each'; end; [200, o, []]",
    "an inspect that raises": "o = Object.new; def o.inspect; raise 'at inspect'; end; o",
    "an endless inspect": "o = Object.new; def o.inspect; 'x' * 1_000_000; end; o",
    "raise": "raise 'in the app'", "throw": "throw :nothing", "an exception as response": "RuntimeError.new('x')",
}


class TestNonsense:
    """h2o: nil or an odd triple from an application gave no reply at all.  Here: 500, and why."""

    @pytest.mark.short
    def test_is_a_500_with_a_line_in_the_log(self, httpd):
        httpd.run(RU, "MaxKeepAliveRequests 0", OK, *[
            app(f"{number}.ru", text, lint="") for number, text in enumerate(ODD.values())])
        for number, name in enumerate(ODD):
            answer = httpd.get(f"/{number}.ru")
            assert answer.status == 500, (name, answer)
            assert "x-in" not in answer.headers and "a" not in answer.headers
            line = httpd.log.expects("[bench:error]", "BENCH0010", f"/{number}.ru", times=1)
            assert len(line) < 4000, name
        assert httpd.get("/ok.mrb").body == b"ok"

    @pytest.mark.short
    @pytest.mark.parametrize("text, said", [
        ("nil", "returns [status, headers, body], not nil"),
        ("[200, {}]", "returns [status, headers, body], not [200, {}]"),
        ("['ok', {}, []]", "its status is \"ok\""), ("[200, nil, []]", "its headers are nil"),
        ("[200, {}, nil]", "its body is nil"), ("[200, {}, 'text']", "its body is \"text\""),
        ("[200, {}, [:x]]", "gives Strings, not :x"),
        ("[200, { 'a' => 1 }, []]", "not \"a\" and 1")])
    def test_the_line_names_it(self, httpd, text, said):
        httpd.run(RU, app("x.ru", text, lint=""))
        assert httpd.get("/x.ru").status == 500
        line = httpd.log.expects("BENCH0010", "x.ru", times=1).replace('\\"', '"')
        assert said in line

    def test_lint_says_it_more_exactly(self, httpd):
        httpd.run(RU, app("a.ru", "[204, { 'content-type' => 'x' }, []]"),
                  app("b.ru", "[200, { 'x' => \"a\\0b\" }, []]"), app("c.ru", "[200, {}, [5]]"),
                  app("d.ru", "env['rack.input'].close; [200, {}, []]"),
                  app("e.ru", "env['rack.input'].read(-1); [200, {}, []]"),
                  app("f.ru", "[200, { 'status' => '200' }, []]"))
        for name in "abcdef":
            assert httpd.get(f"/{name}.ru").status == 500, name
            httpd.log.expects("BENCH0010", f"{name}.ru", "LintError", times=1)

    def test_after_something_was_printed(self, httpd):
        httpd.run(RU, app("x.ru", "print 'part'; response.flush; nil", lint=""))
        with pytest.raises(Truncated):
            httpd.get("/x.ru")
        httpd.log.expects("BENCH0010", "cut off in the middle", times=1)


class TestTogether:
    """Many clients, HTTP/2, TLS."""

    SHOW = app("x.ru", """
        token = env["HTTP_X_TOKEN"]
        sleep 0.001 * rand(10)
        r = Rack::Request.new(env)
        [200, { "x-token" => token }, [token, r.params["t"], env["rack.input"].read, env["HTTP_X_TOKEN"]]]
    """)

    @pytest.mark.short
    def test_nothing_crosses(self, httpd):
        httpd.run(RU, self.SHOW, threads=8, processes=8)

        def client(number):
            with httpd.connect() as connection:
                for turn in range(15):
                    token = f"{number}-{turn}"
                    answer = connection.request("POST", f"/x.ru?t={token}", token.encode(), {
                        "X-Token": token, "Content-Type": "text/plain"})
                    assert answer.text == token * 4 and answer.headers["X-Token"] == token

        together(6, client)

    @pytest.mark.short
    @pytest.mark.mpms("event", "worker")
    @pytest.mark.parametrize("tls", [False, True], ids=["h2c", "h2"])
    def test_over_http2(self, httpd, tls):
        httpd.run("Protocols h2 h2c http/1.1", RU, app("x.ru", f"""
            body = env["rack.input"].read
            [200, {TEXT}, [env["rack.url_scheme"], env["SERVER_PROTOCOL"], body.bytesize.to_s,
                           env.key?("CONTENT_LENGTH").to_s, "x" * 50_000]]
        """), app("each.ru", "[200, {}, (1..50).lazy.map { |n| n.to_s * 1000 }]"),
            app("nil.ru", "nil", lint=""), modules=["http2"], tls=tls)
        with h2.connect(httpd, tls) as client:
            answers = client.fetch([("POST", "/x.ru", b"x" * (n * 1000)) for n in range(5)]
                                   + [("GET", "/each.ru", None), ("GET", "/nil.ru", None)])
            scheme = "https" if tls else "http"
            for number, answer in enumerate(answers[:5]):
                assert answer.text == f"{scheme}HTTP/2.0{number * 1000}false" + "x" * 50_000
            assert answers[5].text == "".join(str(n) * 1000 for n in range(1, 51))
            assert answers[6].status == 500
        httpd.log.expects("BENCH0010", "nil.ru", times=1)

    @pytest.mark.mpms("event", "worker")
    def test_an_http2_stream_that_is_reset(self, httpd):
        httpd.run("Protocols h2c http/1.1", RU, app("x.ru", """
            parts = Enumerator.new { |out| loop { out << "x" * 10_000 } }
            [200, {}, Rack::BodyProxy.new(parts) { Bench.log.warn "closed" }]
        """), OK, modules=["http2"])
        with h2.connect(httpd) as client:
            stream = client.send("GET", "/x.ru")
            until(lambda: client._receive() or len(client._open[stream]) > 0, "some output")
            client.cancel(stream)
            assert client.get("/ok.mrb").body == b"ok"
        httpd.log.expects("x.ru: closed", times=1)

    def test_graceful_restarts(self, httpd):
        httpd.run(RU, self.SHOW, OK)
        for _ in range(2):
            assert httpd.get("/x.ru?t=1", headers={"X-Token": "1"}).text == "111"
            httpd.graceful()
        assert httpd.get("/x.ru?t=1", headers={"X-Token": "1"}).text == "111"
