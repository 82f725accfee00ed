# SPDX-License-Identifier: Apache-2.0
#
# What Ruby people take for granted in the core and mruby does not have.

class Integer
  def even?
    self % 2 == 0
  end

  def odd?
    self % 2 == 1
  end

  def pred
    self - 1
  end

  def bit_length
    n = self < 0 ? ~self : self
    length = 0
    while n > 0
      length += 1
      n >>= 1
    end
    length
  end
end

# Strings here are bytes, of which the methods for characters expect UTF-8; there is no other encoding.
class Encoding
  attr_reader :name

  def initialize(name)
    @name = name
  end

  def to_s
    @name
  end

  def inspect
    "#<Encoding:#{@name}>"
  end

  UTF_8 = new("UTF-8")
  ASCII_8BIT = new("ASCII-8BIT")
  BINARY = ASCII_8BIT

  def self.default_external
    UTF_8
  end
end

class String
  def encoding
    Encoding::UTF_8
  end

  def force_encoding(_)
    self
  end

  def encode(*)
    dup
  end

  def b
    dup
  end
end

# mruby's take a number only.
module Kernel
  alias __rand rand

  def rand(most = 0)
    Random.__within(most) { |n| __rand(n) }
  end
end

class Random
  alias __rand rand

  def rand(most = 0)
    Random.__within(most) { |n| __rand(n) }
  end

  class << self
    alias __rand rand

    def rand(most = 0)
      __within(most) { |n| __rand(n) }
    end

    # A range by the random numbers that the block gives below a number, or as a fraction for 0.
    def __within(most)
      return yield(most) unless most.is_a?(Range)
      first = most.begin
      last = most.end
      return first + yield(0) * (last - first) if first.is_a?(Float) || last.is_a?(Float)
      count = last - first + (most.exclude_end? ? 0 : 1)
      count > 0 ? first + yield(count) : nil
    end
  end
end
