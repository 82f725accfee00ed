# SPDX-License-Identifier: Apache-2.0
# JSON.parse

def refused(text, options = nil)
  JSON.parse(text, options)
  nil
rescue JSON::ParserError => e
  e
end

test "values" do
  assert_equal [1, -2, 0, 2.5, -1.0, 100.0, 0.015], JSON.parse("[1,-2,0,2.5,-1.0,1e2,1.5E-2]")
  assert_equal [true, false, nil, "", {}, []], JSON.parse('[true,false,null,"",{},[]]')
  assert_equal [3, "s", nil, true, 1.5], ["3", '"s"', " null ", "true\n", "1.5"].map { |s| JSON.parse(s) }
  assert_equal({ "a" => { "b" => [1, { "c" => 2 }] } }, JSON.parse(" {\t\"a\" :\r\n{ \"b\":[ 1 , {\"c\":2 } ] } } "))
end

test "integers of any size" do
  %w[0 1 -1 999999999999999999 1000000000000000000 9223372036854775807 9223372036854775808 -9223372036854775808
     -9223372036854775809 18446744073709551616 1267650600228229401496703205376 4611686018427387904].each do |digits|
    n = JSON.parse(digits)
    assert_equal [digits, digits], [n.to_s, JSON.generate(n)]
    assert_equal digits.to_i, n
  end
  assert_equal 2**100, JSON.parse("1267650600228229401496703205376")
  assert_equal 10**4299, JSON.parse("1" + "0" * 4299)
  assert_equal "an integer of too many digits at line 1 column 2", refused("[#{"1" * 4301}]").message
  assert_equal Integer, JSON.parse("-0").class
end

test "floats read back as what they were" do
  %w[0.1 -0.1 0.3 1.0e+16 1.0e+23 1.0e-07 123456.789 2.2250738585072e-308 1.79769313486e+308 100000000000000.0
     1.0e+15 0.0001 1.0e-05 3.141592653589 9007199254740.0 -0.0 0.5 1.25].each do |digits|
    assert_equal digits, JSON.generate(JSON.parse(digits))
  end
  assert_equal(-1.0 / 0, 1 / JSON.parse("-0.0"))
  assert_equal Float::INFINITY, JSON.parse("1e400")
  assert_equal 0.0, JSON.parse("1e-400")
  assert_equal 0.0, JSON.parse("0e999999999999")
  assert_equal [1.0, 1.0], [JSON.parse("1" + "0" * 300 + "e-300"), JSON.parse("0." + "0" * 299 + "1e300")]
end

test "strings" do
  assert_equal "\"\\/\b\f\n\r\t", JSON.parse('"\"\\\\\/\b\f\n\r\t"')
  assert_equal ["é", "漢", "😀", "a\0b", "\u{10ffff}"], JSON.parse('["\u00e9","\u6F22","\ud83d\uDE00","a\u0000b","\udbff\udfff"]')
  assert_equal "é漢😀\x7f", JSON.parse("\"é漢😀\x7f\"")
  assert_equal "x" * 10_000 + "\n", JSON.parse("\"#{"x" * 10_000}\\n\"")
  assert_equal false, JSON.parse('"a"').frozen?
end

test "objects keep their order, and the last of equal names wins" do
  assert_equal %w[b a c], JSON.parse('{"b":1,"a":2,"c":3}').keys
  assert_equal [["a", 3], ["b", 2]], JSON.parse('{"a":1,"b":2,"a":3}').to_a
  assert_equal [["", 1]], JSON.parse('{"":1}').to_a
  assert_equal [{ "id" => 1 }, { "id" => 2 }], JSON.parse('[{"id":1},{"\u0069d":2}]')
  long = "k" * 100
  assert_equal({ long => 1 }, JSON.parse("{\"#{long}\":1}"))
  many = (0...1000).map { |i| "\"key#{i}\":#{i}" }.join(",")
  assert_equal JSON.parse("{#{many}}").values, (0...1000).to_a
end

test "options" do
  assert_equal [{ a: 1, "b c": [{ d: 2 }] }], [JSON.parse('{"a":1,"b c":[{"d":2}]}', symbolize_names: true)]
  frozen = JSON.parse('{"a":["b"]}', freeze: true)
  assert_equal [true, true, true], [frozen.frozen?, frozen["a"].frozen?, frozen["a"][0].frozen?]
  assert_equal [Float::INFINITY, -Float::INFINITY], JSON.parse("[Infinity,-Infinity]", allow_nan: true)
  assert_equal true, JSON.parse("NaN", allow_nan: true).nan?
  assert_equal [1], JSON.parse("[1]", {})
  %w[NaN Infinity -Infinity].each { |word| assert_equal JSON::ParserError, refused(word).class }
  assert_equal true, JSON.parse!("[NaN]")[0].nan?
end

