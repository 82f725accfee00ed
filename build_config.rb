# SPDX-License-Identifier: Apache-2.0
#
# How mruby is built for mod_bench; tools/build-mruby runs it.
#
# One interpreter lives in each worker thread of a server, beside many others in the same process.
# So a gem is in when it is useful there, and out when it reads standard input, ends the process,
# or keeps something for the process as a whole.

# The lock file would be written beside this file, into the checkout.
MRuby::Lockfile.disable

# The Ruby files of mruby-io without what makes $stdin, $stdout and $stderr and uses them.  A server has
# no such streams, and mod_bench makes its own.  And a global variable is the one kind of name that cannot
# be a constant of the program: each interpreter that opens would write it into one table for all, while
# other threads read there.
def without_streams(gem, conf)
  Dir.mkdir(conf.build_dir) unless Dir.exist?(conf.build_dir)
  gem.rbfiles.reject { |file| file.end_with?("/kernel.rb") }.map do |file|
    next file unless file.end_with?("/io.rb")

    kept = File.readlines(file).reject { |line| line.match?(/^(\$std|STD)(in|out|err)\s*=/i) }.join
    copy = "#{conf.build_dir}/mruby-io.rb"
    File.write(copy, kept) unless File.exist?(copy) && File.read(copy) == kept
    copy
  end
end

MRuby::Build.new("host") do |conf|
  conf.toolchain :gcc

  sanitizers = { "address" => "address,undefined", "thread" => "thread" }
  variant    = ENV["BENCH_SANITIZE"].to_s
  how        = variant.empty? ? %w[-O3] : %W[-O1 -fno-omit-frame-pointer -fsanitize=#{sanitizers.fetch(variant)}]

  # The archive goes into a shared object that must show none of mruby's symbols: PIC and hidden.
  conf.cc.flags = %w[-std=gnu99 -g -fPIC -fvisibility=hidden] + how
  conf.linker.flags = how

  # MRB_USE_DEBUG_HOOK: the hook before each instruction, by which a script can be stopped.
  # MRB_UTF8_STRING:    String counts characters, as Ruby people expect; bytes stay reachable.
  # MRB_WORDBOX_NO_FLOAT_TRUNCATE: a Float keeps all of its bits; by default mruby cuts two of them off.
  # MRB_ARY_LENGTH_MAX: an Array is as long as memory lets it be, not 131,072.
  conf.cc.defines += %w[MRB_USE_DEBUG_HOOK MRB_UTF8_STRING MRB_WORDBOX_NO_FLOAT_TRUNCATE MRB_ARY_LENGTH_MAX=0]

  gems = {
    # Scripts are compiled in the server; eval, binding and Proc#binding belong to the language.
    # mrbc, a program, compiles our own mrblib/ when mod_bench is built.
    "language" => %w[compiler bin-mrbc error eval binding proc-binding catch fiber method metaprog objectspace],

    # What Ruby programmers take for granted in the core classes.
    "core classes" => %w[array-ext class-ext compar-ext enum-ext hash-ext kernel-ext numeric-ext object-ext proc-ext
                         range-ext string-ext symbol-ext toplevel-ext data enumerator enum-chain enum-lazy set struct],

    "text and numbers" => %w[pack sprintf time random math rational complex bigint],

    # Files, directories, sockets and pipes, as the user that the server runs as.
    # io brings Kernel#gets and $stdin with it: mod_bench puts its own in their place.
    "input and output" => %w[errno io dir socket],

    # Out: print (standard output is no response), sleep (blocks behind a time limit's back) and exit
    #      (ends the process for every other thread in it): mod_bench defines its own.
    # Out: the other programs, bin-*; they read standard input or are for a shell.
    # Out: os-memsize (counts what the allocator's account knows better), cmath (rarely used, needs complex.h).
    # Out: test.
  }

  gems.values.flatten.each do |name|
    # An older tree, given by MRUBY_SRC, lacks a few of these.
    if File.directory?("#{MRUBY_ROOT}/mrbgems/mruby-#{name}")
      conf.gem core: "mruby-#{name}" do |gem|
        gem.rbfiles = without_streams(gem, conf) if name == "io"
        gem.cc.flags += ["-include", "#{__dir__}/tools/compiler-says.h"] if name == "compiler"
      end
    else
      warn "build_config.rb: this mruby has no gem mruby-#{name}; going on without it"
    end
  end

  # Ours: they know nothing of httpd.
  Dir.glob("#{__dir__}/mrbgems/*/mrbgem.rake").sort.each { |rake| conf.gem File.dirname(rake) }

  # The Ruby half of mod_bench itself, which builds on them.
  conf.gem "#{__dir__}/mrblib"
end
