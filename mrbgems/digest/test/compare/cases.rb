# SPDX-License-Identifier: Apache-2.0
require "digest"
require "openssl"

ALGORITHMS = %w[MD5 SHA1 SHA256 SHA384 SHA512]
# Around the length of a block, where padding changes.
LENGTHS = [0, 1, 55, 56, 57, 63, 64, 65, 111, 112, 113, 127, 128, 129, 1000]

ALGORITHMS.each do |name|
  LENGTHS.each do |length|
    bytes = lit(RANDOM.bytes(length))
    same "Digest::#{name}.digest(#{bytes})"
    same "Digest::#{name}.hexdigest(#{bytes})"
    same "Digest::#{name}.base64digest(#{bytes})"
    same "Digest::#{name}.new.update(#{bytes}).update(#{bytes}).hexdigest"
    same "(Digest::#{name}.new << #{bytes} << #{bytes}).digest"
    same "OpenSSL::HMAC.hexdigest(#{lit(name)}, #{bytes}, #{lit(RANDOM.bytes(20))})"
    same "OpenSSL::HMAC.digest(#{lit(name)}, #{lit(RANDOM.bytes(20))}, #{bytes})"
    same "(OpenSSL::HMAC.new(#{bytes}, #{lit(name)}) << #{bytes}).hexdigest"
  end
  same "Digest::#{name}.new.block_length"
  same "Digest::#{name}.new.digest_length"
  same "Digest::#{name}.new.length"
  same "Digest::#{name}.new.inspect"
  same "OpenSSL::Digest.new(#{lit(name)}).name"
  same "OpenSSL::Digest.digest(#{lit(name)}, 'x')"
  same "OpenSSL::Digest.new(#{lit(name.downcase)}, 'x').hexdigest"
  same "OpenSSL::Digest::#{name}.hexdigest('x')"
end

same "Digest.hexencode(\"\\x00\\xff\")"
same "Digest::Base.new"
same "Digest::SHA256.digest(nil)"
same "Digest::SHA256.digest"
same "OpenSSL::HMAC.digest('WHIRLIGIG', 'k', 'd')"
same "OpenSSL.secure_compare('abc', 'abc')"
same "OpenSSL.secure_compare('abc', 'abd')"
same "OpenSSL.secure_compare('abc', 'ab')"
same "OpenSSL.fixed_length_secure_compare('abc', 'abc')"
same "OpenSSL.fixed_length_secure_compare('abc', 'abd')"
same "OpenSSL.fixed_length_secure_compare('abc', 'ab')"
