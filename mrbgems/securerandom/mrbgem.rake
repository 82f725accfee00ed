# SPDX-License-Identifier: Apache-2.0
MRuby::Gem::Specification.new("securerandom") do |spec|
  spec.license = "Apache-2.0"
  spec.author  = "mod_bench"
  spec.summary = "random numbers for secrets, by OpenSSL's libcrypto"
  spec.linker.libraries << "crypto"
  spec.add_dependency "base64"
  spec.add_dependency "mruby-errno", core: "mruby-errno"
end
