# SPDX-License-Identifier: Apache-2.0
MRuby::Gem::Specification.new("base64") do |spec|
  spec.license = "Apache-2.0"
  spec.author  = "mod_bench"
  spec.summary = "Base64, as Ruby's standard library has it"
end
