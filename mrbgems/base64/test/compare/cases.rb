# SPDX-License-Identifier: Apache-2.0
require "base64"

times(120) do
  bytes = RANDOM.bytes(RANDOM.rand(130))
  same "Base64.encode64(#{lit(bytes)})"
  same "Base64.strict_encode64(#{lit(bytes)})"
  same "Base64.urlsafe_encode64(#{lit(bytes)}, padding: #{pick("true", "false")})"
end

# Nearly right.
times(400) do
  encoded = [RANDOM.bytes(RANDOM.rand(10))].pack("m0")
  rand = RANDOM.rand(encoded.size + 1)
  encoded[rand, RANDOM.rand(2)] = text(["=", "==", "A", "/", "+", "-", "_", "\n", " ", nil], 2)
  %w[decode64 strict_decode64 urlsafe_decode64].each do |method|
    same "Base64.#{method}(#{lit(encoded)})"
  end
end

times(200) do
  same "Base64.decode64(#{lit(text(["=", "A", "z", "9", "/", "+", nil], 9))})"
end
