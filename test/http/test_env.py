# SPDX-License-Identifier: Apache-2.0
"""request.env, headers, notes, subprocess_env, and the fields of httpd's own request record."""

import base64
import hashlib

import pytest
from harness import file, script, together
from harness.rack import ASKED

ENV = script("env.mrb", ASKED + "\nprint request.env.to_a.sort_by { |name, _| name }."
                                "map { |name, value| name + ': ' + Asked.text(value) }.join(\"\\n\")")


def env_of(answer):
    assert answer.status == 200, answer
    return dict(line.split(": ", 1) for line in answer.text.split("\n"))


class TestEnv:
    """What Rack's specification promises, and no more than the request has."""

    @pytest.mark.short
    def test_of_a_plain_request(self, httpd):
        httpd.run(ENV)
        with httpd.connect() as connection:
            connection.send("GET", "/env.mrb/a%20b/c?x=%41&y", headers={"X-Odd_Name.1": "odd"},
                            host="example.test:81")
            env = env_of(connection.response())
            port = connection.socket.getsockname()[1]
        threaded = "false" if httpd.mpm == "prefork" else "true"
        assert env == {
            "GATEWAY_INTERFACE": '"CGI/1.1"', "HTTP_HOST": '"example.test:81"',
            "HTTP_X_ODD_NAME_1": '"odd"', "PATH_INFO": '"/a b/c"', "QUERY_STRING": '"x=%41&y"',
            "REMOTE_ADDR": '"127.0.0.1"', "REMOTE_PORT": f'"{port}"', "REQUEST_METHOD": '"GET"',
            "REQUEST_URI": '"/env.mrb/a%20b/c?x=%41&y"', "SCRIPT_NAME": '"/env.mrb"',
            "SERVER_NAME": '"example.test"', "SERVER_PORT": '"81"', "SERVER_PROTOCOL": '"HTTP/1.1"',
            "SERVER_SOFTWARE": env["SERVER_SOFTWARE"], "rack.errors": "Bench::Errors",
            "rack.hijack?": "false", "rack.input": 'file ""', "rack.multiprocess": "true",
            "rack.multithread": threaded, "rack.run_once": "false", "rack.url_scheme": '"http"',
            "rack.version": "[1, 3]"}
        assert "Apache" in env["SERVER_SOFTWARE"]

    def test_of_a_form(self, httpd):
        httpd.run(ENV)
        env = env_of(httpd.post("/env.mrb", b"a=1", headers={
            "Content-Type": "application/x-www-form-urlencoded"}))
        assert env["CONTENT_TYPE"] == '"application/x-www-form-urlencoded"'
        assert env["CONTENT_LENGTH"] == '"3"'
        assert env["rack.input"] == 'file "a=1"'
        assert "HTTP_CONTENT_TYPE" not in env and "HTTP_CONTENT_LENGTH" not in env

    def test_without_a_query_or_a_host(self, httpd):
        httpd.run(ENV)
        env = env_of(httpd.request("GET", "/env.mrb", version="1.0", host="x"))
        assert env["QUERY_STRING"] == '""' and env["PATH_INFO"] == '""'
        assert env["SERVER_PROTOCOL"] == '"HTTP/1.0"'

    @pytest.mark.short
    def test_over_tls(self, httpd):
        httpd.run(ENV, tls=True)
        env = env_of(httpd.get("/env.mrb", tls=True))
        assert env["HTTPS"] == '"on"' and env["rack.url_scheme"] == '"https"'
        assert "HTTPS" not in env_of(httpd.get("/env.mrb"))

    def test_a_user(self, httpd):
        password = base64.b64encode(hashlib.sha1(b"secret").digest()).decode()
        httpd.run("<Location />", "AuthType Basic", "AuthName test", "AuthUserFile conf/users",
                  "Require valid-user", "</Location>", file("conf/users", f"me:{{SHA}}{password}\n"),
                  ENV, modules=["auth_basic", "authn_core", "authn_file", "authz_user"])
        login = base64.b64encode(b"me:secret").decode()
        env = env_of(httpd.get("/env.mrb", headers={"Authorization": f"Basic {login}"}))
        assert env["REMOTE_USER"] == '"me"' and env["AUTH_TYPE"] == '"Basic"'

    @pytest.mark.short
    def test_a_header_called_proxy_does_not_get_in(self, httpd):
        """HTTP_PROXY would be taken for a setting of the server (httpoxy)."""
        httpd.run(ENV, script("x.mrb", "p request.env['HTTP_PROXY'], request.env.key?('HTTP_PROXY'),"
                                       "Rack::Request.new(request.env).get_header('HTTP_PROXY')"))
        headers = {"Proxy": "http://evil.test"}
        assert "HTTP_PROXY" not in env_of(httpd.get("/env.mrb", headers=headers))
        assert httpd.get("/x.mrb", headers=headers).text == "nil\nfalse\nnil\n"

    def test_headers_with_dashes_and_underscores(self, httpd):
        httpd.run(ENV)
        env = env_of(httpd.get("/env.mrb", headers={"X-A-B": "dash"}))
        assert env["HTTP_X_A_B"] == '"dash"'

    @pytest.mark.short
    def test_bytes_survive(self, httpd):
        httpd.run(ENV)
        env = env_of(httpd.get("/env.mrb/%ff%C3%A4?\xff", headers={"X-Bytes": "\xff\xfe"}))
        assert env["PATH_INFO"] == '"/\\xff\\xc3\\xa4"'
        assert env["QUERY_STRING"] == '"\\xff"'
        assert env["HTTP_X_BYTES"] == '"\\xff\\xfe"'

    @pytest.mark.short
    def test_it_is_a_hash_however_it_is_looked_at(self, httpd):
        """Its values are made when they are looked at; nothing but that tells it from a Hash."""
        httpd.run("AddHandler bench-rack .ru", "MaxKeepAliveRequests 0", script("x.ru", f"""
            LOOKS = [{", ".join(f"->(e) {{ {look} }}" for look in LOOKS)}]
            def plain(env)
              env.each_with_object({{}}) {{ |(name, value), hash| hash[name] = value }}
            end

            def try(look, env)
              [begin; look.call(env); rescue StandardError => e; e.class; end, plain(env)]
            end

            run ->(env) do
              look = LOOKS[request.query_string.to_i]
              theirs = plain(request.env)
              env["rack.input"] = theirs["rack.input"]  # each env has one of its own
              ours, theirs = try(look, env), try(look, theirs)
              text = if ours == theirs
                       "same"
                     elsif ours[0] == theirs[0]
                       "the same result, another env afterwards"
                     else
                       "#{{ours[0].inspect[0, 150]}}, a Hash: #{{theirs[0].inspect[0, 150]}}"
                     end
              [200, {{}}, [text]]
            end
        """))
        wrong = [f"{look}: {answer.status} {answer.text[:400]}" for number, look in enumerate(LOOKS)
                 if (answer := httpd.get(f"/x.ru?{number}")).text != "same"]
        assert not wrong, "\n".join(wrong)

    def test_one_for_the_whole_request(self, httpd):
        httpd.run(script("x.mrb", """
            request.env["mine"] = 1
            request.env["REQUEST_METHOD"] = "BREW"
            p request.env.equal?(request.env), request.env["mine"], request.env["REQUEST_METHOD"]
            p request.request_method
        """), threads=1, processes=1)
        for _ in range(3):
            assert httpd.get("/x.mrb").text == 'true\n1\n"BREW"\n"GET"\n'

    @pytest.mark.short
    def test_after_the_request(self, httpd):
        """What was not looked at in time is not to be had any more."""
        httpd.run(script("keep.mrb", "$env = request.env; $full = request.env; print $env['HTTP_HOST']"),
                  script("use.mrb", """
                      print $env["HTTP_HOST"]
                      begin
                        $env["PATH_INFO"]
                      rescue Bench::StaleError
                        print " stale"
                      end
                      begin
                        $env["rack.input"].read
                      rescue Bench::StaleError, NoMethodError
                        print " stale"
                      end
                      begin
                        $env.keys
                      rescue Bench::StaleError
                        print " stale"
                      end
                  """), threads=1, processes=1)
        assert httpd.get("/keep.mrb", host="mine.test").text == "mine.test"
        assert httpd.get("/use.mrb", host="other.test").text == "mine.test stale stale stale"

    def test_many_headers_of_a_clients_choosing(self, httpd):
        """An interpreter remembers the names of some, and not of all that clients think of."""
        httpd.run("LimitRequestFields 0", script("x.mrb", "print request.env.count { |k, v| "
                                                          "k.start_with?('HTTP_X_R') && v == '1' }"),
                  threads=1, processes=1)
        # A connection for each: event closes kept ones when its only thread is busy.
        for turn in range(40):
            headers = {f"X-R{turn}-{number}": "1" for number in range(200)}
            assert httpd.get("/x.mrb", headers=headers).body == b"200"
            if turn == 5:
                before = httpd.resident_kib()
        assert httpd.resident_kib() - before < 2000


