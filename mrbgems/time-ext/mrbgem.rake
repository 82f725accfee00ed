# SPDX-License-Identifier: Apache-2.0
MRuby::Gem::Specification.new("time-ext") do |spec|
  spec.license = "Apache-2.0"
  spec.author  = "mod_bench"
  spec.summary = "Time as text, and text as Time"
  spec.add_dependency "mruby-time", core: "mruby-time"
  spec.add_dependency "mruby-errno", core: "mruby-errno"
end
