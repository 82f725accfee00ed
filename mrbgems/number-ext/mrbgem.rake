# SPDX-License-Identifier: Apache-2.0

MRuby::Gem::Specification.new("number-ext") do |spec|
  spec.license = "Apache-2.0"
  spec.author = "mod_bench"
  spec.summary = "Numbers in text, and large ones, as Ruby has them"
  spec.add_dependency "mruby-bigint", core: "mruby-bigint"
  spec.add_dependency "mruby-numeric-ext", core: "mruby-numeric-ext"
end
