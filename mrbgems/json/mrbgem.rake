# SPDX-License-Identifier: Apache-2.0
MRuby::Gem::Specification.new("json") do |spec|
  spec.license = "Apache-2.0"
  spec.author  = "mod_bench"
  spec.summary = "JSON: parse and generate"

  spec.cc.flags += %w[-Wall -Wextra -Wno-unused-parameter -Werror]
end
