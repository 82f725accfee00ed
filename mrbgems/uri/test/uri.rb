# SPDX-License-Identifier: Apache-2.0

test "escapes" do
  assert_equal "a+b%2Fc%7E*-._", URI.encode_www_form_component("a b/c~*-._")
  assert_equal "a%20b%2Fc%7E*-._", URI.encode_uri_component("a b/c~*-._")
  assert_equal "a+b%2Fc~%2A-._", CGI.escape("a b/c~*-._")
  assert_equal "a%20b%2Fc~%2A-._", CGI.escapeURIComponent("a b/c~*-._")
  assert_equal "%E3%81%82", URI.encode_www_form_component("あ")
  assert_equal "", CGI.escape("")
  assert_equal "12", URI.encode_www_form_component(12)
  assert_equal "", URI.encode_www_form_component(nil)
  assert_raise(TypeError) { CGI.escape(nil) }
end

test "and back" do
  assert_equal "a b/c", URI.decode_www_form_component("a+b%2Fc")
  assert_equal "a+b/c", URI.decode_uri_component("a+b%2fc")
  assert_equal "a b/c", CGI.unescape("a+b%2Fc")
  assert_equal "a+b/c", CGI.unescapeURIComponent("a+b%2Fc")
  assert_equal "%zz% %1", CGI.unescape("%zz%+%1")
  ["%", "%1", "%zz", "a%1g"].each do |bad|
    assert_raise(ArgumentError) { URI.decode_www_form_component(bad) }
    assert_raise(ArgumentError) { URI.decode_uri_component(bad) }
  end
end

test "every byte survives" do
  all = [*0..255].pack("C*")
  assert_equal all, CGI.unescape(CGI.escape(all))
  assert_equal all, URI.decode_www_form_component(URI.encode_www_form_component(all))
  assert_equal all, URI.decode_uri_component(URI.encode_uri_component(all))
  assert_equal all, CGI.unescapeHTML(CGI.escapeHTML(all))
  assert_equal [[all, all]], URI.decode_www_form(URI.encode_www_form([[all, all]]))
end

test "forms" do
  assert_equal "a=1&b=2+3&c&d=&e=1&e=2", URI.encode_www_form([["a", 1], ["b", "2 3"], ["c", nil], ["d", ""], ["e", [1, 2]]])
  assert_equal "q=x&n=1", URI.encode_www_form({ "q" => "x", n: 1 })
  assert_equal "a&a=1", URI.encode_www_form([["a", [nil, 1]]])
  assert_equal [["a", "1"], ["b", "2 3"], ["c", ""], ["", "d"], ["e", "=f"]], URI.decode_www_form("a=1&b=2+3&c&=d&e==f")
  assert_equal [], URI.decode_www_form("")
  assert_equal [["", ""], ["a", ""]], URI.decode_www_form("&a&")
  assert_equal [["a%zz", "%"]], URI.decode_www_form("a%zz=%")
  assert_raise(ArgumentError) { URI.decode_www_form("あ=1") }
  assert_equal 50_000, URI.decode_www_form("a=b&" * 50_000).size
end

test "HTML" do
  assert_equal "&lt;a href=&quot;x&quot;&gt;&amp;amp; it&#39;s&lt;/a&gt;", CGI.escapeHTML("<a href=\"x\">&amp; it's</a>")
  assert_equal "plain あ \xff", CGI.escapeHTML("plain あ \xff")
  assert_equal "&lt;" * 10_000, CGI.escapeHTML("<" * 10_000)
  assert_equal "<>&\"' <>あ😀", CGI.unescapeHTML("&lt;&gt;&amp;&quot;&apos;&#32;&#60;&#x3e;&#12354;&#x1F600;")
  ["&", "&;", "&#;", "&#x;", "&copy;", "&#xzz;", "&#1a;", "&lt", "&#x110000;", "&#xd800;", "&#99999999999999999999;", "&LT;"].each do |text|
    assert_equal text, CGI.unescapeHTML(text)
  end
end

