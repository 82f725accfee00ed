# SPDX-License-Identifier: Apache-2.0
"""Interpreters: one for each thread and group; what stays in one, and what does not."""

import pytest
from harness import file, script, together, until, vhost

# A script ends with it to be held until every worker runs it: see httpd.everywhere().
HOLD = "\nresponse.flush; request.body.read\n"
SINGLE = {"processes": 1, "threads": 1}


def serve(httpd, name="/x.mrb", **options):
    answer = httpd.get(name, **options)
    assert answer.status == 200
    return answer.text


class TestOnePerThread:
    """Opened on first use, by the thread that needs it."""

    @pytest.mark.short
    def test_each_worker_has_its_own(self, httpd):
        httpd.run(script("x.mrb", "$mine ||= rand(10**12); print $mine" + HOLD))
        first = [answer.text for answer in httpd.everywhere("/x.mrb")]
        second = [answer.text for answer in httpd.everywhere("/x.mrb")]
        assert len(set(first)) == httpd.workers
        assert set(first) == set(second)
        assert len(httpd.log.lines("BENCH0002")) == httpd.workers

    def test_one_serves_every_script(self, httpd):
        httpd.run(*[script(f"{number}.mrb", "$n = ($n || 0) + 1; print $n") for number in range(5)],
                  **SINGLE)
        assert [serve(httpd, f"/{number}.mrb") for number in range(5)] == list("12345")
        httpd.log.expects("BENCH0002", times=1)

    def test_none_is_opened_where_no_script_runs(self, httpd):
        httpd.run(script("a.txt", "static"))
        for _ in range(10):
            assert httpd.get("/a.txt").body == b"static"
        assert not httpd.log.lines("BENCH0002")

    def test_what_it_says_of_itself(self, httpd):
        httpd.run("BenchGroup shop", script("x.mrb", """
            i = Bench.interpreter
            p i[:id].is_a?(Integer), i[:group], i[:requests], i[:bytes] > 10_000, i[:mpm_threaded]
        """), **SINGLE)
        threaded = "false" if httpd.mpm == "prefork" else "true"
        assert serve(httpd) == f'true\n"shop"\n1\ntrue\n{threaded}\n'
        assert serve(httpd) == f'true\n"shop"\n2\ntrue\n{threaded}\n'

    def test_they_are_small(self, httpd):
        """An interpreter with our API loaded: at most 250 KB."""
        httpd.run(script("x.mrb", "GC.start; print Bench.interpreter[:bytes]"), **SINGLE)
        assert int(serve(httpd)) <= 250_000

    def test_each_is_closed_with_its_thread(self, httpd):
        httpd.run(script("x.mrb", "print 1" + HOLD))
        httpd.everywhere("/x.mrb")
        httpd.stop()
        assert len(httpd.log.lines("BENCH0002")) == httpd.workers
        assert len(httpd.log.lines("BENCH0003")) == httpd.workers


