# SPDX-License-Identifier: Apache-2.0
"""Parameters of queries and forms: as Rack 2.2 has them, and bounded."""

import json

import pytest
from harness import script
from harness.params import SCRIPTS, agree, ours, racks
from harness.rack import ASKED, TESTS

CORPUS = json.loads((TESTS / "rack" / "params.json").read_text())
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
SIZE = script("size.mrb", "print request.params.size")
OK = script("ok.mrb", "print 'ok'")


def by_depth(levels):
    return "a" + "[b]" * (levels - 1) + "=1"


class TestAsRack:
    """
    Some hundreds of what `make check-params` generates, and what is easily got wrong.
    """

    @pytest.mark.parametrize("kind", sorted(CORPUS))
    def test_generated(self, httpd, rack, kind):
        self.compare(httpd, rack, [(kind, media_type, text) for media_type, text in CORPUS[kind]])

    @pytest.mark.short
    def test_nesting(self, httpd, rack):
        self.compare(httpd, rack, [("url", "", text) for text in (
            "a[]=1&a[]=2", "a[b]=1&a[c]=2", "a[][b]=1&a[][c]=2&a[][b]=3", "a[][b][c]=1&a[][b][d]=2",
            "a[b][]=1&a[b][]=2", "a=1&a=2", "a&b=", "a[]", "a[]&a[]=1", "a[b]", "a[]=&a[]", "[]=1",
            "[a]=1", "[[a]]=1", "a]=1", "a[=1", "a[b=1", "a[b]c=1", "a[b]]=1", "a[[b]]=1", "a[][]=1",
            "a[][][]=1", "a[b][][c]=1&a[b][][c]=2", "a[][b]=1&a[][b]=2", "a[][]b=1", "a[]b=1",
            "a=1&a[]=2", "a=1&a[b]=2", "a[]=1&a[b]=2", "a[b]=1&a[]=2", "a[b]=1&a=2", "a[]=1&a=2",
            "=1", "=", "&", "&&a=1&&", "a==1", "a=1=2", "a=%5B%5D", "a%5Bb%5D=1", "a.b=1",
            "0[1]=2", "a[][x][y]=1&a[][x][z]=2&a[][x][y]=3", "a[b][c]=1&a[b]=2", "a[]=1;a[]=2")])

    @pytest.mark.short
    def test_escapes_and_bytes(self, httpd, rack):
        self.compare(httpd, rack, [("query", "", text) for text in (
            "a=%41", "a=%e4", "a=%C3%A4", "a=\xe4", "\xe4=1", "%e4=1", "%C3%A4=1", "a=%00b", "%00=1",
            "a=1+2", "a+b=1", "a=%2B", "a=%", "a=%1", "a=%zz", "a=%%41", "%=1", "a=%4", "a=1&b=%",
            "a=1; b=2", "a=1;b=2", "a=1 ; b=2", " a=1", "a=1 & b=2", "a=\n", "a\nb=1", "a=%0d%0a",
            "a=1&  b=2", "a[\n]=1", "a[]\n[b]=1", "a=1#b", "\0=\0", "a=\"x\"", "a='", "%C0%80=1",
            "%ed%a0%80=1", "%f4%90%80%80=1", "a=%f0%9f%98%80", "a[%C3]=1")])

    @pytest.mark.short
    def test_forms(self, httpd, rack):
        types = ("application/x-www-form-urlencoded", "multipart/mixed", "")
        self.compare(httpd, rack, [("form", media_type, text) for media_type in types for text in (
            "a=1&b=2", "a=1;b=2", "a=1& b=2", "", "a", "=", "a=1\0", "a=1\0\0", "\0", "a=%zz",
            "a[b]=1&a[]=2", "a=\r\nb", "a=" + "x" * 100_000)])

    @pytest.mark.short
    def test_what_arrives_in_pieces(self, httpd, rack):
        """chunked, one byte at a time"""
        httpd.run(*SCRIPTS)
        text = "a[b]=1&a[c]=%C3%A4&d=x"
        with httpd.connect() as connection:
            connection.send("POST", "/form.mrb", headers={**FORM, "Transfer-Encoding": "chunked"})
            for byte in text.encode():
                connection.send_bytes(b"1\r\n%c\r\n" % byte)
            connection.send_bytes(b"0\r\n\r\n")
            assert connection.response().text == racks(rack, "form", FORM["Content-Type"],
                                                       text.encode())

    def compare(self, httpd, rack, cases):
        httpd.run("MaxKeepAliveRequests 0", *SCRIPTS)
        differences = []
        with httpd.connect() as connection:
            for kind, media_type, text in cases:
                data = text.encode("latin-1")
                mine = ours(connection, kind, media_type, data)
                wanted = racks(rack, kind, media_type, data)
                if not agree(mine, wanted):
                    differences.append(f"{media_type} {data}:\n  ours {mine}\n  rack {wanted}")
        assert not differences, "\n".join(differences)


