# SPDX-License-Identifier: Apache-2.0
MRuby::Gem::Specification.new("env") do |spec|
  spec.license = "Apache-2.0"
  spec.author  = "mod_bench"
  spec.summary = "ENV, to be read"
end
