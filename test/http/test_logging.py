# SPDX-License-Identifier: Apache-2.0
"""What scripts write to the error log: warn, $stderr and Bench.log, in the virtual host's own."""

import pytest
from harness import script, vhost


class TestWarn:
    """warn and $stderr: one line of level warn for each line of text."""

    @pytest.mark.short
    def test_warn(self, httpd):
        httpd.run(script("x.mrb", "p warn('careful')"))
        assert httpd.get("/x.mrb").body == b"nil\n"
        line = httpd.log.expects("[bench:warn]", "/x.mrb: careful", times=1)
        assert "[client 127.0.0.1" in line and line.endswith("careful")

    @pytest.mark.parametrize("call, texts", [
        ("warn 'a', 'b'", ["a", "b"]), ("warn ['a', ['b']]", ["a", "b"]),
        ('warn "a\\nb"', ["a", "b"]), ("warn", []), ("$stderr.puts 'a', :b", ["a", "b"]),
        ("$stderr.print 'a'", ["a"]), ("$stderr.write 'a'", ["a"]), ("$stderr << 'a'", ["a"]),
        ("STDERR.puts 'a'", ["a"]), ("$stderr.printf '%d%%', 5", ["5%"]), ("warn 1", ["1"]),
        ("warn '%s %n'", ["%s %n"]), ("$stderr.puts 'a'; $stderr.flush", ["a"])])
    def test_each_way(self, httpd, call, texts):
        httpd.run(script("x.mrb", call + "; print 'done'"))
        assert httpd.get("/x.mrb").body == b"done"
        for text in texts:
            httpd.log.expects("[bench:warn]", f"/x.mrb: {text}", times=1)
        assert len(httpd.log.lines("[bench:warn]")) == len(texts)

    def test_nothing_of_it_reaches_the_client(self, httpd):
        httpd.run(script("x.mrb", "warn 'inside'; print 'outside'"))
        assert httpd.get("/x.mrb").body == b"outside"
        httpd.log.expects("inside", times=1)

    def test_long_binary_and_foreign_text(self, httpd):
        httpd.run(script("x.mrb", """
            warn "x" * 20_000
            warn "nul:\\0:end"
            warn "bytes:\\xff\\x1b[31m:end"
            warn "grüße"
            print "done"
        """))
        assert httpd.get("/x.mrb").body == b"done"
        httpd.log.expects("x.mrb: xxxxxxxx")
        httpd.log.expects("nul:")
        assert "\x1b" not in httpd.log.expects("bytes:")
        httpd.log.expects("x.mrb: gr")


class TestBenchLog:
    """Bench.log, by level."""

    LEVELS = ["debug", "info", "notice", "warn", "error"]

    @pytest.mark.short
    def test_each_level(self, httpd):
        httpd.run(script("x.mrb", """
            p Bench.log.debug("d"), Bench.log.info("i"), Bench.log.notice("n")
            Bench.log.warn(:w)
            Bench.log.error("e")
        """))
        assert httpd.get("/x.mrb").body == b"nil\n" * 3
        for level in self.LEVELS:
            httpd.log.expects(f"[bench:{level}]", f"/x.mrb: {level[0]}", times=1)

    def test_log_level_is_httpds(self, httpd):
        httpd.run("LogLevel bench:warn", "<Location /loud.mrb>", "LogLevel bench:debug",
                  "</Location>", *[script(name, """
                      Bench.log.debug("text d")
                      Bench.log.notice("text n")
                      Bench.log.warn("text w")
                  """) for name in ("quiet.mrb", "loud.mrb")])
        httpd.get("/quiet.mrb")
        httpd.get("/loud.mrb")
        httpd.log.expects("loud.mrb: text d", times=1)
        httpd.log.expects("quiet.mrb: text w", times=1)
        httpd.log.expects("loud.mrb: text w", times=1)
        assert not httpd.log.lines("quiet.mrb: text d")


class TestVirtualHosts:
    """Each virtual host's errors stand in its own log (fault 19: they missed it)."""

    @pytest.mark.short
    def test_own_logs(self, httpd):
        httpd.run(*[vhost(f"{name}.test", f"ErrorLog logs/{name}.log",
                          f"DocumentRoot htdocs/{name}") for name in "ab"],
                  *[script(f"{name}/{kind}.mrb", source) for name in "ab" for kind, source in
                    (("raise", f"raise 'raised in {name}'"), ("syntax", "1 +"),
                     ("warn", f"warn 'warned in {name}'"),
                     ("log", f"Bench.log.error 'logged in {name}'"))])
        for name in "ab":
            for kind, status in (("raise", 500), ("syntax", 500), ("warn", 200), ("log", 200)):
                assert httpd.get(f"/{kind}.mrb", host=f"{name}.test").status == status
        for name in "ab":
            own = f"{name}.log"
            httpd.log.expects("BENCH0010", f"raised in {name}", file=own, times=1)
            httpd.log.expects("BENCH0011", f"/{name}/syntax.mrb", file=own, times=1)
            httpd.log.expects("bench:warn", f"warned in {name}", file=own, times=1)
            httpd.log.expects("bench:error", f"logged in {name}", file=own, times=1)
            for fragment in (f"raised in {name}", f"warned in {name}", f"logged in {name}"):
                assert len(httpd.log.lines(fragment)) == 1

    def test_once_for_each_failure(self, httpd):
        httpd.run(script("x.mrb", "raise 'once'"))
        httpd.get("/x.mrb")
        httpd.log.expects("once", times=1)


class TestStart:
    """What the server says of itself."""

    def test_versions(self, httpd):
        httpd.run(script("x.mrb", "print Bench.version"))
        version = httpd.get("/x.mrb").text
        httpd.log.expects("[bench:info]", "BENCH0001", version, "mruby", times=1)