class TestWhatCannotBeUsed:
    """The client gets a 400, the log a line at level info; a script may rescue it."""

    @pytest.mark.short
    @pytest.mark.parametrize("query", ["a=%zz", "a=1&a[b]=2", "a[]=1&a[b]=2", "%e4=1"])
    def test_nobody_rescues_it(self, httpd, query):
        httpd.run(SIZE, OK)
        with httpd.connect() as connection:
            answer = connection.get(f"/size.mrb?{query}")
            assert answer.status == 400
            assert "Params" not in answer.text and "mrb" not in answer.text
        assert httpd.get("/ok.mrb").body == b"ok"
        httpd.log.expects("[bench:info]", "BENCH0017", "size.mrb", times=1)

    def test_the_script_rescues_it(self, httpd):
        httpd.run(script("x.mrb", """
            begin
              request.params
            rescue Bench::ClientError => e
              print e.class, " ", e.status, " ", e.is_a?(Rack::QueryParser::InvalidParameterError)
            end
        """))
        answer = httpd.get("/x.mrb?a=%zz")
        assert (answer.status, answer.text) == (200, "Bench::Params::InvalidError 400 true")

    @pytest.mark.short
    def test_in_a_form(self, httpd):
        httpd.run(SIZE, OK)
        with httpd.connect() as connection:
            assert connection.request("POST", "/size.mrb", b"a=%zz" + b"&b=1" * 5000,
                                      FORM).status == 400
        assert httpd.get("/ok.mrb").body == b"ok"
        httpd.log.expects("BENCH0017", times=1)

    def test_a_script_that_does_not_look_does_not_care(self, httpd):
        httpd.run(OK)
        assert httpd.get("/ok.mrb?a=%zz&a[b]=1").body == b"ok"

    def test_after_it_params_fail_again_and_the_rest_works(self, httpd):
        httpd.run(script("x.mrb", """
            2.times do
              begin
                request.params
                print "parsed"
              rescue Bench::Params::TypeError
                print "refused "
              end
            end
            print request.query_string
        """))
        assert httpd.get("/x.mrb?a=1&a[b]=2").text == "refused refused a=1&a[b]=2"


