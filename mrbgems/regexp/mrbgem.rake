# SPDX-License-Identifier: Apache-2.0
MRuby::Gem::Specification.new("regexp") do |spec|
  spec.license = "Apache-2.0"
  spec.author  = "mod_bench"
  spec.summary = "Regexp and MatchData through PCRE2, and what String does with them"

  spec.cc.flags += %w[-Wall -Wextra -Wno-unused-parameter -Werror]
  spec.linker.libraries << "pcre2-8"

  # Its String#partition and others are replaced by ours, which fall back on them.
  spec.add_dependency "mruby-string-ext"
  spec.add_dependency "mruby-enumerator"
end