LOOKS = [
    "e.key?('REQUEST_METHOD')", "e.has_key?('HTTP_HOST')", "e.include?('NONE')",
    "e.member?('rack.input')", "e.fetch('REQUEST_METHOD')", "e.fetch('NONE', 7)",
    "e.fetch('NONE') { |k| k }", "e.fetch('NONE')", "e['NONE']", "e['HTTP_NONE']", "e[nil]", "e[:a]",
    "e.size", "e.length", "e.count", "e.count { |k, v| k == 'HTTP_HOST' }", "e.keys.sort", "e.values.size", "e.values_at('PATH_INFO', 'NONE')",
    "e.to_a.sort_by { |k, v| k }", "e.any? { |k, v| k == 'HTTP_HOST' }", "e.empty?",
    "e.select { |k, v| k == 'HTTP_HOST' }", "e.filter { |k, v| k == 'HTTP_HOST' }",
    "e.reject { |k, v| k != 'HTTP_HOST' }", "e.map { |k, v| k }.sort", "e.collect { |k, v| k }.sort",
    "e.find { |k, v| k == 'PATH_INFO' }", "e.detect { |k, v| k == 'PATH_INFO' }",
    "e.find_all { |k, v| k == 'HTTP_HOST' }", "e.merge('a' => 1)", "{}.merge(e)", "{}.update(e)",
    "e.merge('SERVER_NAME' => 1) { |k, a, b| [a, b] }", "e.dup", "e.clone", "e.to_h",
    "e.key('GET')", "e.value?('GET')", "e.has_value?('none')", "e.delete('REQUEST_METHOD')",
    "e.delete('NONE') { 5 }", "e.inspect.include?('PATH_INFO')", "e.to_s.include?('HTTP_HOST')",
    "a = []; e.each { |k, v| a << k }; a.sort", "a = []; e.each_pair { |k, v| a << k }; a.sort",
    "a = []; e.each_key { |k| a << k }; a.sort", "n = 0; e.each_value { |v| n += 1 }; n",
    "e.each_with_index { |kv, i| }.size", "e.each_with_object([]) { |(k, v), a| a << k }.sort",
    "e.sort_by { |k, v| k }", "e.is_a?(Hash)", "e == {}.merge(e)", "{}.merge(e) == e", "e != {}",
    "e.eql?({}.merge(e))", "e.reject! { |k, v| k == 'HTTP_HOST' }.size",
    "e.delete_if { |k, v| k == 'HTTP_HOST' }.size", "e.select! { |k, v| k == 'HTTP_HOST' }",
    "e.keep_if { |k, v| k == 'HTTP_HOST' }", "e.invert['GET']", 
    "e.transform_values { 1 }", "e.transform_keys { |k| k.downcase }",
    "e.transform_values! { 1 }", "e.filter_map { |k, v| v if k == 'HTTP_HOST' }",
    "e.partition { |k, v| k == 'HTTP_HOST' }[0]", "e.dig('REQUEST_METHOD')", "e.slice('HTTP_HOST')",
    "e.except('HTTP_HOST')", "e.assoc('HTTP_HOST')", "e.rassoc('GET')", "e.min_by { |k, v| k }",
    "e.group_by { |k, v| v.class }[String].size", "e.update('a' => 1).size", "e.merge!('a' => 1).size",
    "e.store('REQUEST_METHOD', 'X'); e['REQUEST_METHOD']", "e['PATH_INFO'] = '/x'; e['PATH_INFO']",
    "e['HTTP_HOST'] = nil; e.key?('HTTP_HOST')", "e.compact.size",
    "e.compact!", "e.replace('a' => 1)", "e.clear", "e.none?", "e.one?",
    "e.reduce(0) { |n, kv| n + 1 }", "e.flat_map { |k, v| [k] }.sort", "e.zip([]).size",
    "e.all? { |k, v| k.is_a?(String) }", "e >= { 'REQUEST_METHOD' => 'GET' }",
    "{ 'REQUEST_METHOD' => 'GET' } <= e", "e < { 'a' => 1 }", "e.sum { |k, v| 1 }", "e.sort.size",
    "e.entries.size", "e.max_by { |k, v| k.size }.class", "e.each_slice(2).to_a.size",
    "e.tally.size", "e.to_set.size", "e.take(1).size", "e.drop(1).size", "e.lazy.map { 1 }.to_a.size",
    "Hash[e].size", "[e].flatten.size", "h = {}; h.replace(e); h.size", "e.default", "e.default('a')",
    "e.default = 5; [e['NONE'], e['PATH_INFO']]", "e.freeze; [e['PATH_INFO'], e.key?('HTTP_HOST')]", "e.frozen?",
    "case e when Hash then 1 end", "e.delete('HTTP_HOST'); e['HTTP_HOST']", "e.hash == {}.merge(e).hash",
    "e.delete('PATH_INFO'); e.key?('PATH_INFO')", "e.fetch_values('PATH_INFO')",
    "e.sum { 1 }", "e.cycle { break 1 }", "e.chunk_while { true }.to_a.size",
]


