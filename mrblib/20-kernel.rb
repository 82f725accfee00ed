# SPDX-License-Identifier: Apache-2.0

class SystemExit < Exception
  attr_reader :status

  def success?
    @status == 0
  end
end

class LoadError < ScriptError
  attr_accessor :path
end

module Kernel
  def printf(format, *values)
    Bench.__stdout.write(sprintf(format, *values))
    nil
  end

  def putc(character)
    Bench.__stdout.putc(character)
  end

  # Ends the script, never the server.
  def abort(message = nil)
    Bench.__stderr.puts(message) if message
    exit(1)
  end

  def gets(*)
    nil
  end

  # A file; a name that begins with "|" is no command here.
  def open(path, *rest, &block)
    File.open(path, *rest, &block)
  end
end

STDIN = Bench::Nothing.new # $stdin, too: set in C, since no global variable may stand in here

class Random
  class << self
    alias __new new

    # Without a seed, mruby begins with the same numbers each time.
    def new(seed = rand(0x7fffffff))
      __new(seed)
    end
  end
end
