# SPDX-License-Identifier: Apache-2.0
#
# The Ruby half of mod_bench, built as a gem of mruby's: that turns it into constant data, which all
# interpreters of all threads share, instead of bytecode that each would load for itself.

MRuby::Gem::Specification.new("mod_bench") do |spec|
  spec.license = "Apache-2.0"
  spec.author = "mod_bench"
  spec.summary = "the Ruby half of mod_bench"
  # In the order of their numbers.
  spec.rbfiles = Dir.glob("#{dir}/*.rb").sort
end
