# SPDX-License-Identifier: Apache-2.0

test "the examples of RFC 4648" do
  texts = { "" => "", "f" => "Zg==", "fo" => "Zm8=", "foo" => "Zm9v", "foob" => "Zm9vYg==",
            "fooba" => "Zm9vYmE=", "foobar" => "Zm9vYmFy" }
  texts.each do |plain, encoded|
    assert_equal encoded, Base64.strict_encode64(plain)
    assert_equal plain, Base64.strict_decode64(encoded)
    assert_equal plain, Base64.decode64(encoded)
    assert_equal plain, Base64.urlsafe_decode64(encoded)
    assert_equal plain, Base64.urlsafe_decode64(encoded.delete("="))
  end
end

test "encode64 breaks the line after 60 characters" do
  assert_equal "", Base64.encode64("")
  assert_equal "YQ==\n", Base64.encode64("a")
  assert_equal "YWFh" * 15 + "\n", Base64.encode64("a" * 45)
  assert_equal "YWFh" * 15 + "\nYQ==\n", Base64.encode64("a" * 46)
end

test "every byte survives" do
  all = [*0..255].pack("C*") * 3
  assert_equal all, Base64.decode64(Base64.encode64(all))
  assert_equal all, Base64.strict_decode64(Base64.strict_encode64(all))
  assert_equal all, Base64.urlsafe_decode64(Base64.urlsafe_encode64(all))
  assert_equal all, Base64.urlsafe_decode64(Base64.urlsafe_encode64(all, padding: false))
end

test "the alphabet for URLs" do
  assert_equal "--__", Base64.urlsafe_encode64("\xfb\xef\xff")
  assert_equal "++//", Base64.strict_encode64("\xfb\xef\xff")
  assert_equal "_w==", Base64.urlsafe_encode64("\xff")
  assert_equal "_w", Base64.urlsafe_encode64("\xff", padding: false)
  assert_equal "\xff", Base64.urlsafe_decode64("/w")
end

test "decode64 passes over what it does not know" do
  assert_equal "fooba", Base64.decode64(" Z m\n9-v:YmE==rest")
  assert_equal "fo", Base64.decode64("Zm8")
  assert_equal "", Base64.decode64("Z")
end

test "strict decoding wants everything right" do
  ["Z", "Zg", "Zg=", "Zg===", "====", "=", "Zm9v\n", "Zm9v=", "Zh==", "Zm9=", "--__", "Zg==Zg==", "Z\0=="].each do |bad|
    assert_raise(ArgumentError) { Base64.strict_decode64(bad) }
  end
  assert_raise(ArgumentError) { Base64.urlsafe_decode64("Zm9v*") }
  assert_raise(ArgumentError) { Base64.urlsafe_decode64("Zg=") }
end

test "only strings" do
  [nil, 1, :a, []].each do |value|
    assert_raise(TypeError) { Base64.encode64(value) }
    assert_raise(TypeError) { Base64.decode64(value) }
  end
  assert_raise(ArgumentError) { Base64.encode64 }
  assert_raise(ArgumentError) { Base64.urlsafe_encode64("a", line: 1) }
end

test "the methods can be included" do
  assert_equal "Zg==", Object.new.extend(Base64).strict_encode64("f")
end
