# SPDX-License-Identifier: Apache-2.0
MRuby::Gem::Specification.new("socket-ext") do |spec|
  spec.license = "Apache-2.0"
  spec.author  = "mod_bench"
  spec.summary = "servers with a queue of the length that one likes"
  spec.add_dependency "mruby-socket", core: "mruby-socket"
  spec.add_dependency "mruby-error", core: "mruby-error"
end