class TestWhatStays:
    """Globals, constants and methods live as long as the interpreter; locals and self do not."""

    @pytest.mark.short
    def test_globals_constants_and_methods_stay(self, httpd):
        httpd.run(script("set.mrb", "$global = 'g'; CONST = 'c'; def helper; 'm'; end"),
                  script("get.mrb", "print $global, CONST, helper"), **SINGLE)
        serve(httpd, "/set.mrb")
        assert serve(httpd, "/get.mrb") == "gcm"

    @pytest.mark.short
    def test_instance_variables_and_locals_do_not(self, httpd):
        httpd.run(script("x.mrb", """
            p @mine, self.instance_variables
            local ||= "fresh"
            p local
            @mine = local = "left behind"
        """), script("y.mrb", "p @mine, (begin; local; rescue NameError; 'unknown'; end)"),
            **SINGLE)
        for _ in range(3):
            assert serve(httpd) == 'nil\n[]\n"fresh"\n'
            assert serve(httpd, "/y.mrb") == 'nil\n"unknown"\n'

    def test_self_is_main_and_another_one_each_time(self, httpd):
        httpd.run(script("x.mrb", """
            puts self.to_s, self.inspect, self.equal?($before)
            $before = self
            def method_of_top; self; end
            puts method_of_top.equal?(self)
        """), **SINGLE)
        for _ in range(2):
            assert serve(httpd) == "main\nmain\nfalse\ntrue\n"

    def test_methods_on_self_do_not_stay(self, httpd):
        httpd.run(script("x.mrb", "p respond_to?(:only_here)\ndef self.only_here; end"), **SINGLE)
        assert [serve(httpd) for _ in range(3)] == ["false\n"] * 3

    def test_include_and_define_method_at_the_top(self, httpd):
        httpd.run(script("x.mrb", """
            module Polite; def greet; "good day"; end; end
            include Polite
            define_method(:twice) { |x| x * 2 }
            puts greet, "".greet, twice("ab")
        """))
        assert serve(httpd) == "good day\ngood day\nabab\n"

    def test_a_script_that_defines_the_same_again_and_again(self, httpd):
        httpd.run(script("x.mrb", """
            Point = Struct.new(:x, :y) unless Object.const_defined?(:Point)
            class Shape; def area; 6; end; end
            module Tool; VERSION = 1 unless const_defined?(:VERSION); end
            print Point.new(1, 2).y, Shape.new.area, Tool::VERSION
        """))
        assert [serve(httpd) for _ in range(20)] == ["261"] * 20

    def test_a_broken_core_class_stays_in_its_own_group(self, httpd):
        httpd.run("<Location /bad>", "BenchGroup bad", "</Location>",
                  script("bad/x.mrb", """
                      class String; def to_s; "broken"; end; end
                      class Array; def inspect; "broken"; end; end
                      print "done"
                  """), script("x.mrb", "print 'fine'.to_s, [1].inspect"))
        for _ in range(2 * httpd.workers):
            assert httpd.get("/bad/x.mrb").status in (200, 500)
            assert serve(httpd) == "fine[1]"


class TestGroups:
    """BenchGroup: interpreters with different group names share nothing."""

    @pytest.mark.short
    def test_nothing_is_shared(self, httpd):
        httpd.run("<Location /a>", "BenchGroup a", "</Location>", "<Location /b>", "BenchGroup b",
                  "</Location>", *[script(f"{name}/x.mrb", f"""
                      $seen = ($seen || "") + "{name}"
                      class Object; def from_{name}; end; end
                      print $seen, respond_to?(:from_a), respond_to?(:from_b), " ",
                            Bench.interpreter[:group]
                  """) for name in "ab"], **SINGLE)
        for count in (1, 2, 3):
            assert serve(httpd, "/a/x.mrb") == "a" * count + "truefalse a"
            assert serve(httpd, "/b/x.mrb") == "b" * count + "falsetrue b"

    def test_the_same_name_is_the_same_group(self, httpd):
        httpd.run("<Location /a>", "BenchGroup one", "</Location>", "<Location /b>",
                  "BenchGroup one", "</Location>",
                  *[script(f"{name}/x.mrb", "$n = ($n || 0) + 1; print $n") for name in "ab"],
                  **SINGLE)
        assert [serve(httpd, path) for path in ("/a/x.mrb", "/b/x.mrb")] == ["1", "2"]

    def test_without_one_it_is_default(self, httpd):
        httpd.run(script("x.mrb", "print Bench.interpreter[:group]"))
        assert serve(httpd) == "default"

    def test_virtual_hosts_share_a_group_of_the_same_settings(self, httpd):
        httpd.run(vhost("a.test"), vhost("b.test"), vhost("c.test", "BenchGroup other"),
                  script("x.mrb", "$n = ($n || 0) + 1; print $n"), **SINGLE)
        assert [serve(httpd, host=f"{name}.test") for name in "abcab"] == ["1", "2", "1", "3", "4"]


