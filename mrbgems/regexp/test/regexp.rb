# SPDX-License-Identifier: Apache-2.0
# Class Regexp: its syntax and what can be asked of a pattern.

def refused(source)
  Regexp.new(source)
  nil
rescue RegexpError => e
  e.message
end

test "a literal is the same frozen object whenever it is evaluated" do
  found = 3.times.map { /a(b)c/i }
  assert_equal [true, true], [found[0].equal?(found[1]), found[0].frozen?]
  assert_equal false, /a/.equal?(/a/i)
  assert_equal false, Regexp.new("a").equal?(Regexp.new("a"))
  assert_equal true, Regexp.new("a") == Regexp.new("a")
end

test "options are numbers, letters, true, or another Regexp's" do
  assert_equal [1, 2, 4, 7], [/a/i, /a/x, /a/m, /a/mix].map(&:options)
  assert_equal [1, 5, 0, 1], [Regexp.new("a", true), Regexp.new("a", "mi"), Regexp.new("a", nil), Regexp.new(/a/i)].map(&:options)
  assert_equal 3, Regexp.new("a", Regexp::IGNORECASE | Regexp::EXTENDED).options
  assert_equal 0, "ab" =~ Regexp.compile("AB", Regexp::IGNORECASE)
  assert_equal true, /a/i.casefold?
  assert_raise(ArgumentError) { Regexp.new("a", "g") }
  assert_raise(TypeError) { Regexp.new(1) }
  assert_raise(ArgumentError) { Regexp.new }
end

test "source, to_s and inspect" do
  assert_equal "a\\/b", Regexp.new("a\\/b").source
  assert_equal "/a\\/b/mix", Regexp.new("a/b", 7).inspect
  assert_equal "(?-mix:a\\/b)", Regexp.new("a/b").to_s
  assert_equal "(?i-mx:a)", /a/i.to_s
  assert_equal "(?mix:a)", /a/mix.to_s
  assert_equal "(?i-mx:a)", Regexp.new(Regexp.new(/a/i.to_s).to_s).to_s
  assert_equal "(?-mix:(?:a)(?:b))", Regexp.new("(?:a)(?:b)").to_s
  assert_equal true, /#{/a/i}b/ === "Ab"
  assert_equal false, /#{/a/i}b/ === "AB"
end

test "equality, hash keys, copies" do
  assert_equal true, /a/ == Regexp.new("a")
  assert_equal [false, false, false], [/a/ == /b/, /a/ == /a/i, /a/ == "a"]
  assert_equal 2, { /a/ => 1, /b/ => 2 }[Regexp.new("b")]
  assert_equal true, Regexp.new("b").dup.match?("b")
end

test "subclasses" do
  class Loud < Regexp
    def initialize(source)
      super(source.upcase)
    end
  end
  assert_equal [Loud, true], [Loud.new("a").class, Loud.new("a").match?("A")]
  assert_equal [Loud, "A"], [Loud.compile("a").class, Loud.compile("a").source]
end

test "one that was never initialized" do
  assert_raise(TypeError) { Regexp.allocate.match("a") }
  assert_raise(TypeError) { Regexp.allocate.source }
  assert_equal String, Regexp.allocate.inspect.class
  assert_raise(TypeError) { Regexp.new("a").send(:initialize, "b") }
end

test "escape and union" do
  assert_equal "\\[a\\-b\\]\\ \\n\\t\\#é", Regexp.escape("[a-b] \n\t#é")
  assert_equal "a\\.b", Regexp.quote(:"a.b")
  all = (1..127).map(&:chr).join
  assert_equal true, Regexp.new("\\A#{Regexp.escape(all)}\\z").match?(all)
  assert_equal true, Regexp.new("\\A#{Regexp.escape(all)}\\z", Regexp::EXTENDED).match?(all)
  assert_equal [/a\.b|(?i-mx:c)/, /a/i, /(?!)/, /a|b/, /a\|b/],
               [Regexp.union("a.b", /c/i), Regexp.union(/a/i), Regexp.union, Regexp.union(%w[a b]), Regexp.union("a|b")]
end

