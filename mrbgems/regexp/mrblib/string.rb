# SPDX-License-Identifier: Apache-2.0
#
# What takes a block is a loop in Ruby, so that the block may do what blocks may: break, or let a Fiber
# rest.  A walk (src/rx_walk.c) goes from match to match.

class String
  def scan(pattern, &block)
    walk = __walk(pattern)
    unless block
      nil until (found = walk.collect)
      return found
    end
    block.call(walk.item) while walk.next
    self
  end

  def gsub(pattern, by = (missing = true), &block)
    return to_enum(:gsub, pattern) if missing && !block

    __gsub(pattern, missing ? block : by).result
  end

  def gsub!(pattern, by = (missing = true), &block)
    raise FrozenError, "can't modify frozen String" if frozen?
    return to_enum(:gsub!, pattern) if missing && !block

    walk = __gsub(pattern, missing ? block : by)
    result = walk.result
    walk.found? ? replace(result) : nil
  end

  def sub(pattern, by = (missing = true), &block)
    __sub(pattern, __replacement(missing, by, block)).result
  end

  def sub!(pattern, by = (missing = true), &block)
    raise FrozenError, "can't modify frozen String" if frozen?

    walk = __sub(pattern, __replacement(missing, by, block))
    result = walk.result
    walk.found? ? replace(result) : nil
  end

  alias __slice_string! slice!

  def slice!(what, part = (missing = true))
    return __cut(what, missing ? 0 : part) if what.is_a?(Regexp)

    missing ? __slice_string!(what) : __slice_string!(what, part)
  end

  alias __partition_string partition

  def partition(separator)
    return __partition_string(separator) unless separator.is_a?(Regexp)

    __parts(separator, false) || [dup, "", ""]
  end

  alias __rpartition_string rpartition

  def rpartition(separator)
    return __rpartition_string(separator) unless separator.is_a?(Regexp)

    __parts(separator, true) || ["", "", dup]
  end

  private

  def __replacement(missing, by, block)
    return by unless missing
    raise ArgumentError, "wrong number of arguments (given 1, expected 2)" unless block

    block
  end

  # by: a String with \1 and so on, a Hash or a block.
  def __gsub(pattern, by)
    walk = __walk(pattern)
    if by.is_a?(Proc)
      walk.put(by.call(walk.text)) while walk.next
    elsif by.is_a?(Hash)
      walk.put(by[walk.text]) while walk.next
    else
      nil until walk.replace_all(by)
    end
    walk
  end

  def __sub(pattern, by)
    walk = __walk(pattern)
    if by.is_a?(Proc)
      walk.put(by.call(walk.text)) if walk.next
    elsif by.is_a?(Hash)
      walk.put(by[walk.text]) if walk.next
    else
      walk.replace_one(by)
    end
    walk
  end

  def __split_regexp(pattern, limit)
    walk = __walk(pattern)
    nil until (parts = walk.split(limit))
    parts
  end

  def __split_each(pattern, limit, &block)
    split(pattern, limit).each(&block)
    self
  end
end
