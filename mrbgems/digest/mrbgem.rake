# SPDX-License-Identifier: Apache-2.0
MRuby::Gem::Specification.new("digest") do |spec|
  spec.license = "Apache-2.0"
  spec.author  = "mod_bench"
  spec.summary = "message digests and HMAC, by OpenSSL's libcrypto"
  spec.linker.libraries << "crypto"
  spec.add_dependency "base64"
end
