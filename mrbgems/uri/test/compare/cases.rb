# SPDX-License-Identifier: Apache-2.0
require "cgi"
require "uri"

PIECES = ["%", "%2", "%20", "%zz", "%E3%81%82", "+", " ", "&", "=", "a", "Z", "0", "*", "-", ".", "_", "~", "あ", ";", nil, nil]
times(300) do
  string = lit(text(PIECES))
  same "URI.encode_www_form_component(#{string})"
  same "URI.decode_www_form_component(#{string})", "BINARY"
  same "CGI.escape(#{string})"
  # CRuby leaves a + that follows an incomplete code at the very end.
  same "CGI.unescape(#{string})", "BINARY" unless string.match?(/%.?"\z/)
  next unless URI.respond_to?(:encode_uri_component) # Debian 12's Ruby has them not yet

  same "URI.encode_uri_component(#{string})"
  same "URI.decode_uri_component(#{string})", "BINARY"
end
times(150) do
  string = lit(text(PIECES).b.gsub(/[\x80-\xff]/n, "=").gsub(/%[8-9a-fA-F]\h/, "%41"))
  same "URI.decode_www_form(#{string})"
  pairs = Array.new(RANDOM.rand(4)) { [text(PIECES, 3), pick(nil, text(PIECES, 3), [text(PIECES, 2), 7], [], 5)] }
  same "URI.encode_www_form(#{lit(pairs)})"
  same "URI.encode_www_form(#{lit(pairs.to_h)})"
end

times(300) do
  same "CGI.escapeHTML(#{lit(text(["<", ">", "&", '"', "'", "a", "あ", "&amp;", nil]))})"
  same "CGI.unescapeHTML(#{lit(text(["&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#39;", "&#x3c;", "&#X3C;",
                                     "&#12354;", "&#x3042;", "&#xzz;", "&#;", "&#x;", "&copy;", "&", ";",
                                     "amp;", "&amp", "x"]))})"
end

# ^ stands for two slashes: not every address here may be one.
def same_uri(expression)
  same expression.gsub("^", "//")
end

def parts(uri)
  "[:scheme, :userinfo, :user, :password, :host, :hostname, :port, :path, :opaque, :query, :fragment, :to_s, " \
    ":absolute?, :hierarchical?].map { |name| URI.parse(#{lit(uri)}).__send__(name) }"
end

%w{http:^example.com http:^example.com/ HTTP:^Example.COM:80/a/b?c=d&e=f#g https:^u:p@h:8443/x^y/../z
   http:^[::1]:8080/ http:^[2001:db8::7]/c=GB?one?two http:^[1:2:3:4:5:6:7:8]/ http:^[::ffff:1.2.3.4]/
   http:^[v1.a:b]/ http:^[::1 http:^::1/ http:^[:::1]/ http:^[1::2::3]/ http:^[12345::]/ http:^[::1.2.3.256]/
   mailto:a@example.com news:comp.lang.ruby tel:+1-816 urn:x:y?q#f
   /a/b?c#d a/b ./a:b a:b 1:b ^host/path ?q #f http:^/p http:^:81/ http:^h:/ http:^h:8x/ http:^u@/ http:^@h/ http:^u:@h/
   http:^u@v@h/ http:^a%20b/ http:^a%2/ http:^h/%zz http:^h/?%zz http:^h/?%2z http:^h/#%zz http:^h/a[b] http:^h/?a[b]=<c>
   ws:^h:80/ wss:^h:444/ foo:^h:1/ x: http:^h:0080/ http:^h/;a=b,c http:^h#a#b}.each do |uri|
  same_uri "URI.split(#{lit(uri)})"
  same_uri parts(uri)
end
["", " ", "http:^h/a b", "http:^h/?a b\"c", "http:^h/?a\nb\tc", "http:^h/\n", "\nhttp:^h", "http:^hé/", "http:^h/?q\0", "a b"].each do |uri|
  same_uri "URI.split(#{lit(uri)})"
  same_uri parts(uri)
end
["nil", "1", ":a", "Object.new"].each { |v| same_uri "URI.parse(#{v})" }

BITS = ["http:", "https:", "x:", ":", "/", "^", "/", "?", "#", "@", "h", "example.com", "80", "[::1]", "[", "]", "a", "%41", "%4",
        "..", ".", ";", "=", "&", "1.2.3.4", "-", "+", nil]
times(500) do
  uri = text(BITS, 8).b.gsub(/[\x80-\xff]/n, "~")
  # Debian 12's Ruby knows no IPv6 address in a reference without a scheme.
  same_uri parts(uri) unless uri.match?(/\A(?:\/\/|\^).*\[/n)
end

BASES = %w[http:^a/b/c/d;p?q http:^a http:^a/ http:^a/b/ http:^a/x?y#z]
REFERENCES = %w[g:h g ./g g/ /g ^g ?y g?y #s g#s g?y#s ;x g;x g;x?y#s . ./ .. ../ ../g ../.. ../../ ../../g ../../../g ../../../../g
                /./g /../g g. .g g.. ..g ./../g ./g/. g/./h g/../h g;x=1/./y g;x=1/../y g?y/./x g#s/../x http:^x/y ^u:p@h:8/p] + [""]
BASES.each do |base|
  REFERENCES.each { |reference| same_uri "URI.join(#{lit(base)}, #{lit(reference)}).to_s" }
end
same_uri "URI.join('a', 'b')"
same_uri "URI.join('http:^a/b/', 'c/', 'd').to_s"
same_uri "URI.join('http:^a/b/').to_s"

same_uri "URI('http:^H/') == URI('http:^h')"
same_uri "URI('http:^h/a') == URI('http:^h/A')"
same_uri "URI('http:^h') == URI('https:^h')"
same_uri "URI('http:^h:80/') == URI('http:^h/')"
same_uri "URI('http:^h').eql?(URI('http:^h'))"
same_uri "{ URI('http:^h') => 1 }[URI('http:^h')]"
same_uri "URI('http:^h?x').request_uri"
same_uri "URI('http:^h:81/a?x').authority"
same_uri "URI('https:^h/a?x').origin"
same_uri "URI('http:^h').normalize.to_s"
same_uri "URI('http:^h').inspect"
same_uri "URI(3)"
same_uri "URI::HTTP.build(host: 'h', path: '/p', query: 'q=1', fragment: 'f').to_s"
same_uri "URI::HTTPS.build(host: '::1', port: 8443).to_s"
same_uri "URI::HTTP.build(host: 'h', path: 'p')"
same_uri "URI::HTTP.build(host: 'h h')"

[["scheme", "https"], ["scheme", "1x"], ["scheme", nil], ["host", "b"], ["host", "b b"], ["host", "b/c"], ["host", "[::1]"], ["hostname", "::1"],
 ["port", 81], ["port", "82"], ["port", "x"], ["port", nil], ["path", "/x"], ["path", "x"], ["path", "/x y"], ["path", ""], ["query", "a=b"],
 ["query", "a b\n"], ["query", nil], ["query", "%zz"], ["fragment", "f f"], ["fragment", nil], ["user", "me"], ["user", "m@e"],
 ["password", "p:w"], ["password", "p/"], ["userinfo", "a:b"], ["userinfo", "a"], ["userinfo", "a@b"], ["opaque", "x"]].each do |name, value|
  same_uri "(u = URI('http:^u:p@h:8080/a?b#c'); u.#{name} = #{lit(value)}; u.to_s)"
  same_uri "(u = URI('x:y'); u.#{name} = #{lit(value)}; u.to_s)" unless %w[scheme userinfo user password port].include?(name)
end
