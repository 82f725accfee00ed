# SPDX-License-Identifier: Apache-2.0
"""require, require_relative and load: where files are looked for, and when they are read."""

import pytest
from harness import file, script


def serve(httpd, name="/x.mrb"):
    answer = httpd.get(name)
    assert answer.status == 200
    return answer.text


class TestRequire:
    """Once in an interpreter, from the load path."""

    CONF = "BenchLoadPath lib"

    @pytest.mark.short
    def test_once_per_interpreter(self, httpd):
        httpd.run(self.CONF, script("x.mrb", """
            p require("count"), require("count"), require("count.rb")
            print $count, " ", NAME, " ", helper
        """), file("lib/count.rb", """
            $count = ($count || 0) + 1
            NAME = "count"
            def helper; "helped"; end
        """), processes=1, threads=1)
        assert serve(httpd) == "true\nfalse\nfalse\n1 count helped"
        assert serve(httpd) == "false\nfalse\nfalse\n1 count helped"

    def test_by_another_script_too(self, httpd):
        httpd.run(self.CONF, script("a.mrb", "require 'one'; print One"),
                  script("b.mrb", "p require('one'); print One"), file("lib/one.mrb", "One = 1"),
                  processes=1, threads=1)
        assert serve(httpd, "/a.mrb") == "1"
        assert serve(httpd, "/b.mrb") == "false\n1"

    @pytest.mark.parametrize("name, found", [("one", "one.mrb"), ("one.mrb", "one.mrb"),
                                             ("two", "two.rb"), ("two.rb", "two.rb"),
                                             ("sub/three", "sub/three.rb"),
                                             ("dotted.name", "dotted")])
    def test_names_with_and_without_extension(self, httpd, name, found):
        httpd.run(self.CONF, script("x.mrb", f"require '{name}'\nprint $found"),
                  file("lib/one.mrb", "$found = 'one.mrb'"),
                  file("lib/two.rb", "$found = 'two.rb'"),
                  file("lib/sub/three.rb", "$found = 'sub/three.rb'"),
                  file("lib/dotted.name.rb", "$found = 'dotted'"))
        assert serve(httpd) == found

    def test_by_absolute_path(self, httpd):
        httpd.run(script("x.mrb", f"require '{httpd.root}/lib/one'\nprint One"),
                  file("lib/one.rb", "One = 1"))
        assert serve(httpd) == "1"

    @pytest.mark.short
    def test_directories_are_searched_in_order(self, httpd):
        httpd.run("BenchLoadPath first second", "BenchLoadPath third",
                  script("x.mrb", "require 'a'; require 'b'; require 'c'; print A, B, C"),
                  *[file(f"{folder}/{name}.rb", f"{name.upper()} = '{folder} '")
                    for folder, names in (("first", "a"), ("second", "ab"), ("third", "abc"))
                    for name in names])
        assert serve(httpd) == "first second third "

    def test_inner_directories_come_before_outer_ones(self, httpd):
        httpd.run("BenchLoadPath outer", "<Location /in>", "BenchLoadPath inner",
                  "BenchGroup inner", "</Location>",
                  *[script(name, "require 'a'; require 'b'; print A, B") for name in
                    ("x.mrb", "in/x.mrb")],
                  file("outer/a.rb", "A = 'outer '"), file("outer/b.rb", "B = 'outer'"),
                  file("inner/a.rb", "A = 'inner '"))
        assert serve(httpd, "/x.mrb") == "outer outer"
        assert serve(httpd, "/in/x.mrb") == "inner outer"

    @pytest.mark.short
    def test_what_is_missing_raises_and_says_where_it_was_looked_for(self, httpd):
        httpd.run("BenchLoadPath first second", script("x.mrb", "require 'nowhere'"),
                  script("caught.mrb", """
                      begin
                        require "nowhere"
                      rescue LoadError => e
                        puts e.class, e.is_a?(ScriptError)
                        print e.message
                      end
                  """), file("first/a.rb"), file("second/a.rb"))
        assert httpd.get("/x.mrb").status == 500
        httpd.log.expects("BENCH0010", "x.mrb:1: ", "nowhere", "first", "second", "(LoadError)",
                          times=1)
        text = serve(httpd, "/caught.mrb")
        assert text.startswith("LoadError\ntrue\n")
        assert f"{httpd.root}/first" in text and f"{httpd.root}/second" in text

    def test_without_a_load_path(self, httpd):
        httpd.run(script("x.mrb", "begin; require 'lib'; rescue LoadError; print 'no'; end"),
                  script("lib.rb", "print 'yes'"))
        assert serve(httpd) == "no"

    @pytest.mark.parametrize("argument", ["nil", "1", "''", '"a\\0b"', "'.'", "'/'", "'../' * 500",
                                          "'x' * 100_000"])
    def test_odd_arguments(self, httpd, argument):
        httpd.run(self.CONF, script("x.mrb", f"""
            begin
              require {argument}
              print "loaded"
            rescue LoadError, TypeError, ArgumentError
              print "refused"
            end
        """), file("lib/a.rb"))
        assert serve(httpd) == "refused"


