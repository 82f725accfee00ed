# SPDX-License-Identifier: Apache-2.0
# JSON.generate, pretty_generate, dump, and to_json.

test "values" do
  assert_equal '[1,-2,1.5,true,false,null,"a",[],{}]', JSON.generate([1, -2, 1.5, true, false, nil, "a", [], {}])
  assert_equal ["1", "null", '"x"', "true"], [1, nil, "x", true].map { |x| JSON.generate(x) }
  assert_equal '{"a":1,"b":"c","2":null,"":3,"1.5":[4]}', JSON.generate({ "a" => 1, b: :c, 2 => nil, nil => 3, 1.5 => [4] })
  assert_equal "[1267650600228229401496703205376,-9223372036854775809]", JSON.generate([2**100, -(2**63) - 1])
end

test "floats are short, and what is no number is refused" do
  assert_equal "[0.1,0.3,-0.0,0.0,100.0,1.0e+20,1.0e+15,100000000000000.0,0.0001,1.0e-05,2.5e-10]",
               JSON.generate([0.1, 3 / 10.0, -0.0, 0.0, 1e2, 1e20, 1e15, 1e14, 1e-4, 1e-5, 2.5e-10])
  [Float::NAN, Float::INFINITY, -Float::INFINITY].each { |f| assert_raise(JSON::GeneratorError) { JSON.generate([f]) } }
  assert_equal "[NaN,Infinity,-Infinity]", JSON.generate([Float::NAN, Float::INFINITY, -Float::INFINITY], allow_nan: true)
  random = Random.new(3)
  2000.times do
    f = (random.rand - 0.5) * 10.0**(random.rand(60) - 30)
    text = JSON.generate(f)
    assert_equal [text, f], [text, JSON.parse(text)]
  end
  2000.times do
    digits = "#{1 + random.rand(9)}.#{random.rand(10**14)}5"
    text = JSON.generate(JSON.parse("#{digits}e#{random.rand(500) - 250}"))
    assert_equal [text, true], [text, text[/\A[\d.]+/].delete(".").sub(/\A0+/, "").sub(/0+\z/, "").size <= digits.size - 1]
  end
end

test "strings" do
  assert_equal '"\"\\\\/\b\f\n\r\t\u0000\u001f' + "\x7fé漢😀\"", JSON.generate("\"\\/\b\f\n\r\t\0\x1f\x7fé漢😀")
  assert_equal '"\u00e9\u6f22\ud83d\ude00a\u2028"', JSON.generate("é漢😀a\u2028", ascii_only: true)
  assert_equal '"<\/script>\u2028\u2029é"', JSON.generate("</script>\u2028\u2029é", script_safe: true)
  assert_equal "\"</script>\u2028\"", JSON.generate("</script>\u2028")
  assert_equal '{"a\/b":"\u00e9"}', JSON.generate({ "a/b" => "é" }, script_safe: true, ascii_only: true)
end

test "what is not UTF-8 is refused, wherever it is" do
  bad = ["\xff", "é\x80", "\xed\xa0\x80", "\xc3"]
  bad.each do |s|
    [s, [s], { s => 1 }, { "a" => s }].each { |x| assert_raise(JSON::GeneratorError) { JSON.generate(x) } }
    assert_raise(JSON::GeneratorError) { JSON.generate(s, ascii_only: true) }
    assert_raise(JSON::GeneratorError) { s.to_json }
  end
end

test "pretty" do
  assert_equal "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}",
               JSON.pretty_generate({ a: [1, { b: nil }], c: {}, d: [] })
  assert_equal ["[]", "1", "{}"], [JSON.pretty_generate([]), JSON.pretty_generate(1), JSON.pretty_generate({})]
  assert_equal "{\n\t\"a\": 1\n}", JSON.pretty_generate({ a: 1 }, indent: "\t")
  assert_equal "{\"a\" : 1,\"b\" : [1,2]}", JSON.generate({ a: 1, b: [1, 2] }, space: " ", space_before: " ")
  assert_equal "[\n1,\n2\n]", JSON.generate([1, 2], array_nl: "\n")
end

test "nesting is bounded" do
  deep = ->(n) { a = []; (n - 1).times { a = [a] }; a }
  assert_equal 200, JSON.generate(deep.call(100)).size
  assert_raise(JSON::NestingError) { JSON.generate(deep.call(101)) }
  assert_raise(JSON::NestingError) { JSON.generate([[1]], max_nesting: 1) }
  assert_equal "[[1]]", JSON.generate([[1]], max_nesting: 2)
  assert_equal 100_000, JSON.generate(deep.call(50_000), max_nesting: 0).size
  around = []
  around << { "a" => around }
  assert_raise(JSON::NestingError) { JSON.generate(around) }
  assert_raise(JSON::NestingError) { JSON.generate(around, max_nesting: 0) }
  assert_raise(JSON::NestingError) { around.to_json }
end

