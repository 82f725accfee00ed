# SPDX-License-Identifier: Apache-2.0
# MatchData, $~ and its relatives.

test "a match and its parts" do
  m = /(\w)(\d)?(?:-)(x)?/.match("ß: a1-")
  assert_equal ["a1-", "a", "1", nil], m.to_a
  assert_equal ["a", "1", nil], m.captures
  assert_equal ["a1-", "a", nil, "1"], [m[0], m[1], m[3], m[-2]]
  assert_equal [nil, nil], [m[4], m[-5]]
  assert_equal [%w[a 1], ["a1-", "a"]], [m[1..2], m[0, 2]]
  assert_equal [3, 6, [3, 6], [4, 7]], [m.begin(0), m.end(0), m.offset(0), m.byteoffset(0)]
  assert_equal [[4, 5], [nil, nil], 5, 6], [m.offset(2), m.offset(3), m.bytebegin(2), m.byteend(2)]
  assert_equal ["ß: ", ""], [m.pre_match, m.post_match]
  assert_equal ["a1-", 4, 4, "ß: a1-"], [m.to_s, m.size, m.length, m.string]
  assert_equal [["a", nil], ["1"]], [m.values_at(1, 3), m.values_at(-2)]
  assert_equal '#<MatchData "a1-" 1:"a" 2:"1" 3:nil>', m.inspect
  assert_equal /(\w)(\d)?(?:-)(x)?/, m.regexp
  assert_raise(IndexError) { m.begin(4) }
  assert_raise(IndexError) { m.end(-1) }
  assert_raise(IndexError) { m["x"] }
  assert_raise(TypeError) { m[Object.new] }
end

test "names" do
  m = /(?<year>\d+)-(?<month>\d+)?/.match("in 2024-")
  assert_equal ["2024", "2024", nil], [m[:year], m["year"], m[:month]]
  assert_equal({ "year" => "2024", "month" => nil }, m.named_captures)
  assert_equal({ year: "2024", month: nil }, m.named_captures(symbolize_names: true))
  assert_equal [%w[year month], [3, 7]], [m.names, m.offset(:year)]
  assert_equal '#<MatchData "2024-" year:"2024" month:nil>', m.inspect
  assert_equal({ year: "2024" }, m.deconstruct_keys([:year]))
  assert_raise(IndexError) { m[:day] }
  assert_raise(IndexError) { m["day"] }
end

test "the subject is kept as it was" do
  s = "abc" * 20
  m = /bca/.match(s)
  s << "d"
  s[0] = "X"
  assert_equal ["abc" * 20, "a", true], [m.string, m.pre_match, m.string.frozen?]
  s.replace("")
  assert_equal "bca", m[0]
end

test "equality and copies" do
  a = /b/.match("abc")
  assert_equal [true, false, false], [a == /b/.match("abc"), a == /b/.match("abd"), a == /c/.match("abc")]
  assert_equal [true, "b"], [a.dup == a, a.dup[0]]
  assert_equal a.hash, /b/.match("abc").hash
  assert_raise(NoMethodError) { MatchData.new }
  assert_raise(NoMethodError) { MatchData.allocate }
end

test "what match gives, with a place to begin and a block" do
  assert_equal [1, 3, nil, 3], ["abab".index(/b/), "abab".index(/b/, 2), /b/.match("abab", 9), /b/.match("abab", -2).begin(0)]
  assert_equal [1, 3], [/é/.match("aéaé").begin(0), /é/.match("aéaé", 2).begin(0)]
  assert_equal "B", /b/.match("abc") { |m| m[0].upcase }
  assert_equal nil, /x/.match("abc") { |m| m[0] }
  assert_equal "c", "abc".match("c")[0]
  assert_equal ["b", 1, true], [:abc.match(/b/)[0], :abc =~ /b/, :abc.match?("b")]
  assert_equal [nil, nil, false], [/a/.match(nil), nil =~ /a/, /a/.match?(nil)]
  assert_raise(TypeError) { "a" =~ "a" }
  assert_raise(TypeError) { /a/.match(1) }
end

