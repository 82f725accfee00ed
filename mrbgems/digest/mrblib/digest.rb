# SPDX-License-Identifier: Apache-2.0

class Digest::Base
  def inspect
    "#<#{self.class}: #{hexdigest}>"
  end

  def digest!
    result = digest
    reset
    result
  end

  def hexdigest!
    result = hexdigest
    reset
    result
  end

  def base64digest!
    result = base64digest
    reset
    result
  end
end
