# SPDX-License-Identifier: Apache-2.0
"""BenchCodeCache: when a changed script is seen.  stat: at the next request, by every thread."""

import os
import threading

import pytest
from harness import script, together, until


def serve(httpd, name="/x.mrb"):
    answer = httpd.get(name)
    assert answer.status == 200
    return answer.text


def edit_keeping_the_time(path, text):
    """Another text of the same size with the same mtime, in place."""
    before = path.stat()
    path.write_bytes(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert path.stat().st_mtime_ns == before.st_mtime_ns


class TestStat:
    """The default: a change is served at the next request."""

    @pytest.mark.short
    def test_an_edit(self, httpd):
        httpd.run(script("x.mrb", "print 'first'"))
        for text in ("first", "second, longer", "3", "first"):
            httpd.add(script("x.mrb", f"print '{text}'"))
            for _ in range(2 * httpd.workers):
                assert serve(httpd) == text

    def test_every_worker_sees_it(self, httpd):
        hold = "; response.flush; request.body.read"
        httpd.run(script("x.mrb", "print 'old'" + hold))
        for text in ("old", "new", "old", "newest"):
            httpd.add(script("x.mrb", f"print '{text}'" + hold))
            assert [answer.text for answer in httpd.everywhere("/x.mrb")] == [text] * httpd.workers

    @pytest.mark.short
    def test_the_same_size_within_the_same_second(self, httpd):
        httpd.run(script("x.mrb", "print 'aaa'"))
        for number in range(60):
            text = f"{number:03}"
            httpd.add(script("x.mrb", f"print '{text}'"))
            assert serve(httpd) == text

    @pytest.mark.short
    def test_the_same_size_and_the_same_mtime(self, httpd):
        httpd.run(script("x.mrb", "print 'aaa'"))
        assert serve(httpd) == "aaa"
        for text in (b"bbb", b"ccc", b"ddd"):
            edit_keeping_the_time(httpd.docs / "x.mrb", b"print '%s'" % text)
            for _ in range(2 * httpd.workers):
                assert serve(httpd) == text.decode()

    def test_a_file_that_an_editor_replaces(self, httpd):
        httpd.run(script("x.mrb", "print 'aaa'"))
        assert serve(httpd) == "aaa"
        first = (httpd.docs / "x.mrb").stat()
        for text in ("bbb", "ccc"):
            httpd.add(script("x.mrb.new", f"print '{text}'"))
            os.utime(httpd.docs / "x.mrb.new", ns=(first.st_atime_ns, first.st_mtime_ns))
            (httpd.docs / "x.mrb.new").rename(httpd.docs / "x.mrb")
            for _ in range(2 * httpd.workers):
                assert serve(httpd) == text

    def test_an_older_file_moved_over_it(self, httpd):
        httpd.run(script("x.mrb", "print 'new'"), script("old.mrb", "print 'old'"))
        os.utime(httpd.docs / "old.mrb", (1_000_000_000, 1_000_000_000))
        assert serve(httpd) == "new"
        (httpd.docs / "old.mrb").rename(httpd.docs / "x.mrb")
        assert serve(httpd) == "old"

    def test_a_link_that_points_elsewhere(self, httpd):
        httpd.run(script("one.mrb", "print 1"), script("two.mrb", "print 2"))
        link = httpd.docs / "x.mrb"
        for number, name in ((1, "one"), (2, "two"), (1, "one")):
            link.unlink(missing_ok=True)
            link.symlink_to(f"{name}.mrb")
            assert serve(httpd) == str(number)

    @pytest.mark.short
    def test_two_hundred_rapid_edits_are_each_seen_by_every_thread(self, httpd):
        httpd.run(script("x.mrb", "print '000'"))
        path = httpd.docs / "x.mrb"
        for number in range(200):
            path.write_bytes(b"print '%03d'" % number)
            seen = together(httpd.workers, lambda _: serve(httpd))
            assert set(seen) == {f"{number:03}"}

    def test_a_syntax_error_is_served_as_such_and_then_mended(self, httpd):
        """The last good version is not served silently."""
        httpd.run(script("x.mrb", "print 'good'"))
        for _ in range(3):
            httpd.add(script("x.mrb", "print 'good'"))
            assert serve(httpd) == "good"
            httpd.add(script("x.mrb", "print 'bad"))
            for _ in range(httpd.workers):
                assert httpd.get("/x.mrb").status == 500
        httpd.log.expects("BENCH0011", times=3 * httpd.workers)
        httpd.add(script("x.mrb", "print 'good'"))
        assert serve(httpd) == "good"

    def test_a_script_that_rewrites_itself(self, httpd):
        httpd.run(script("x.mrb", "print request.query_string"))
        (httpd.docs / "x.mrb").chmod(0o666)
        for number in range(20):
            path = httpd.docs / "x.mrb"
            path.write_text(f"# {number}\nprint {number}")
            assert serve(httpd) == str(number)

    def test_the_body_of_a_method_changes_too(self, httpd):
        httpd.run(script("x.mrb", "def answer; 1; end\nprint answer"))
        hold = "\nresponse.flush; request.body.read"
        for number in (1, 22, 333):
            httpd.add(script("x.mrb", f"def answer; {number}; end\nprint answer{hold}"))
            answers = httpd.everywhere("/x.mrb")
            assert {answer.text for answer in answers} == {str(number)}


class TestTornWrites:
    """Somebody writes while clients ask: whole versions or an error, never a mixture for good."""

    VERSIONS = [b"print 'short'\n", b"text = 'long'\n" + b"# padding\n" * 2000 + b"print text\n"]

    @pytest.mark.short
    def test_rewritten_in_place_without_end(self, httpd):
        httpd.run(script("x.mrb", self.VERSIONS[0]))
        path = httpd.docs / "x.mrb"
        stop = threading.Event()

        def write():
            number = 0
            while not stop.is_set():
                number += 1
                path.write_bytes(self.VERSIONS[number % 2])

        writer = threading.Thread(target=write)
        writer.start()
        try:
            answers = [httpd.get("/x.mrb") for _ in range(300)]
        finally:
            stop.set()
            writer.join()
        for answer in answers:
            if answer.status == 200:
                assert answer.body in (b"short", b"long", b"")  # b"": it was just truncated
            else:
                assert answer.status in (500, 503)
        for line in httpd.log.lines("bench:error"):
            assert "BENCH0014" in line or "BENCH0011" in line
        for number in ("BENCH0014", "BENCH0011"):
            if httpd.log.lines(number):
                httpd.log.expects(number, "/x.mrb")
        for version, text in zip(self.VERSIONS, ("short", "long")):
            path.write_bytes(version)
            for _ in range(2 * httpd.workers):
                assert serve(httpd) == text

    def test_replaced_without_end_nothing_fails(self, httpd):
        httpd.run(script("x.mrb", self.VERSIONS[0]))
        stop = threading.Event()

        def write():
            number = 0
            while not stop.is_set():
                number += 1
                httpd.add(script("x.tmp", self.VERSIONS[number % 2]))
                (httpd.docs / "x.tmp").rename(httpd.docs / "x.mrb")

        writer = threading.Thread(target=write)
        writer.start()
        try:
            answers = [httpd.get("/x.mrb") for _ in range(300)]
        finally:
            stop.set()
            writer.join()
        assert {answer.status for answer in answers} == {200}
        assert {answer.body for answer in answers} <= {b"short", b"long"}

    def test_a_version_that_comes_in_two_parts(self, httpd):
        """What was read in between is not kept."""
        httpd.run(script("x.mrb", "print 'old'"))
        assert serve(httpd) == "old"
        for number in range(20):
            with open(httpd.docs / "x.mrb", "wb", buffering=0) as out:
                out.write(b"print 'half'\n")
                assert serve(httpd) in ("half", "halfold")
                out.write(b"print ' whole %d'\n" % number)
                assert serve(httpd) == f"half whole {number}"


class TestForever:
    """A script is read once in each child, and never looked at again."""

    @pytest.mark.short
    def test_a_change_is_not_seen_until_the_restart(self, httpd):
        httpd.run("BenchCodeCache forever", script("x.mrb", "print 'old'; response.flush; "
                                                            "request.body.read"))
        assert {answer.text for answer in httpd.everywhere("/x.mrb")} == {"old"}
        httpd.add(script("x.mrb", "print 'newer'; response.flush; request.body.read"))
        assert {answer.text for answer in httpd.everywhere("/x.mrb")} == {"old"}
        httpd.graceful()
        assert {answer.text for answer in httpd.everywhere("/x.mrb")} == {"newer"}

    def test_a_required_file_is_not_looked_at_either(self, httpd):
        httpd.run("BenchCodeCache forever", script("x.mrb", "require_relative 'lib'\nprint V"),
                  script("lib.rb", "V = 'old'"), processes=1, threads=1)
        assert serve(httpd) == "old"
        (httpd.docs / "lib.rb").unlink()
        assert serve(httpd) == "old"
        httpd.add(script("lib.rb", "V = 'new'"))
        httpd.graceful()
        assert serve(httpd) == "new"


class TestNever:
    """A script is compiled at every run."""

    def test_every_change_is_seen(self, httpd):
        httpd.run("BenchCodeCache never", script("x.mrb", "print 'aaa'"))
        for text in ("aaa", "bbb", "aaa"):
            httpd.add(script("x.mrb", f"print '{text}'"))
            assert serve(httpd) == text

    def test_memory_stays_flat(self, httpd):
        httpd.run("BenchCodeCache never", script("x.mrb", """
            def method_with_a_body(a, b)
              [a, b].map { |x| x.to_s * 3 }
            end
            GC.start
            print Bench.interpreter[:bytes]
        """), processes=1, threads=1)
        for _ in range(20):
            serve(httpd)
        before = int(serve(httpd))
        for _ in range(300):
            serve(httpd)
        assert int(serve(httpd)) < before + 20_000


class TestCompiledOnce:
    """The bytecode is shared by the threads of a child."""

    @pytest.mark.parametrize("cache", ["stat", "forever", "never"])
    def test_all_threads_start_together(self, httpd, cache):
        lines = "\n".join(f"def m{number}; {number}; end" for number in range(2000))
        httpd.run(f"BenchCodeCache {cache}", script("x.mrb", lines + "\nprint m1999"))
        assert set(together(2 * httpd.workers, lambda _: serve(httpd))) == {"1999"}
        until(lambda: httpd.log.lines("BENCH0002"), "interpreters")

    def test_many_scripts(self, httpd):
        httpd.run(*[script(f"{number}.mrb", f"print {number}") for number in range(200)])
        for _ in range(2):
            assert together(4, lambda first: [serve(httpd, f"/{number}.mrb")
                                              for number in range(first, 200, 4)]) == \
                [[str(number) for number in range(first, 200, 4)] for first in range(4)]