class TestIsolation:
    """BenchIsolation request: a fresh interpreter for each request."""

    @pytest.mark.short
    def test_nothing_stays(self, httpd):
        httpd.run("BenchIsolation request", script("x.mrb", """
            $n = ($n || 0) + 1
            p $n, Object.const_defined?(:C), respond_to?(:helper)
            C = 1
            def helper; end
        """), **SINGLE)
        for _ in range(3):
            assert serve(httpd) == "1\nfalse\nfalse\n"
        httpd.log.expects("BENCH0003", times=3)

    def test_only_where_it_is_said(self, httpd):
        httpd.run("<Location /fresh>", "BenchIsolation request", "</Location>",
                  *[script(name, "$n = ($n || 0) + 1; print $n") for name in
                    ("x.mrb", "fresh/x.mrb")], **SINGLE)
        assert [serve(httpd, path) for path in
                ("/x.mrb", "/fresh/x.mrb", "/x.mrb", "/fresh/x.mrb")] == ["1", "1", "2", "1"]

    def test_inner_thread_over_outer_request(self, httpd):
        httpd.run("BenchIsolation request", "<Location /kept>", "BenchIsolation thread",
                  "</Location>", script("kept/x.mrb", "$n = ($n || 0) + 1; print $n"), **SINGLE)
        assert [serve(httpd, "/kept/x.mrb") for _ in range(2)] == ["1", "2"]

    def test_a_script_that_raises_or_exits(self, httpd):
        httpd.run("BenchIsolation request", script("raise.mrb", "$x = 1; raise 'no'"),
                  script("exit.mrb", "$x = 1; print 'e'; exit"), script("x.mrb", "p $x"), **SINGLE)
        assert httpd.get("/raise.mrb").status == 500
        assert serve(httpd, "/exit.mrb") == "e"
        assert serve(httpd) == "nil\n"
        httpd.log.expects("BENCH0010", times=1)

    def test_hundreds_do_not_add_up(self, httpd):
        httpd.run("BenchIsolation request", script("x.mrb", "print 'ok'"), **SINGLE)
        for _ in range(50):
            serve(httpd)
        before = httpd.resident_kib()
        for _ in range(300):
            serve(httpd)
        assert httpd.resident_kib() < before + 30_000  # they would be 54,000
        httpd.log.expects("BENCH0003", times=350)


class TestMaxRequests:
    """BenchMaxRequests: an interpreter is opened anew after so many."""

    SOURCE = "$n = ($n || 0) + 1; print $n, ' ', Bench.interpreter[:id]"

    @pytest.mark.short
    def test_after_three(self, httpd):
        httpd.run("BenchMaxRequests 3", script("x.mrb", self.SOURCE), **SINGLE)
        seen = [serve(httpd).split() for _ in range(7)]
        assert [count for count, _ in seen] == list("1231231")
        assert [len({number for _, number in seen[first:first + 3]}) for first in (0, 3)] == [1, 1]
        assert len({number for _, number in seen}) == 3
        httpd.log.expects("BENCH0003", "BenchMaxRequests", times=2)

    def test_never_by_default_and_with_zero(self, httpd):
        httpd.run("BenchMaxRequests 0", script("x.mrb", self.SOURCE), **SINGLE)
        assert [serve(httpd).split()[0] for _ in range(30)] == [str(n) for n in range(1, 31)]

    def test_failed_requests_count(self, httpd):
        httpd.run("BenchMaxRequests 2", script("raise.mrb", "$n = 1; raise 'no'"),
                  script("x.mrb", "p $n"), **SINGLE)
        assert httpd.get("/raise.mrb").status == 500
        assert serve(httpd) == "1\n"
        assert serve(httpd) == "nil\n"
        httpd.log.expects("BENCH0010", times=1)

    def test_a_virtual_host_may_have_its_own_number(self, httpd):
        httpd.run("BenchMaxRequests 2", vhost("one.test", "BenchMaxRequests 1"), vhost("two.test"),
                  vhost("none.test", "BenchMaxRequests 0"), script("x.mrb", self.SOURCE), **SINGLE)
        for name, counts in (("one", "111"), ("two", "121"), ("none", "123")):
            assert [serve(httpd, host=f"{name}.test").split()[0] for _ in range(3)] == list(counts)


