# SPDX-License-Identifier: Apache-2.0
MRuby::Gem::Specification.new("uri") do |spec|
  spec.license = "Apache-2.0"
  spec.author  = "mod_bench"
  spec.summary = "URI and the escapes of CGI"
  spec.add_dependency "mruby-string-ext", core: "mruby-string-ext"
end
