# SPDX-License-Identifier: Apache-2.0
MRuby::Gem::Specification.new("erb") do |spec|
  spec.license = "Apache-2.0"
  spec.author  = "mod_bench"
  spec.summary = "templates with Ruby in them"
  spec.add_dependency "uri"
  spec.add_dependency "mruby-binding", core: "mruby-binding"
  spec.add_dependency "mruby-eval", core: "mruby-eval"
end
