# SPDX-License-Identifier: Apache-2.0
"""exit and abort end the script, never the server."""

import pytest
from harness import script

PLACES = {
    "top": "print 'a'\n{exit}\nprint 'never'",
    "method": "def m\n  {exit}\nend\nprint 'a'\nm\nprint 'never'",
    "block": "print 'a'\n[1, 2].each {{ |x| {exit} }}\nprint 'never'",
    "nested": "print 'a'\ndef m; yield; end\nm {{ [1].map {{ m {{ {exit} }} }} }}\nprint 'never'",
    "fiber": "print 'a'\nFiber.new {{ {exit} }}.resume\nprint 'never'",
    "rescue": "print 'a'\nbegin\n  {exit}\nrescue => e\n  print 'swallowed'\nend\nprint 'never'",
    "handler": "print 'a'\nbegin\n  raise 'x'\nrescue\n  {exit}\nend\nprint 'never'",
    "sort": "print 'a'\n[2, 1].sort {{ |x, y| {exit} }}\nprint 'never'",
    "class": "print 'a'\nclass K\n  {exit}\nend\nprint 'never'",
    "eval": "print 'a'\neval '{exit}'\nprint 'never'",
}


class TestExit:
    """What was printed is sent, the status stays."""

    CALLS = ["exit", "exit(true)", "exit(false)", "exit 3", "abort", "Kernel.exit"]

    @pytest.mark.short
    @pytest.mark.parametrize("call", CALLS)
    def test_in_any_place(self, httpd, call):
        httpd.run(script("ok.mrb", "print 'ok'"),
                  *[script(f"{place}.mrb", "response.status = 202\n" + source.format(exit=call))
                    for place, source in PLACES.items()])
        with httpd.connect() as connection:
            for place in [*PLACES] * 3:
                answer = connection.get(f"/{place}.mrb")
                assert (place, answer.status, answer.body) == (place, 202, b"a")
                assert connection.get("/ok.mrb").body == b"ok"

    def test_ensure_blocks_run(self, httpd):
        httpd.run(script("x.mrb", """
            def m
              exit
            ensure
              print "method "
            end
            begin
              [1].each { begin; m; ensure; print "block "; end }
            ensure
              print "top"
            end
            print "never"
        """))
        assert httpd.get("/x.mrb").body == b"method block top"

    def test_it_can_be_seen_as_system_exit(self, httpd):
        httpd.run(script("x.mrb", """
            begin
              exit 3
            rescue SystemExit => e
              puts e.status, e.success?, e.is_a?(StandardError)
            end
            begin
              exit
            rescue SystemExit => e
              puts e.status, e.success?
            end
            begin
              abort
            rescue SystemExit => e
              puts e.status
            end
        """))
        assert httpd.get("/x.mrb").text == "3\nfalse\nfalse\n0\ntrue\n1\n"

    def test_in_a_required_file(self, httpd):
        httpd.run(script("x.mrb", "print 'a'\nrequire_relative 'lib'\nprint 'never'"),
                  script("lib.rb", "print 'b'\nexit\nprint 'never'"))
        for _ in range(2 * httpd.workers):
            assert httpd.get("/x.mrb").body == b"ab"

    def test_after_streaming_the_answer_is_complete(self, httpd):
        httpd.run(script("x.mrb", "print 'x' * 50_000; exit; print 'never'"))
        answer = httpd.get("/x.mrb")
        assert answer.chunked and answer.body == b"x" * 50_000

    def test_with_nothing_printed(self, httpd):
        httpd.run(script("x.mrb", "exit"))
        answer = httpd.get("/x.mrb")
        assert (answer.status, answer.body, answer.headers["Content-Length"]) == (200, b"", "0")

    def test_no_status_makes_it_an_error(self, httpd):
        """Every worker, many times: no child ends by it, nothing is logged."""
        httpd.run(script("x.mrb", "print 'x'; exit(1)"))
        children = set(httpd.children())
        for _ in range(20):
            assert httpd.get("/x.mrb").body == b"x"
        assert set(httpd.children()) >= children

    def test_a_script_that_wants_no_exit(self, httpd):
        httpd.run(script("x.mrb", "begin; exit; rescue Exception; print 'stays'; end"))
        assert httpd.get("/x.mrb").body == b"stays"


class TestAbort:
    """abort says why in the error log."""

    @pytest.mark.short
    def test_its_message_is_logged(self, httpd):
        httpd.run(script("x.mrb", "print 'a'; abort 'no more tea'; print 'never'"))
        answer = httpd.get("/x.mrb")
        assert (answer.status, answer.body) == (200, b"a")
        httpd.log.expects("bench:warn", "x.mrb: no more tea", times=1)

    def test_it_is_not_rescued_as_a_standard_error(self, httpd):
        httpd.run(script("x.mrb", "begin; abort 'x y'; rescue => e; print 'swallowed'; end"))
        assert httpd.get("/x.mrb").body == b""
        httpd.log.expects("bench:warn", "x y", times=1)


class TestNotThere:
    """What would end or copy the process is not in the language."""

    @pytest.mark.parametrize("call", ["exit!", "at_exit { }", "fork", "exec 'true'",
                                      "system 'true'", "Process.exit!", "Process.kill :TERM, 0",
                                      "trap('TERM') { }"])
    def test_it_raises_and_the_server_lives(self, httpd, call):
        httpd.run(script("x.mrb", f"""
            begin
              {call}
              print "done"
            rescue StandardError, ScriptError => e
              print "refused"
            end
        """), script("ok.mrb", "print 'ok'"))
        assert httpd.get("/x.mrb").body == b"refused"
        assert httpd.get("/ok.mrb").body == b"ok"
