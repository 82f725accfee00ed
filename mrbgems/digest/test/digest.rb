# SPDX-License-Identifier: Apache-2.0

ABC = {
  Digest::MD5 => "900150983cd24fb0d6963f7d28e17f72",
  Digest::SHA1 => "a9993e364706816aba3e25717850c26c9cd0d89d",
  Digest::SHA256 => "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  Digest::SHA384 => "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed" \
                    "8086072ba1e7cc2358baeca134c825a7",
  Digest::SHA512 => "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a" \
                    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
}

test "the digests of abc" do
  ABC.each do |klass, hex|
    assert_equal hex, klass.hexdigest("abc")
    assert_equal [hex].pack("H*"), klass.digest("abc")
    assert_equal [[hex].pack("H*")].pack("m0"), klass.base64digest("abc")
    assert_equal hex, (klass.new << "a" << "bc").hexdigest
    assert_equal hex, klass.new.update("ab").update("c").to_s
    assert_equal hex.size / 2, klass.new.digest_length
    assert_equal hex.size / 2, klass.new.size
  end
end

test "a digest goes on after it was asked" do
  digest = Digest::SHA256.new
  digest << "a"
  digest.hexdigest
  digest << "bc"
  assert_equal ABC[Digest::SHA256], digest.hexdigest
  assert_equal ABC[Digest::SHA256], digest.hexdigest
end

test "with a string, its own digest" do
  digest = Digest::SHA1.new << "something else"
  assert_equal ABC[Digest::SHA1], digest.hexdigest("abc")
  assert_equal Digest::SHA1.digest(""), digest.digest
end

test "reset and the methods with !" do
  digest = Digest::MD5.new << "x"
  assert_equal Digest::MD5.hexdigest(""), digest.reset.hexdigest
  digest << "abc"
  assert_equal ABC[Digest::MD5], digest.hexdigest!
  assert_equal Digest::MD5.hexdigest(""), digest.hexdigest
  assert_equal Digest::MD5.digest("q"), (digest << "q").digest!
  assert_equal Digest::MD5.base64digest("q"), (digest << "q").base64digest!
end

test "a copy goes its own way" do
  a = Digest::SHA512.new << "ab"
  b = a.dup
  a << "c"
  b << "d"
  assert_equal ABC[Digest::SHA512], a.hexdigest
  assert_equal Digest::SHA512.hexdigest("abd"), b.hexdigest
  assert_raise(RuntimeError) { a.initialize_copy(1) }
  assert_raise(RuntimeError) { a.initialize_copy(Object.new) }
end

test "==" do
  digest = Digest::MD5.new << "abc"
  assert_equal true, digest == (Digest::MD5.new << "ab" << "c")
  assert_equal true, digest == ABC[Digest::MD5]
  assert_equal false, digest == Digest::MD5.new
  assert_equal false, digest == (Digest::SHA1.new << "abc")
  assert_equal false, digest == nil
  assert_equal false, digest == 3
end

test "every byte counts" do
  assert_equal false, Digest::SHA256.digest("a\0b") == Digest::SHA256.digest("a\0c")
  assert_equal "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880",
               Digest::SHA256.hexdigest([*0..255].pack("C*"))
end

test "a class of one's own" do
  class MySHA256 < Digest::SHA256; end
  assert_equal ABC[Digest::SHA256], MySHA256.hexdigest("abc")
  assert_equal ABC[Digest::SHA256], (MySHA256.new << "abc").hexdigest
  assert_raise(NotImplementedError) { Digest::Base.new }
  assert_raise(NotImplementedError) { Digest::Base.digest("x") }
end