test "to_json of the core classes" do
  assert_equal ["null", "true", "false", "1", "1.5", '"a"', '"a"', "[1]", '{"a":1}'],
               [nil, true, false, 1, 1.5, "a", :a, [1], { a: 1 }].map(&:to_json)
  assert_equal "[\n  1\n]", [1].to_json(indent: "  ", array_nl: "\n")
  assert_equal (2**70).to_s, (2**70).to_json
  assert_equal '"1..2"', (1..2).to_json
  assert_equal '"Object"', Object.to_json
end

class Point
  def initialize(x, y)
    @x, @y = x, y
  end

  def to_h
    { x: @x, y: @y }
  end

  def to_json(*args)
    to_h.to_json(*args)
  end
end

class Name
  def to_s
    "a \"name\""
  end
end

class Tags < Array
end

class Secret < Hash
  def to_json(*)
    '"hidden"'
  end
end

class Odd
  def to_json(*)
    1
  end
end

test "objects say it themselves, or are their to_s" do
  assert_equal '[{"x":1,"y":{"x":2,"y":null}},"a \"name\""]', JSON.generate([Point.new(1, Point.new(2, nil)), Name.new])
  assert_equal '{"x":1,"y":2}', JSON.generate(Point.new(1, 2))
  assert_equal '"a \"name\""', Name.new.to_json
  assert_equal "[\n  {\n    \"x\": 1,\n    \"y\": [\n      {\n        \"x\": 2,\n        \"y\": 3\n      }\n    ]\n  }\n]",
               JSON.pretty_generate([Point.new(1, [Point.new(2, 3)])])
  assert_equal '[[1,"a"],"hidden"]', JSON.generate([Tags.new([1, "a"]), Secret.new])
  assert_equal ["[1]", '"hidden"'], [JSON.generate(Tags.new([1])), JSON.generate(Secret.new)]
  assert_equal '"1/2"', JSON.generate(Rational(1, 2))
  assert_raise(TypeError) { JSON.generate([Odd.new]) }
  deep = 1
  30.times { deep = Point.new(deep, 0) }
  assert_raise(JSON::NestingError) { JSON.generate(deep, max_nesting: 20) }
  1000.times { deep = Point.new(deep, 0) }
  assert_raise(SystemStackError) { JSON.generate(deep, max_nesting: 0) }
  class Raising
    def to_json(*)
      raise IndexError, "no"
    end
  end
  assert_raise(IndexError) { JSON.generate({ a: [Raising.new] }) }
end

test "an object with a singleton to_json" do
  s = { a: 1 }
  def s.to_json(*)
    "7"
  end
  assert_equal "[7]", JSON.generate([s])
end

test "a collection that changes under way" do
  list = [1, 2, 3]
  cutter = Object.new
  cutter.define_singleton_method(:to_json) { |*| list.clear; GC.start; "0" }
  list[1] = cutter
  assert_equal "[1,0]", JSON.generate(list)
  hash = { a: 1 }
  grower = Object.new
  grower.define_singleton_method(:to_json) { |*| 100.times { |i| hash[i] = i }; "0" }
  hash[:b] = grower
  assert_equal '{"a":1,"b":0}', JSON.generate(hash)
end

test "JSON::State" do
  state = JSON::State.new(indent: "  ", array_nl: "\n", max_nesting: 5)
  assert_equal "[\n  1\n]", state.generate([1])
  assert_equal "[\n  1\n]", JSON.generate([1], state)
  assert_equal [0, 5, "  ", ""], [state.depth, state.max_nesting, state.to_h[:indent], state.to_h[:space]]
  assert_raise(JSON::NestingError) { state.generate([[[[[[1]]]]]]) }
  assert_equal "[]", state.generate([])
  assert_equal "[1]", JSON::State.new.generate([1])
  assert_raise(TypeError) { JSON.generate([], 1) }
  assert_raise(TypeError) { JSON.generate([], indent: 1) }
  assert_raise(TypeError) { JSON::State.allocate.generate([]) }
end

test "dump" do
  assert_equal ["[1]", "null", "[NaN]"], [JSON.dump([1]), JSON.dump(nil), JSON.dump([Float::NAN])]
  io = Object.new
  def io.write(text)
    @text = text
  end
  def io.text
    @text
  end
  assert_equal [true, "[1]"], [JSON.dump([1], io).equal?(io), io.text]
  assert_raise(ArgumentError) { JSON.dump([[1]], 1) }
  assert_raise(ArgumentError) { JSON.dump([[1]], io, 1) }
end

test "there and back, and collections under way" do
  data = (0...3000).map { |i| { "id" => i, "text" => "é#{i}\n" * 3, "list" => [i, i.to_f / 3, nil, { "deep" => [true] }] } }
  3.times do
    text = JSON.generate(data)
    GC.start
    assert_equal data, JSON.parse(text)
    assert_equal data, JSON.parse(JSON.pretty_generate(data))
  end
end