class TestThreadInit:
    """BenchThreadInit: run once in each interpreter as it opens."""

    @pytest.mark.short
    def test_once_for_each(self, httpd):
        httpd.run("BenchThreadInit init.rb", script("x.mrb", "print $inits, ' ', START" + HOLD),
                  file("init.rb", "$inits = ($inits || 0) + 1\nSTART = 'set'"))
        for _ in range(3):
            assert {answer.text for answer in httpd.everywhere("/x.mrb")} == {"1 set"}

    def test_again_when_an_interpreter_opens_anew(self, httpd):
        httpd.run("BenchThreadInit init.rb", "BenchMaxRequests 2",
                  script("x.mrb", "print $n += 1"), file("init.rb", "$n = 100"), **SINGLE)
        assert [serve(httpd) for _ in range(5)] == ["101", "102", "101", "102", "101"]

    @pytest.mark.short
    def test_each_virtual_host_has_its_own(self, httpd):
        """Fault 12 of mod_mruby: the last one replaced the interpreter of all."""
        httpd.run(vhost("a.test", "BenchThreadInit a.rb"), vhost("b.test", "BenchThreadInit b.rb"),
                  vhost("c.test"), script("x.mrb", "p $name, :symbol, [:a, 'b']"),
                  file("a.rb", "$name = :from_a"), file("b.rb", "$name = :from_b"))
        for _ in range(httpd.workers):
            for name, value in (("a", ":from_a"), ("b", ":from_b"), ("c", "nil")):
                assert serve(httpd, host=f"{name}.test") == f'{value}\n:symbol\n[:a, "b"]\n'

    def test_several_in_their_order_outer_first(self, httpd):
        httpd.run("BenchThreadInit 1.rb", "BenchThreadInit 2.rb",
                  vhost("a.test", "BenchThreadInit 3.rb"), script("x.mrb", "print $order"),
                  *[file(f"{n}.rb", f"$order = ($order || '') + '{n}'") for n in (1, 2, 3)])
        assert serve(httpd, host="a.test") == "123"

    def test_it_may_require_and_read_settings(self, httpd):
        httpd.run("BenchLoadPath lib", "BenchSet mode test", "BenchThreadInit init.rb",
                  file("init.rb", "require 'tool'\n$mode = Bench.config['mode']\n"
                                  "Bench.log.notice 'ready to serve'"),
                  file("lib/tool.rb", "def tool; 'tool'; end"),
                  script("x.mrb", "print tool, $mode"))
        assert serve(httpd) == "tooltest"
        httpd.log.expects("[bench:notice]", "init.rb: ready to serve")

    @pytest.mark.short
    def test_one_that_raises_is_a_500_and_logged(self, httpd):
        httpd.run("BenchThreadInit init.rb", file("init.rb", "# one\nraise 'not today'"),
                  script("x.mrb", "print 'never'"), script("a.txt", "static"))
        for _ in range(2):
            assert httpd.get("/x.mrb").status == 500
            assert httpd.get("/a.txt").body == b"static"
        httpd.log.expects("bench:error", "BENCH0005", "init.rb:2: not today (RuntimeError)",
                          times=2)
        httpd.add(file("init.rb", "$ok = 1"))
        assert serve(httpd) == "never"

    def test_there_is_no_request_yet(self, httpd):
        httpd.run("BenchThreadInit init.rb", file("init.rb", """
            $seen = []
            [-> { request }, -> { response }, -> { print "x" }].each do |call|
              begin
                call.call
                $seen << "allowed"
              rescue Bench::Error => e
                $seen << "refused"
              end
            end
        """), script("x.mrb", "print $seen.inspect"))
        assert serve(httpd) == '["refused", "refused", "refused"]'

    def test_a_change_opens_the_interpreters_anew(self, httpd):
        httpd.run("BenchThreadInit init.rb", file("init.rb", "V = 'aaa'"),
                  script("x.mrb", "print V" + HOLD))
        for text in ("aaa", "bbb", "aaa"):
            httpd.add(file("init.rb", f"V = '{text}'"))
            assert {answer.text for answer in httpd.everywhere("/x.mrb")} == {text}


