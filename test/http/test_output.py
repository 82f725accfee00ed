# SPDX-License-Identifier: Apache-2.0
"""Output: what Ruby's methods write, byte for byte, short and long, and who receives it."""

import pytest
from harness import script, until

BUFFER = 8192


def printed(httpd, source):
    """What a script prints."""
    httpd.run(script("x.mrb", source))
    answer = httpd.get("/x.mrb")
    assert answer.status == 200
    return answer.body


class TestRubysMethods:
    """print, puts, p, printf, putc and $stdout write what they write in Ruby."""

    # The expectations were compared with what ruby 3.1 prints.
    @pytest.mark.parametrize("source, output", [
        ("print", ""),
        ("print 'a', nil, 1, :b, [1, nil], 2.5", "a1b[1, nil]2.5"),
        ("p print('x')", "xnil\n"),
        ("puts", "\n"),
        ("puts nil", "\n"),
        ("puts ''", "\n"),
        ("puts []", ""),
        ("puts [[], [nil]]", "\n"),
        ("puts 'a', :b, 1, 2.5, nil, true", "a\nb\n1\n2.5\n\ntrue\n"),
        ('puts "a\\n", "b\\n\\n", "c"', "a\nb\n\nc\n"),
        ("puts [1, [2, [nil, [3]]]], 4", "1\n2\n\n3\n4\n"),
        ("a = [1]; a << a; puts a", "1\n[...]\n"),
        ("puts({ 1 => 2 })", None),
        ("p puts('x')", "x\nnil\n"),
        ("p", ""),
        ("p 1", "1\n"),
        ('p "a\\"b\\n", :c, nil, [1, "d"]', '"a\\"b\\n"\n:c\nnil\n[1, "d"]\n'),
        ("print p.inspect", "nil"),
        ("print p(1).inspect", "1\n1"),
        ("print p(1, 2).inspect", "1\n2\n[1, 2]"),
        ("printf '%05d|%-5s|%x|%.2f|%%', 42, 'ab', 255, 3.14159", "00042|ab   |ff|3.14|%"),
        ("p printf('a')", "anil\n"),
        ("p putc('xyz')", 'x"xyz"\n'),
        ("p putc(65)", "A65\n"),
        ("p putc(256 + 66)", "B322\n"),
        ("putc 'ü'", "ü"),
        ("$stdout << 'a' << 1 << nil << :b", "a1b"),
        ("p $stdout.write('ab', 1, :c)", "ab1c4\n"),
        ("p $stdout.write('ü')", "ü2\n"),
        ("$stdout.print 'a', 1; $stdout.puts 'b', [1]; $stdout.printf '%d', 3; $stdout.putc 'x'",
         "a1b\n1\n3x"),
        ("STDOUT.print 'a'", "a"),
        ("p $stdout.flush.equal?($stdout)", "true\n"),
        ("$stdout.sync = true; print 'a'", "a"),
        ("$stdout.sync = false; print 'a'", "a"),
        ("p((response << 'a' << 'b').equal?(response)); p response.write('cde')", None),
        ("p response.write('ü')", "ü2\n"),
        ("x = print 'a' if false", ""),
    ])
    def test_what_is_written(self, httpd, source, output):
        body = printed(httpd, source).decode()
        if "1 => 2" in source:
            assert body in ("{1=>2}\n", "{1 => 2}\n")
        elif output is None:
            assert body in ("abtrue\ncde3\n", "abfalse\ncde3\n")
        else:
            assert body == output

    def test_objects_say_for_themselves_what_they_are(self, httpd):
        assert printed(httpd, """
            class Fig
              def to_s; "fig"; end
              def inspect; "#<a fig>"; end
            end
            puts Fig.new, [Fig.new]
            p Fig.new
            print Fig.new
        """) == b"fig\nfig\n#<a fig>\nfig"

    def test_a_script_may_put_its_own_object_into_stdout(self, httpd):
        httpd.run(script("own.mrb", """
            class Shout
              def initialize(to); @to = to; end
              def write(*all); all.each { |text| @to.write(text.to_s.upcase) }; end
              def print(*all); write(*all); end
              def puts(*all); all.each { |text| write(text, "\\n") }; end
            end
            $stdout = Shout.new($stdout)
            puts "loud"
            print "words"
        """), script("next.mrb", "print 'quiet'"))
        for _ in range(httpd.workers * 2):
            assert httpd.get("/own.mrb").body == b"LOUD\nWORDS"
            assert httpd.get("/next.mrb").body == b"quiet"

    def test_output_from_blocks_methods_and_fibers(self, httpd):
        assert printed(httpd, """
            def say(text); print text; end
            3.times { |i| say i }
            fiber = Fiber.new { print "f"; Fiber.yield; print "g" }
            fiber.resume
            fiber.resume
            [1].map { |x| puts x }
            ObjectSpace
            begin; print "b"; ensure; print "e"; end
        """) == b"012fg1\nbe"


