# SPDX-License-Identifier: Apache-2.0
# What a script can count on in every interpreter, whatever gems mruby is built from.

test "strings keep every byte" do
  all = (0..255).map(&:chr).join
  all = [*0..255].pack("C*")
  assert_equal 256, all.bytesize
  assert_equal [*0..255], all.bytes
  assert_equal "a\0b".bytesize, 3
end

test "strings count characters" do
  assert_equal 5, "Grüße".length
  assert_equal 7, "Grüße".bytesize
  assert_equal "eßürG", "Grüße".reverse
end

test "what is not UTF-8 survives" do
  assert_equal [255, 254, 97], "\xff\xfea".bytes
end

test "the useful gems are there" do
  assert_equal [1, 2], [2, 1].sort
  assert_equal Set.new([1]), Set.new([1, 1])
  assert_equal "007", sprintf("%03d", 7)
  assert_equal [1, 2], [1, 2].pack("nn").unpack("nn")
  assert_equal 3, Struct.new(:a).new(3).a
  assert_equal 2, Fiber.new { 2 }.resume
  assert_equal [2, 4], (1..Float::INFINITY).lazy.map { |x| x * 2 }.first(2)
  assert_equal 2**100, 1267650600228229401496703205376
  assert_equal Rational(1, 2), Rational(2, 4)
  assert_equal 2.0, Math.sqrt(4)
  assert_equal true, Time.now.year > 2000
  assert_equal 5, eval("2 + 3")
  assert_equal :done, catch(:x) { throw :x, :done }
  assert_equal true, File.exist?("/")
  assert_equal true, Dir.exist?("/")
end

test "nothing ends the process or sleeps behind our back" do
  [:exit, :exit!, :at_exit, :fork, :sleep, :usleep].each do |name|
    assert_equal false, Object.new.respond_to?(name, true)
  end
  assert_equal false, Object.const_defined?(:Signal)
  assert_equal false, Object.const_defined?(:Process)
end

test "random numbers come from this interpreter's own seed" do
  a = Array.new(8) { rand(1 << 30) }
  assert_equal 8, a.uniq.size
  assert_equal true, rand < 1.0
end

test "recursion without end is an exception" do
  def deeper
    deeper
  end
  assert_raise(SystemStackError) { deeper }
end

test "a byte that belongs to no character is one of its own" do
  assert_equal nil, "\x80".index("c")
  assert_equal 4, "\x80abc".index("c") + 1
  assert_equal "cba\x80", "\x80abc".reverse
  assert_equal "\x80ab", "\x80abc".chop
  assert_equal 4, "\x80abc".chars.size
  assert_equal 2, "\xff\xfe".length
end