test "nesting is bounded, and nothing breaks without a bound" do
  deep = ->(n) { "[" * n + "]" * n }
  assert_equal Array, JSON.parse(deep.call(100)).class
  assert_equal [JSON::NestingError, "nesting of 101 is too deep at line 1 column 101"], [refused(deep.call(101)).class, refused(deep.call(101)).message]
  assert_equal nil, refused("[[1]]", max_nesting: 2)
  assert_equal JSON::NestingError, refused("[[[1]]]", max_nesting: 2).class
  assert_equal JSON::NestingError, refused('{"a":[]}', max_nesting: 1).class
  [0, nil, false].each { |no| assert_equal Array, JSON.parse(deep.call(50_000), max_nesting: no).class }
  assert_equal JSON::NestingError, refused(deep.call(200_000), max_nesting: 0).class
  assert_equal JSON::NestingError, refused("[" * 200_000, max_nesting: 0).class
  assert_equal JSON::NestingError, refused('{"a":' * 200_000, max_nesting: 10_000_000).class
end

test "what is not JSON is refused" do
  ["", " ", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{a:1}", "{1:2}", "{\"a\" 1}",
   "{\"a\":1 \"b\":2}", "01", "-", "-a", "+1", "1.", ".5", "1.e1", "1e", "1e+", "0x1", "1_000", "nul", "nulll", "True", "undefined", "'a'", "\"a", "\"\\\"",
   "\"\\q\"", "\"\\u12\"", "\"\\u12g4\"", "\"\n\"", "\"\t\"", "\"\0\"", "[1]x", "1 2", "[] []", "/* */ 1", "// \n1", "\u00e9", "\ufeff1", "\0", "[1,\0]"].each do |text|
    assert_equal [text, JSON::ParserError], [text, refused(text).class]
  end
end

test "what is not UTF-8 is refused" do
  ["\xff", "\x80", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe6\xbc", "a\xffb", "\xf0\x9f\x98"].each do |bytes|
    assert_equal [bytes, JSON::ParserError], [bytes, refused("\"#{bytes}\"").class]
    assert_equal [bytes, JSON::ParserError], [bytes, refused("{\"#{bytes}\":1}").class]
    assert_equal [bytes, JSON::ParserError], [bytes, refused(bytes).class]
  end
  ['"\ud800"', '"\udc00"', '"\ud800\u0041"', '"\ud83d😀"', '"\ud83d\ud83d\ude00"'].each do |half|
    assert_equal [half, JSON::ParserError], [half, refused(half).class]
  end
end

test "errors say where" do
  e = refused("{\n  \"é\": [1,\n 2;]\n}")
  assert_equal "unexpected character ';', expected ',' or ']' at line 3 column 3", e.message
  assert_equal [3, 3, 16], [e.line, e.column, e.position]
  assert_equal "unexpected end of input at line 1 column 1", refused("").message
  assert_equal "unexpected character 0x01, expected a value at line 1 column 2", refused("[\x01").message
  assert_equal "unexpected character '漢', expected a string at line 1 column 2", refused("{漢").message
  assert_equal [true, true, true], [JSON::ParserError < JSON::JSONError, JSON::NestingError < JSON::ParserError, JSON::JSONError < StandardError]
end

test "only strings are parsed" do
  [nil, 1, :a, [], {}].each { |x| assert_raise(TypeError) { JSON.parse(x) } }
  assert_raise(ArgumentError) { JSON.parse }
  class Text
    def to_str
      "[1]"
    end
  end
  assert_equal [1], JSON.parse(Text.new)
end

test "load and JSON[]" do
  io = Object.new
  def io.read
    "[1,{\"a\":NaN}]"
  end
  assert_equal [1, nil, nil], [JSON.load(io)[0], JSON.load(nil), JSON.load("")]
  seen = []
  JSON.load('[1,{"a":[2]}]', ->(x) { seen << x })
  assert_equal [1, "a", 2, [2], { "a" => [2] }, [1, { "a" => [2] }]], seen
  assert_equal [[1], "[1]", [1], "{\"a\":1}"], [JSON["[1]"], JSON[[1]], JSON("[1]"), JSON({ a: 1 })]
  assert_equal({ "json_class" => "String" }, JSON.load('{"json_class":"String"}'))
end

test "large documents, and collections under way" do
  records = (0...5000).map { |i| "{\"id\":#{i},\"name\":\"name \\u00e9 #{i}\",\"tags\":[\"a\",\"b#{i}\"],\"big\":#{10**25 + i}}" }
  3.times do
    parsed = JSON.parse("[#{records.join(",")}]")
    GC.start
    assert_equal [5000, 4999, "name é 17", "b17", 10**25 + 17], [parsed.size, parsed[-1]["id"], parsed[17]["name"], parsed[17]["tags"][1], parsed[17]["big"]]
  end
  1000.times { |i| refused("[#{"[" * (i % 90)}\"abc#{i}\\n\",{\"key#{i}\":1e5,") }
end

test "arrays of any length" do
  assert_equal [200_001, 7], JSON.parse("[#{"1," * 200_000}7]").then { |a| [a.size, a.last] }
  assert_equal 400_001, JSON.generate(Array.new(200_000, 1)).size
  hash = {}
  200_000.times { |i| hash[i.to_s] = i }
  assert_equal 199_999, JSON.parse(JSON.generate(hash))["199999"]
end