class TestHeaders:
    """request.headers, all of them."""

    @pytest.mark.short
    def test_as_a_table(self, httpd):
        httpd.run(script("x.mrb", """
            h = request.headers
            p h.to_h.select { |name, _| name.start_with?("X-") }
            p h.key?("x-one"), h.has_key?("X-None"), h.include?("x-two")
            p h.fetch("X-One"), h.fetch("X-None", 5), h.fetch("X-None") { |name| name }
            begin
              h.fetch("X-None")
            rescue KeyError => e
              p e.message
            end
            p h.get_all("x-two"), h.get_all("X-None")
            p h.map { |name, value| name }.select { |name| name.start_with?("X-") }
            p h.keys.size == h.size, h.to_a.size == h.size, h.each { }.equal?(h)
        """))
        with httpd.connect() as connection:
            connection.send_bytes(b"GET /x.mrb HTTP/1.1\r\nHost: localhost\r\nX-One: 1\r\n"
                                  b"X-Two: a\r\nx-two: b\r\n\r\n")
            assert connection.response().text == (
                '{"X-One"=>"1", "X-Two"=>"a, b"}\ntrue\nfalse\ntrue\n"1"\n5\n"X-None"\n'
                '"key not found: \\"X-None\\""\n["a, b"]\n[]\n["X-One", "X-Two"]\n'
                'true\ntrue\ntrue\n')

    def test_they_cannot_be_changed(self, httpd):
        httpd.run(script("x.mrb", """
            begin
              request.headers["X-One"] = "2"
              print "changed"
            rescue NoMethodError
              print "not changed"
            end
            request.headers.to_h["X-One"] = "2"
            request.headers["X-One"] << "2"
            print request.headers["X-One"]
        """))
        assert httpd.get("/x.mrb", headers={"X-One": "1"}).text == "not changed1"


