# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in a script: a definite answer, one full log line, no harm to anybody else."""

import os

import pytest
from harness import NoAnswer, Truncated, script

OK = script("ok.mrb", "print 'ok'")
SECRET = "a-secret-of-the-script"


class TestExceptions:
    """An uncaught exception is a 500; the log says where and why, the client learns nothing."""

    def fails(self, httpd, source, *fragments):
        """The script is a 500, logged once for each time, and the next one is served."""
        httpd.run(script("x.mrb", source), OK)
        for _ in range(2):
            answer = httpd.get("/x.mrb")
            assert answer.status == 500
            assert b"x.mrb" not in answer.body and SECRET.encode() not in answer.body
            assert httpd.get("/ok.mrb").body == b"ok"
        httpd.log.expects("bench:error", "BENCH0010", "[client ", *fragments, times=2)

    @pytest.mark.short
    def test_at_the_top(self, httpd):
        self.fails(httpd, f"# one\n# two\nraise '{SECRET}'",
                   f"/x.mrb:3: {SECRET} (RuntimeError); backtrace: ", "/x.mrb:3")

    @pytest.mark.short
    def test_in_a_method_with_its_backtrace(self, httpd):
        self.fails(httpd, """
            def inner
              raise ArgumentError, "too deep"
            end
            def outer
              inner
            end
            outer
        """, "/x.mrb:2: too deep (ArgumentError)", "/x.mrb:2", "in inner", "/x.mrb:5", "in outer",
            "/x.mrb:7", " <- ")

    def test_in_a_block(self, httpd):
        self.fails(httpd, "[1].each do |x|\n  raise 'in a block'\nend", "x.mrb:2: in a block (Runt")

    def test_in_a_fiber(self, httpd):
        self.fails(httpd, "Fiber.new do\n  raise 'in a fiber'\nend.resume", "in a fiber (Runt")

    @pytest.mark.parametrize("source, text", [
        ("raise ''", "x.mrb:1: "), ("raise 'no'", "x.mrb:1: no (RuntimeError)"),
        ("raise StandardError", "x.mrb:1: StandardError (StandardError)"),
        ("raise 'm' * 100_000", "x.mrb:1: mmmmmmmm"),
        ('raise "one\\ntwo"', "one"), ('raise "a\\0b"', "x.mrb:1: a"),
        ('raise "\\xff\\xfe\\x01"', "x.mrb:1: "), ('raise "100% %s %d"', "100% %s %d (Runt"),
        ("raise 'grüße'", "x.mrb:1: gr")],
        ids=["empty", "short", "default", "long", "lines", "nul", "bytes", "percent", "utf8"])
    def test_any_message(self, httpd, source, text):
        """Fault 4 of mod_mruby: a short message crashed, or was (null)."""
        self.fails(httpd, source, text)
        assert not httpd.log.lines("(null)")

    @pytest.mark.parametrize("source, text", [
        ("nil.nothing", "(NoMethodError)"), ("nothing_there", "nothing_there"),
        ("NoConst", "NoConst"), ("1 / 0", "(ZeroDivisionError)"),
        ("Integer('x')", "(ArgumentError)"), ("[].fetch(9)", "(IndexError)"),
        ("'x'.freeze << 'y'", "(FrozenError)"),
        ("raise Exception, 'bare'", "bare (Exception)"),
        ("raise NotImplementedError, 'later'", "later (NotImplementedError)"),
        ("throw :nobody", "(UncaughtThrowError)"), ("raise 1", "(TypeError)"),
        ("eval('1 +')", "(SyntaxError)"),
        ("raise Bench::Error, 'own'", "own (Bench::Error)")])
    def test_any_class(self, httpd, source, text):
        self.fails(httpd, source, "x.mrb:1:", text)

    def test_a_class_of_the_script(self, httpd):
        self.fails(httpd, """
            module Shop
              class Closed < StandardError
                def message; "come back tomorrow"; end
              end
            end
            raise Shop::Closed
        """, "x.mrb:6:", "(Shop::Closed)")

    def test_a_class_whose_message_raises(self, httpd):
        self.fails(httpd, """
            class Bad < StandardError
              def message; raise "in message"; end
              def to_s; raise "in to_s"; end
              def inspect; raise "in inspect"; end
            end
            raise Bad
        """, "x.mrb")

    def test_a_message_that_is_no_string(self, httpd):
        self.fails(httpd, """
            class Odd < StandardError
              def message; nil; end
              def to_s; 42; end
            end
            raise Odd
        """, "x.mrb:5:")

    def test_raised_again_in_ensure(self, httpd):
        self.fails(httpd, """
            begin
              raise "first"
            ensure
              raise "second"
            end
        """, "x.mrb:4: second (RuntimeError)")

    def test_raised_again_after_rescue(self, httpd):
        self.fails(httpd, "begin\n  raise 'first'\nrescue => e\n  raise e\nend", "first (Runt")

    @pytest.mark.parametrize("source", [
        pytest.param("def m(n) = m(n + 1)\nm 0", marks=pytest.mark.short),
        "def m; [1].each { m }; end; m", "def m; [self].map { |x| x.inspect; m }; end; m"],
        ids=["method", "block", "map"])
    def test_endless_recursion(self, httpd, source):
        self.fails(httpd, source, "x.mrb:1: ", "(SystemStackError)")

    def test_a_deeply_nested_array(self, httpd):
        httpd.run(script("x.mrb", """
            a = []
            20_000.times { a = [a] }
            begin
              text = a.inspect
            rescue SystemStackError
            end
            print "fine"
        """), OK)
        assert httpd.get("/x.mrb").body == b"fine"
        assert httpd.get("/ok.mrb").body == b"ok"

    def test_rescued_it_is_no_failure(self, httpd):
        httpd.run(script("x.mrb", """
            begin
              nil.nothing
            rescue NoMethodError => e
              print e.class, e.backtrace.class
            end
        """))
        assert httpd.get("/x.mrb").body == b"NoMethodErrorArray"

    def test_break_return_and_next_at_the_top(self, httpd):
        httpd.run(script("return.mrb", "print 'a'\nreturn\nprint 'b'"),
                  script("deep.mrb", "print 'a'\n[1].each { |x| return }\nprint 'b'"), OK)
        assert httpd.get("/return.mrb").body == b"a"
        assert httpd.get("/deep.mrb").status in (200, 500)
        if httpd.log.lines("BENCH0010"):
            httpd.log.expects("BENCH0010", "deep.mrb:2")
        assert httpd.get("/ok.mrb").body == b"ok"

    def test_an_error_document_is_served(self, httpd):
        httpd.run("ErrorDocument 500 /sorry.txt", script("x.mrb", "raise 'no'"),
                  script("sorry.txt", "we are sorry"))
        answer = httpd.get("/x.mrb")
        assert (answer.status, answer.body) == (500, b"we are sorry")
        httpd.log.expects("BENCH0010", times=1)