class TestRequireRelative:
    """Beside the file that asks."""

    @pytest.mark.short
    def test_from_a_script_from_a_library_and_from_a_method(self, httpd):
        httpd.run("BenchLoadPath lib", script("app/x.mrb", """
            p require_relative("near"), require_relative("../up"), require_relative("near")
            require "far"
            far
            print NEAR, UP, BESIDE, LATE
        """), script("app/near.rb", "NEAR = 'near '"), script("up.rb", "UP = 'up '"),
            file("lib/far.rb", """
                require_relative "beside"
                def far; require_relative "late"; end
            """), file("lib/beside.rb", "BESIDE = 'beside '"), file("lib/late.rb", "LATE = 'late'"))
        assert serve(httpd, "/app/x.mrb") == "true\ntrue\nfalse\nnear up beside late"

    def test_missing(self, httpd):
        httpd.run(script("app/x.mrb", "require_relative 'nowhere'"))
        assert httpd.get("/app/x.mrb").status == 500
        httpd.log.expects("BENCH0010", "app/x.mrb:1:", "nowhere", "htdocs/app", "(LoadError)",
                          times=1)

    def test_the_same_file_by_two_names_is_read_once(self, httpd):
        httpd.run("BenchLoadPath htdocs", script("x.mrb", """
            p require_relative("one"), require("one"), require_relative("./sub/../one")
        """), script("one.rb", ""), script("sub/two.rb", ""))
        assert serve(httpd) == "true\nfalse\nfalse\n"


class TestLoad:
    """Each time it is called."""

    def test_each_time(self, httpd):
        httpd.run("BenchLoadPath lib", script("x.mrb", "$n = 0; p load('add.rb'); load('add.rb'); "
                                                       "print $n"),
                  file("lib/add.rb", "$n += 1"))
        assert serve(httpd) == "true\n2"
        assert serve(httpd) == "true\n2"

    def test_a_change_is_seen_at_once(self, httpd):
        httpd.run("BenchLoadPath lib", script("x.mrb", "load 'v.rb'; print $v"),
                  file("lib/v.rb", "$v = 'aaa'"))
        for text in ("aaa", "bbb", "ccc"):
            httpd.add(file("lib/v.rb", f"$v = '{text}'"))
            for _ in range(2 * httpd.workers):
                assert serve(httpd) == text

    def test_the_locals_of_a_loaded_file_are_its_own(self, httpd):
        httpd.run("BenchLoadPath lib", script("x.mrb", """
            secret = "outer"
            load "v.rb"
            print secret, " ", begin; inner; rescue NameError; "unknown"; end
        """), file("lib/v.rb", "secret = 'changed'; inner = 'leaked'"))
        assert serve(httpd) == "outer unknown"