class TestRandom:
    """Fault 14 of mod_mruby: children forked after the seeding shared one sequence."""

    SOURCE = """
        print [rand, rand(2**30), Random.rand, Random.new.rand, Random.new.rand(2**30),
               (1..30).to_a.shuffle, [1, 2, 3].sample.class, Random.new(7).rand(1000)].inspect
    """

    @pytest.mark.short
    def test_it_differs_between_threads_children_and_requests(self, httpd):
        httpd.run(script("x.mrb", self.SOURCE + HOLD), children=2, threads=3, processes=6)
        texts = []
        for _ in range(3):
            texts += [serve(httpd, "/x.mrb") for _ in range(4)]
            httpd.graceful()
        texts += together(3, lambda _: serve(httpd))
        columns = list(zip(*[text.strip("[]").split(", ") for text in texts]))
        for column in columns[:5]:
            assert len(set(column)) == len(texts)
        assert len({text.split("[")[2] for text in texts}) == len(texts)

    def test_each_worker_at_its_first_request(self, httpd):
        httpd.run(script("x.mrb", "print rand(10**15)" + HOLD))
        numbers = [answer.text for _ in range(3) for answer in httpd.everywhere("/x.mrb")]
        assert len(set(numbers)) == len(numbers)

    def test_the_same_seed_is_the_same_sequence(self, httpd):
        httpd.run(script("x.mrb", """
            a, b = Random.new(42), Random.new(42)
            print [a.rand(1000), a.rand(1000)] == [b.rand(1000), b.rand(1000)]
            srand(5); x = rand(10**9)
            srand(5); print x == rand(10**9)
        """))
        assert serve(httpd) == "truetrue"


class TestStaleHandles:
    """An object of a request that has ended says so, instead of touching anything."""

    OBJECTS = {"request": ".path", "response": ".status", "request.headers": "['Host']",
               "response.headers": "['X-A']", "request.body": ".read"}

    @pytest.mark.short
    def test_kept_across_requests(self, httpd):
        httpd.run(*[file_ for name, use in self.OBJECTS.items() for file_ in (
            script(f"keep.{name}.mrb", f"$kept = {name}; print 'kept'"),
            script(f"use.{name}.mrb", f"""
                begin
                  $kept{use}
                  print "reached it"
                rescue Bench::StaleError => e
                  print e.class, e.is_a?(Bench::Error), e.is_a?(StandardError)
                end
            """))], **SINGLE)
        for name in [*self.OBJECTS] * 3:
            assert serve(httpd, f"/keep.{name}.mrb") == "kept"
            assert serve(httpd, f"/use.{name}.mrb") == "Bench::StaleErrortruetrue"

    @pytest.mark.parametrize("call", ["$kept.status = 404", "$kept.write 'x'", "$kept << 'x'",
                                      "$kept.flush", "$kept.headers", "$kept.headers['X-A'] = '1'",
                                      "$kept.content_type = 'a/b'", "$headers['X-A'] = '1'"])
    def test_nothing_of_it_reaches_the_next_response(self, httpd, call):
        httpd.run(script("keep.mrb", "$kept = response; $headers = response.headers; print 'kept'"),
                  script("use.mrb", f"""
                      begin
                        {call}
                      rescue Bench::StaleError
                        print "stale"
                      end
                  """), **SINGLE)
        serve(httpd, "/keep.mrb")
        answer = httpd.get("/use.mrb")
        assert (answer.status, answer.body) == (200, b"stale")
        assert "X-A" not in answer.headers
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"

    def test_uncaught_it_is_a_500(self, httpd):
        httpd.run(script("keep.mrb", "$kept = request"), script("use.mrb", "$kept.path"), **SINGLE)
        httpd.get("/keep.mrb")
        assert httpd.get("/use.mrb").status == 500
        httpd.log.expects("BENCH0010", "use.mrb:1:", "(Bench::StaleError)", times=1)

    def test_blocks_and_fibers_of_a_past_request(self, httpd):
        httpd.run(script("keep.mrb", """
            mine = request
            $block = -> { print mine.path }
            $fiber = Fiber.new { mine.path; Fiber.yield 1; print "again"; mine.path }
            $fiber.resume
        """), script("use.mrb", """
            [-> { $block.call }, -> { $fiber.resume }].each do |call|
              begin
                call.call
                print "reached it"
              rescue Bench::StaleError
                print "stale "
              end
            end
        """), **SINGLE)
        serve(httpd, "/keep.mrb")
        assert serve(httpd, "/use.mrb") == "stale againstale "

    def test_the_methods_find_the_current_request(self, httpd):
        httpd.run(script("x.mrb", "$say ||= -> { print request.query_string }; $say.call"),
                  **SINGLE)
        assert [serve(httpd, f"/x.mrb?{number}") for number in range(3)] == ["0", "1", "2"]

    def test_they_cannot_be_made_or_copied(self, httpd):
        httpd.run(script("x.mrb", """
            [-> { Bench::Request.new }, -> { Bench::Request.allocate.path },
             -> { request.dup.path }, -> { request.clone.path },
             -> { Class.new(Bench::Request).new.path },
             -> { Bench::Request.instance_method(:path).bind(Object.new).call },
             -> { response.send(:initialize_copy, request); response.status }].each do |call|
              begin
                call.call
              rescue StandardError
              end
            end
            print "alive"
        """))
        assert serve(httpd) == "alive"