test "what was escaped does not change with the original" do
  plain = "nothing to escape here, but long enough to be shared"
  CGI.escapeHTML(plain) << "!"
  assert_equal "nothing to escape here, but long enough to be shared", plain
end

test "the parts of a URI" do
  uri = URI.parse("HTTP:" "//me:secret@Example.com:8080/a/b?c=d#e")
  assert_equal URI::HTTP, uri.class
  assert_equal ["http", "me:secret", "me", "secret", "Example.com", 8080, "/a/b", "c=d", "e"],
               [uri.scheme, uri.userinfo, uri.user, uri.password, uri.host, uri.port, uri.path, uri.query, uri.fragment]
  assert_equal "http:" "//me:secret@Example.com:8080/a/b?c=d#e", uri.to_s
  assert_equal "/a/b?c=d", uri.request_uri
  assert_equal [80, 443, 443, nil], ["http://test", "https://test", "wss://test", "x:y"].map { |u| URI(u).port }
  assert_equal URI::HTTPS, URI("https://test").class
  assert_equal true, URI("https://test").is_a?(URI::HTTP)
  assert_equal URI::Generic, URI("ftp://test/a").class
  assert_equal "a@example.com", URI("mailto:a@example.com").opaque
  assert_equal ["[::1]", "::1", 81], [URI("http://[::1]:81/").host, URI("http://[::1]:81/").hostname, URI("http://[::1]:81/").port]
end

test "what is no URI" do
  ["http://test test/", "http://test/a b", "http:" + "//[::1", "http://[::1]x/", "http://test:x/", "%", "http://test/%", "1:x", "http:" "//é/", "http://test/\0"].each do |bad|
    assert_raise(URI::InvalidURIError) { URI.parse(bad) }
  end
  [nil, 1, :a].each do |bad|
    assert_raise(URI::InvalidURIError) { URI.parse(bad) }
    assert_raise(ArgumentError) { URI(bad) }
  end
  assert_equal [URI::Error, StandardError], URI::InvalidURIError.ancestors[1, 2]
end

test "a query is cleaned" do
  assert_equal "a%20%22b", URI.parse("http://test/?a \"b\r\n").query
  assert_raise(URI::InvalidURIError) { URI.parse("http://test/?%zz") }
end

test "components are checked when they are set" do
  uri = URI("http://test/")
  assert_raise(URI::InvalidComponentError) { uri.host = "a/b" }
  assert_raise(URI::InvalidComponentError) { uri.path = "relative" }
  assert_raise(URI::InvalidComponentError) { uri.port = "80x" }
  assert_raise(URI::InvalidComponentError) { uri.scheme = "1" }
  assert_raise(URI::InvalidComponentError) { uri.userinfo = "a@b" }
  assert_equal "http://test/", uri.to_s
  assert_raise(URI::InvalidURIError) { URI("mailto:x").host = "test" }
end

test "references" do
  base = URI("http:" "//me:secret@test:81/a/b?c#d")
  assert_equal "http:" "//me:secret@test:81/a/x", (base + "x").to_s
  # Where another host begins, the password ends.
  assert_equal "http://example.com/x", URI.join(base, "//example.com/x").to_s
  assert_equal "https://example.com", base.merge("https://example.com").to_s
  assert_equal "http:" "//me:secret@test:81/a/b?c#d", base.to_s
  assert_raise(URI::BadURIError) { URI.join("a", "b") }
end

test "URIs as keys" do
  assert_equal 1, { URI("http://test/") => 1 }[URI("http://test/")]
  assert_equal true, URI("http:" "//TEST") == URI("http://test/")
  assert_equal false, URI("http://test/a") == URI("http://test/b")
  assert_equal false, URI("http://test") == "http://test"
end

test "long texts" do
  long = "x" * 200_000
  assert_equal "/#{long}", URI("http://test/#{long}").path
  assert_equal 600_000, CGI.escape("/" * 200_000).size
  assert_equal "/" * 200_000, CGI.unescape(CGI.escape("/" * 200_000))
end
