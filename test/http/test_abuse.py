# SPDX-License-Identifier: Apache-2.0
"""Scripts that do what no script should: they may fail, the server and its other groups may not."""

import pytest
from harness import file, script
from harness.tool import TOOL

SNIPPETS = {
    # the streams
    "stdout nil": "$stdout = nil; print 'x'",
    "stdout number": "$stdout = 5; puts 'x'; p 1; printf '%d', 1; putc 65",
    "stderr nil": "$stderr = nil; warn 'x'",
    "stderr basic": "$stderr = BasicObject.new; warn 'x'; abort 'y'",
    "to_s raises": "class T; def to_s; raise 'in to_s'; end; end; print T.new",
    "to_s nil": "class T; def to_s; nil; end; end; print T.new; puts T.new",
    "inspect raises": "class T; def inspect; raise 'in inspect'; end; end; p T.new",
    "basic object": "print BasicObject.new",
    "printing prints":
        "class T; def to_s; print 'inner'; 'outer'; end; end; print T.new; puts [T.new]",
    "array changes": "class T; def to_s; $a.clear; 't'; end; end; $a = [T.new] * 50; puts $a",
    "flush in to_s": "class T; def to_s; response.flush; 't'; end; end; print 'a', T.new, 'b'",
    # the API taken apart
    "remove Bench": "Object.send(:remove_const, :Bench); print 'x'; raise 'y'",
    "classes collected":
        "$old ||= request; Object.send(:remove_const, :Bench) rescue 1; GC.start; "
        "500.times { Class.new }; print request.path, response.status; $old.path; exit",
    "Bench is 1": "Object.send(:remove_const, :Bench) rescue 1; Bench = 1; print request.path",
    "no SystemExit": "Object.send(:remove_const, :SystemExit); exit",
    "SystemExit by hand": "raise SystemExit",
    "SystemExit class": "class SystemExit; undef_method :status; end; exit 4",
    "print gone": "module Kernel; undef_method :print; undef_method :raise; end; print 'x'",
    "request is 5": "def request; 5; end; print request; print Bench.request.path",
    "no to_s": "class Exception; undef_method :message; end; raise 'x'",
    "broken strings": "class String; def +(x); raise 'no'; end; def to_s; nil; end; end; raise 'x'",
    "broken arrays": "class Array; def each; nil; end; def join(*); nil; end; end; raise 'x'",
    "broken integers":
        "class Integer; def <(x); nil; end; def +(x); 0; end; end; print 1; raise 'x'",
    "method_missing":
        "class BasicObject; def method_missing(*); self; end; end; nothing.at.all; raise 'x'",
    "allocate": "Bench::Request.allocate.path",
    "foreign self": "Bench::Request.instance_method(:path).bind(Object.new).call",
    "other data": "Bench::Response.instance_method(:status).bind(request).call",
    "other body": "Bench::Body.instance_method(:read).bind(request.headers).call",
    # exceptions
    "anonymous": "raise Class.new(StandardError), 'who'",
    "backtrace strings": "e = RuntimeError.new('x'); e.set_backtrace(['a' * 10_000, 'b']); raise e",
    "backtrace nil": "e = RuntimeError.new('x'); e.set_backtrace(nil) rescue 1; raise e",
    "backtrace overridden": "class E < StandardError; def backtrace; raise 'b'; end; end; raise E",
    "class raises":
        "class E < StandardError; def class; raise 'c'; end; def self.name; 5; end; end; "
        "raise E",
    "frozen": "raise RuntimeError.new('x').freeze",
    "raised twice": "e = RuntimeError.new('x'); begin; raise e; rescue => f; raise f; end",
    "a thousand deep": "def m(n); n == 0 ? raise('x') : [n].each { m(n - 1) }; end; m(40)",
    "ensure returns": "def m; raise 'x'; ensure; return 1; end; print m",
    "break from proc": "def m; proc { break 1 }; end; m.call",
    "yield at top": "yield 1",
    "throw past": "catch(:a) { [1].each { throw :a } }; throw :a",
    "raise in method_missing": "def method_missing(n, *a); raise NoMethodError, n.to_s; end; zork",
    "retry": "n = 0; begin; n += 1; raise 'x' if n < 1000; rescue; retry; end; print n",
    "huge array": "Array.new(2**40)",
    "recursive inspect": "class T; def inspect; [self].inspect; end; end; T.new.inspect",
    "recursive to_s": "class T; def to_s; \"#{self}\"; end; end; print T.new",
    "recursive hash": "h = {}; h[h] = h; p h; h.hash",
    "recursive message": "class E < StandardError; def message; raise E; end; end; raise E",
    # fibers
    "yield to nobody": "Fiber.yield 1",
    "fiber left": "f = Fiber.new { print 'a'; Fiber.yield; print 'b' }; f.resume",
    "fiber raises": "f = Fiber.new { Fiber.yield; raise 'x' }; f.resume; f.resume",
    "fiber dead": "f = Fiber.new { }; f.resume; f.resume",
    "fiber in fiber": "Fiber.new { Fiber.new { response.flush; print 'x'; exit }.resume }.resume",
    "many fibers":
        "a = (1..500).map { |i| f = Fiber.new { Fiber.yield i }; f.resume; f }; print a.size",
    "enumerators": "e = [1, 2].each; e.next; e.next; e.next",
    "fiber resumes itself": "f = nil; f = Fiber.new { f.resume }; f.resume",
    "fiber across":
        "$f ||= Fiber.new { loop { print request.path; Fiber.yield } }; $f.resume; $f.resume",
    # files
    "loads itself": "load __FILE__",
    "requires itself": "p require(__FILE__), require(__FILE__)",
    "requires a directory": "require '/tmp'",
    "requires a device": "require '/dev/null'",
    "loads zero": "load '/dev/zero'",
    "no such user file": "load '/nowhere/secret.rb'",
    # everything else
    "gc off": "GC.disable; 10_000.times { 'x' * 10 }; print 'x'; GC.enable",
    "gc each time": "50.times { GC.start; print request.headers['Host'] }",
    "symbols": "3000.times { |i| \"sym#{i}x\".to_sym }; print 'x'",
    "globals": "500.times { |i| eval \"$g#{i} = #{i}\" }; print $g499",
    "constants": "200.times { |i| Object.const_set(\"C#{i}\", i) rescue 1 }; print C199",
    "sleep oddly":
        "[-1, nil, 'a', 1e300, 0.0 / 0.0, []].each { |x| begin; sleep x; rescue; end }; "
        "sleep 0",
    "exit oddly": "begin; exit('x'); rescue TypeError; print 'refused'; end; exit 10**30",
    "printf oddly": "printf '%d %s', 1; print 'x'",
    "printf wide": "printf '%1000000d', 1",
    "random oddly": "rand(-5); rand(nil); rand(1.5); Random.new('x')",
    "connection": "response.headers['Connection'] = 'y'; print 'z'",
    "length too small": "response.headers['Content-Length'] = '1'; print 'too long'",
    "length is no number": "response.headers['Content-Length'] = 'abc'; print 'x'",
    "length negative": "response.headers['Content-Length'] = '-5'; print 'x'",
    "date and server":
        "response.headers['Date'] = 'x'; response.headers['Server'] = 'y'; print 'z'",
    "status text": "response.status = 299; print 'odd'",
    "type empty": "response.content_type = ''; print 'x'",
    "type long": "response.content_type = 'a/' + 'b' * 7000; print 'x'",
    "freeze it all":
        "[request, response, request.headers, $stdout, Bench, self].each { |o| o.freeze }; "
        "print 'x'",
    "variables on handles": "request.instance_variable_set(:@x, 1); print 'x'",
    "singleton on handles": "def (response).status; 5; end; print response.status",
    "subclass": "class Mine < Bench::Request; end; Mine.new",
    "compare":
        ""
        "p request == request, request.hash == 5, request.equal?(response), request.inspect.size",
    "define main": "class Bench::Main; def initialize(*); raise 'x'; end; end; print 'x'",
    "object initialize": "class Object; def initialize(*); raise 'x'; end; end; Object.new",
    "inherited": "class Class; def inherited(c); raise 'x'; end; end; class K; end",
    "eval binding": "x = 1; eval('x += 1; print x; raise \"in eval\"')",
    "instance_eval": "Bench.instance_eval { print self }; request.instance_eval { print path }",
    "pack": "print [1, 2].pack('N*'), ['x' * 100].pack('m'); 'abc'.unpack('@1000000N')",
    "big numbers": "print (10**2000).to_s.size, (3**500) % 7",
    "reads a file": "print File.exist?('/etc/hostname')",
    "stdin": "p $stdin.read, gets, STDIN.read(5)",
}
if TOOL.name == "none":  # to the others, an allocation that fails is something to report
    SNIPPETS["no memory"] = "'x' * (2**50)"
    SNIPPETS["huge shift"] = "1 << (2**52)"