class TestMemory:
    """Fault 10 of mod_mruby: the arena grew by one for each request."""

    # The numbers are of one interpreter, after a collection.
    MEASURE = script("measure.mrb", """
        GC.start
        counts = ObjectSpace.count_objects
        print counts[:TOTAL] - counts[:FREE], " ", Bench.interpreter[:bytes]
    """)

    @pytest.mark.parametrize("name, source, status", [
        ("print", "print 'x' * 100; puts [1, 'a', :b].inspect", 200),
        ("surface", "response.headers['X-A'] = request.headers['Host']; request.body.read; "
                    "response.write Bench.config.to_s; Bench.log.debug 'x'; $stdout.flush", 200),
        ("raise", "def deep(n); n == 0 ? raise('x' * 50) : deep(n - 1); end; deep(20)", 500),
        ("exit", "print 1; exit", 200), ("stale", "$r = request", 200),
        ("syntax", "1 +", 500), ("fiber", "Fiber.new { Fiber.yield }.resume", 200)])
    def test_two_thousand_requests_leave_nothing(self, httpd, name, source, status):
        httpd.run("BenchSet a b", "LogLevel bench:crit", script("x.mrb", source), self.MEASURE,
                  **SINGLE)

        def ask(count):
            for _ in range(count // 50):  # a 500 ends its connection: those are asked one by one
                if status == 500:
                    assert {httpd.get("/x.mrb").status for _ in range(50)} == {500}
                    continue
                with httpd.connect() as connection:
                    for _ in range(50):
                        connection.send("GET", "/x.mrb")
                    assert {connection.response().status for _ in range(50)} == {200}

        def measure():
            return [int(number) for number in serve(httpd, "/measure.mrb").split()]

        ask(500)
        measure()
        objects, size = measure()
        ask(2000)
        objects_after, size_after = measure()
        assert objects_after <= objects + 5
        assert size_after <= size + 60_000  # room for one more page of the collector's heap

    def test_no_descriptor_is_left_open(self, httpd):
        httpd.run("BenchLoadPath lib", script("x.mrb"), script("bad.mrb", "1 +"), file("lib/v.rb"),
                  **SINGLE)

        def ask(turn):
            httpd.add(file("lib/v.rb", f"V = {turn}"),
                      script("x.mrb", f"require 'v'; print V # {turn}"))
            assert serve(httpd) == str(turn)
            assert [httpd.get(name).status for name in ("/bad.mrb", "/missing.mrb")] == [500, 404]

        ask(1)
        until(httpd.idle, "no connection")
        before = httpd.descriptors()
        for turn in range(2, 30):
            ask(turn)
        until(httpd.idle, "no connection")
        assert httpd.descriptors() == before
        httpd.log.expects("BENCH0011", times=29)