class TestTrouble:
    """Files that do not load."""

    @pytest.mark.short
    def test_files_that_require_each_other(self, httpd):
        httpd.run("BenchLoadPath lib", script("x.mrb", "require 'a'; print A, B"),
                  file("lib/a.rb", "require 'b'; A = 'a'"),
                  file("lib/b.rb", "require 'a'; B = 'b'"))
        assert serve(httpd) == "ab"

    def test_a_file_that_requires_itself(self, httpd):
        httpd.run("BenchLoadPath lib", script("x.mrb", "require 'a'; print A"),
                  file("lib/a.rb", "require 'a'; require_relative 'a'; A = 'a'"))
        assert serve(httpd) == "a"

    @pytest.mark.short
    def test_a_syntax_error_names_the_file_that_has_it(self, httpd):
        httpd.run("BenchLoadPath lib", script("x.mrb", "# one\nrequire 'bad'"),
                  file("lib/bad.rb", "x = 1\nx ="), script("ok.mrb", "print 'ok'"))
        for _ in range(2):
            assert httpd.get("/x.mrb").status == 500
            assert serve(httpd, "/ok.mrb") == "ok"
        httpd.log.expects("lib/bad.rb:2", times=2)
        httpd.add(file("lib/bad.rb", "x = 1"))
        assert serve(httpd) == ""

    @pytest.mark.short
    def test_a_file_that_raises_is_tried_again(self, httpd):
        httpd.run("BenchLoadPath lib", script("x.mrb", """
            begin
              require "shaky"
              print "loaded"
            rescue RuntimeError => e
              print e.message
            end
            print " ", $tries
        """), file("lib/shaky.rb", """
            $tries = ($tries || 0) + 1
            raise "not yet" if $tries < 3
        """), processes=1, threads=1)
        assert [serve(httpd) for _ in range(4)] == \
            ["not yet 1", "not yet 2", "loaded 3", "loaded 3"]

    def test_what_it_raises_is_logged_with_its_own_line(self, httpd):
        httpd.run("BenchLoadPath lib", script("x.mrb", "# one\nrequire 'bad'"),
                  file("lib/bad.rb", "# one\n# two\nraise 'in the library'"))
        assert httpd.get("/x.mrb").status == 500
        httpd.log.expects("BENCH0010", "lib/bad.rb:3: in the library (RuntimeError); backtrace: ",
                          "lib/bad.rb:3", "x.mrb:2", times=1)

    def test_an_unreadable_file(self, httpd):
        httpd.run("BenchLoadPath lib", script("x.mrb", "require 'closed'"),
                  file("lib/closed.rb", "print 'secret'", mode=0o000))
        assert httpd.get("/x.mrb").status == 500
        httpd.log.expects("BENCH0010", "closed", "(LoadError)", times=1)


class TestChanges:
    """Required files are watched: a change is seen at the next request."""

    @pytest.mark.short
    def test_a_changed_library(self, httpd):
        hold = "; response.flush; request.body.read"
        httpd.run("BenchLoadPath lib", script("x.mrb", "require 'v'; print V" + hold),
                  file("lib/v.rb", "V = 'aaa'"))
        for text in ("aaa", "bbb", "ccc"):
            httpd.add(file("lib/v.rb", f"V = '{text}'"))
            for _ in range(2):
                answers = httpd.everywhere("/x.mrb")
                assert [answer.text for answer in answers] == [text] * httpd.workers
        assert httpd.log.lines("BENCH0003", "lib/v.rb", "has changed")

    def test_constants_and_globals_start_afresh(self, httpd):
        httpd.run("BenchLoadPath lib", script("x.mrb", """
            require "v"
            $n = ($n || 0) + 1
            print $n, Object.const_defined?(:OLD) ? " old" : " new"
        """), file("lib/v.rb", "OLD = 1"), processes=1, threads=1)
        assert [serve(httpd) for _ in range(2)] == ["1 old", "2 old"]
        httpd.add(file("lib/v.rb", "NEW = 1 # longer"))
        assert [serve(httpd) for _ in range(2)] == ["1 new", "2 new"]

    def test_a_library_of_a_library(self, httpd):
        httpd.run("BenchLoadPath lib", script("x.mrb", "require 'a'; print DEEP"),
                  file("lib/a.rb", "require_relative 'sub/b'"), file("lib/sub/b.rb", "DEEP = 1"))
        assert serve(httpd) == "1"
        httpd.add(file("lib/sub/b.rb", "DEEP = 22"))
        for _ in range(2 * httpd.workers):
            assert serve(httpd) == "22"

    def test_a_library_that_goes_away(self, httpd):
        httpd.run("BenchLoadPath lib", script("x.mrb", "require 'v'; print V"),
                  file("lib/v.rb", "V = 'here'"))
        assert serve(httpd) == "here"
        (httpd.root / "lib" / "v.rb").unlink()
        assert httpd.get("/x.mrb").status == 500
        httpd.log.expects("BENCH0010", "(LoadError)", times=1)
        httpd.add(file("lib/v.rb", "V = 'back'"))
        assert serve(httpd) == "back"

    def test_a_library_mended_after_a_syntax_error(self, httpd):
        httpd.run("BenchLoadPath lib", script("x.mrb", "require 'v'; print V"),
                  file("lib/v.rb", "V = 'good'"))
        assert serve(httpd) == "good"
        httpd.add(file("lib/v.rb", "V = 'bad"))
        assert httpd.get("/x.mrb").status == 500
        httpd.log.expects("lib/v.rb:1", times=1)
        httpd.add(file("lib/v.rb", "V = 'mended'"))
        assert serve(httpd) == "mended"
