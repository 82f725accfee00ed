# SPDX-License-Identifier: Apache-2.0

# To a power of ten; mruby's own go wrong for negative digits.
class Integer
  def floor(digits = 0)
    digits >= 0 ? self : self.div(10**-digits) * 10**-digits
  end

  def ceil(digits = 0)
    digits >= 0 ? self : -((-self).div(10**-digits)) * 10**-digits
  end

  def round(digits = 0)
    return self if digits >= 0
    unit = 10**-digits
    rounded = (self.abs + unit.div(2)).div(unit) * unit
    self < 0 ? -rounded : rounded
  end

  def truncate(digits = 0)
    self < 0 ? ceil(digits) : floor(digits)
  end
end
