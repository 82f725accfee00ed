# SPDX-License-Identifier: Apache-2.0

module Enumerable
  def to_set(klass = Set, *arguments, &block)
    klass.new(self, *arguments, &block)
  end
end

class Set
  def to_set
    self
  end

  # The same for equal sets, in whatever order they were filled.
  def hash
    inject(size) { |sum, element| sum ^ element.hash }
  end

  # A frozen set has to keep its elements.
  def freeze
    @hash.freeze
    super
  end

  def merge(*enums)
    enums.each { |enum| __do_with_enum(enum) { |element| add(element) } }
    self
  end

  def intersect?(enum)
    enum = Set.new(enum) unless enum.is_a?(Set)
    small, large = size < enum.size ? [self, enum] : [enum, self]
    small.any? { |element| large.include?(element) }
  end

  def reset
    raise FrozenError, "can't modify frozen Set" if frozen?

    @hash.rehash
    self
  end
end
