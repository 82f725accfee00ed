# SPDX-License-Identifier: Apache-2.0
# Whatever the pattern and the string, a match comes to an end.

def stopped(pattern, string)
  pattern.match?(string)
rescue Regexp::TimeoutError
  :stopped
end

test "exponential patterns are stopped" do
  assert_equal :stopped, stopped(/(a+)+$/, "a" * 50 + "b")
  assert_equal :stopped, stopped(/(a+)+$/, "é" + "a" * 50 + "b")
  assert_equal :stopped, stopped(/(a|aa)+$/, "a" * 60 + "b")
  assert_equal :stopped, stopped(/^(([a-z])+.)+[A-Z]([a-z])+$/, "a" * 60)
  assert_equal :stopped, stopped(/(x+x+)+[yz]/, "x" * 60)
end

test "it makes no difference how often the pattern has been used" do
  pattern = Regexp.new("(b+)+$")
  3.times { assert_equal :stopped, stopped(pattern, "b" * 50 + "c") }
  500.times { pattern.match?("b" * 10) }
  3.times { assert_equal :stopped, stopped(pattern, "b" * 50 + "c") }
  assert_equal true, pattern.match?("b" * 50)
end

test "the exception is a RegexpError that names the pattern" do
  begin
    "a" * 50 + "b" =~ /(a+)+$/
    ("a" * 50 + "b") =~ /(a+)+$/
  rescue RegexpError => e
    assert_equal [Regexp::TimeoutError, "regexp match takes too many steps: /(a+)+$/"], [e.class, e.message]
  end
  assert_equal true, Regexp::TimeoutError < RegexpError
end

test "within scan, gsub, split and rindex as well" do
  bad = "x a" + "a" * 50 + "b"
  [-> { bad.scan(/(a+)+$/) }, -> { bad.gsub(/(a+)+$/, "") }, -> { bad.gsub(/(a+)+$/) { "" } },
   -> { bad.split(/(a+)+$/) }, -> { bad.rindex(/(a+)+$/) }, -> { bad[/(a+)+$/] }, -> { bad.start_with?(/x (a+)+$/) }
  ].each { |match| assert_raise(Regexp::TimeoutError) { match.call } }
end

test "recursion without end" do
  assert_raise(RegexpError) { /(?<a>a|\g<a>b)/.match("c" * 100) || raise(RegexpError) }
  assert_raise(RegexpError) { /(?<a>\g<a>)/.match("c") || raise(RegexpError) }
  assert_equal "((((", ("(" * 4)[/(?<p>\(\g<p>?)/]
end

test "long subjects for patterns that remember much" do
  long = "ab" * 100_000
  assert_equal 200_000, long[/(?:a|b)*/].length
  assert_equal 200_000, long[/(?:(a)|b)*/].length
  assert_equal 0, long =~ /\A(?:a|b)*\z/
  assert_equal 200_000, long[/.*/m].length
  assert_equal nil, long =~ /(?:a|b)*c\z/ rescue assert_equal RegexpError, $!.class.superclass
end

test "quadratic searches end by the clock" do
  assert_equal 1.0, Regexp.timeout
  Regexp.timeout = 0.05
  begin
    assert_equal :stopped, stopped(/x.{0,5000}[yz]/, "x" * 100_000)
  ensure
    Regexp.timeout = nil
  end
  assert_equal nil, Regexp.timeout
  Regexp.timeout = 1.0
  assert_equal false, /\s+$/.match?(" " * 100_000 + "x")
  assert_raise(ArgumentError) { Regexp.timeout = -1 }
  assert_raise(TypeError) { Regexp.timeout = "x" }
end

test "whatever is taken for a pattern, nothing but RegexpError comes of it" do
  random = Random.new(1)
  pieces = ["(", ")", "[", "]", "{", "}", "|", "*", "+", "?", "\\", "^", "$", ".", "-", "&&", ":", "<", ">", "=", "!", ",", "1", "2", "9", "a",
            "b", "é", "\xff", "\x80", "\0", "#", "\n", " ", "(?", "(?<a>", "(?i)", "(?x)", "(?<=", "(?~", "\\k<a>", "\\g<0>", "\\g<a>", "\\u{", "\\x", "\\p{",
            "alpha}", "[:", ":]", "\\Q", "\\C", "\\M-", "\\c", "\\G", "\\K", "\\R", "\\X", "\\N", "(*", "(*UTF)", "(?C", "(?|", "(?R)", "(?P<a>", "\\E", "{,", "}?"]
  subjects = ["", "a", "ab12 é\n9", "\xff\x80é\0b", "(a)[b]{1}" * 20]
  compiled = 0
  5000.times do
    source = Array.new(1 + random.rand(12)) { pieces[random.rand(pieces.size)] }.join
    begin
      r = Regexp.new(source, random.rand(8))
      compiled += 1
      subjects.each { |s| r.match(s); s.scan(r); s.gsub(r, '\0\k<a>') rescue IndexError; s.split(r) }
      Regexp.new(r.to_s)
      r.inspect
    rescue RegexpError
      source.clear
    end
  end
  assert_equal true, compiled > 500
end