test "the last match and its globals" do
  "x: abc!" =~ /(a)(b)(z)?c/
  assert_equal ["abc", "a", "b", nil, "x: ", "!", "b"], [$&, $1, $2, $3, $`, $', $+]
  assert_equal ["abc", "abc", "a", nil], [$~[0], Regexp.last_match(0), Regexp.last_match(1), Regexp.last_match(3)]
  assert_equal true, Regexp.last_match.equal?($~)
  "x" =~ /y/
  assert_equal [nil, nil, nil, nil, nil, nil], [$~, $&, $1, $`, $+, Regexp.last_match(1)]
  "1" =~ /(?<one>1)/
  assert_equal ["1", "1"], [Regexp.last_match(:one), $1]
  assert_equal "k", ("abcdefghijk" =~ /(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)/; $11)
end

test "what sets the last match, and what does not" do
  sets = {
    "=~" => -> { "ab" =~ /b/ }, "match" => -> { /b/.match("ab") }, "===" => -> { /b/ === "ab" },
    "[]" => -> { "ab"[/b/] }, "slice" => -> { "ab".slice(/b/) }, "slice!" => -> { "ab".slice!(/b/) },
    "index" => -> { "ab".index(/b/) }, "rindex" => -> { "ab".rindex(/b/) }, "scan" => -> { "ab".scan(/b/) },
    "sub" => -> { "ab".sub(/b/, "") }, "gsub" => -> { "ab".gsub(/b/, "") }, "sub!" => -> { "ab".sub!(/b/, "") },
    "partition" => -> { "ab".partition(/b/) }, "rpartition" => -> { "ab".rpartition(/b/) },
    "start_with?" => -> { "b".start_with?(/b/) }, "[]=" => -> { s = "ab"; s[/b/] = "" },
    "case" => -> { case "ab" when /b/ then 1 end }, "!~" => -> { "ab" !~ /b/ }, "string" => -> { "ab".gsub("b", "") },
    "Symbol" => -> { :ab =~ /b/ }, "any?" => -> { ["ab"].grep(/b/) }
  }
  sets.each do |name, match|
    "" =~ /z/
    match.call
    assert_equal [name, "b"], [name, $~ && $~[0]]
    assert_equal [name, "b"], [name, $&]
  end
  "z" =~ /z/
  "ab".match?(/b/)
  /b/.match?("ab")
  "ab".split(/b/)
  assert_equal "z", $&
  "ab".scan(/x/)
  assert_equal nil, $~
end

test "a String for a pattern gives a match, too" do
  "a.b".sub(".", "-")
  assert_equal [".", /\./, 1], [$~[0], $~.regexp, $~.begin(0)]
end

test "a block sees its own match, and what comes after it the last one" do
  seen = []
  "a1b2".gsub(/[a-z](\d)/) { seen << [$&, $1, $~.begin(0)]; "x" =~ /y/; "" }
  assert_equal [[["a1", "1", 0], ["b2", "2", 2]], "b2"], [seen, $&]
  "a1b2".scan(/[a-z](\d)/) { |(n)| seen << [n, $1]; "x" =~ /x/ }
  assert_equal [["1", "1"], ["2", "2"]], seen[2..3]
end

test "globals that come into being late are set by the next match" do
  "abc" =~ /b(c)/
  assert_equal "c", Regexp.last_match(1)
  assert_equal "c", eval("'abc' =~ /b(c)/; $1")
end

test "case, grep and the like" do
  kind = ->(s) { case s when /\A\d+\z/ then :number when /\A\w+\z/ then :word else :other end }
  assert_equal [:number, :word, :other, :other], ["12", "ab", "-", nil].map(&kind)
  assert_equal [["ab", "b"], ["c"]], [%w[ab b c].grep(/b/), %w[ab b c].reject { |s| s =~ /b/ }]
  assert_equal [true, false], ["a" !~ /b/, "a" !~ /a/]
  assert_equal [false, true], [/a/ === 1, /a/ === :ba]
end

test "matches outlive collections" do
  kept = (0...2000).map { |i| /(\d+)(x)?/.match("number #{i}, and some text to have it on the heap") }
  GC.start
  kept.each_with_index { |m, i| raise m.inspect unless m[1] == i.to_s && m.pre_match == "number " && m[2].nil? }
  assert_equal 2000, kept.size
end