class TestBytes:
    """Bytes are bytes."""

    @pytest.mark.short
    def test_all_256_values(self, httpd):
        assert printed(httpd, "print (0..255).to_a.pack('C*')") == bytes(range(256))

    def test_nul_does_not_end_anything(self, httpd):
        assert printed(httpd, 'print "a\\0b"; puts "\\0"; $stdout << "c\\0"; '
                              'response.write "\\0d"') == b"a\0b\0\nc\0\0d"

    def test_what_is_not_utf8(self, httpd):
        assert printed(httpd, 'puts "\\xff\\xfe", ["\\xc3"]') == b"\xff\xfe\n\xc3\n"

    def test_a_megabyte_of_them(self, httpd):
        assert printed(httpd, "print (0..255).to_a.pack('C*') * 4096") == bytes(range(256)) * 4096


class TestBuffer:
    """Output that fits is sent with its length; more is streamed; nothing is lost at the edge."""

    @pytest.mark.parametrize("size", [0, 1, BUFFER - 1, BUFFER, BUFFER + 1, 2 * BUFFER - 1,
                                      2 * BUFFER, 2 * BUFFER + 1])
    @pytest.mark.parametrize("piece", [1 << 20, 4096, 4095, 1000])
    def test_sizes_around_the_buffers(self, httpd, size, piece):
        httpd.run(script("x.mrb", f"""
            text = "0123456789abcde" * 2000
            at = 0
            while at < {size}
              count = [{piece}, {size} - at].min
              print text[at, count]
              at += count
            end
        """))
        with httpd.connect() as connection:
            answer = connection.get("/x.mrb")
            assert answer.body == (b"0123456789abcde" * 2000)[:size]
            if size <= BUFFER:
                assert answer.headers["Content-Length"] == str(size)
            assert connection.get("/x.mrb").body == answer.body

    @pytest.mark.short
    def test_a_thousand_puts(self, httpd):
        httpd.run(script("x.mrb", "1000.times { |i| puts i.to_s * 25 }"))
        with httpd.connect() as connection:
            answer = connection.get("/x.mrb")
            assert answer.chunked
            assert answer.body == b"".join(b"%d" % i * 25 + b"\n" for i in range(1000))
            assert connection.get("/x.mrb").body == answer.body

    @pytest.mark.short
    def test_five_megabytes_at_once(self, httpd):
        httpd.run(script("x.mrb", "print '0123456789' * 500_000"))
        with httpd.connect() as connection:
            answer = connection.get("/x.mrb")
            assert answer.body == b"0123456789" * 500_000

    def test_small_before_large(self, httpd):
        assert printed(httpd, "print 'a'; print 'b' * 100_000; print 'c'") == \
            b"a" + b"b" * 100_000 + b"c"

    def test_what_was_printed_does_not_change_with_its_string(self, httpd):
        """Nothing keeps a pointer into a Ruby string: fault 15 of mod_mruby."""
        body = printed(httpd, """
            200.times do |i|
              text = i.to_s * 100
              print text
              text.replace("gone" * 100)
              GC.start if i % 20 == 0
            end
        """)
        assert body == b"".join(b"%d" % i * 100 for i in range(200))


class TestFlush:
    """What is flushed arrives while the script still runs."""

    @pytest.mark.parametrize("flush", ["response.flush", "$stdout.flush"])
    def test_the_client_has_it_before_the_script_ends(self, httpd, flush):
        httpd.run(script("x.mrb", f"""
            print "first"
            {flush}
            print request.body.read
        """))
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", headers={"Content-Length": "6"})
            answer = connection.response_head()
            connection.first_chunk(answer)
            assert answer.body == b"first"
            connection.send_bytes(b"second")
            connection.rest(answer)
            assert (answer.complete, answer.body) == (True, b"firstsecond")
            assert connection.request("POST", "/x.mrb", b"!").body == b"first!"

    def test_flushing_nothing_sends_the_header(self, httpd):
        httpd.run(script("x.mrb", "response.status = 202; response.flush; request.body.read"))
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", headers={"Content-Length": "1"})
            answer = connection.response_head()
            assert answer.status == 202
            connection.send_bytes(b"x")
            connection.rest(answer)
            assert (answer.complete, answer.body) == (True, b"")

    def test_many_flushes(self, httpd):
        assert printed(httpd, "200.times { |i| print i; response.flush }") == \
            b"".join(b"%d" % i for i in range(200))

    def test_past_the_buffer_output_streams_by_itself(self, httpd):
        httpd.run(script("x.mrb", "print 'x' * 100_000; request.body.read; print 'end'"))
        with httpd.connect() as connection:
            connection.send("POST", "/x.mrb", headers={"Content-Length": "1"})
            answer = connection.response_head()
            while len(answer) < 100_000 - BUFFER:
                connection.first_chunk(answer)
            connection.send_bytes(b".")
            connection.rest(answer)
            assert answer.body == b"x" * 100_000 + b"end"