class TestAbuse:
    """Any answer will do for the abuser, as long as it is one; everybody else is served as ever."""

    @pytest.mark.short
    def test_the_server_stands(self, httpd):
        names = {name: f"abuse/{number}.mrb" for number, name in enumerate(SNIPPETS)}
        httpd.run("<Location /abuse>", "BenchGroup abuse", "BenchIsolation request", "</Location>",
                  script("ok.mrb", "print 'ok', [1].inspect, request.path"),
                  *[script(names[name], source) for name, source in SNIPPETS.items()])
        self.abuse(httpd, names)

    def test_with_an_interpreter_that_stays(self, httpd):
        names = {name: f"abuse/{number}/x.mrb" for number, name in enumerate(SNIPPETS)}
        httpd.run(*[f"<Location /abuse/{number}>\nBenchGroup abuse{number}\n</Location>"
                    for number in range(len(names))],
                  script("ok.mrb", "print 'ok', [1].inspect, request.path"),
                  *[script(names[name], source) for name, source in SNIPPETS.items()],
                  processes=1, threads=1)
        self.abuse(httpd, names, times=3)

    def abuse(self, httpd, names, times=1):
        children = set(httpd.children())
        for name, path in names.items():
            for _ in range(times):
                answer = httpd.get(f"/{path}")
                assert answer.status in (200, 299, 500), name
            assert (name, httpd.get("/ok.mrb").body) == (name, b"ok[1]/ok.mrb")
        assert set(httpd.children()) == children
        for level in ("error", "warn"):
            if httpd.log.lines(f"[bench:{level}]"):
                httpd.log.expects(f"[bench:{level}]")


class TestThreadInitAbuse:
    """The same while an interpreter opens."""

    @pytest.mark.parametrize("source", ["exit", "abort 'no'", "raise Exception", "def m; m; end; m",
                                        "Fiber.yield", "throw :x", "load __FILE__", "return",
                                        "$stdout = $stderr = nil", "response.flush",
                                        "loop { break }",
                                        "Object.send(:remove_const, :Bench)", "require 'nowhere'"])
    def test_the_server_stands(self, httpd, source):
        httpd.run("BenchThreadInit init.rb", file("init.rb", source), script("x.mrb", "print 'x'"),
                  script("a.txt", "static"))
        children = set(httpd.children())
        for _ in range(3):
            assert httpd.get("/x.mrb").status in (200, 500)
            assert httpd.get("/a.txt").body == b"static"
        assert set(httpd.children()) == children
        for level in ("error", "warn"):
            if httpd.log.lines(f"[bench:{level}]", "init.rb"):
                httpd.log.expects(f"[bench:{level}]", "init.rb")
