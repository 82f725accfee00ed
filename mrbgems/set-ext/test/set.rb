# SPDX-License-Identifier: Apache-2.0

test "to_set" do
  assert_equal Set[1, 2], [1, 2, 1].to_set
  assert_equal Set[1, 2, 3], (1..3).to_set
  assert_equal Set[[:a, 1]], { a: 1 }.to_set
  assert_equal Set[2, 4], [1, 2].to_set { |x| x * 2 }
  set = Set[1]
  assert_equal true, set.to_set.equal?(set)
  class Tags < Set; end
  assert_equal Tags, [1].to_set(Tags).class
end

test "equal sets are the same key" do
  assert_equal Set[1, 2].hash, Set[2, 1].hash
  assert_equal :found, { Set["a", "b"] => :found }[Set["b", "a"]]
  assert_equal 1, Set[Set[1, 2], Set[2, 1]].size
  assert_equal [Set[1, 2]], [Set[1, 2], Set[2, 1]].uniq
  assert_equal false, Set[1].eql?(Set[2])
end

test "frozen sets" do
  set = Set[1].freeze
  assert_equal true, set.frozen?
  [[:add, 2], [:<<, 2], [:delete, 1], [:clear], [:merge, [2]], [:reset]].each do |call|
    assert_raise(FrozenError) { set.__send__(*call) }
  end
  assert_equal Set[1], set
  assert_equal Set[1, 2], set.dup << 2
  assert_equal Set[1, 2], set | [2]
end

test "merge takes several" do
  assert_equal Set[1, 2, 3], Set[1].merge([2], 3..3)
  assert_equal Set[1], Set[1].merge
  assert_raise(ArgumentError) { Set[1].merge(2) }
end

test "what they have in common" do
  assert_equal true, Set[1, 2].intersect?([2, 3])
  assert_equal false, Set[1, 2].intersect?([])
  assert_equal true, Set[1].intersect?(Set[1, 2, 3])
  assert_equal true, Set[1, 2].disjoint?([3])
  assert_equal false, Set[1, 2].disjoint?(Set[2])
  assert_raise(ArgumentError) { Set[1].intersect?(1) }
end

test "reset finds elements that were changed" do
  key = [1]
  set = Set[key]
  key << 2
  assert_equal true, set.reset.equal?(set)
  assert_equal true, set.include?([1, 2])
end

test "what mruby's own Set does" do
  assert_equal [Set[1, 2, 3], Set[1], Set[2], Set[1, 3]], [Set[1, 2] | [3], Set[1, 2] - [2], Set[1, 2] & [2], Set[1, 2] ^ [2, 3]]
  assert_equal [true, true, false, true], [Set[1] <= Set[1, 2], Set[1] < Set[1, 2], Set[1] >= Set[1, 2], Set[1, 2] > Set[1]]
  assert_equal [-1, 0, 1, nil], [Set[1] <=> Set[1, 2], Set[1] <=> Set[1], Set[1, 2] <=> Set[1], Set[1] <=> Set[2]]
  assert_equal [nil, Set[1, 2]], [Set[1].add?(1), Set[1].add?(2)]
  assert_equal true, Set[1] === 1
  assert_equal "#<Set: {1, 2}>", Set[1, 2].inspect
  assert_equal Set[1, 2, 3], Set[Set[1], Set[Set[2], 3]].flatten
  assert_equal({ true => Set[2], false => Set[1, 3] }, Set[1, 2, 3].classify { |x| x % 2 == 0 })
end
