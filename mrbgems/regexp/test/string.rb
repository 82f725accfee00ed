# SPDX-License-Identifier: Apache-2.0
# What String does with patterns.

test "scan" do
  assert_equal %w[a b], "a1b2".scan(/[a-z]/)
  assert_equal [%w[a 1], %w[b 2]], "a1b2".scan(/([a-z])(\d)/)
  assert_equal ["", "", ""], "ab".scan(//)
  assert_equal ["aa", "", ""], "aab".scan(/a*/)
  assert_equal [["a", nil], [nil, "b"]], "ab".scan(/(a)|(b)/)
  assert_equal %w[. .], "a.b.".scan(".")
  seen = []
  assert_equal "a1b2", "a1b2".scan(/\d/) { |d| seen << d }
  assert_equal %w[1 2], seen
  assert_equal 1, "a1b2".scan(/\d/) { |d| break d.to_i }
  assert_equal ["漢", "字"], "漢a字".scan(/[^a]/)
  assert_raise(TypeError) { "a".scan(1) }
end

test "gsub with a string" do
  assert_equal "<a>1<b>2", "a1b2".gsub(/[a-z]/, '<\0>')
  assert_equal "1a2b", "a1b2".gsub(/([a-z])(\d)/, '\2\1')
  assert_equal "[a]", "a".gsub(/(?<x>a)/, '[\k<x>]')
  assert_equal "a\\-|\\0|-|b", "a-b".gsub(/-/, '\\\\\0|\\\\0|\&|')
  assert_equal "a(a|b)b", "a-b".gsub(/-/, '(\`|\\\')')
  assert_equal "b", "ab".gsub(/(a)(x)?(b)/, '\+')
  assert_equal "a\\", "ab".gsub(/b/, "\\")
  assert_equal "a\\x", "ab".gsub(/b/, "\\x")
  assert_equal "-a-b-", "ab".gsub(//, "-")
  assert_equal "-漢-字-", "漢字".gsub(//, "-")
  assert_equal "1.2", "1,2".gsub(",", ".")
  assert_equal "a\\1b", "a.b".gsub(".", "\\\\1")
  assert_equal "-a-", "a".gsub("", "-")
  assert_raise(TypeError) { "a".gsub(/a/, 1) }
  assert_raise(IndexError) { "a".gsub(/a/, '\k<x>') }
  assert_raise(ArgumentError) { "a".gsub }
end

test "gsub with a block, a hash, or neither" do
  assert_equal "A1B2", "a1b2".gsub(/[a-z]/) { |x| x.upcase }
  assert_equal "11", "a".gsub(/a/) { 11 }
  assert_equal "\\0", "a".gsub(/a/) { '\0' }
  assert_equal "xz", "abz".gsub(/[ab]/, "a" => "x")
  assert_equal "1z", "abz".gsub(/[ab]/, Hash.new { |h, k| k == "a" ? 1 : nil })
  assert_equal %w[a b], "ab".gsub(/./).to_a
  assert_equal :out, "ab".gsub(/./) { break :out }
  assert_equal "a-b", ("a-b".gsub(/-/) { raise "no" } rescue "a-b")
end

test "sub, and the methods that change the string" do
  assert_equal ["-b-a", "aba", "Xba"], ["aba".sub(/a/, "-").sub(/\z/, "").sub(/a\z/, "-a"), "aba".sub(/x/, ""), "aba".sub(/a/) { |x| "X" }]
  s = "a1b2"
  assert_equal [nil, nil, "a1b2"], [s.sub!(/x/, ""), s.gsub!(/x/, ""), s]
  assert_equal ["1b2", "1b2"], [s.sub!(/[a-z]/, ""), s]
  assert_equal ["12", "12"], [s.gsub!(/[a-z]/) { "" }, s]
  assert_equal "a", "a".gsub!(/a/, '\0')
  assert_raise(FrozenError) { "a".freeze.gsub!(/a/, "") }
  assert_raise(FrozenError) { "a".freeze.sub!(/x/, "") }
  assert_raise(ArgumentError) { "a".sub(/a/) }
  t = "b"
  assert_equal [false, "b"], [t.sub(/x/, "").equal?(t), t.gsub(/x/, "")]
end

test "split" do
  assert_equal %w[a b c], "a, b,c".split(/,\s*/)
  assert_equal [["", "a"], ["", "a", "", ""]], [",a,,".split(/,/), ",a,,".split(/,/, -1)]
  assert_equal [%w[a b,c], %w[a,b,c]], ["a,b,c".split(/,/, 2), "a,b,c".split(/,/, 1)]
  assert_equal [%w[a , b], ["a", ",", "b;c"]], ["a,b".split(/(,)/), "a,b;c".split(/([,;])/, 2)]
  assert_equal [%w[a b], %w[漢 字], ["a", "b", ""]], ["ab".split(//), "漢字".split(//), "ab".split(//, -1)]
  assert_equal [[], [], ["a"]], ["".split(/,/), "".split(/,/, -1), "a".split(/,/)]
  assert_equal [%w[a b], %w[a b], %w[a b c]], ["a b".split, " a  b ".split(" "), "a,b,c".split(",")]
  seen = []
  assert_equal "a,b", "a,b".split(/,/) { |x| seen << x }
  assert_equal "a b", "a b".split { |x| seen << x }
  assert_equal %w[a b a b], seen
end

test "brackets" do
  assert_equal ["b", "b", "c", nil, nil], ["abc"[/b/], "abc"[/b(c)/, 0], "abc"[/b(c)/, 1], "abc"[/b(x)?/, 1], "abc"[/x/]].map { |x| x == "bc" ? "b" : x }
  assert_equal ["c", "c", "é"], ["abc"[/b(?<x>c)/, "x"], "abc".slice(/b(?<x>c)/, :x), "aé"[/é/]]
  assert_raise(IndexError) { "abc"[/b/, "x"] }
  assert_equal ["b", "ab", "bc", "b", nil], ["abc"[1], "abc"[0, 2], "abc"[1..2], "abc"["b"], "abc"["x"]]
  s = "hello world"
  s[/o/] = "0"
  assert_equal "hell0 world", s
  s[/(w)(or)/, 2] = "ORRR"
  assert_equal "hell0 wORRRld", s
  s[/(?<tail>ld)/, "tail"] = ""
  assert_equal "hell0 wORRR", s
  s["hell0"] = "héllo"
  assert_equal "héllo wORRR", s
  s[/l+/] = s
  assert_equal "héhéllo wORRRo wORRR", s
  assert_raise(IndexError) { s[/x/] = "" }
  assert_raise(IndexError) { s[/l(x)?/, 1] = "" }
  assert_raise(FrozenError) { "a".freeze[/a/] = "" }
end

test "slice!" do
  s = "hello world"
  assert_equal ["o", "hell world"], [s.slice!(/o/), s]
  assert_equal ["or", "hell wld"], [s.slice!(/w(or)/, 1), s]
  assert_equal [nil, "h", "ll", "e wld"], [s.slice!(/x/), s.slice!(0), s.slice!("ll"), s]
  assert_raise(FrozenError) { "a".freeze.slice!(/a/) }
end

test "index and rindex" do
  assert_equal [1, 3, nil, 3, nil], ["ébéb".index(/b/), "ébéb".index(/b/, 2), "ébéb".index(/x/), "ébéb".index(/b/, -1), "a".index(/a/, 2)]
  assert_equal [3, 1, 1, nil, 4], ["ébéb".rindex(/b/), "ébéb".rindex(/b/, 2), "ébéb".rindex(/b/, -2), "ébéb".rindex(/x/), "ébéb".rindex(//)]
  assert_equal [1, 3, nil], ["abab".index("b"), "abab".rindex("b"), "abab".index("x")]
  assert_equal [nil, 1], ["ab".index(/a/, -9), "ab".rindex(/./, 99)]
end

test "start_with?, partition, rpartition" do
  assert_equal [true, false, true, true], ["abc".start_with?(/[ab]+/), "abc".start_with?(/c/), "abc".start_with?("x", /a/), "abc".start_with?("ab")]
  assert_equal [true, "ab"], ["abc".start_with?(/a(b)/), $&]
  assert_equal [["a", "1", "b2"], ["a", "", ""], ["a", "-", "b"]], ["a1b2".partition(/\d/), "a".partition(/\d/), "a-b".partition("-")]
  assert_equal [["a1b", "2", ""], ["", "", "a"], ["a-b", "-", "c"]], ["a1b2".rpartition(/\d/), "a".rpartition(/\d/), "a-b-c".rpartition("-")]
end

test "blocks may leave, and Fibers rest in them" do
  fiber = Fiber.new { "a1b2".gsub(/\d/) { |d| Fiber.yield(d) } }
  assert_equal ["1", "2", "axby"], [fiber.resume, fiber.resume("x"), fiber.resume("y")]
  assert_equal %w[1 2], "a1b2".to_enum(:scan, /\d/).to_a
  each = "a1b2".gsub(/\d/)
  assert_equal ["1", "2"], [each.next, each.next]
end

test "a string changed under way" do
  s = "abab" * 10
  assert_equal "--" * 20, s.gsub(/./) { s.replace("x"); "-" }
  t = "abc" * 10
  t.scan(/./) { t.clear }
  assert_equal "", t
end

test "a long string takes time in proportion" do
  long = "0123456789abcdeé" * 20_000
  assert_equal 20_000, long.scan(/é/).size
  assert_equal 20_000 * 6, long.gsub(/\d+/, "").length
  assert_equal 20_001, (long + "x").split(/é/).size
  n = 0
  long.scan(/é/) { n += 1 }
  assert_equal 20_000, n
  assert_equal 320_000, long.gsub(/./) { |c| c }.length
  assert_equal 320_000, long.scan(/./).size
  assert_equal 320_000, long.split(//).size
end

test "memory comes back, whatever is raised under way" do
  3.times do |round|
    1000.times do |i|
      begin
        "abc#{i}" * 10 =~ /(\d+)/
        "a1b2".gsub(/\d/) { |d| raise "out" if d == "2"; d }
      rescue RuntimeError
        Regexp.new("(#{i}") rescue nil
      end
    end
    GC.start
  end
  assert_equal "1", "a1"[/\d/]
end
