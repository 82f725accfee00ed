# SPDX-License-Identifier: Apache-2.0
"""Pages with Ruby in them: the handler bench-erb, and BenchScript with a .erb file."""

import pytest
from harness import Truncated, file, script

ERB = "AddHandler bench-erb .erb"
OK = script("ok.mrb", "print 'ok'")


class TestPages:
    """The text goes out as it stands, what is in the tags is run."""

    @pytest.mark.short
    def test_tags(self, httpd):
        httpd.run(ERB, script("x.erb", """
            <ul>
            <% 3.times do |i| -%>
              <li><%= i %></li>
            <% end -%>
            </ul>
            <%# a comment %><%% sign %%>
            <%- if false -%>
            not this
            <%- end -%>
            <%= request.path %> <%= "a<b" %> <%= ERB::Util.h("a<b") %>
        """))
        answer = httpd.get("/x.erb")
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert answer.text == ("<ul>\n  <li>0</li>\n  <li>1</li>\n  <li>2</li>\n</ul>\n<% sign %%>\n"
                               "/x.erb a<b a&lt;b\n")

    @pytest.mark.short
    def test_everything_a_script_can(self, httpd):
        httpd.run(ERB, script("x.erb", "<% response.status = 201; response['X-A'] = '1'; "
                                       "response.content_type = 'text/plain' %>"
                                       "<%= request.params['a'] %><% print 'printed' %><%= helper(2) %>"
                                       "<% def helper(n); n * 2; end %>"),
                  script("exit.erb", "before<% exit %>after"), script("halt.erb", "x<% halt 403, {}, 'no' %>y"),
                  script("go.erb", "x<% response.internal_redirect('/ok.mrb') %>"), OK,
                  script("require.erb", "<% require_relative 'part' %><%= PART %>"),
                  script("part.rb", "PART = 'part'"))
        httpd.get("/x.erb?a=1")
        httpd.log.expects("BENCH0010", "helper", times=1)
        httpd.add(script("x.erb", "<% def helper(n); n * 2; end; response.status = 201; "
                                  "response['X-A'] = '1' %><%= request.params['a'] %>"
                                  "<% print 'printed' %><%= helper(2) %>"))
        answer = httpd.get("/x.erb?a=1")
        assert (answer.status, answer.headers["X-A"], answer.text) == (201, "1", "1printed4")
        assert httpd.get("/exit.erb").text == "before"
        assert httpd.get("/halt.erb").text == "no"
        assert httpd.get("/go.erb").text == "ok"
        assert httpd.get("/require.erb").text == "part"

    @pytest.mark.short
    def test_bytes_and_sizes(self, httpd):
        page = bytes(byte for byte in range(256) if byte != ord("%")) * 500  # 127 KB
        httpd.run(ERB, script("x.erb", page), script("empty.erb", ""), script("nul.erb", b"a\0b<%= 1 %>\0"))
        with httpd.connect() as connection:
            assert connection.get("/x.erb").body == page
            assert connection.get("/empty.erb").body == b""
            assert connection.get("/nul.erb").body == b"a\0b1\0"

    def test_no_value_stays(self, httpd):
        httpd.run(ERB, script("x.erb", "<%= @a.inspect %><% @a = 1 %>"
                                       "<%= $n = ($n || 0) + 1 %>"), threads=1, processes=1)
        assert [httpd.get("/x.erb").text for _ in range(3)] == ["nil1", "nil2", "nil3"]

    @pytest.mark.short
    def test_streaming(self, httpd):
        httpd.run(ERB, script("x.erb", "first<% response.flush; request.body.read(1) %>last"))
        with httpd.connect() as connection:
            connection.send("POST", "/x.erb", headers={"Content-Length": "1"})
            answer = connection.response_head()
            connection.first_chunk(answer)
            assert answer.body == b"first"
            connection.send_bytes(b".")
            connection.rest(answer)
            assert answer.body == b"firstlast"

    def test_a_change_is_seen_at_the_next_request(self, httpd):
        httpd.run(ERB, script("x.erb", "old <%= 1 %>"))
        with httpd.connect() as connection:
            for number in range(20):
                httpd.add(script("x.erb", f"{number:03} <%= {number} %>"))
                assert connection.get("/x.erb").text == f"{number:03} {number}"

    def test_head_and_post(self, httpd):
        httpd.run(ERB, script("x.erb", "<%= request.request_method %>"), OK)
        with httpd.connect() as connection:
            assert connection.request("HEAD", "/x.erb").body == b""
            assert connection.request("POST", "/x.erb", b"x").body == b"POST"
            assert connection.get("/ok.mrb").body == b"ok"