class TestNotes:
    """request.notes and request.subprocess_env: what httpd's modules say to each other."""

    @pytest.mark.short
    def test_notes_are_written_and_read(self, httpd):
        httpd.run(script("x.mrb", """
            n = request.notes
            p n["none"], n.key?("none")
            n["mine"] = "value"
            n["number"] = 5
            n["bytes"] = "\\xff\\n"
            p n["MINE"], n["number"], n["bytes"] == "\\xff\\n", n.key?("Mine"), n.to_h["mine"]
            n["mine"] = nil
            p n["mine"], n.delete("number"), n["number"]
            begin
              n["nul"] = "a\\0b"
            rescue ArgumentError => e
              p e.class
            end
        """))
        assert httpd.get("/x.mrb").text == (
            'nil\nfalse\n"value"\n"5"\ntrue\ntrue\n"value"\nnil\n"5"\nnil\n'
            'ArgumentError\n')

    def test_other_modules_see_them(self, httpd):
        """mod_headers and the access log"""
        httpd.run('Header set X-Env "%{mine}e"', 'LogFormat "%{mine}n %{mine}e" notes',
                  "CustomLog logs/access.log notes", "SetEnv from_conf conf",
                  script("x.mrb", """
                      request.notes["mine"] = "a note"
                      request.subprocess_env["mine"] = "a variable"
                      print request.subprocess_env["from_conf"]
                  """), modules=["headers", "env"])
        answer = httpd.get("/x.mrb")
        assert (answer.text, answer.headers["X-Env"]) == ("conf", "a variable")
        httpd.log.expects("a note a variable", file="access.log", times=1)

    def test_they_end_with_the_request(self, httpd):
        httpd.run(script("x.mrb", "p request.notes['mine']; request.notes['mine'] = 'kept'"),
                  processes=1)
        with httpd.connect() as connection:
            assert [connection.get("/x.mrb").text for _ in range(3)] == ["nil\n"] * 3

    def test_a_value_does_not_change_with_its_string(self, httpd):
        """Fault 15 of mod_mruby: a setter kept a pointer into a Ruby string."""
        httpd.run(script("x.mrb", """
            100.times do |i|
              name, value = "n#{i}", "value #{i} " * 20
              request.notes[name] = value
              request.subprocess_env[name] = value
              request.filename = path = "/tmp/" + "f" * 100 + i.to_s
              value.replace("gone " * 50)
              path.replace("gone")
            end
            5000.times { |i| "garbage #{i}" * 10 }
            GC.start
            print (0...100).all? { |i| request.notes["n#{i}"] == "value #{i} " * 20 &&
                                       request.subprocess_env["n#{i}"] == "value #{i} " * 20 }
            print request.filename == "/tmp/" + "f" * 100 + "99"
        """))
        assert httpd.get("/x.mrb").text == "truetrue"


