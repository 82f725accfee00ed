# SPDX-License-Identifier: Apache-2.0
#
# The Ruby half of Bench: thin methods over what src/api_*.c defines.

module Bench
  class Error < StandardError
  end

  # An object was used whose request has ended.
  class StaleError < Error
  end

  # What a client sent cannot be used: a body that is too large, malformed or late, parameters that
  # contradict each other.
  class ClientError < Error
    # The status that the client gets if nobody rescues this.
    def status
      @status || 400
    end
  end

  # These two end a script; no StandardErrors, so that a plain rescue lets them pass.
  class Disconnected < Exception
  end

  class Halt < Exception
  end

  module Log
    # The numbers are httpd's own levels.
    { error: 3, warn: 4, notice: 5, info: 6, debug: 7 }.each do |name, level|
      define_singleton_method(name) do |message|
        write(level, message.to_s)
        nil
      end
    end
  end

  def self.log
    Log
  end

  def self.version
    VERSION
  end

  # What $stdout and $stderr have in common.
  module Stream
    def <<(text)
      write(text)
      self
    end

    def printf(format, *values)
      write(sprintf(format, *values))
      nil
    end

    def putc(character)
      write(character.is_a?(Integer) ? (character & 255).chr : character[0])
      character
    end

    def sync
      true
    end

    def sync=(value)
      value
    end

    def tty?
      false
    end
  end

  class Output
    include Stream
  end

  class Errors
    include Stream

    def flush
      self
    end
  end

  # What $stdin is: a server has no input but the request's.
  class Nothing
    def read(length = nil, *)
      length && length > 0 ? nil : ""
    end

    def gets(*)
      nil
    end

    def each_line
      self
    end

    def eof?
      true
    end
  end

  # self at the top of a script.
  class Main
    def to_s
      "main"
    end
    alias inspect to_s

    def include(*modules)
      Object.include(*modules)
    end

    def define_method(name, *rest, &block)
      Object.define_method(name, *rest, &block)
    end

    def public(*)
      nil
    end

    def private(*)
      nil
    end
  end
end
