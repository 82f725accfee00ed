# SPDX-License-Identifier: Apache-2.0

test "a Float is written with the shortest digits that read back" do
  { 0.0 => "0.0", 1.0 => "1.0", -1.5 => "-1.5", 0.1 => "0.1", 0.1 + 0.2 => "0.30000000000000004",
    1.0 / 3 => "0.3333333333333333", 100.0 => "100.0", 1e15 => "1000000000000000.0", 1e16 => "1.0e+16",
    123456789.125 => "123456789.125", 1e100 => "1.0e+100", 1.5e-7 => "1.5e-07", 0.0001 => "0.0001",
    0.00001 => "1.0e-05", 1.7976931348623157e308 => "1.7976931348623157e+308" }
    .each { |number, text| assert_equal text, number.to_s }
  assert_equal "5.0e-324", "5e-324".to_f.to_s
  assert_equal "-0.0", (0.0 * -1).to_s
  assert_equal "NaN", (0.0 / 0).to_s
  assert_equal "-Infinity", (-1.0 / 0).to_s
  assert_equal "x 0.30000000000000004", "x #{0.1 + 0.2}"
  assert_equal "[1.0e+100]", [1e100].inspect
end

test "a large Float becomes an exact Integer" do
  assert_equal 100000000000000000000, 1e20.to_i
  assert_equal 10000000000000000000, 1e19.to_i
  assert_equal 0 - 10**19, (0 - 1e19).to_i
  assert_equal 3, 3.99.to_i
  assert_equal(-3, -3.99.to_i)
  assert_raise(RangeError) { (0.0 / 0).to_i }
end

test "Integers round to powers of ten" do
  assert_equal 10, 10.ceil(-1)
  assert_equal 20, 11.ceil(-1)
  assert_equal 20, 15.round(-1)
  assert_equal(-20, -15.round(-1))
  assert_equal 10, 14.round(-1)
  assert_equal(-20, -11.floor(-1))
  assert_equal(-10, -11.truncate(-1))
  assert_equal 7, 7.round
  assert_equal 7, 7.floor(2)
end

test "decimals are read as exactly as they are written" do
  assert_equal 1 / 10.0, 0.1
  assert_equal 1.0 / 3, (1.0 / 3).to_s.to_f
  assert_equal 3.14, "3.14abc".to_f
  assert_equal 0.0, "0x10".to_f
  assert_equal 0.0, "inf".to_f
  assert_equal 1200.0, " 1.2e3".to_f
  assert_equal 1.0, "1e".to_f
  assert_equal(-0.5, "-.5".to_f)
end