class TestFieldsOfTheRequest:
    """What httpd's own request record says; some of it can be written."""

    @pytest.mark.short
    def test_they_are_read(self, httpd):
        httpd.run(script("x.mrb", """
            puts request.the_request, request.unparsed_uri, request.uri, request.args,
                 request.protocol, request.http_version, request.handler, request.filename,
                 request.path_info, request.script_name, request.server_name, request.server_port
            p request.user, request.auth_type, request.content_encoding
        """))
        answer = httpd.get("/x.mrb/a%20b?c=%41", host="x.test:99")
        assert answer.text == (
            "GET /x.mrb/a%20b?c=%41 HTTP/1.1\n/x.mrb/a%20b?c=%41\n/x.mrb/a b\nc=%41\nHTTP/1.1\n1.1\n"
            f"bench-script\n{httpd.docs}/x.mrb\n/a b\n/x.mrb\nx.test\n99\nnil\nnil\nnil\n")

    @pytest.mark.short
    def test_they_are_written_and_go_into_the_log(self, httpd):
        httpd.run('LogFormat "%u %U %q" fields', "CustomLog logs/access.log fields",
                  script("x.mrb", """
                      request.user = "somebody"
                      request.uri = "/elsewhere"
                      request.args = "b=2"
                      print request.user, request.path, request.query_string, request.params["b"]
                      request.user = nil
                      request.args = nil
                      p request.user, request.args, request.query_string
                      request.user = :symbol
                      ["a\\nb", "a\\0b"].each do |bad|
                        begin
                          request.uri = bad
                          print "taken"
                        rescue ArgumentError
                          print "refused"
                        end
                      end
                      begin
                        request.filename = nil
                      rescue ArgumentError
                        print "refused"
                      end
                  """))
        answer = httpd.get("/x.mrb?a=1")
        assert answer.text == ('somebody/elsewhereb=22nil\nnil\n""\n' + "refused" * 3)
        httpd.log.expects("symbol /elsewhere", file="access.log", times=1)

    def test_they_are_those_of_this_request_only(self, httpd):
        """Fault 16 of mod_mruby: the current request was a process global."""
        httpd.run(script("x.mrb", """
            token = request.query_string
            request.user = token
            request.notes["token"] = token
            request.subprocess_env["token"] = token
            response.headers["X-Token"] = token
            sleep 0.001 * rand(20)
            ok = [request.user, request.notes["token"], request.subprocess_env["token"],
                  request.headers["X-Token"], request.env["HTTP_X_TOKEN"], request.params["t"],
                  request.cookies["t"], response.headers["X-Token"], request.body.read]
            print ok.map { |one| one.to_s.delete("t=") }.uniq.join(",")
        """), threads=8, processes=8)

        def client(number):
            with httpd.connect() as connection:
                for turn in range(15):
                    token = f"t={number * 1000 + turn}"
                    answer = connection.request("POST", f"/x.mrb?{token}", token.encode(), {
                        "X-Token": token, "Cookie": token})
                    assert answer.text == token[2:]
                    assert answer.headers["X-Token"] == token

        together(5, client)