class TestPartialOutput:
    """Either a whole answer or an error: never half a page with status 200 (fault 2)."""

    @pytest.mark.short
    def test_what_was_not_sent_is_dropped(self, httpd):
        httpd.run(script("x.mrb", f"""
            response.status = 201
            response.headers["X-Mine"] = "{SECRET}"
            response.content_type = "text/plain"
            print "{SECRET}" * 10
            raise "no"
        """), OK)
        answer = httpd.get("/x.mrb")
        assert answer.status == 500
        assert SECRET.encode() not in answer.body
        assert "X-Mine" not in answer.headers
        assert answer.headers["Content-Type"].startswith("text/html")
        httpd.log.expects("BENCH0010", "x.mrb:5: no", times=1)
        assert httpd.get("/ok.mrb").body == b"ok"

    @pytest.mark.short
    @pytest.mark.parametrize("before", ["print 'part'; response.flush", "print 'p' * 100_000"],
                             ids=["flushed", "streamed"])
    def test_what_was_sent_is_cut_off(self, httpd, before):
        httpd.run(script("x.mrb", f"{before}\nraise 'in the middle'"), OK)
        with httpd.connect() as connection:
            connection.send("GET", "/x.mrb")
            with pytest.raises((Truncated, NoAnswer)) as cut:
                connection.response()
            assert connection.is_closed()
        if cut.type is Truncated:
            assert cut.value.response.status == 200
        httpd.log.expects("BENCH0010", "x.mrb:2: in the middle", "response was cut off", times=1)
        assert httpd.get("/ok.mrb").body == b"ok"

    def test_the_server_does_not_send_its_error_page_into_it(self, httpd):
        httpd.run(script("x.mrb", "print 'part'; response.flush; raise 'no'"))
        with httpd.connect() as connection:
            connection.send("GET", "/x.mrb")
            answer = connection.response(partial=True)
        assert not answer.complete
        assert answer.body == b"part"
        httpd.log.expects("BENCH0010", "response was cut off", times=1)

    def test_without_chunks_the_connection_ends_early(self, httpd):
        """HTTP/1.0 with a length: less than the length comes."""
        httpd.run(script("x.mrb", "response.headers['Content-Length'] = '100'; print 'part'; "
                                  "response.flush; raise 'no'"))
        with httpd.connect() as connection:
            connection.send("GET", "/x.mrb", version="1.0")
            assert not connection.response(partial=True).complete
        httpd.log.expects("BENCH0010", "response was cut off", times=1)


