# SPDX-License-Identifier: Apache-2.0
"""Apache: scripts that were written for mod_mruby run as they are."""

import json
import os
import re
import subprocess
import threading

import pytest
from harness import file, script, vhost
from harness.tool import TOOL

HELLO = script("hello.mrb", "print 'hello'")


def answer(httpd, code, *parts, method="GET", path="/x.mrb", body=None, headers=None, **settings):
    """What a script with this code answers."""
    httpd.run(*parts, script("x.mrb", code), **settings)
    return httpd.request(method, path, body, headers)


JSON = """
def json(value)
  case value
  when Hash then "{" + value.map { |name, one| "#{name.to_s.inspect}: #{json(one)}" }.join(", ") + "}"
  when Array then "[" + value.map { |one| json(one) }.join(", ") + "]"
  when String then value.inspect
  when Float then "%.3f" % value
  when nil then "null"
  else value.to_s
  end
end
"""


def show(names, receiver):
    """Code that prints what receiver says by each of the names."""
    return f"{JSON}o = {receiver}\nprint json({{ {', '.join(f'{n!r} => o.{n}' for n in names)} }})\n"


def values(httpd, names, receiver, *parts, **options):
    response = answer(httpd, show(names, receiver), *parts, **options)
    assert response.status == 200
    return json.loads(response.body)


# ---- getting it ------------------------------------------------------------------------------


class TestLoading:
    """The layer is there when a script names it, and costs nothing before."""

    BYTES = script("bytes.mrb", "GC.start; print Bench.interpreter[:bytes]")

    @pytest.mark.short
    def test_hello_as_mod_mruby_has_it(self, httpd):
        httpd.run(script("hello.mrb", 'Apache.rputs("Hello World!\\n")'))
        with httpd.connect() as connection:
            for _ in range(3):
                response = connection.get("/hello.mrb")
                assert (response.status, response.body) == (200, b"Hello World!\n")

    def test_who_does_not_name_it_does_not_have_it(self, httpd):
        httpd.run(self.BYTES, HELLO, script("named.mrb", "Apache"), children=1, threads=1,
                  processes=1)
        httpd.get("/hello.mrb")
        httpd.get("/bytes.mrb")
        before = int(httpd.get("/bytes.mrb").body)
        for _ in range(10):
            httpd.get("/hello.mrb")
        assert int(httpd.get("/bytes.mrb").body) == before
        httpd.get("/named.mrb")
        assert int(httpd.get("/bytes.mrb").body) > before + 10_000

    def test_an_interpreter_without_it_knows_none_of_its_names(self, httpd):
        response = answer(httpd, """
            p Object.const_defined?(:Apache), Object.const_defined?(:Headers_in)
            p [:get_server_class, :server_name, :run].map { |name| 1.respond_to?(name) }
        """)
        assert response.body == b"false\nfalse\n[false, false, false]\n"

    @pytest.mark.parametrize("code", [
        "Apache", "Apache::OK; Apache", "Object.const_get(:Apache)", "get_server_class",
        "server_name; Apache", "Headers_in; Apache", "Kernel::Rack; Apache",
        "class Deep; def self.find; Apache; end; end; Deep.find",
        "class Deep; SERVER = get_server_class; end; Deep::SERVER",
        "module Inner; X = Apache; end; Inner::X"])
    def test_any_of_its_names_brings_it(self, httpd, code):
        httpd.run(script("x.mrb", f"print(begin; {code}; end)"))
        for _ in range(2):
            assert httpd.get("/x.mrb").body == b"Apache"

    def test_a_constant_for_the_server_at_each_run(self, httpd):
        """One script for two servers begins like this, and is run on one interpreter each time."""
        httpd.run(script("x.mrb", """
            Server = get_server_class
            r = Server::Request.new
            Server.rputs "#{server_name} #{Server} #{r.uri}"
        """))
        with httpd.connect() as connection:
            for _ in range(10):
                assert connection.get("/x.mrb").body == b"Apache Apache /x.mrb"

    def test_files_that_are_required_or_begin_an_interpreter(self, httpd):
        httpd.run("BenchThreadInit init.mrb", "BenchLoadPath .",
                  file("init.mrb", "SERVER = get_server_class; $limit = Apache::HTTP_FORBIDDEN"),
                  file("lib.mrb", "def greeting; get_server_class.to_s + server_name; end"),
                  script("x.mrb", "require 'lib'; print greeting, SERVER, $limit"))
        assert httpd.get("/x.mrb").body == b"ApacheApacheApache403"

    def test_names_that_are_nobodys_raise_what_they_always_did(self, httpd):
        response = answer(httpd, """
            def try
              yield
            rescue NameError => e
              puts "#{e.class}: #{e.message} #{e.backtrace[0].split('/').last}"
            end
            class Child; def gone; super; end; def again(*) = [1].each { super }; end
            class Own; def method_missing(name, *rest) = name == :mine ? rest : super; end
            try { Gone }
            try { String::Gone }
            try { gone }
            try { nil.gone(1, 2) }
            try { 1.run }
            try { Child.new.gone }
            try { Child.new.again }
            try { Own.new.theirs }
            p Own.new.mine(1, 2), Own.new.respond_to?(:theirs)
        """)
        assert response.text.splitlines() == [
            "NameError: uninitialized constant Gone x.mrb:8",
            "NameError: uninitialized constant String::Gone x.mrb:9",
            "NoMethodError: undefined method 'gone' x.mrb:10",
            "NoMethodError: undefined method 'gone' x.mrb:11",
            "NoMethodError: undefined method 'run' x.mrb:12",
            "NoMethodError: no superclass method 'gone' x.mrb:6:in gone",
            "NoMethodError: no superclass method 'again' x.mrb:6:in again",
            "NoMethodError: undefined method 'theirs' x.mrb:7:in method_missing",
            "[1, 2]", "false"]

    def test_uncaught_it_is_logged_as_ever(self, httpd):
        httpd.run(script("x.mrb", "# one\nGone"), script("y.mrb", "# one\n\ngone(1)"))
        assert httpd.get("/x.mrb").status == httpd.get("/y.mrb").status == 500
        httpd.log.expects("BENCH0010", "x.mrb:2: uninitialized constant Gone (NameError)", times=1)
        httpd.log.expects("BENCH0010", "y.mrb:3: undefined method 'gone' (NoMethodError)", times=1)

    def test_who_removes_it_from_reach_does_not_get_it_back(self, httpd):
        response = answer(httpd, """
            Apache
            self.class.remove_const :Apache
            begin
              Apache
            rescue NameError => e
              print e.message
            end
        """)
        assert response.body == b"uninitialized constant Apache"

    def test_its_own_lines_are_not_blamed(self, httpd):
        httpd.run(script("x.mrb", "# one\n\nApache::Server.new.timeout = 5"))
        assert httpd.get("/x.mrb").status == 500
        httpd.log.expects("BENCH0010", "x.mrb:3: Apache::Server#timeout= would change", times=1)

    def test_nothing_of_it_piles_up(self, httpd):
        httpd.run(script("x.mrb", """
            Server = get_server_class
            r = Server::Request.new
            r.notes["a"] = r.uri
            Server::Env.new.all
            GC.start
            Server.rputs "#{Server.count_arena} #{Bench.interpreter[:bytes]}"
        """), children=1, threads=1, processes=1)
        seen = [tuple(map(int, httpd.get("/x.mrb").text.split())) for _ in range(60)]
        assert len({arena for arena, _ in seen[5:]}) == 1
        assert abs(seen[-1][1] - seen[20][1]) < 4096


class TestOutput:
    """rputs, echo, and print beside them."""

    @pytest.mark.short
    def test_what_is_written_comes_in_that_order(self, httpd):
        response = answer(httpd, """
            Apache.rputs "a"
            Apache::rputs("b")
            print "c"
            Apache.rputs :d
            Apache.rputs 5
            Apache.echo "e"
            Apache::echo nil
            Apache.echo [1, "x"]
            Apache.rputs("f").rputs("g")
        """)
        assert response.body == b"abcd5e\n\n[1, \"x\"]\nfg"
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"

    def test_nul_bytes_and_what_is_no_text_survive(self, httpd):
        assert answer(httpd, 'Apache.rputs "a\\0b\\xff\\0"').body == b"a\0b\xff\0"

    def test_a_long_page_is_streamed(self, httpd):
        response = answer(httpd, "1000.times { Apache.rputs 'x' * 100 }")
        assert response.chunked and response.body == b"x" * 100_000

    def test_sleep(self, httpd):
        assert answer(httpd, """
            before = Time.now
            Apache.sleep(1)
            print Time.now - before >= 0.99
        """).body == b"true"


# ---- the answer ------------------------------------------------------------------------------


