# SPDX-License-Identifier: Apache-2.0
#
# httpd's tables as Ruby reads them: names without regard to case, values Strings.

module Bench
  module Table
    include Enumerable

    def each(&block)
      return to_enum(:each) unless block
      to_a.each(&block)
      self
    end

    # Values of the same name, in whatever case, joined as HTTP joins them.
    def to_h
      names = {}
      to_a.each_with_object({}) do |(name, value), hash|
        known = (names[name.downcase] ||= name)
        hash[known] = hash.key?(known) ? "#{hash[known]}, #{value}" : value
      end
    end

    def key?(name)
      !self[name].nil?
    end
    alias has_key? key?
    alias include? key?

    def fetch(name, default = nil)
      value = self[name]
      return value unless value.nil?
      return yield(name) if block_given?
      return default unless default.nil?
      raise KeyError, "key not found: #{name.inspect}"
    end

    def get_all(name)
      wanted = name.downcase
      to_a.select { |other, _| other.downcase == wanted }.map { |_, value| value }
    end

    def keys
      to_a.map { |name, _| name }
    end

    def size
      to_a.size
    end

    def inspect
      to_h.inspect
    end
  end

  # Tables that can be written.
  module WritableTable
    def delete(name)
      value = self[name]
      self[name] = nil
      value
    end

    def merge!(hash)
      hash.each { |name, value| self[name] = value }
      self
    end
    alias update merge!
  end

  class RequestHeaders
    include Table
  end

  class ResponseHeaders
    include Table
    include WritableTable
  end

  class Notes
    include Table
    include WritableTable
  end

  class SubprocessEnv
    include Table
    include WritableTable
  end
end