class TestSyntaxErrors:
    """Fault 3 of mod_mruby: the child crashed."""

    @pytest.mark.parametrize("source, line", [
        pytest.param("print 'a'\nif true\n  print 'b'\n", 3, marks=pytest.mark.short),
        ("print 'a'\ndef (\nend\n", 2), ("foo bar baz)", 1),
        ("print 'unfinished", 1), ("end", 1), ("1 +", 1), ("class lower; end", 1),
        ("\n\n\nx = = 1", 4)])
    def test_it_is_a_500_with_file_and_line_in_the_log(self, httpd, source, line):
        httpd.run(script("x.mrb", source.encode()), OK)
        for _ in range(httpd.workers + 1):
            assert httpd.get("/x.mrb").status == 500
            assert httpd.get("/ok.mrb").body == b"ok"
        found = httpd.log.expects("bench:error", "BENCH0011", "[client ", times=httpd.workers + 1)
        number = int(found.split("/x.mrb:")[1].split(":")[0])
        assert number in (line, line + 1)

    @pytest.mark.parametrize("source", [
        b"\0", b"\xff\xfe\x00", bytes(range(256)), b"(" * 10_000, b"[" * 300 + b"]" * 300,
        b"x = " + b"-" * 5000 + b"1", b"\x7fELF\x02\x01\x01", b"RITE0300" + b"\0" * 100,
        b"print '" + b"x" * 200_000, b"<<A\n" * 1000, b"#{" * 1000, b"%w[" + b"a " * 5000 + b"]",
        b"\"" + b"#{\"" * 500], ids=range(13))
    def test_rubbish_does_no_harm(self, httpd, source):
        httpd.run(script("x.mrb", source), OK)
        status = httpd.get("/x.mrb").status
        assert status in (200, 500)
        if status == 500:
            httpd.log.expects("bench:error", "x.mrb", times=1)
        assert httpd.get("/ok.mrb").body == b"ok"

    def test_thousands_of_literals(self, httpd):
        httpd.run(script("x.mrb", "a = [" + "1,\n" * 5000 + "2]\nprint a.size"))
        assert httpd.get("/x.mrb").body == b"5001"


class TestNoScript:
    """Nothing there, or nothing that may be read."""

    @pytest.mark.short
    def test_a_missing_file_is_404_and_the_next_script_runs(self, httpd):
        """Fault 1 of mod_mruby: every later script of the child hung."""
        httpd.run(OK)
        for _ in range(2 * httpd.workers):
            assert httpd.get("/missing.mrb").status == 404
            assert httpd.get("/ok.mrb").body == b"ok"
        httpd.log.expects("bench:info", "BENCH0012", "missing.mrb")

    def test_missing_directories_are_404(self, httpd):
        httpd.run(OK)
        assert httpd.get("/no/such/place.mrb").status == 404
        assert httpd.get("/no/").status == 404

    def test_a_directory_is_403(self, httpd):
        httpd.run("<Location /dir>", "SetHandler bench-script", "</Location>", OK,
                  script("dir/inside.txt", "x"))
        assert httpd.get("/dir/").status == 403
        assert httpd.get("/ok.mrb").body == b"ok"
        httpd.log.expects("bench:error", "BENCH0013", "/dir", times=1)

    @pytest.mark.short
    def test_an_unreadable_file_is_403(self, httpd):
        httpd.run(OK, script("closed.mrb", "print 'secret'", mode=0o000))
        assert httpd.get("/closed.mrb").status == 403
        assert httpd.get("/ok.mrb").body == b"ok"
        httpd.log.expects("bench:error", "BENCH0013", "closed.mrb", times=1)

    def test_a_file_that_becomes_readable_is_run(self, httpd):
        httpd.run(script("x.mrb", "print 'open'", mode=0o000))
        assert httpd.get("/x.mrb").status == 403
        (httpd.docs / "x.mrb").chmod(0o644)
        assert httpd.get("/x.mrb").body == b"open"
        (httpd.docs / "x.mrb").chmod(0o000)
        assert httpd.get("/x.mrb").status == 403
        httpd.log.expects("BENCH0013", times=2)

    def test_a_file_that_goes_away_is_404(self, httpd):
        httpd.run(script("x.mrb", "print 'here'"))
        for _ in range(3):
            httpd.add(script("x.mrb", "print 'here'"))
            assert httpd.get("/x.mrb").body == b"here"
            (httpd.docs / "x.mrb").unlink()
            assert httpd.get("/x.mrb").status == 404

    def test_a_symbolic_link_is_followed_where_httpd_allows(self, httpd):
        httpd.run(OK)
        (httpd.docs / "link.mrb").symlink_to("ok.mrb")
        (httpd.docs / "broken.mrb").symlink_to("nowhere.mrb")
        assert httpd.get("/link.mrb").body == b"ok"
        assert httpd.get("/broken.mrb").status == 403
        httpd.log.expects("AH00037", "broken.mrb", times=1)

    def test_a_fifo_is_not_waited_for(self, httpd):
        httpd.run(OK)
        os.mkfifo(httpd.docs / "pipe.mrb", 0o666)
        assert httpd.get("/pipe.mrb").status in (403, 404)
        assert httpd.get("/ok.mrb").body == b"ok"
        if httpd.log.lines("pipe.mrb"):
            httpd.log.expects("pipe.mrb")