test "names" do
  assert_equal "SHA256", Digest::SHA256.new.name
  assert_equal Digest::SHA256, OpenSSL::Digest.new("sha-256").class
  assert_equal ABC[Digest::SHA1], OpenSSL::Digest.hexdigest("SHA1", "abc")
  assert_equal ABC[Digest::SHA1], Digest.hexdigest(:sha1, "abc")
  assert_equal ABC[Digest::SHA1], OpenSSL::Digest.new("SHA1", "abc").hexdigest
  ["", "SHA", "SHA2567", "MD5\0", "md-", "x" * 100].each do |name|
    assert_raise(RuntimeError) { Digest.new(name) }
  end
  [nil, 1, [], Object.new].each { |name| assert_raise(TypeError) { Digest.new(name) } }
  [Object, Class].each { |name| assert_raise(NotImplementedError) { Digest.new(name) } }
end

test "only strings" do
  [nil, 1, :a].each do |value|
    assert_raise(TypeError) { Digest::MD5.new << value }
    assert_raise(TypeError) { Digest::MD5.hexdigest(value) }
    assert_raise(TypeError) { HMAC.hexdigest("MD5", "key", value) }
    assert_raise(TypeError) { HMAC.hexdigest("MD5", value, "data") }
  end
end

test "the examples of RFC 4231 for HMAC" do
  assert_equal "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
               HMAC.hexdigest("SHA256", "\x0b" * 20, "Hi There")
  assert_equal "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
               OpenSSL::HMAC.hexdigest(Digest::SHA256, "Jefe", "what do ya want for nothing?")
  assert_equal "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
               HMAC.hexdigest(Digest::SHA256.new, "\xaa" * 131,
                              "Test Using Larger Than Block-Size Key - Hash Key First")
end

test "HMAC in pieces" do
  hmac = HMAC.new("Jefe", "SHA256")
  hmac << "what do ya want "
  copy = hmac.dup
  hmac.hexdigest
  hmac.update("for nothing?")
  assert_equal HMAC.digest("SHA256", "Jefe", "what do ya want for nothing?"), hmac.digest
  assert_equal HMAC.base64digest("SHA256", "Jefe", "what do ya want for nothing?"), hmac.base64digest
  assert_equal HMAC.hexdigest("SHA256", "Jefe", "what do ya want "), copy.to_s
  assert_equal false, copy == hmac
  assert_equal true, (copy << "for nothing?") == hmac
  assert_equal HMAC.hexdigest("SHA256", "Jefe", "x"), (hmac.reset << "x").hexdigest
  assert_equal HMAC.hexdigest("MD5", "", "x"), (HMAC.new("", "MD5") << "x").hexdigest
  hmac.initialize("other", "MD5")
  assert_equal HMAC.hexdigest("MD5", "other", ""), hmac.hexdigest
end

test "an HMAC that never began" do
  class Lazy < HMAC
    def initialize; end
  end
  [:digest, :reset, :inspect].each { |name| assert_raise(RuntimeError) { Lazy.new.__send__(name) } }
  assert_raise(RuntimeError) { Lazy.new << "x" }
  assert_raise(RuntimeError) { HMAC.new("k", "nope") }
  class LazyDigest < Digest::MD5
    def initialize; end
  end
  assert_raise(RuntimeError) { LazyDigest.new.hexdigest }
  assert_raise(RuntimeError) { LazyDigest.new << "x" }
end

test "comparing secrets" do
  assert_equal true, OpenSSL.secure_compare("secret", "secret")
  assert_equal false, OpenSSL.secure_compare("secret", "secreT")
  assert_equal false, OpenSSL.secure_compare("secret", "secret2")
  assert_equal true, OpenSSL.secure_compare("", "")
  assert_equal true, OpenSSL.fixed_length_secure_compare("a\0b", "a\0b")
  assert_equal false, OpenSSL.fixed_length_secure_compare("a\0b", "a\0c")
  assert_raise(ArgumentError) { OpenSSL.fixed_length_secure_compare("a", "ab") }
  assert_raise(TypeError) { OpenSSL.secure_compare("a", nil) }
end

test "many, and none is left behind" do
  2000.times do |i|
    digest = Digest::SHA256.new << i.to_s
    digest.dup
    HMAC.new(i.to_s, digest).dup if i % 10 == 0
  end
  GC.start
end