class TestBenchScript:
    """BenchScript page.erb works too."""

    @pytest.mark.short
    def test_in_a_location(self, httpd):
        httpd.run("<Location /page>", "BenchScript page.erb", "</Location>",
                  "<Location /script>", "BenchScript page.mrb", "</Location>",
                  file("page.erb", "<p><%= request.path %>"), file("page.mrb", "print '<%= 1 %>'"))
        assert httpd.get("/page/x").text == "<p>/page/x"
        assert httpd.get("/script").text == "<%= 1 %>"

    def test_a_bad_one_is_found_by_configtest(self, httpd):
        result = httpd.configtest("<Location /page>", "BenchScript page.erb", "</Location>",
                                  file("page.erb", "one\ntwo <% if %>\n"))
        assert not result.ok
        assert f"BenchScript: {httpd.root}/page.erb:" in result.output


class TestWhatGoesWrong:
    """500, and a line with the place in the template."""

    @pytest.mark.short
    @pytest.mark.parametrize("text, number, place", [
        ("one\ntwo\n<% raise 'no' %>\n", "BENCH0010", "x.erb:3: no"),
        ("<%= nil.upcase %>", "BENCH0010", "x.erb:1: undefined method 'upcase'"),
        ("one\n<% if true %>\ntwo\n", "BENCH0011", "x.erb:"),
        ("one\n<% end %>\n", "BENCH0011", "x.erb:2:"),
        ("one\n\n<%= 1 + %>\n", "BENCH0011", "x.erb:3:"),
        ("one\n<%= 1\ntwo", "BENCH0011", "x.erb:")])
    def test_where(self, httpd, text, number, place):
        httpd.run(ERB, script("x.erb", text), OK)
        answer = httpd.get("/x.erb")
        assert answer.status == 500 and "one" not in answer.text.split("\n")
        httpd.log.expects("[bench:error]", number, place, times=1)
        assert httpd.get("/ok.mrb").body == b"ok"

    def test_after_something_was_sent(self, httpd):
        httpd.run(ERB, script("x.erb", "part<% response.flush %>\n<% raise 'no' %>"))
        with pytest.raises(Truncated):
            httpd.get("/x.erb")
        httpd.log.expects("BENCH0010", "x.erb:2: no", "cut off in the middle", times=1)

    def test_what_is_not_there(self, httpd):
        httpd.run(ERB, script("secret.erb", "x", 0o000), OK)
        assert httpd.get("/none.erb").status == 404
        assert httpd.get("/secret.erb").status == 403
        httpd.log.expects("BENCH0013", "secret.erb", times=1)

    def test_a_script_is_no_template_and_the_other_way_round(self, httpd):
        httpd.run(ERB, script("x.mrb", "print 'a<%= 1 %>b'"), script("y.erb", "print 'a'"))
        assert httpd.get("/x.mrb").text == "a<%= 1 %>b"
        assert httpd.get("/y.erb").text == "print 'a'"


class TestEscaping:
    """Text of strangers."""

    @pytest.mark.short
    def test_h_and_u(self, httpd):
        httpd.run(ERB, script("x.erb", "<% include ERB::Util %><p title='<%= h(request.params[\"a\"]) %>'>"
                                       "<a href='?<%= u(request.params[\"a\"]) %>'>"))
        answer = httpd.get("/x.erb?a=%3Cscript%3E%22%27%26%00%ff")
        assert b"<script>" not in answer.body
        assert answer.body.startswith(b"<p title='&lt;script&gt;&quot;&#39;&amp;")
        assert b"%3Cscript%3E%22%27%26%00%FF" in answer.body
