# SPDX-License-Identifier: Apache-2.0

module SecureRandom
  class << self
    # Below a positive number, within a range, otherwise a Float below 1.
    def random_number(limit = nil)
      case limit
      when nil
        __float
      when Integer
        limit > 0 ? __integer(limit) : __float
      when Float
        __finite(limit)
        limit > 0 ? __float * limit : __float
      when Range
        __within(limit)
      else
        raise ArgumentError, "invalid argument - #{limit}"
      end
    end

    def rand(limit = nil)
      random_number(limit)
    end

    # Of numbers of as many bits as the limit has, the first that is small enough.
    def __integer(limit)
      return __below(limit) if limit <= 0x3fff_ffff_ffff_ffff

      bits = limit.to_s(2).size
      drawn = limit
      drawn = hex((bits + 7) / 8).to_i(16) >> (-bits % 8) until limit > drawn # mruby cannot compare the other way round
      drawn
    end

    def __finite(number)
      raise Errno::EDOM if number.nil? || number.is_a?(Float) && !number.finite?
    end

    def __within(range)
      low = range.begin
      high = range.end
      __finite(low)
      __finite(high)
      if low.is_a?(Integer) && high.is_a?(Integer)
        count = high - low + (range.exclude_end? ? 0 : 1)
        count > 0 ? low + __integer(count) : __float
      elsif low.is_a?(Numeric) && high.is_a?(Numeric)
        length = high.to_f - low
        return __float if length < 0 || length == 0 && range.exclude_end?

        __finite(length)
        low + __float(!range.exclude_end?) * length
      else
        raise ArgumentError, "invalid argument - #{range}"
      end
    end
  end
end