class TestClientsThatGoAway:
    """Nobody is left to read: the script is stopped, and that is no error."""

    ENDLESS = """
        begin
          loop { print "x" * 10_000 }
        ensure
          Bench.log.warn "ensured"
        end
    """

    @pytest.mark.short
    def test_the_script_ends_and_its_ensure_runs(self, httpd):
        httpd.run(script("endless.mrb", self.ENDLESS), script("ok.mrb", "print 'ok'"))
        with httpd.connect() as connection:
            connection.send("GET", "/endless.mrb")
            answer = connection.response_head()
            connection.first_chunk(answer)
        httpd.log.expects("bench:warn", "ensured", times=1)
        httpd.log.expects("bench:debug", "BENCH0015", times=1)
        assert httpd.get("/ok.mrb").body == b"ok"

    def test_even_if_it_rescues_what_it_can(self, httpd):
        httpd.run(script("stubborn.mrb", """
            begin
              loop { begin; print "x" * 10_000; rescue; end }
            ensure
              Bench.log.warn "ensured"
            end
        """))
        with httpd.connect() as connection:
            connection.send("GET", "/stubborn.mrb")
            connection.first_chunk(connection.response_head())
            connection.reset()
        httpd.log.expects("ensured", times=1)
        httpd.log.expects("BENCH0015", times=1)

    def test_every_worker_survives_it_many_times(self, httpd):
        httpd.run(script("endless.mrb", self.ENDLESS), script("ok.mrb", "print 'ok'"))
        rounds = 3 * httpd.workers
        for _ in range(rounds):
            with httpd.connect() as connection:
                connection.send("GET", "/endless.mrb")
                connection.first_chunk(connection.response_head())
        httpd.log.expects("ensured", times=rounds)
        httpd.log.expects("BENCH0015", times=rounds)
        assert httpd.get("/ok.mrb").body == b"ok"

    def test_a_client_that_does_not_wait_for_a_short_answer(self, httpd):
        httpd.run(script("slow.mrb", "sleep 0.05; print 'late'"), script("ok.mrb", "print 'ok'"))
        for _ in range(5):
            with httpd.connect() as connection:
                connection.send("GET", "/slow.mrb")
                connection.reset()
        until(httpd.idle, "the answers that nobody takes")
        assert httpd.get("/ok.mrb").body == b"ok"


class TestSlowReaders:
    """The script has ended long before its output is read."""

    # Little fits into the kernel's buffers; the rest waits in httpd, under event without a thread.
    SMALL = ["SendBufferSize 4096", "EnableMMAP Off", "EnableSendfile On"]

    @pytest.mark.short
    @pytest.mark.parametrize("conf", ["", "BenchIsolation request", "BenchMaxRequests 1"],
                             ids=["kept", "isolated", "reopened"])
    def test_its_interpreter_may_be_closed_by_then(self, httpd, conf):
        httpd.run(*self.SMALL, conf, script("x.mrb", "400.times { |i| puts i.to_s * 30 }\n"
                                                     "Bench.log.notice 'printed'"),
                  script("ok.mrb", "print 'ok' * 100"))
        with httpd.connect(receive_buffer=4096) as slow:
            slow.send("GET", "/x.mrb")
            httpd.log.expects("printed")
            if conf:
                httpd.log.expects("BENCH0003")
            for _ in range(2 * httpd.workers):
                assert httpd.get("/ok.mrb").body == b"ok" * 100
            assert slow.response().body == b"".join(b"%d" % i * 30 + b"\n" for i in range(400))

    def test_megabytes(self, httpd):
        httpd.run(*self.SMALL, script("x.mrb", "print '0123456789' * 300_000"),
                  script("ok.mrb", "print 'ok'"))
        with httpd.connect(receive_buffer=65536) as slow:
            slow.send("GET", "/x.mrb")
            answer = slow.response_head()
            for _ in range(3):
                assert httpd.get("/ok.mrb").body == b"ok"
            slow.rest(answer)
            assert answer.body == b"0123456789" * 300_000

    def test_one_that_goes_away_after_the_script_has_ended(self, httpd):
        httpd.run(*self.SMALL, script("x.mrb", "print 'x' * 40_000; Bench.log.notice 'printed'"),
                  script("ok.mrb", "print 'ok'"))
        for _ in range(3):
            with httpd.connect(receive_buffer=4096) as slow:
                slow.send("GET", "/x.mrb")
                httpd.log.expects("printed")
                slow.reset()
        until(httpd.idle, "the answers that nobody takes")
        assert httpd.get("/ok.mrb").body == b"ok"
