# SPDX-License-Identifier: Apache-2.0

# Whether each of count values is drawn about equally often.
def fair?(count)
  tally = Array.new(count, 0)
  (count * 400).times { tally[yield] += 1 }
  tally.all? { |n| n > 250 && n < 600 }
end

test "how much there is" do
  assert_equal 16, SecureRandom.random_bytes.bytesize
  assert_equal 16, SecureRandom.random_bytes(nil).bytesize
  assert_equal 0, SecureRandom.random_bytes(0).bytesize
  assert_equal 100_001, SecureRandom.bytes(100_001).bytesize
  assert_equal 32, SecureRandom.hex.size
  assert_equal 6, SecureRandom.hex(3).size
  assert_equal 0, SecureRandom.hex(0).size
  assert_equal 4, SecureRandom.hex(2.9).size
  assert_equal 24, SecureRandom.base64.size
  assert_equal 22, SecureRandom.urlsafe_base64.size
  assert_equal 24, SecureRandom.urlsafe_base64(nil, true).size
  assert_equal 16, SecureRandom.alphanumeric.size
  assert_equal 1000, SecureRandom.alphanumeric(1000).size
end

test "what there is" do
  only = ->(text, allowed) { text.bytes.all? { |b| allowed.bytes.include?(b) } }
  digits = "0123456789abcdef"
  letters = [*"a".."z", *"A".."Z", *"0".."9"].join
  assert_equal true, only.(SecureRandom.hex(500), digits)
  assert_equal true, only.(SecureRandom.alphanumeric(5000), letters)
  assert_equal letters.size, SecureRandom.alphanumeric(5000).bytes.uniq.size
  assert_equal true, only.(SecureRandom.base64(500), letters + "+/=")
  assert_equal true, only.(SecureRandom.urlsafe_base64(500), letters + "-_")
  assert_equal 256, SecureRandom.random_bytes(10_000).bytes.uniq.size
  assert_equal 300, Base64.strict_decode64(SecureRandom.base64(300)).bytesize
end

test "never the same twice" do
  assert_equal 1000, Array.new(1000) { SecureRandom.hex(8) }.uniq.size
  assert_equal 1000, Array.new(1000) { SecureRandom.uuid }.uniq.size
end

test "a UUID of version 4" do
  100.times do
    id = SecureRandom.uuid
    assert_equal [8, 4, 4, 4, 12], id.split("-").map(&:size)
    assert_equal "4", id[14]
    assert_equal true, "89ab".include?(id[19])
  end
end

test "random_number is within its limits" do
  200.times do
    assert_equal true, (0...10).include?(SecureRandom.random_number(10))
    assert_equal true, (0.0...1.0).include?(SecureRandom.random_number)
    assert_equal true, (0.0...1.0).include?(SecureRandom.random_number(0))
    assert_equal true, (0.0...1.0).include?(SecureRandom.random_number(-3))
    assert_equal true, (0.0...2.5).include?(SecureRandom.random_number(2.5))
    assert_equal true, (-2..2).include?(SecureRandom.random_number(-2..2))
    assert_equal true, (1.5..1.75).include?(SecureRandom.random_number(1.5..1.75))
    assert_equal true, (0...3).include?(SecureRandom.rand(3))
  end
  assert_equal 0, SecureRandom.random_number(1)
  assert_equal 7, SecureRandom.random_number(7..7)
  assert_equal 1.5, SecureRandom.random_number(1.5..1.5)
  assert_equal Integer, SecureRandom.random_number(1..2).class
  assert_equal Float, SecureRandom.random_number(1..2.0).class
  assert_equal Float, SecureRandom.random_number(3..1).class
  assert_equal Float, SecureRandom.random_number(1...1).class
end

test "large numbers" do
  [2**62, 2**63, 2**64, 2**100, 3**50, 10**30 + 1].each do |limit|
    drawn = Array.new(100) { SecureRandom.random_number(limit) }
    assert_equal true, drawn.all? { |n| n >= 0 && limit > n }
    assert_equal true, drawn.any? { |n| limit / 2 < n }
    assert_equal true, drawn.any? { |n| limit / 2 > n }
  end
  low = 2**70
  100.times { assert_equal true, (low..low + 5).include?(SecureRandom.random_number(low..low + 5)) }
end

test "each as often as the others" do
  [2, 3, 5, 7, 10].each { |n| assert_equal true, fair?(n) { SecureRandom.random_number(n) } }
  assert_equal true, fair?(5) { SecureRandom.random_number(10..14) - 10 }
  assert_equal true, fair?(8) { (SecureRandom.random_number * 8).to_i }
  letters = [*"A".."Z", *"a".."z", *"0".."9"]
  assert_equal true, fair?(62) { letters.index(SecureRandom.alphanumeric(1)) }
end

test "what cannot be" do
  [-1, 2**62].each do |n|
    assert_raise(ArgumentError) { SecureRandom.random_bytes(n) }
    assert_raise(ArgumentError) { SecureRandom.hex(n) }
  end
  assert_raise(TypeError) { SecureRandom.bytes(nil) }
  assert_raise(TypeError) { SecureRandom.hex("3") }
  ["x", :a, [], "a".."b"].each do |limit|
    assert_raise(ArgumentError) { SecureRandom.random_number(limit) }
  end
  [Float::NAN, Float::INFINITY, 1..nil, nil..1, 0.0..Float::INFINITY].each do |limit|
    assert_raise(Errno::EDOM) { SecureRandom.random_number(limit) }
  end
end
