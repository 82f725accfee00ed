# SPDX-License-Identifier: Apache-2.0
MRuby::Gem::Specification.new("set-ext") do |spec|
  spec.license = "Apache-2.0"
  spec.author  = "mod_bench"
  spec.summary = "what mruby's Set lacks"
  spec.add_dependency "mruby-set", core: "mruby-set"
end
