# SPDX-License-Identifier: Apache-2.0

class Regexp
  # A pattern that matches what any of the patterns does.
  def self.union(*patterns)
    patterns = patterns[0] if patterns.size == 1 && patterns[0].is_a?(Array)
    return compile("(?!)") if patterns.empty?
    return patterns[0] if patterns.size == 1 && patterns[0].is_a?(Regexp)

    compile(patterns.map { |p| p.is_a?(Regexp) ? p.to_s : escape(p) }.join("|"))
  end

  def self.try_convert(object)
    object.is_a?(Regexp) ? object : nil
  end
end

class MatchData
  def values_at(*indexes)
    indexes.flat_map do |i|
      i.is_a?(Range) ? to_a.values_at(i) : [self[i]]
    end
  end

  def match(which)
    self[which]
  end

  def match_length(which)
    self[which] && self[which].length
  end

  def deconstruct
    captures
  end

  def deconstruct_keys(keys)
    all = named_captures(symbolize_names: true)
    keys ? all.slice(*keys) : all
  end

  def hash
    [string, regexp, to_a].hash
  end

  def inspect
    labels = names.empty? ? (1...size).to_a : names
    groups = labels.map { |label| " #{label}:#{self[label].inspect}" }
    "#<MatchData #{self[0].inspect}#{groups.join}>"
  end
end

class Symbol
  def =~(pattern)
    to_s =~ pattern
  end

  def match(*args, &block)
    to_s.match(*args, &block)
  end

  def match?(*args)
    to_s.match?(*args)
  end

  def [](*args)
    to_s[*args]
  end

  def start_with?(*prefixes)
    to_s.start_with?(*prefixes)
  end
end

class NilClass
  def =~(_pattern)
    nil
  end
end
