# SPDX-License-Identifier: Apache-2.0
#
# Turn expressions into a test that says what CRuby makes of them.
#
#     /usr/bin/ruby tools/compare.rb FILE > TEST
#
# FILE says `same "Base64.encode64(#{lit(bytes)})"` for as many expressions as it likes: each is
# evaluated here, and TEST, run by rubytest, asks that it gives the same value or exception there.
# The same random numbers come at each run.  COMPARE_TIMES=50 makes 50 times as many cases.

require "stringio"

module Compare
  PER_TEST = 100

  class << self
    attr_accessor :cases
  end
  self.cases = []

  # The text of a value, byte by byte.
  def self.literal(value)
    case value
    when String
      '"' + value.b.gsub(/[^ !$-\[\]-z|~]/n) { |byte| format('\x%02x', byte.ord) } + '"'
    when Symbol
      ":" + literal(value.to_s)
    when Array
      "[" + value.map { |v| literal(v) }.join(", ") + "]"
    when Hash
      "{" + value.map { |k, v| "#{literal(k)} => #{literal(v)}" }.join(", ") + "}"
    when Integer, Float, true, false, nil
      value.inspect
    else
      raise ArgumentError, "no literal for #{value.inspect}"
    end
  end

  def self.evaluate(expression, encoding)
    value = eval(expression.dup.force_encoding(encoding), TOPLEVEL_BINDING.dup)
    "assert_equal #{literal(value)}, (#{expression})"
  rescue StandardError, ScriptError => e
    "assert_raise(#{e.class}) { #{expression} }"
  end

  def self.print(title)
    cases.each_slice(PER_TEST).with_index(1) do |slice, number|
      puts "test #{"#{title} #{number}".inspect} do"
      slice.each { |line| puts "  " + line }
      puts "end"
    end
    $stderr.puts "compare: #{title}: nothing to compare" if cases.empty?
    exit 1 if cases.empty?
  end
end

RANDOM = Random.new(20_001)

# Some of what CRuby does depends on the encoding of a string; ours have none.
def same(expression, encoding = "UTF-8")
  Compare.cases << Compare.evaluate(expression, encoding)
end

def lit(value)
  Compare.literal(value)
end

def times(count, &block)
  (count * ENV.fetch("COMPARE_TIMES", "1").to_i).times(&block)
end

# Up to `most` pieces, each one of `pieces`, or any byte where a piece is nil.
def text(pieces, most = 12)
  Array.new(RANDOM.rand(most + 1)) { (pieces[RANDOM.rand(pieces.size)] || RANDOM.bytes(1)).b }.join
end

def pick(*values)
  values[RANDOM.rand(values.size)]
end

if $PROGRAM_NAME == __FILE__
  file = ARGV.fetch(0)
  load File.expand_path(file)
  Compare.print("as CRuby: " + file)
end