class TestBounds:
    """How many, how deep, how large: as in Rack unless a directive says otherwise."""

    LIMITED = script("size.mrb", """
        begin
          print request.params.size
        rescue Bench::Params::LimitError => e
          print "limit"
        end
    """)

    def test_those_of_rack(self, httpd, rack):
        httpd.run("LimitRequestLine 100000", *SCRIPTS)
        with httpd.connect() as connection:
            for text in ("&" * 4095, "&" * 4096, "a&" * 4095 + "a", "a&" * 4096, "&;" * 2048,
                         by_depth(99), by_depth(100), by_depth(101), by_depth(150),
                         "a" + "[]" * 120 + "=1", "a" * 65536 + "=1", "a" * 65537 + "=1",
                         "&".join(f"{n:0200}=1" for n in range(327)),
                         "&".join(f"{n:0200}=1" for n in range(328)),
                         "&".join(f"{n:040000}=1" for n in range(2)),
                         "a[" + "b" * 40000 + "]=1&a[" + "c" * 40000 + "]=1",
                         "\xc3\xa4" * 40000 + "=1"):
                mine = ours(connection, "query", "", text.encode("latin-1"))
                assert mine == racks(rack, "query", "", text.encode("latin-1")), text[:100]

    def test_the_size_of_a_form(self, httpd):
        """4 MB, as in Rack; a form that is larger is not even read to its end."""
        httpd.run(self.LIMITED)
        size = 4 * 1024 * 1024
        assert httpd.post("/size.mrb", b"a=" + b"x" * (size - 2), headers=FORM).text == "1"
        assert httpd.post("/size.mrb", b"a=" + b"x" * (size - 1), headers=FORM).text == "limit"
        assert httpd.post("/size.mrb", b"a=" + b"x" * (size + 9), headers=FORM).text == "limit"

    @pytest.mark.short
    def test_bench_param_limit(self, httpd):
        httpd.run("BenchParamLimit 3", "<Location /more>", "BenchParamLimit 5", "</Location>",
                  self.LIMITED, script("more/size.mrb", self.LIMITED.content))
        assert httpd.get("/size.mrb?a&b&c").text == "3"
        assert httpd.get("/size.mrb?a&b&c&d").text == "limit"
        assert httpd.post("/size.mrb", b"a&b&c&d", headers=FORM).text == "limit"
        assert httpd.get("/more/size.mrb?a&b&c&d&e").text == "5"
        assert httpd.get("/more/size.mrb?a&b&c&d&e&f").text == "limit"

    def test_bench_param_depth(self, httpd):
        httpd.run("BenchParamDepth 3", "<Location /more>", "BenchParamDepth 1000", "</Location>",
                  self.LIMITED, script("more/size.mrb", self.LIMITED.content))
        assert httpd.get(f"/size.mrb?{by_depth(3)}").text == "1"
        assert httpd.get(f"/size.mrb?{by_depth(4)}").text == "limit"
        assert httpd.get(f"/more/size.mrb?{by_depth(1000)}").text == "1"
        assert httpd.get(f"/more/size.mrb?{by_depth(1001)}").text == "limit"

    def test_bench_form_size(self, httpd):
        httpd.run("BenchFormSize 1K", "<Location /more>", "BenchFormSize 8M", "</Location>",
                  self.LIMITED, script("more/size.mrb", self.LIMITED.content))
        assert httpd.get("/size.mrb?a=" + "x" * 1022).text == "1"
        assert httpd.get("/size.mrb?a=" + "x" * 1023).text == "limit"
        assert httpd.post("/size.mrb", b"a=" + b"x" * 1022, headers=FORM).text == "1"
        assert httpd.post("/size.mrb", b"a=" + b"x" * 1023, headers=FORM).text == "limit"
        assert httpd.post("/more/size.mrb", b"a=" + b"x" * 5_000_000, headers=FORM).text == "1"

    @pytest.mark.short
    def test_past_them_is_a_400(self, httpd):
        httpd.run("BenchParamLimit 3", SIZE)
        assert httpd.get("/size.mrb?a&b&c&d").status == 400
        httpd.log.expects("[bench:info]", "BENCH0017", times=1)

    def test_many_names_take_no_time(self, httpd):
        """Each of 4,096 names once, and one name 4,096 times."""
        httpd.run("LimitRequestLine 100000", script("x.mrb", "print request.params.size, "
                                                             "request.params['a'].size"))
        names = "&".join(f"n{number}" for number in range(4000)) + "&a=12"
        assert httpd.get(f"/x.mrb?{names}").text == "40012"
        assert httpd.get("/x.mrb?" + "&".join(["a[]=1"] * 4096)).text == "14096"

    def test_a_flood_leaves_no_memory_behind(self, httpd):
        httpd.run(self.LIMITED, OK, threads=1, processes=1)
        bad = b"&".join(b"a%d[%d][]=1" % (number, number) for number in range(4000)) + b"&a=%zz"
        httpd.post("/size.mrb", bad, headers=FORM)
        before = httpd.resident_kib()
        for _ in range(20):
            assert httpd.post("/size.mrb", bad, headers=FORM).status == 400
        assert httpd.resident_kib() - before < 4000
        httpd.log.expects("BENCH0017")


class TestRackUtils:
    """What applications use of Rack::Utils."""

    def test_queries_there_and_back(self, httpd):
        httpd.run(script("x.mrb", ASKED + """
            puts Asked.text(Rack::Utils.parse_query("a=1&a=2&b=%C3%A4;c"))
            puts Asked.text(Rack::Utils.parse_nested_query("a[]=1&b[c]=d"))
            puts Rack::Utils.build_query("a" => ["1", "2"], "b" => "x y", "c" => nil)
            puts Rack::Utils.build_nested_query("a" => ["1", { "b" => "2" }], "c" => { "d" => "e f" })
            puts Rack::Utils.escape("a b/&\u00e4"), Rack::Utils.unescape("a+b%2F")
            puts Rack::Utils.escape_html("<a href='x'>\\"&/")
        """))
        assert httpd.get("/x.mrb").text == (
            '{"a" => ["1", "2"], "b" => "\\xc3\\xa4", "c" => nil}\n{"a" => ["1"], "b" => {"c" => "d"}}\n'
            'a=1&a=2&b=x+y&c\na[]=1&a[][b]=2&c[d]=e+f\na+b%2F%26%C3%A4\na b/\n'
            '&lt;a href=&#x27;x&#x27;&gt;&quot;&amp;&#x2F;\n')