test "anchors are Ruby's" do
  assert_equal [0, 2], ["a\nb" =~ /^a/, "a\nb" =~ /^b/]
  assert_equal [0, 0], ["a\nb" =~ /a$/, "a\n" =~ /a\Z/]
  assert_equal [nil, nil], ["a\n" =~ /a\z/, "a\nb" =~ /\Ab/]
  assert_equal [""], "a\n".scan(/^/)
  assert_equal [nil, 0], ["a\nb" =~ /a.b/, "a\nb" =~ /a.b/m]
  assert_equal %w[a b], "ab c".scan(/\G\w/)
end

test "classes are ASCII, POSIX brackets and \\b are not" do
  assert_equal [nil, nil, nil], ["é" =~ /\w/, "٣" =~ /\d/, "\u00a0" =~ /\s/]
  assert_equal [0, 0, 0], ["é" =~ /[[:alpha:]]/, "٣" =~ /[[:digit:]]/, "\u00a0" =~ /[[:space:]]/]
  assert_equal [nil, 0], ["aé" =~ /a\b/, "é a" =~ /\b/]
  assert_equal [0, nil, 0], ["é" =~ /(?u)\w/, "é" =~ /(?a)[[:alpha:]]/, "é" =~ /(?u:\W)|./]
  assert_equal %w[dead BEEF], "dead xyz BEEF".scan(/\h+/)
  assert_equal ["漢字"], "a漢字b".scan(/\p{Han}+/)
  assert_equal ["a", "b"], "a漢字b".scan(/\p{^Han}/)
  assert_equal ["É"], "éÉ".scan(/\p{Upper}/)
  assert_equal ["É"], "éÉ".scan(/\p{Uppercase_Letter}/)
  assert_equal [0, nil], ["α" =~ /\p{Greek}/, "a" =~ /\p{Greek}/]
  assert_equal ["$", "+", "-"], "a$+-".scan(/[[:punct:]]/)
end

test "sets: nested, intersected, negated" do
  assert_equal %w[b c d], "abcde".scan(/[a-e&&[^ae]]/)
  assert_equal %w[a c], "abc".scan(/[a[c]]/)
  assert_equal %w[b], "abc".scan(/[^a[c]]/)
  assert_equal %w[a b 1], "ab-1".scan(/[[:alnum:]&&[^-]]/)
  assert_equal ["-", "]", "^", "["], "-]^[".scan(/[\-\]^\[]/)
  assert_equal ["漢", "é"], "漢aé".scan(/[^\x00-\x7f]/)
  assert_equal ["漢", " "], "漢 a".scan(/[\W&&[^-]]/)
  assert_equal ["a", "\n"], "a\n".scan(/[\s\S]/)
  assert_equal ["\b"], "b\b".scan(/[\b]/)
  assert_equal true, /[]a]/.match?("]")
end

test "characters by their numbers" do
  assert_equal 0, "A\t\e\v\0é😀" =~ /\x41\t\e\v\0\u00e9\u{1f600}/
  assert_equal 0, "é" =~ /\xC3\xA9/
  assert_equal 0, "abc" =~ /\u{61 62 63}/
  assert_equal 0, "abcc" =~ /\u{61 62 63}{2}|abcc/
  assert_equal 0, "\x01\x7f" =~ /\cA\c?/
  assert_equal 0, "A\b" =~ /\101\10/
  assert_equal [0, 0], ["yQ" =~ /\y\Q/, "N" =~ /\N/]
end

test "NUL is a character like any other" do
  assert_equal 1, "a\0b\0c" =~ Regexp.new("\0b\0")
  assert_equal ["a", "b"], "a\0b".split(/\0/)
  assert_equal "\0", "a\0"[/[\0]/]
  assert_equal "(?-mix:\\x00)", Regexp.new("\0").to_s
end