class TestReturn:
    """Apache.return says what becomes of the request; the script goes on."""

    @pytest.mark.short
    @pytest.mark.parametrize("said", ["OK", "DONE", "HTTP_OK"])
    def test_ok_sends_what_was_written(self, httpd, said):
        response = answer(httpd, f"Apache.rputs 'a'; Apache::return(Apache::{said}); Apache.rputs 'b'")
        assert (response.status, response.body) == (200, b"ab")

    @pytest.mark.short
    @pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 500, 503])
    def test_httpd_answers_for_an_error_without_a_page(self, httpd, status):
        response = answer(httpd, f"Apache.return({status})", f"ErrorDocument {status} 'replaced'")
        assert (response.status, response.body) == (status, b"replaced")

    @pytest.mark.parametrize("status, reason", [(404, "Not Found"), (503, "Service Unavailable"),
                                                (418, None), (299, None)])
    @pytest.mark.parametrize("order", ["Apache.return({0}); Apache.rputs 'mine'",
                                       "Apache.rputs 'mine'; Apache.return({0})"])
    def test_the_scripts_own_page_wins(self, httpd, status, reason, order):
        response = answer(httpd, order.format(status), f"ErrorDocument {status} 'replaced'"
                          if status in (404, 503) else "")
        assert (response.status, response.body) == (status, b"mine")
        assert reason is None or response.reason == reason

    def test_a_success_without_a_page(self, httpd):
        response = answer(httpd, "Apache.return(Apache::HTTP_NO_CONTENT)")
        assert (response.status, response.body) == (204, b"")
        httpd.add(script("y.mrb", "Apache.return(Apache::HTTP_CREATED)"))
        response = httpd.get("/y.mrb")
        assert (response.status, response.body) == (201, b"")

    def test_a_redirect(self, httpd):
        response = answer(httpd, """
            Apache::Headers_out.new["Location"] = "http://example.org/there"
            Apache.return(Apache::HTTP_MOVED_TEMPORARILY)
        """)
        assert response.status == 302
        assert response.headers["Location"] == "http://example.org/there"
        assert b"http://example.org/there" in response.body

    def test_not_modified(self, httpd):
        assert answer(httpd, "Apache.return(Apache::HTTP_NOT_MODIFIED)").status == 304

    def test_the_last_word_counts(self, httpd):
        response = answer(httpd, "Apache.return(503); Apache.return(Apache::OK); Apache.rputs 'ok'")
        assert response.body == b"ok"

    def test_it_holds_when_the_script_ends_early(self, httpd):
        assert answer(httpd, "Apache.return(403); exit").status == 403

    @pytest.mark.short
    def test_an_exception_is_never_ok(self, httpd):
        httpd.run(script("x.mrb", "Apache.return(Apache::OK); Apache.rputs 'half'; raise 'no'"),
                  script("y.mrb", "Apache.return(Apache::DECLINED); raise 'no'"))
        for name in "xy":
            response = httpd.get(f"/{name}.mrb")
            assert response.status == 500 and b"half" not in response.body
        httpd.log.expects("BENCH0010", times=2)

    @pytest.mark.parametrize("value", ["-3", "1", "100", "199", "600", "'x'", "nil"])
    def test_what_is_no_answer_is_refused(self, httpd, value):
        response = answer(httpd, f"""
            begin
              Apache.return({value})
            rescue ArgumentError, TypeError
              print "refused"
            end
        """)
        assert (response.status, response.body) == (200, b"refused")

    def test_each_request_has_its_own(self, httpd):
        """In mod_mruby 200 and 503 change places under load."""
        httpd.run(script("x.mrb", """
            sleep 0.002
            Apache.return(request.query_string == "busy" ? 503 : 404)
        """))
        wrong = []

        def ask(query, status):
            for _ in range(30):
                if (got := httpd.get(f"/x.mrb?{query}").status) != status:
                    wrong.append((query, got))

        threads = [threading.Thread(target=ask, args=one) for one in [("busy", 503), ("no", 404)] * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong

    def test_a_script_in_a_script_answers_for_itself(self, httpd):
        httpd.run(script("outer.mrb", """
            inner = request.subrequest("/inner.mrb")
            print inner.status, Apache::Request.new.uri
        """), script("inner.mrb", "Apache.return(403)"))
        response = httpd.get("/outer.mrb")
        assert (response.status, response.body) == (200, b"403/outer.mrb")


class TestDeclined:
    """DECLINED leaves the request to whoever would have had it without us."""

    GATE = ('<Location "/">', 'BenchScript "${ROOT}/gate.mrb"', "</Location>")

    @pytest.mark.short
    def test_a_gate_before_files(self, httpd):
        httpd.run(*self.GATE, file("gate.mrb", """
            r = Apache::Request.new
            Apache.return(r.args == "no" ? Apache::HTTP_FORBIDDEN : Apache::DECLINED)
        """), script("page.html", "<p>page</p>"), script("data.txt", "data"))
        with httpd.connect() as connection:
            response = connection.get("/page.html")
            assert (response.status, response.body) == (200, b"<p>page</p>")
            assert response.headers["Content-Type"] == "text/html"
            assert "ETag" in response.headers and "Last-Modified" in response.headers
            assert connection.get("/data.txt").headers["Content-Type"] == "text/plain"
            assert connection.get("/missing.txt").status == 404
            response = connection.get("/page.html", headers={"Range": "bytes=3-6"})
            assert (response.status, response.body) == (206, b"page")
            assert connection.request("HEAD", "/page.html").status == 200
        assert httpd.get("/page.html?no").status == 403

    @pytest.mark.short
    def test_a_gate_before_directories(self, httpd):
        httpd.run(*self.GATE, file("gate.mrb", "Apache.return(Apache::DECLINED)"),
                  "DirectoryIndex start.html start.mrb", script("start.html", "start"),
                  script("sub/start.mrb", "print 'sub ', request.path"), script("none/x.txt", ""))
        assert httpd.get("/").body == b"start"
        assert httpd.get("/sub/").body == b"sub /sub/"
        response = httpd.get("/sub")
        assert response.status == 301 and response.headers["Location"].endswith("/sub/")
        assert httpd.get("/none/").status == 404

    def test_a_gate_before_scripts(self, httpd):
        httpd.run(*self.GATE, file("gate.mrb", "$seen = 1; Apache.return(Apache::DECLINED)"),
                  script("x.mrb", "print 'x ', request.path, $seen"),
                  script("sub/app.ru", "run ->(env) { [200, {}, ['rack']] }"),
                  "AddHandler bench-rack .ru")
        assert httpd.get("/x.mrb").body == b"x /x.mrb1"
        assert httpd.get("/sub/app.ru").body == b"rack"

    def test_filters_are_not_doubled(self, httpd):
        httpd.run(*self.GATE, file("gate.mrb", "Apache.return(Apache::DECLINED)"),
                  '<Location "/">', "SetOutputFilter TWICE", "</Location>",
                  'ExtFilterDefine TWICE mode=output cmd="/bin/sed s/a/aa/"',
                  script("page.txt", "a"), modules=("ext_filter",))
        assert httpd.get("/page.txt").body == b"aa"

    def test_a_file_with_an_encoding(self, httpd):
        httpd.run(*self.GATE, file("gate.mrb", "Apache.return(Apache::DECLINED)"),
                  "AddEncoding x-gzip .gz", script("page.txt.gz", "z"))
        response = httpd.get("/page.txt.gz")
        assert response.headers["Content-Encoding"] == "x-gzip"
        assert response.headers["Content-Type"] == "text/plain"

    def test_what_was_written_is_the_response(self, httpd):
        response = answer(httpd, "Apache.rputs 'mine'; Apache.return(Apache::DECLINED)")
        assert (response.status, response.body) == (200, b"mine")

    @pytest.mark.short
    def test_the_source_of_a_script_is_never_sent(self, httpd):
        response = answer(httpd, "Apache.return(Apache::DECLINED) # secret", HELLO)
        assert response.status == 500 and b"secret" not in response.body
        httpd.log.expects("BENCH0020", "x.mrb: the request was passed on, but "
                          "nothing but this script serves its file", times=1)
        assert httpd.get("/hello.mrb").body == b"hello"

    def test_behind_a_gate_neither(self, httpd):
        httpd.run(*self.GATE, file("gate.mrb", "Apache.return(Apache::DECLINED)"),
                  script("x.mrb", "Apache.return(Apache::DECLINED) # secret"))
        response = httpd.get("/x.mrb")
        assert response.status == 500 and b"secret" not in response.body
        httpd.log.expects("BENCH0020", times=1)

    def test_the_body_is_still_there(self, httpd):
        httpd.run(*self.GATE, file("gate.mrb", """
            $size = Apache::Request.new.body.size
            Apache.return(Apache::DECLINED)
        """), script("x.mrb", "print $size, request.body.read"))
        assert httpd.post("/x.mrb", b"abc").body == b"3abc"


class TestAnotherFile:
    """r.filename= has another file served, by the rules that hold for it."""

    @pytest.mark.short
    @pytest.mark.parametrize("said", ["OK", "DECLINED", "nothing"])
    def test_virtual_hosts_by_name(self, httpd, said):
        last = "" if said == "nothing" else f"Apache::return(Apache::{said})"
        httpd.run('<Location "/">', 'BenchScript "${ROOT}/vhost.mrb"', "</Location>",
                  file("vhost.mrb", f"""
                      r = Apache::Request.new()
                      s = Apache::Server.new()
                      r.filename = s.document_root + "/" + r.hostname + "/" + r.uri
                      {last}
                  """), script("one.example.org/a/page.html", "one"),
                  script("two.example.org/a/page.html", "two"),
                  script("two.example.org/run.mrb", "print 'run ', request.uri, request.args"))
        with httpd.connect() as connection:
            for name in ("one", "two"):
                response = connection.get("/a/page.html", host=f"{name}.example.org")
                assert (response.status, response.text) == (200, name)
                assert response.headers["Content-Type"] == "text/html"
            assert connection.get("/run.mrb?a=b", host="two.example.org").body == b"run /run.mrba=b"
            assert connection.get("/none.html", host="two.example.org").status == 404

    def test_rewriting(self, httpd):
        httpd.run('<Location "/old">', 'BenchScript "${ROOT}/rewrite.mrb"', "</Location>",
                  file("rewrite.mrb", r"""
                      r = Apache::Request.new
                      s = Apache::Server.new
                      if r.uri.start_with?("/old/")
                        r.filename = s.document_root + "/new/" + r.uri.sub("/old/", "")
                        Apache.return(Apache::OK)
                      else
                        Apache.return(Apache::DECLINED)
                      end
                  """), script("new/a.txt", "new a"), script("old.txt", "old"))
        assert httpd.get("/old/a.txt").body == b"new a"
        assert httpd.get("/old").status == 404

    def test_a_script_may_pass_on_to_a_script(self, httpd):
        response = answer(httpd, "r = Apache::Request.new; r.filename = r.document_root + '/y.mrb'",
                          script("y.mrb", "print 'y ', request.filename.split('/').last"))
        assert response.body == b"y y.mrb"

    @pytest.mark.short
    def test_the_rules_of_its_directory_hold(self, httpd):
        httpd.run('<Directory "${DOCS}/private">', "Require all denied", "</Directory>",
                  script("private/page.html", "private"),
                  script("x.mrb", """
                      r = Apache::Request.new
                      r.filename = r.document_root + "/private/page.html"
                  """),
                  script("y.mrb", """
                      r = Apache::Request.new
                      r.filename = r.document_root + "/../../../etc/passwd"
                  """),
                  script("z.mrb", """
                      r = Apache::Request.new
                      r.filename = "/etc/passwd"
                      r.handler = "default-handler"
                  """))
        for name in "xyz":
            response = httpd.get(f"/{name}.mrb")
            assert response.status == 403, name
            assert b"private" not in response.body and b"root:" not in response.body
        httpd.log.expects("AH01630", times=3)

    def test_filters_of_the_file_and_no_others(self, httpd):
        httpd.run('ExtFilterDefine TWICE mode=output cmd="/bin/sed s/a/aa/"',
                  '<Directory "${DOCS}/files">', "SetOutputFilter TWICE", "</Directory>",
                  script("files/page.txt", "a"), script("x.mrb", """
                      r = Apache::Request.new
                      r.filename = r.document_root + "/files/page.txt"
                  """), modules=("ext_filter",))
        assert httpd.get("/x.mrb").body == b"aa"

    def test_what_is_written_is_the_response(self, httpd):
        response = answer(httpd, "r = Apache::Request.new; r.filename = '/etc/passwd'; Apache.rputs 'a'")
        assert response.body == b"a"

    @pytest.mark.parametrize("path", ["page.html", "", "../page.html"])
    def test_a_path_must_be_whole(self, httpd, path):
        assert answer(httpd, f"Apache::Request.new.filename = '{path}'").status == 500
        httpd.log.expects("BENCH0020", "is no absolute path", times=1)

    def test_in_circles(self, httpd):
        httpd.run(script("a.mrb", "r = Apache::Request.new; r.filename = r.document_root + '/b.mrb'"),
                  script("b.mrb", "r = Apache::Request.new; r.filename = r.document_root + '/a.mrb'"))
        assert httpd.get("/a.mrb").status == 500
        httpd.log.expects("BENCH0020", "that has been done too often", times=1)

    def test_a_directory_is_its_index(self, httpd):
        httpd.run(script("dir/index.html", "index"), script("empty/x.txt", ""),
                  script("x.mrb", """
                      r = Apache::Request.new
                      r.filename = r.document_root + "/" + r.args
                  """))
        assert httpd.get("/x.mrb?dir").body == httpd.get("/x.mrb?dir/").body == b"index"
        assert httpd.get("/x.mrb?empty").status == 404

    @pytest.mark.parametrize("target", ["filename", "directory"])
    def test_a_program_gets_the_body_that_ruby_has_read(self, httpd, target):
        gate = ('<Location "/">', 'BenchScript "${ROOT}/gate.mrb"', "</Location>")
        code = "r.filename = r.document_root + '/echo.cgi'" if target == "filename" else \
            "Apache.return(Apache::DECLINED)"
        httpd.run(*gate, file("gate.mrb", f"r = Apache::Request.new; r.body; {code}"),
                  "AddHandler cgi-script .cgi", "DirectoryIndex echo.cgi", '<Directory "${DOCS}">',
                  "Options +ExecCGI", "</Directory>",
                  script("echo.cgi", "#!/bin/sh\nprintf 'Content-Type: text/plain\\n\\n'; cat\n",
                         0o755), modules=("cgi",))
        assert httpd.post("/", b"x" * 100_000).body == b"x" * 100_000


class TestAnotherHandler:
    """r.handler= has another content handler answer; run_handler at once."""

    def test_a_handler_of_httpds(self, httpd):
        httpd.run(script("x.mrb", "Apache::Request.new.handler = 'default-handler' # shown"),
                  script("info.mrb", "Apache::Request.new.handler = 'server-status'"),
                  modules=("status",))
        assert b"# shown" in httpd.get("/x.mrb").body
        assert b"Server uptime" in httpd.get("/info.mrb").body

    @pytest.mark.parametrize("name", ["nobody", "proxy-server", "bench-nobody"])
    def test_a_handler_that_nobody_is(self, httpd, name):
        response = answer(httpd, f"Apache::Request.new.handler = '{name}' # secret")
        assert response.status == 404 and b"secret" not in response.body

    def test_no_handler_is_the_configured_one(self, httpd):
        httpd.run('<Location "/">', 'BenchScript "${ROOT}/gate.mrb"', "</Location>",
                  file("gate.mrb", "Apache::Request.new.handler = nil"), script("page.txt", "page"))
        assert httpd.get("/page.txt").body == b"page"

    @pytest.mark.short
    def test_run_handler(self, httpd):
        httpd.run(script("page.txt", "page"), script("x.mrb", """
            r = Apache::Request.new
            r.filename = r.document_root + "/page.txt"
            warn r.run_handler.inspect
        """), script("missing.mrb", """
            r = Apache::Request.new
            r.filename = r.document_root + "/missing.txt"
            warn r.run_handler.inspect
        """), script("own.mrb", """
            r = Apache::Request.new
            r.filename = r.document_root + "/missing.txt"
            Apache.rputs "status #{r.run_handler}"
        """), script("inner.mrb", """
            r = Apache::Request.new
            r.filename = r.document_root + "/y.mrb"
            r.run_handler
        """), script("y.mrb", "print 'y'"))
        with httpd.connect() as connection:
            response = connection.get("/x.mrb")
            assert (response.status, response.body) == (200, b"page")
            assert connection.get("/inner.mrb").body == b"y"
        assert httpd.get("/missing.mrb").status == 404
        response = httpd.get("/own.mrb")
        assert (response.status, response.body) == (404, b"status 404")
        httpd.log.expects("x.mrb: 0", times=1)
        httpd.log.expects("missing.mrb: 404", times=1)

    def test_nothing_can_be_written_after_it(self, httpd):
        httpd.run(script("page.txt", "page"), HELLO, script("x.mrb", """
            r = Apache::Request.new
            r.handler = "default-handler"
            r.filename = r.document_root + "/page.txt"
            r.run_handler
            begin
              Apache.rputs "late"
            rescue Bench::Error => e
              Apache.log Apache::LOG_WARN, e.message
            end
        """))
        with httpd.connect() as connection:
            assert connection.get("/x.mrb").body == b"page"
            assert connection.get("/hello.mrb").body == b"hello"
        httpd.log.expects("x.mrb: the response is complete: another handler has sent it", times=1)

    @pytest.mark.parametrize("code, reason", [
        ("Apache::Request.new.run_handler", "the handler is this script itself"),
        ("r = Apache::Request.new; r.handler = 'default-handler'; print 'a'; r.run_handler",
         "this script has written to the response already")])
    def test_where_it_makes_no_sense(self, httpd, code, reason):
        assert answer(httpd, code).status == 500
        httpd.log.expects("BENCH0010", f"run_handler: {reason}", times=1)


class TestReverseProxy:
    """A script chooses the back end, mod_proxy does the rest."""

    MODULES = ("proxy", "proxy_http")

    def run(self, httpd, code, **settings):
        """The back end is the same httpd: it knows by X-Forwarded-For that it is asked as one."""
        httpd.run('<Location "/">', 'BenchScript "${ROOT}/front.mrb"', "</Location>",
                  file("front.mrb", f"""
            BACKEND = "http://127.0.0.1:#{{Apache::Connection.new.local_port}}"
            if Apache::Headers_in.new["X-Forwarded-For"]
              r = Apache::Request.new
              Apache::Headers_out.new["X-Back"] = "yes"
              Apache.return(207) if r.uri == "/207"
              Apache.rputs [r.the_request, r.headers_in["X-Ask"], r.body].join("|")
            else
              {code}
            end
        """), **{"modules": self.MODULES, **settings})

    @pytest.mark.short
    @pytest.mark.parametrize("code", [
        "r = Apache::Request.new; r.reverse_proxy(BACKEND + r.uri)",
        """
            backends = [BACKEND, BACKEND]
            r = Apache::Request.new()
            r.handler  = "proxy-server"
            r.proxyreq = Apache::PROXYREQ_REVERSE
            r.filename = "proxy:" + backends[rand(backends.length)] + r.uri
            Apache::return(Apache::OK)
        """,
        "r = Apache::Request.new; r.reverse_proxy(BACKEND + r.uri); r.run_handler",
        "r = Apache::Request.new; r.body; r.reverse_proxy(BACKEND + r.uri)",
    ], ids=["reverse_proxy", "by-hand", "run_handler", "body-read"])
    def test_the_request_goes_through(self, httpd, code):
        self.run(httpd, code)
        with httpd.connect() as connection:
            response = connection.get("/a%20b%25c/%3Fd?x=%20y&z", headers={"X-Ask": "me"})
            assert response.status == 200 and response.headers["X-Back"] == "yes"
            assert response.text == "GET /a%20b%25c/%3Fd?x=%20y&z HTTP/1.1|me|"
            assert connection.get("/207").status == 207
            response = connection.request("POST", "/p", b"body " * 5000)
            assert response.text == "POST /p HTTP/1.1||" + "body " * 5000

    def test_a_line_feed_in_the_url_is_no_line_of_the_request(self, httpd):
        self.run(httpd, "r = Apache::Request.new; r.reverse_proxy(BACKEND + r.uri)")
        assert httpd.get("/a%0d%0aX-Evil:%201").status in (400, 500)
        httpd.log.expects("BENCH0010", "filename must not contain CR, LF or NUL", times=1)

    def test_spaces_in_a_query_of_the_scripts_own(self, httpd):
        self.run(httpd, "r = Apache::Request.new; r.args = 'a b'; r.reverse_proxy(BACKEND + '/q')")
        assert httpd.get("/x").text == "GET /q?a%20b HTTP/1.1||"

    def test_a_url_without_a_path(self, httpd):
        self.run(httpd, "Apache::Request.new.reverse_proxy(BACKEND)")
        assert httpd.get("/x").text == "GET / HTTP/1.1||"

    def test_a_back_end_that_is_not_there(self, httpd):
        response = answer(httpd, "Apache::Request.new.reverse_proxy('http://127.0.0.1:1/')",
                          modules=self.MODULES)
        assert response.status == 503
        httpd.log.expects("AH00957")
        httpd.log.expects("AH01114")

    @pytest.mark.short
    def test_without_mod_proxy(self, httpd):
        httpd.run(script("x.mrb", "Apache::Request.new.reverse_proxy('http://127.0.0.1:1/')"),
                  script("y.mrb", """
                      r = Apache::Request.new
                      r.handler = "proxy-server"
                      r.filename = "proxy:http://127.0.0.1:1/"
                  """))
        assert httpd.get("/x.mrb").status == 500
        httpd.log.expects("BENCH0010", "reverse_proxy needs mod_proxy, which is not loaded", times=1)
        assert httpd.get("/y.mrb").status == 500
        httpd.log.expects("BENCH0020", "y.mrb: the request was passed on, but mod_proxy is not loaded",
                          times=1)


# ---- the request -----------------------------------------------------------------------------


class TestRequest:
    """Apache::Request: what httpd's record of the request says, and what may be written there."""

    TEXTS = ["the_request", "protocol", "vlist_validator", "user", "ap_auth_type", "unparsed_uri",
             "uri", "filename", "canonical_filename", "path_info", "args", "hostname",
             "document_root", "status_line", "method", "range", "content_type", "handler",
             "content_encoding"]
    NEVER_NIL = ["the_request", "protocol", "unparsed_uri", "uri", "filename", "method",
                 "document_root"]
    NUMBERS = ["status", "content_length", "proxyreq", "assbackwards", "header_only", "proto_num",
               "method_number", "chunked", "read_body", "read_chunked", "used_path_info",
               "eos_sent", "no_cache", "no_local_copy"]
    PREDICATES = ["main?", "sub_request?", "prev?", "internal_redirect?", "next?",
                  "external_redirect?"]

    @pytest.mark.short
    def test_what_it_says(self, httpd):
        said = values(httpd, self.TEXTS + ["scheme"], "Apache::Request.new",
                      path="/x.mrb/more?a=b%20c")
        assert said == {
            "the_request": "GET /x.mrb/more?a=b%20c HTTP/1.1", "protocol": "HTTP/1.1",
            "vlist_validator": None, "user": None, "ap_auth_type": None,
            "unparsed_uri": "/x.mrb/more?a=b%20c", "uri": "/x.mrb/more",
            "filename": f"{httpd.docs}/x.mrb", "canonical_filename": f"{httpd.docs}/x.mrb",
            "path_info": "/more", "args": "a=b%20c", "hostname": "localhost",
            "document_root": str(httpd.docs), "status_line": None, "method": "GET", "range": None,
            "content_type": None, "handler": "bench-script", "content_encoding": None,
            "scheme": "http"}

    def test_its_numbers(self, httpd):
        said = values(httpd, self.NUMBERS, "Apache::Request.new")
        assert said == {"status": 200, "content_length": 0, "proxyreq": 0, "assbackwards": 0,
                        "header_only": 0, "proto_num": 1001, "method_number": 0, "chunked": 0,
                        "read_body": 0, "read_chunked": 0, "used_path_info": 2, "eos_sent": 0,
                        "no_cache": 0, "no_local_copy": 0}

    def test_other_requests(self, httpd):
        httpd.run(script("x.mrb", """
            r = Apache::Request.new
            Apache::Headers_out.new["X-Said"] = [r.header_only, r.method_number, r.proto_num,
                                                 r.scheme, r.hostname.inspect].join(" ")
        """), tls=True)
        assert httpd.request("HEAD", "/x.mrb").headers["X-Said"] == '1 0 1001 http "localhost"'
        assert httpd.post("/x.mrb", tls=True).headers["X-Said"] == '0 2 1001 https "localhost"'
        assert b"X-Said: 0 0 1000 http nil\r\n" in httpd.raw(b"GET /x.mrb HTTP/1.0\r\n\r\n")

    def test_response_time(self, httpd):
        seconds = float(answer(httpd, "sleep 0.2; print Apache::Request.new.response_time").body)
        assert 0.2 <= seconds < 60

    def test_a_user_who_has_said_who_they_are(self, httpd):
        said = values(httpd, ["user", "ap_auth_type"], "Apache::Request.new",
                      '<Location "/">', "AuthType Basic", "AuthName x", "AuthBasicProvider file",
                      "AuthUserFile passwords", "Require valid-user", "</Location>",
                      file("passwords", "me:{SHA}fEqNCco3Yq9h5ZUglD3CZJT4lBs=\n"),
                      headers={"Authorization": "Basic bWU6MTIzNDU2"},
                      modules=("auth_basic", "authn_core", "authn_file", "authz_user"))
        assert said == {"user": "me", "ap_auth_type": "Basic"}

    @pytest.mark.short
    @pytest.mark.parametrize("name", TEXTS)
    def test_what_is_written_is_kept(self, httpd, name):
        """As a copy, whatever happens to the String (in mod_mruby a collection takes it away)."""
        value = {"status_line": "200 Fine", "content_type": "text/x-mine"}.get(name, "/mine")
        response = answer(httpd, f"""
            r = Apache::Request.new
            before = [r.filename, r.handler]
            text = "{value}" * 1
            r.{name} = text
            text << "x" * 1000
            text = nil
            GC.start
            100.times {{ |i| "other #{{i}}" * 10 }}
            print r.{name}
            print r.{name} == Apache::Request.new.{name}
        """)
        assert response.status == 200 or name == "method"
        assert response.text == value + "true"

    @pytest.mark.parametrize("name", TEXTS)
    def test_nil_is_for_what_may_be_missing(self, httpd, name):
        response = answer(httpd, f"""
            r = Apache::Request.new
            r.{name} = nil
            print r.{name}.inspect
        """)
        if name in self.NEVER_NIL:
            assert response.status == 500
            httpd.log.expects("BENCH0010", f"{name} cannot be nil (ArgumentError)", times=1)
        else:
            assert response.body == b"nil"

    @pytest.mark.parametrize("name", TEXTS)
    def test_line_ends_and_nul_are_refused(self, httpd, name):
        response = answer(httpd, f"""
            r = Apache::Request.new
            before = r.{name}
            ["a\\r", "a\\nb", "\\0"].each do |text|
              begin
                r.{name} = text
                print "accepted"
              rescue ArgumentError => e
                print "refused" if r.{name} == before
              end
            end
        """)
        assert response.body == b"refused" * 3

    def test_writing_reaches_the_client(self, httpd):
        response = answer(httpd, """
            r = Apache::Request.new
            r.content_type = "text/x-mine"
            r.content_encoding = "x-none"
            r.status = Apache::HTTP_CREATED
            r.content_length = 4
            print "mine", r.content_length, r.status
        """.replace('"mine", r.content_length, r.status', '"mine"'))
        assert (response.status, response.body) == (201, b"mine")
        assert response.headers["Content-Type"] == "text/x-mine"
        assert response.headers["Content-Encoding"] == "x-none"
        assert response.headers["Content-Length"] == "4"

    def test_a_status_line(self, httpd):
        response = answer(httpd, "Apache::Request.new.status_line = '200 Quite fine'")
        assert response.reason == "Quite fine"

    @pytest.mark.parametrize("code", ["content_length = -1", "content_length = 'x'", "status = 42",
                                      "status = 'x'", "proxyreq = 9", "proxyreq = nil"])
    def test_numbers_that_make_no_sense_are_refused(self, httpd, code):
        assert answer(httpd, f"Apache::Request.new.{code}").status == 500
        httpd.log.expects("BENCH0010", "Error)", times=1)

    def test_numbers_are_written(self, httpd):
        assert answer(httpd, """
            r = Apache::Request.new
            r.proxyreq = Apache::PROXYREQ_RESPONSE
            r.method = "PUT"
            print [r.proxyreq, r.method, r.method_number == Apache::M_PUT].join(" ")
            r.proxyreq = Apache::PROXYREQ_NONE
        """).body == b"3 PUT true"

    def test_the_document_root_is_that_of_this_request(self, httpd):
        httpd.run(script("x.mrb", """
            r = Apache::Request.new
            r.document_root = "/tmp"
            print r.document_root, " ", Apache::Server.new.document_root
        """), script("y.mrb", "print Apache::Request.new.document_root"))
        with httpd.connect() as connection:
            assert connection.get("/x.mrb").body == b"/tmp /tmp"
            assert connection.get("/y.mrb").text == str(httpd.docs)

    def test_predicates(self, httpd):
        show = " ".join(f"#{{r.{name}}}" for name in self.PREDICATES)
        httpd.run(script("x.mrb", f'r = Apache::Request.new; Apache.rputs "{show}"'),
                  script("sub.mrb", "print request.subrequest('/x.mrb').body"),
                  "ErrorDocument 410 /x.mrb", script("gone.mrb", "Apache.return(410)"),
                  script("next.mrb", """
                      r = Apache::Request.new
                      $outer = [r.next?, r.external_redirect?]
                      Apache.return(410)
                  """))
        assert httpd.get("/x.mrb").text == "false false false false false false"
        assert httpd.get("/sub.mrb").text == "true true false false false false"
        response = httpd.get("/gone.mrb")
        assert (response.status, response.text) == (410, "false false true true false false")

    @pytest.mark.short
    def test_a_request_that_has_ended(self, httpd):
        httpd.run(script("keep.mrb", """
            $kept = [Apache::Request.new, Apache::Server.new, Apache::Connection.new,
                     Apache::Request.new.finfo, Apache::Notes.new, Apache::Headers_in.new]
        """), script("use.mrb", """
            $kept.each do |object|
              begin
                object.respond_to?(:all) ? object["a"] : object.is_a?(Apache::Finfo) ? object.size :
                  object.is_a?(Apache::Request) ? object.uri = "/" :
                  object.is_a?(Apache::Connection) ? object.remote_ip : object.hostname
                puts "alive"
              rescue Bench::StaleError
                puts "stale"
              end
            end
        """), children=1, threads=1, processes=1)
        httpd.get("/keep.mrb")
        assert httpd.get("/use.mrb").body == b"stale\n" * 6

    def test_a_request_that_goes_on_outside(self, httpd):
        """An object of the outer script speaks of the outer request, also in an inner one."""
        httpd.run(script("outer.mrb", """
            $r = Apache::Request.new
            $r.notes["who"] = "outer"
            print request.subrequest("/inner.mrb").body
        """), script("inner.mrb", """
            Apache::Notes.new["who"] = "inner"
            r = Apache::Request.new
            Apache.rputs [$r.uri, $r.notes["who"], $r.body, r.uri, r.notes["who"], r.body].join(" ")
        """))
        assert httpd.post("/outer.mrb", b"body").text == "/outer.mrb outer body /inner.mrb inner "

    def test_a_class_of_the_scripts_own(self, httpd):
        assert answer(httpd, """
            class MyRequest < Apache::Request
              def initialize
                super
                @seen = uri
              end
              def uri
                super + "!"
              end
              def seen
                @seen
              end
            end
            class NoRequest < Apache::Request
              def initialize
              end
            end
            print MyRequest.new.seen
            begin
              NoRequest.new.uri
            rescue TypeError
              print " none"
            end
        """).body == b"/x.mrb! none"


class TestBody:
    """r.body is all of what the client sends, however it sends it, as often as one asks."""

    CODE = """
        r = Apache::Request.new
        Apache.rputs [r.body, r.body, request.body.read].uniq.inspect
    """

    @pytest.mark.short
    @pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
    def test_any_method(self, httpd, method):
        assert answer(httpd, self.CODE, method=method, body=b"a=b").body == b'["a=b"]'

    def test_in_many_packets_and_chunked(self, httpd):
        httpd.run(script("x.mrb", self.CODE))
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", headers={"Content-Length": "900"})
            for _ in range(9):
                connection.send_bytes(b"x" * 100)
            assert connection.response().body == b'["' + b"x" * 900 + b'"]'
            connection.send("POST", "/x.mrb", b"3\r\nabc\r\n0\r\n\r\n",
                            headers={"Transfer-Encoding": "chunked"})
            assert connection.response().body == b'["abc"]'

    @pytest.mark.parametrize("method, body, said", [("GET", None, b"nil"), ("POST", b"", b'""'),
                                                    ("PUT", b"", b'""'), ("DELETE", None, b"nil")])
    def test_none(self, httpd, method, body, said):
        assert answer(httpd, "print Apache::Request.new.body.inspect", method=method,
                      body=body).body == said


# ---- tables ----------------------------------------------------------------------------------


class TestTables:
    """Headers_in, Headers_out, Notes and Env."""

    @pytest.mark.short
    def test_headers_in(self, httpd):
        response = answer(httpd, """
            h = Apache::Headers_in.new
            p h["X-Ask"], h["x-ask"], h["X-None"], h.user_agent, h.referer
            h["X-Ask"] = "other"
            h["X-New"] = "new"
            h["User-Agent"] = nil
            p h["X-Ask"], Apache::Request.new.headers_in["X-New"], h.user_agent
            p h.all, Headers_in.new.all == h.all, request.headers["x-new"]
        """, headers={"X-Ask": "a", "User-Agent": "me", "Referer": "/r"})
        assert response.text.splitlines() == [
            '"a"', '"a"', "nil", '"me"', '"/r"', '"other"', '"new"', "nil",
            '{"Host"=>"localhost", "Connection"=>"close", "X-Ask"=>"other", "Referer"=>"/r", '
            '"X-New"=>"new"}', "true", '"new"']

    def test_what_a_script_has_set_stays(self, httpd):
        assert answer(httpd, """
            h = Apache::Headers_in.new
            ["X-A", "X-B"].each { |name| h[name * 1] = "value" * 2 }
            GC.start
            100.times { |i| "other #{i}" * 10 }
            print h["X-A"], h["X-B"]
        """).body == b"valuevalue" * 2

    @pytest.mark.parametrize("table", ["Headers_in", "Headers_out"])
    @pytest.mark.parametrize("name, value", [("X-A", "a\\r\\nX-Evil: 1"), ("X-A", "a\\0"),
                                             ("X-A\\n", "a"), ("X A", "a"), ("", "a")])
    def test_no_header_is_split(self, httpd, table, name, value):
        response = answer(httpd, f"""
            h = Apache::{table}.new
            begin
              h["{name}"] = "{value}"
            rescue ArgumentError
              print "refused"
            end
        """)
        assert response.body == b"refused" and "X-Evil" not in response.headers

    @pytest.mark.short
    def test_headers_out(self, httpd):
        response = answer(httpd, """
            h = Apache::Headers_out.new
            r = Apache::Request.new
            p h["X-None"]
            h["X-One"] = "1"
            h["x-one"] = "one"
            h["X-Gone"] = "a"
            h["X-Gone"] = nil
            h["Content-Type"] = "text/x-mine"
            r.headers_out["Set-Cookie"] = "a=1"
            r.headers_out["set-cookie"] = "b=2"
            p h["X-One"], h["Content-Type"], h.all
        """)
        assert response.headers["X-One"] == "one"
        assert response.headers["Content-Type"] == "text/x-mine"
        assert response.headers.all("Set-Cookie") == ["a=1", "b=2"]
        assert "X-Gone" not in response.headers
        assert response.text.splitlines() == [
            "nil", '"one"', '"text/x-mine"', '{"Content-Type"=>"text/x-mine", "X-One"=>"one", '
            '"Set-Cookie"=>"a=1, b=2"}']

    @pytest.mark.short
    def test_notes(self, httpd):
        httpd.run(script("x.mrb", """
            n = Apache::Notes.new()
            Apache.rputs("first: #{n["memo"].inspect}; ")
            n["memo"] = "hello"
            Apache::Request.new.notes["other"] = 5
            Apache.rputs("memo = " + n["memo"] + ", " + n["other"] + ", " + request.notes["memo"])
            n["memo"] = nil
            Apache.rputs n["memo"].inspect
        """))
        with httpd.connect() as connection:
            for _ in range(2):
                assert connection.get("/x.mrb").body == b"first: nil; memo = hello, 5, hellonil"

    @pytest.mark.short
    def test_env(self, httpd):
        response = answer(httpd, """
            e = Apache::Env.new
            %w[REQUEST_METHOD QUERY_STRING SERVER_NAME HTTP_X_ASK HTTP_PROXY].each { |k| p e[k] }
            e["MINE"] = "mine"
            p e["MINE"], e.all["REQUEST_URI"], e.all["MINE"], request.subprocess_env["MINE"]
        """, path="/x.mrb?a=b", headers={"X-Ask": "me", "Proxy": "evil"})
        assert response.text.splitlines() == ['"GET"', '"a=b"', '"localhost"', '"me"', "nil",
                                              '"mine"', '"/x.mrb?a=b"', '"mine"', '"mine"']


# ---- file, server, connection ----------------------------------------------------------------


class TestFinfo:
    """r.finfo: what httpd's stat of the file has said."""

    @pytest.mark.short
    def test_the_file(self, httpd):
        names = ["permission", "filetype", "group", "user", "device", "inode", "nlink", "size",
                 "csize", "atime", "ctime", "mtime"]
        said = values(httpd, names, "Apache::Request.new.finfo")
        stat = (httpd.docs / "x.mrb").stat()
        assert said["filetype"] == 1 and said["nlink"] == 1
        assert said["permission"] == 0x644
        assert (said["user"], said["group"]) == (stat.st_uid, stat.st_gid)
        assert (said["device"], said["inode"]) == (stat.st_dev, stat.st_ino)
        assert said["size"] == stat.st_size and said["csize"] == stat.st_blocks * 512
        # A Float has less than a microsecond left there.
        assert abs(said["mtime"] - stat.st_mtime_ns / 1000) < 2
        assert abs(said["ctime"] - stat.st_ctime_ns / 1000) < 2
        assert abs(said["atime"] - stat.st_atime_ns // 1000) < 60e6

    def test_kinds_of_numbers(self, httpd):
        assert answer(httpd, """
            f = Apache::Request.new.finfo
            print [f.filetype, f.inode, f.size, f.mtime].map(&:class).join(" "), " ",
                  f.filetype == Apache::Finfo::APR_REG, f.class, Apache::Finfo.new.size == f.size
        """).body == b"Integer Integer Float Float trueApache::Finfotrue"

    def test_constants(self, httpd):
        names = "NOFILE REG DIR CHR BLK PIPE LNK SOCK".split()
        said = answer(httpd, f"""
            print %w[{' '.join(names)} UNKFILE].map {{ |n| Apache::Finfo.const_get("APR_#{{n}}") }}.inspect
        """).body
        assert json.loads(said) == list(range(8)) + [127]


class TestServer:
    """Apache::Server reads the server's settings, and does not write them."""

    @pytest.mark.short
    def test_the_virtual_host_of_the_request(self, httpd):
        names = ["error_fname", "document_root", "loglevel", "hostname", "path", "admin",
                 "redirect_server_scheme", "redirect_server_port", "defn_name",
                 "defn_line_number", "is_virtual", "keep_alive_max", "keep_alive", "pathlen",
                 "limit_req_line", "limit_req_fieldsize", "limit_req_fields", "timeout",
                 "keep_alive_timeout"]
        said = values(httpd, names, "Apache::Server.new",
                      vhost("http://localhost:8080", "DocumentRoot ${DOCS}", "ServerPath /here",
                            "ServerAdmin me@example.org", "ErrorLog logs/mine.log",
                            "KeepAlive Off", "MaxKeepAliveRequests 7", "Timeout 41",
                            "KeepAliveTimeout 3500ms", "LimitRequestLine 4000",
                            "LimitRequestFields 44", "LimitRequestFieldSize 4444",
                            "LogLevel notice bench:debug"))
        line = said.pop("defn_line_number")
        assert httpd._conf.read_text().splitlines()[line - 1].startswith("<VirtualHost")
        assert said == {
            "error_fname": "logs/mine.log", "document_root": str(httpd.docs), "loglevel": 5,
            "hostname": "localhost", "path": "/here", "admin": "me@example.org",
            "redirect_server_scheme": "http", "redirect_server_port": 8080,
            "defn_name": str(httpd._conf), "is_virtual": 1, "keep_alive_max": 7, "keep_alive": 0,
            "pathlen": 5, "limit_req_line": 4000, "limit_req_fieldsize": 4444,
            "limit_req_fields": 44, "timeout": 41_000_000, "keep_alive_timeout": 3_500_000}

    def test_the_main_server(self, httpd):
        said = values(httpd, ["is_virtual", "hostname", "path", "keep_alive", "timeout"],
                      "Apache::Server.new")
        assert said == {"is_virtual": 0, "hostname": "localhost", "path": None, "keep_alive": 1,
                        "timeout": 60_000_000}

    def test_it_is_there_before_any_request(self, httpd):
        httpd.run("BenchThreadInit init.mrb", script("x.mrb", "print $said.inspect"),
                  file("init.mrb", """
                      s = Apache::Server.new
                      $said = [s.hostname, s.document_root]
                      begin
                        Apache::Request.new
                      rescue Bench::Error => e
                        $said << e.message
                      end
                  """))
        assert httpd.get("/x.mrb").text == (
            f'["localhost", "{httpd.docs}", '
            '"there is no request here: this code runs while an interpreter opens"]')

    @pytest.mark.short
    @pytest.mark.parametrize("name, value, directive", [
        ("error_fname", "'/tmp/x'", "ErrorLog"), ("loglevel", "7", "LogLevel"),
        ("timeout", "1", "Timeout")])
    def test_nobody_changes_the_server_for_everybody(self, httpd, name, value, directive):
        httpd.run(script("x.mrb", f"Apache::Server.new.{name} = {value}"),
                  script("y.mrb", f"print Apache::Server.new.{name}"))
        before = httpd.get("/y.mrb").body
        assert httpd.get("/x.mrb").status == 500
        httpd.log.expects("BENCH0010", f"Apache::Server#{name}= would change the running server for "
                          f"every request: use {directive} in the configuration (Bench::Error)",
                          times=1)
        assert httpd.get("/y.mrb").body == before


class TestConnection:
    """Apache::Connection: the two ends of the connection."""

    @pytest.mark.short
    def test_both_ends(self, httpd):
        names = ["remote_ip", "remote_port", "remote_host", "remote_logname", "local_ip",
                 "local_port", "local_host", "keepalives", "data_in_input_filters"]
        httpd.run(script("x.mrb", show(names, "Apache::Connection.new")))
        with httpd.connect() as connection:
            for before in range(2):
                said = json.loads(connection.get("/x.mrb").body)
                assert said == {
                    "remote_ip": "127.0.0.1", "remote_port": connection.socket.getsockname()[1],
                    "remote_host": None, "remote_logname": None, "local_ip": "127.0.0.1",
                    "local_port": httpd.settings.ports[0], "local_host": None,
                    "keepalives": before, "data_in_input_filters": 0}


class TestScoreboard:
    """Apache::Scoreboard: what all workers are doing."""

    STATUS = ["SERVER_READY", "SERVER_STARTING", "SERVER_BUSY_READ", "SERVER_BUSY_WRITE",
              "SERVER_BUSY_KEEPALIVE", "SERVER_BUSY_LOG", "SERVER_BUSY_DNS", "SERVER_CLOSING",
              "SERVER_DEAD", "SERVER_GRACEFUL", "SERVER_IDLE_KILL"]
    NAMES = ["status", "counter", "pid", "cpu_load", "loadavg", "server_limit", "thread_limit",
             "total_kbyte", "total_access", "uptime", "restart_time", "idle_worker",
             "busy_worker"]

    @pytest.mark.short
    def test_what_it_says(self, httpd):
        said = values(httpd, self.NAMES, "Apache::Scoreboard.new", "ExtendedStatus On")
        assert said["pid"] in httpd.children()
        workers = said["server_limit"] * said["thread_limit"]
        assert said["thread_limit"] == (1 if httpd.mpm == "prefork" else 5)
        assert sorted(said["counter"]) == sorted(self.STATUS)
        assert sum(said["counter"].values()) == workers
        assert said["counter"]["SERVER_BUSY_WRITE"] == said["busy_worker"] == 1.0
        assert said["idle_worker"] == said["counter"]["SERVER_READY"] > 0
        assert said["status"] == {"127.0.0.1": "SERVER_BUSY_WRITE"}
        assert len(said["loadavg"]) == 3 and all(one >= 0 for one in said["loadavg"])
        assert said["cpu_load"] >= 0
        assert 0 <= said["uptime"] < 60
        assert abs(said["restart_time"] / 1e6 - os.stat(httpd.root / "logs").st_mtime) < 60

    def test_what_was_served(self, httpd):
        httpd.run("ExtendedStatus On", script("big.mrb", "print 'x' * 100_000"),
                  script("x.mrb", """
                      sb = Apache::Scoreboard.new
                      print [sb.total_access, sb.total_kbyte,
                             sb.access_counter(sb.pid), sb.access_counter(1)].inspect
                  """), children=1, threads=2, processes=1)
        for _ in range(5):
            httpd.get("/big.mrb")
        access, kbyte, counter, nobody = json.loads(httpd.get("/x.mrb").body)
        assert 4 <= access <= 6 and 300 < kbyte < 600
        assert 4 <= counter <= 6 and nobody == -1

    def test_without_extended_status(self, httpd):
        said = values(httpd, self.NAMES, "Apache::Scoreboard.new", "ExtendedStatus Off")
        assert said["total_access"] == said["total_kbyte"] == said["cpu_load"] == 0
        assert said["busy_worker"] == 1

    def test_kinds_of_numbers(self, httpd):
        assert answer(httpd, """
            sb = Apache::Scoreboard.new
            print [sb.total_access, sb.total_kbyte, sb.uptime, sb.restart_time, sb.busy_worker,
                   sb.idle_worker, sb.server_limit, sb.pid].map(&:class).join(" ")
        """).body == b"Float Float Float Float Float Float Integer Integer"


# ---- the module itself -----------------------------------------------------------------------


class TestServerItself:
    """Names, versions, and what concerns the interpreter."""

    def test_names_and_versions(self, httpd):
        said = values(httpd, ["module_name", "module_version", "server_version", "server_build"],
                      "Apache")
        assert said["module_name"] == "mod_bench"
        assert said["server_version"].startswith("Apache/2.4.")
        assert re.match(r"\d+\.\d+\.\d+$", said["module_version"])
        assert re.search(r"\d{4}", said["server_build"])

    def test_versions_are_those_of_others(self, httpd):
        assert answer(httpd, "print Apache.module_version == Bench.version").body == b"true"

    def test_thread_and_arena(self, httpd):
        tid, arena = map(int, answer(httpd, "print Apache.get_tid, ' ', Apache.count_arena").text.split())
        assert any(os.path.exists(f"/proc/{pid}/task/{tid}") for pid in httpd.children())
        assert arena >= 0

    @pytest.mark.parametrize("name", ["remove_global_variable", "global_remove"])
    def test_removing_a_global(self, httpd, name):
        response = answer(httpd, f"""
            $mine = 1
            Apache.rputs global_variables.include?(:$mine)
            left = Apache::{name}(:$mine)
            Apache.rputs [left.include?(:$mine), left == global_variables, $mine].inspect
        """)
        assert response.body == b"true[false, true, nil]"

    def test_removing_a_class_from_reach(self, httpd):
        httpd.run(script("x.mrb", """
            class Secret
              def self.tell
                Apache::rputs "told "
              end
            end
            Secret::tell
            Apache::rputs self.class.constants.include?(:Secret)
            self.class.remove_const :Secret
            Apache::rputs self.class.constants.include?(:Secret)
        """))
        with httpd.connect() as connection:
            for _ in range(2):
                assert connection.get("/x.mrb").body == b"told truefalse"


class TestLogs:
    """errlogger, syslogger, and a request's own log."""

    @pytest.mark.short
    @pytest.mark.parametrize("name", ["Apache.errlogger", "Apache.log", "Apache::Request.new.error_log",
                                      "Apache::Request.new.log"])
    def test_levels(self, httpd, name):
        answer(httpd, f"""
            {name}(Apache::APLOG_ERR, "one")
            {name} 4, "two"
            {name}(Apache::LOG_INFO, :three)
        """)
        for level, text in (("error", "one"), ("warn", "two"), ("info", "three")):
            assert f"[bench:{level}]" in httpd.log.expects(f"x.mrb: {text}", times=1)

    def test_it_is_the_log_of_the_virtual_host(self, httpd):
        answer(httpd, "Apache.log 4, 'mine'",
               vhost("localhost", "DocumentRoot ${DOCS}", "ErrorLog logs/mine.log"))
        httpd.log.expects("x.mrb: mine", times=1, file="mine.log")

    def test_while_an_interpreter_opens(self, httpd):
        httpd.run("BenchThreadInit init.mrb", HELLO, file("init.mrb", "Apache.log 4, 'opening'"),
                  children=1, threads=1, processes=1)
        httpd.get("/hello.mrb")
        httpd.log.expects("init.mrb: opening")

    @pytest.mark.parametrize("level", ["-1", "16", "1 << 20", "'x'"])
    def test_levels_that_are_none(self, httpd, level):
        response = answer(httpd, f"""
            begin
              Apache.log({level}, "x")
            rescue ArgumentError, TypeError
              print "refused"
            end
        """)
        assert response.body == b"refused"

    @pytest.mark.short
    def test_into_another_file(self, httpd):
        httpd.run(file("into.log", "", 0o666), script("x.mrb", """
            r = Apache::Request.new
            p r.error_log_into("into.log")
            r.error_log 3, "one"
            Apache.log 4, "two"
            warn "three"
        """), script("y.mrb", "Apache.log 4, 'four'"))
        with httpd.connect() as connection:
            assert connection.get("/x.mrb").body == b"0\n"
            connection.get("/y.mrb")
        lines = (httpd.root / "into.log").read_text().splitlines()
        assert [re.sub(r"^\[[^]]+\] ", "", line) for line in lines] == [
            f"[error] {httpd.docs}/x.mrb: one", f"[warn] {httpd.docs}/x.mrb: two"]
        httpd.log.expects("x.mrb: three", times=1)
        httpd.log.expects("y.mrb: four", times=1)

    def test_a_file_that_cannot_be_opened(self, httpd):
        assert answer(httpd, "Apache::Request.new.error_log_into('none/such.log')").status == 500
        httpd.log.expects("BENCH0010", "error_log_into: cannot open none/such.log: No such file",
                          times=1)

    # What would go to the machine's own log.
    SYSLOG = """
        #include <stdarg.h>
        #include <stdio.h>
        #include <stdlib.h>
        void syslog(int priority, const char *format, ...)
        {
            FILE *file = fopen(getenv("SYSLOG_TO"), "a");
            va_list values;
            va_start(values, format);
            fprintf(file, "%d ", priority);
            vfprintf(file, format, values);
            fclose(file);
        }
        void openlog(const char *name, int option, int facility) { abort(); }
        void closelog(void) { abort(); }
    """

    def test_syslog(self, httpd, tmp_path):
        (tmp_path / "syslog.c").write_text(self.SYSLOG)
        library = httpd.root / "syslog.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, tmp_path / "syslog.c"], check=True)
        preload = TOOL.environment(httpd.root / "reports").get("LD_PRELOAD", "")
        names = ["emerg", "panic", "alert", "crit", "err", "error", "warning", "warn", "notice",
                 "info", "debug"]
        httpd.run(file("to", "", 0o666), script("x.mrb", f"""
            %w[{' '.join(names)}].each {{ |name| Apache.syslogger(name, "as #{{name}}\\n") }}
            Apache.syslog Apache::LOG_WARN, "as a number\\n"
            ["loud", 8, -1, nil].each do |none|
              begin
                Apache.syslog none, "x"
              rescue ArgumentError
                print "refused "
              end
            end
        """), env={"LD_PRELOAD": f"{preload} {library}".strip(), "SYSLOG_TO": str(httpd.root / "to")})
        assert httpd.get("/x.mrb").body == b"refused " * 4
        facility = 5 << 3
        levels = [0, 0, 1, 2, 3, 3, 4, 4, 5, 6, 7]
        assert (httpd.root / "to").read_text().splitlines() == [
            f"{facility + level} as {name}" for level, name in zip(levels, names)] + [
            f"{facility + 4} as a number"]


class TestConstants:
    """Every constant has the value that httpd has for it."""

    HTTP = {
        "CONTINUE": 100, "SWITCHING_PROTOCOLS": 101, "PROCESSING": 102, "OK": 200, "CREATED": 201,
        "ACCEPTED": 202, "NON_AUTHORITATIVE": 203, "NO_CONTENT": 204, "RESET_CONTENT": 205,
        "PARTIAL_CONTENT": 206, "MULTI_STATUS": 207, "MULTIPLE_CHOICES": 300,
        "MOVED_PERMANENTLY": 301, "MOVED_TEMPORARILY": 302, "SEE_OTHER": 303, "NOT_MODIFIED": 304,
        "USE_PROXY": 305, "TEMPORARY_REDIRECT": 307, "BAD_REQUEST": 400, "UNAUTHORIZED": 401,
        "PAYMENT_REQUIRED": 402, "FORBIDDEN": 403, "NOT_FOUND": 404, "METHOD_NOT_ALLOWED": 405,
        "NOT_ACCEPTABLE": 406, "PROXY_AUTHENTICATION_REQUIRED": 407, "REQUEST_TIME_OUT": 408,
        "CONFLICT": 409, "GONE": 410, "LENGTH_REQUIRED": 411, "PRECONDITION_FAILED": 412,
        "REQUEST_ENTITY_TOO_LARGE": 413, "REQUEST_URI_TOO_LARGE": 414,
        "UNSUPPORTED_MEDIA_TYPE": 415, "RANGE_NOT_SATISFIABLE": 416, "EXPECTATION_FAILED": 417,
        "UNPROCESSABLE_ENTITY": 422, "LOCKED": 423, "INTERNAL_SERVER_ERROR": 500,
        "NOT_IMPLEMENTED": 501, "BAD_GATEWAY": 502, "SERVICE_UNAVAILABLE": 503,
        "VARIANT_ALSO_VARIES": 506, "NOT_EXTENDED": 510}
    METHODS = """GET PUT POST DELETE CONNECT OPTIONS TRACE PATCH PROPFIND PROPPATCH MKCOL COPY MOVE
        LOCK UNLOCK VERSION_CONTROL CHECKOUT UNCHECKOUT CHECKIN UPDATE LABEL REPORT MKWORKSPACE
        MKACTIVITY BASELINE_CONTROL MERGE INVALID""".split()
    LEVELS = "EMERG ALERT CRIT ERR WARNING NOTICE INFO DEBUG".split()

    def expected(self):
        known = {"OK": 0, "DECLINED": -1, "DONE": -2, "LOG_WARN": 4}
        known.update({f"HTTP_{name}": value for name, value in self.HTTP.items()})
        known.update({f"M_{name}": value for value, name in enumerate(self.METHODS)})
        for value, name in enumerate(self.LEVELS):
            known[f"APLOG_{name}"] = known[f"LOG_{name}"] = value
        for value, name in enumerate(["NONE", "PROXY", "REVERSE", "RESPONSE"]):
            known[f"PROXYREQ_{name}"] = value
        return known

    @pytest.mark.short
    def test_of_apache(self, httpd):
        response = answer(httpd, JSON + """
            found = Apache.constants.map { |name| [name.to_s, Apache.const_get(name)] }
            print json(found.select { |_, value| value.is_a?(Integer) }.to_h)
        """)
        assert json.loads(response.body) == self.expected()

    def test_of_authn_provider(self, httpd):
        assert answer(httpd, """
            print %w[DENIED GRANTED USER_FOUND USER_NOT_FOUND GENERAL_ERROR].map { |name|
              Apache::AuthnProvider.const_get("AUTH_#{name}")
            }.inspect
        """).body == b"[0, 1, 2, 3, 4]"


class TestOfAnotherPlace:
    """Filters and providers are not content handlers, and say so."""

    FILTER = ["puts('x')", "insert_tail('x')", "insert_head('x')", "insert_eos", "destroy",
              "cleanup", "flatten", "length", "empty?", "first_bucket", "uid", "gid",
              "error_create(500)", "body", "body = 'x'"]
    PROVIDER = ["user", "password", "realm", "rethash", "rethash = 'x'"]

    @pytest.mark.parametrize("name, calls, text", [
        ("Filter", FILTER, "belongs in the script of an output filter"),
        ("AuthnProvider", PROVIDER, "belongs in a script that checks passwords")])
    def test_they_say_where_they_belong(self, httpd, name, calls, text):
        lines = "\n".join(f"ask {{ Apache::{name}.new.{call} }}" for call in calls)
        response = answer(httpd, f"""
            def ask
              yield
            rescue Bench::Error => e
              puts e.message
            end
            {lines.replace(chr(10), chr(10) + ' ' * 12)}
        """)
        assert response.text.splitlines() == [f"Apache::{name} {text}, and this is none"] * len(calls)


class TestRack:
    """run(app), as scripts for mod_mruby use it."""

    @pytest.mark.short
    def test_an_application(self, httpd):
        response = answer(httpd, """
            class App
              def call(env)
                [201, { "Content-Type" => "text/plain", "X-Who" => env["server.name"] },
                 ["hello ", env["PATH_INFO"], "\n"]]
              end
            end
            run App.new
        """)
        assert (response.status, response.body) == (201, b"hello /x.mrb\n")
        assert response.headers["Content-Type"] == "text/plain"
        assert response.headers["X-Who"] == "Apache"

    def test_the_environment(self, httpd):
        response = answer(httpd, JSON + """
            run ->(env) {
              input = env.delete("rack.input").read
              env.delete("rack.errors").puts "from rack"
              [200, { "X-Input" => input }, [json(env)]]
            }
        """, method="POST", path="/x.mrb?a=b", body=b"posted",
            headers={"X-Ask": "me", "Proxy": "evil"})
        env = json.loads(response.body)
        threaded = httpd.mpm != "prefork"
        port = str(httpd.settings.ports[0])
        assert env.pop("REMOTE_PORT").isdigit()
        assert env.pop("server.version").startswith("Apache/2.4.")
        assert env == {
            "REQUEST_METHOD": "POST", "SCRIPT_NAME": "", "PATH_INFO": "/x.mrb",
            "REQUEST_URI": "/x.mrb?a=b", "QUERY_STRING": "a=b", "SERVER_NAME": "localhost",
            "SERVER_ADDR": "127.0.0.1", "SERVER_PORT": port, "REMOTE_ADDR": "127.0.0.1",
            "rack.url_scheme": "http", "rack.multithread": threaded, "rack.multiprocess": True,
            "rack.run_once": False, "rack.hijack?": False, "server.name": "Apache",
            "HTTP_HOST": "localhost", "HTTP_CONNECTION": "close", "HTTP_CONTENT_LENGTH": "6",
            "HTTP_X_ASK": "me"}
        assert response.headers["X-Input"] == "posted"
        httpd.log.expects("x.mrb: from rack", times=1)

    def test_headers_in_pairs_and_several_cookies(self, httpd):
        response = answer(httpd, """
            run ->(env) {
              [200, [["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"], ["X-A", 1]], [1, :two, nil]]
            }
        """)
        assert response.headers.all("Set-Cookie") == ["a=1", "b=2"]
        assert (response.headers["X-A"], response.body) == ("1", b"1two")

    def test_a_list_of_cookies(self, httpd):
        response = answer(httpd, "run ->(env) { [200, { 'Set-Cookie' => ['a=1', 'b=2'] }, []] }")
        assert response.headers.all("Set-Cookie") == ["a=1", "b=2"]

    def test_by_its_parts(self, httpd):
        response = answer(httpd, """
            r = Apache::Request.new
            c = Apache::Connection.new
            env = Kernel::Rack.build_env(r, c)
            Kernel::Rack.build_response(r, [202, {}, [env["QUERY_STRING"], "|", env["REMOTE_ADDR"]]])
        """)
        assert (response.status, response.body) == (202, b"|127.0.0.1")

    @pytest.mark.parametrize("result, complaint", [
        ('[200, "x", []]', "the headers of a response"), ('[200, {}, "x"]', "the body of a response"),
        ("nil", "the headers of a response"), ('["x", {}, []]', "not a"),
        ('[200, { "X" => "a\\nb" }, []]', "CR, LF or NUL")])
    def test_nonsense_is_an_error(self, httpd, result, complaint):
        response = answer(httpd, f"run ->(env) {{ {result} }}")
        if result.startswith('["x"'):
            assert response.status in (200, 500)  # "x".to_i is OK, as mod_mruby has it
        else:
            assert response.status == 500
            httpd.log.expects("BENCH0010", complaint, times=1)

    def test_rack_itself_is_what_it_was(self, httpd):
        httpd.run("AddHandler bench-rack .ru", script("x.mrb", "Apache; run ->(e) { [200, {}, ['x']] }"),
                  script("app.ru", "run ->(env) { [200, {}, [Rack::Builder.to_s, Kernel::Rack.to_s]] }"))
        with httpd.connect() as connection:
            for _ in range(2):
                assert connection.get("/x.mrb").body == b"x"
                assert connection.get("/app.ru").body == b"Rack::BuilderRack"


# ---- what people do with it ------------------------------------------------------------------


class TestExamples:
    """Kinds of scripts that come with mod_mruby, in the words of its users."""

    GATE = ('<Location "/">', 'BenchScript "${ROOT}/gate.mrb"', "</Location>",
            script("page.txt", "page"))

    @pytest.mark.parametrize("most, status", [(90, 200), (0.1, 503)])
    def test_a_limit_by_busy_workers(self, httpd, most, status):
        httpd.run("ExtendedStatus On", *self.GATE, file("gate.mrb", f"""
            class Load
              def initialize
                @board = Apache::Scoreboard.new()
              end

              def busy
                @board.busy_worker / (@board.server_limit * @board.thread_limit) * 100
              end

              def rate
                @board.total_access / @board.uptime
              end
            end

            load = Load.new()
            if load.busy > {most}
              Apache.errlogger(4, "busy: " + load.busy.to_s)
              Apache::return(Apache::HTTP_SERVICE_UNAVAILABLE)
            elsif load.rate > 1_000_000 && load.rate < 1e300
              Apache::return(Apache::HTTP_SERVICE_UNAVAILABLE)
            else
              Apache::return(Apache::DECLINED)
            end
        """))
        response = httpd.get("/page.txt")
        assert response.status == status
        assert (response.body == b"page") == (status == 200)
        if status == 503:
            httpd.log.expects("gate.mrb: busy: ", times=1)

    def test_a_limit_by_traffic(self, httpd):
        httpd.run("ExtendedStatus On", *self.GATE, script("big.mrb", "print 'x' * 3_000_000"),
                  file("gate.mrb", """
                      board = Apache::Scoreboard.new
                      if board.total_kbyte > 5000
                        Apache.return(Apache::HTTP_SERVICE_UNAVAILABLE)
                      else
                        Apache.return(Apache::DECLINED)
                      end
                  """), children=1, threads=2, processes=1)
        statuses = [httpd.get("/big.mrb").status for _ in range(8)]
        assert statuses[0] == 200 and statuses[-1] == 503

    def test_a_limit_by_file(self, httpd):
        httpd.run(*self.GATE, file("gate.mrb", """
            r = Apache::Request.new
            $served ||= {}
            $served[r.filename] = $served[r.filename].to_i + 1
            Apache.return($served[r.filename] > 2 ? Apache::HTTP_SERVICE_UNAVAILABLE : Apache::DECLINED)
        """), children=1, threads=1, processes=1)
        assert [httpd.get(f"/{name}.txt").status for name in ["page", "page", "other", "page"]] == \
            [200, 200, 404, 503]

    def test_one_script_for_two_servers(self, httpd):
        httpd.run(script("x.mrb", """
            if server_name == "NGINX"
              Server = Nginx
            elsif server_name == "Apache"
              Server = Apache
            end
            Server.rputs "from #{Server.module_name}"
            Server.echo Server.return(Server::HTTP_OK) == Server
        """))
        with httpd.connect() as connection:
            for _ in range(3):
                assert connection.get("/x.mrb").body == b"from mod_benchtrue\n"

    def test_a_tour(self, httpd):
        response = answer(httpd, """
            Apache.rputs("<b>Request</b><br>")
            r = Apache::Request.new()
            r.content_type = "text/html"
            Apache.rputs("filename = " + r.filename + "<br>")
            r.filename = "/somewhere/else.html"
            r.uri = "/else.html"
            Apache.rputs("filename = " + r.filename + ", uri = " + r.uri + "<br>")
            Apache.rputs("OK status = " + Apache::OK.to_s + "<br>")
            s = Apache::Server.new()
            Apache.rputs("document_root = " + s.document_root + "<br>")
            c = Apache::Connection.new()
            Apache.rputs("remote_ip = " + c.remote_ip + "<br>")
            h = Apache::Headers_in.new()
            h["Accept-Encoding"] = "gzip"
            Apache.rputs("Accept-Encoding = " + h["Accept-Encoding"] + "<br>")
            Apache.return(Apache::OK)
        """)
        assert (response.status, response.headers["Content-Type"]) == (200, "text/html")
        assert response.text == (
            f"<b>Request</b><br>filename = {httpd.docs}/x.mrb<br>"
            "filename = /somewhere/else.html, uri = /else.html<br>OK status = 0<br>"
            f"document_root = {httpd.docs}<br>remote_ip = 127.0.0.1<br>"
            "Accept-Encoding = gzip<br>")
