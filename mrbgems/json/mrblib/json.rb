# SPDX-License-Identifier: Apache-2.0

module JSON
  # Where in the text: line and column in characters from 1, position in bytes from 0.
  class ParserError
    attr_reader :line, :column, :position
  end

  PRETTY = { indent: "  ", space: " ", object_nl: "\n", array_nl: "\n" }.freeze
  Infinity = Float::INFINITY
  MinusInfinity = -Float::INFINITY
  NaN = Float::NAN

  def self.parse(source, options = nil)
    source = source.to_str unless source.is_a?(String) || !source.respond_to?(:to_str)
    __parse(source, options)
  end

  # Without a limit for nesting, and with NaN and Infinity.
  def self.parse!(source, options = nil)
    __parse(source, options, 0, true)
  end

  def self.pretty_generate(object, options = nil)
    return generate(object, options) if options.is_a?(State)

    generate(object, options ? PRETTY.merge(options) : PRETTY)
  end

  # JSON["text"] is parsed, JSON[object] generated.
  def self.[](object, options = nil)
    object.is_a?(String) ? parse(object, options) : generate(object, options)
  end

  # To an IO or as a String.  limit: how deep it may be.
  def self.dump(object, io = nil, limit = nil)
    io, limit = nil, io if limit.nil? && io.is_a?(Integer)
    begin
      text = generate(object, max_nesting: limit || 0, allow_nan: true)
    rescue NestingError
      raise ArgumentError, "exceed depth limit"
    end
    return text unless io

    io.write(text)
    io
  end

  # From an IO or a String.  Calls proc with each value in it, the innermost first.
  # Nothing but JSON's own types ever comes of it.
  def self.load(source, proc = nil, options = nil)
    source = source.read if source.respond_to?(:read)
    return nil if source.nil? || source.empty?

    result = __parse(source, options, 0, true)
    proc ? __each_value(result, proc) : result
  end

  def self.__each_value(value, proc)
    case value
    when Array then value.each { |member| __each_value(member, proc) }
    when Hash then value.each { |key, member| __each_value(key, proc); __each_value(member, proc) }
    end
    proc.call(value)
    value
  end
end

module Kernel
  def JSON(object, options = nil)
    JSON[object, options]
  end
end