test "repetition is Ruby's" do
  assert_equal ["aa", "", "aaaa", "aa", "a{,}"],
               ["aab"[/a{2}?/], "b"[/a{2}?/], "aaaa"[/a{1,2}+/], "aab"[/a{,2}/], "a{,}"[/a{,}/]]
  assert_equal ["aaa", nil, "a{b"], ["aaa"[/a**/], "aaa"[/a++a/], "a{b"[/a{b/]]
  assert_equal "é" * 3, ("é" * 3)[/é{3}/]
  assert_equal "b", "ab"[/(?<=a)b{1}/]
end

test "groups: names, numbers, options, conditions, calls" do
  assert_equal({ "y" => "2024", "m" => "05" }, /(?<y>\d+)-(?<m>\d+)/.match("2024-05").named_captures)
  assert_equal ["abc", "bc"], /(a)(?<b>bc)/.match("abc").to_a
  assert_equal [%w[a b], { "a" => [1, 3], "b" => [2] }],
               [/(?<a>.)(?<b>.)(?<a>.)/.names, /(?<a>.)(?<b>.)(?<a>.)/.named_captures]
  assert_equal "c", /(?<a>.)(?<b>.)(?<a>.)/.match("abc")[:a]
  assert_equal "a", /(?<a>a)|(?<a>b)/.match("a")["a"]
  assert_equal [0, 0, 0], ["abab" =~ /(ab)\1/, "abab" =~ /(?<x>ab)\k<x>/, "aabb" =~ /(a)(b)?\k<-2>/]
  assert_equal ["B", nil], ["B"[/(?i)b/], "B"[/(?i:a)|b/]]
  assert_equal [nil, "aB"], ["B"[/a(?i)b|B/], "aB"[/a(?i)b|c/]]
  assert_equal ["(a(b)c)", "aa"], ["x(a(b)c)"[/(?<p>\((?:[^()]|\g<p>)*\))/], "aa"[/(?<l>a)\g<l>/]]
  assert_equal ["<a>", "a"], ["<a>"[/(<)?a(?(1)>)/], "a>"[/(<)?a(?(1)>)/]]
  assert_equal "ab", "xab"[/(?#comment)a b # more
                          /x]
  assert_equal "höhe", /(?<größe>\w.\w+)/.match("höhe")["größe"]
end

test "what is no pattern is refused, with the reason and the place" do
  assert_equal "unmatched close parenthesis: /a)/ (at character 1)", refused("a)")
  assert_equal "end pattern with unmatched parenthesis: /(a/ (at character 2)", refused("(a")
  assert_equal "target of repeat operator is not specified: /é*a|*/ (at character 4)", refused("é*a|*")
  %w{[a [] [b-a] [a-\d] [\w-z] [[:foo:]] a{3,2} a{100001} \\ \xZ \u12 \u{110000} \u{} \c \p{Nonsense} \p{} \pL
     (?<1>a) (?<>a) (?<a (?z) (? (?~a) (*a) \k<x> \k<1> \k \g<x> \1 (a)\2 (?<n>a)\1 (?<n>a)\k<1> (?<=a*)b (?(1)a|b) (?(<x>)a)
  }.each { |source| assert_equal [source, String], [source, refused(source).class] }
  assert_raise(RegexpError) { Regexp.new("[" * 100) }
  assert_raise(RegexpError) { Regexp.new("(" * 100_000) }
  assert_raise(RegexpError) { Regexp.new("(?i)" * 100_000) }
  assert_raise(RegexpError) { Regexp.new("a" * 200_000) }
  assert_raise(RegexpError) { Regexp.new("((((a{1,999}){1,999}){1,999}){1,999})") }
end

test "deep, but not too deep" do
  assert_equal true, Regexp.new("#{"(" * 200}a#{")" * 200}").match?("a")
  assert_equal true, Regexp.new("#{"[a" * 15}b#{"]" * 15}").match?("b")
end

test "what is not UTF-8 is matched byte by byte" do
  assert_equal [1, "\xff"], ["a\xffb" =~ /[^a-z]/, "a\xffb"[/a(.)b/, 1]]
  assert_equal 1, "\xffé" =~ /é/
  assert_equal ["é", "é"], "é\xffé".scan(/é+/)
  assert_equal ["é"], "\xffé".scan(/[é漢]/)
  assert_equal ["\xff", "\xfe"], "\xff\xfe".scan(/./m)
  assert_equal "-\xff-", "é\xffé".gsub(/é/, "-")
  assert_equal [0, 1], ["\xff\xd8" =~ /\xff\xd8/n, "a\xff" =~ Regexp.new("\xff")]
  assert_equal 0, "\xff" =~ Regexp.new("[\\x80-\\xff]", nil, "n")
  assert_equal 0, "\xed\xa0\x80" =~ /.../m
end

test "the cache of compiled patterns forgets, and nothing breaks" do
  500.times do |i|
    assert_equal i, "x#{i}".index(Regexp.compile("#{i}\\z")) - 1 + i
    assert_equal true, Regexp.new("^#{i}$").match?(i.to_s)
  end
  assert_equal true, /0\z/.match?("0")
end
