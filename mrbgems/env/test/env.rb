# SPDX-License-Identifier: Apache-2.0
# PATH is there wherever tests are run; TZ is set by make.

test "reading" do
  assert_equal String, ENV["PATH"].class
  assert_equal true, ENV["PATH"].include?("/")
  assert_equal "CET-1CEST,M3.5.0,M10.5.0/3", ENV["TZ"]
  assert_equal nil, ENV["NO_SUCH_VARIABLE"]
  assert_equal nil, ENV["PAT"]
  assert_equal nil, ENV["PATH="]
  assert_equal nil, ENV[""]
end

test "fetch" do
  assert_equal ENV["PATH"], ENV.fetch("PATH")
  assert_equal ENV["PATH"], ENV.fetch("PATH", 1)
  assert_equal 1, ENV.fetch("NO_SUCH_VARIABLE", 1)
  assert_equal nil, ENV.fetch("NO_SUCH_VARIABLE", nil)
  assert_equal "NO_SUCH_VARIABLE!", ENV.fetch("NO_SUCH_VARIABLE") { |name| name + "!" }
  assert_raise(KeyError) { ENV.fetch("NO_SUCH_VARIABLE") }
end

test "asking" do
  [:key?, :has_key?, :include?, :member?].each do |method|
    assert_equal true, ENV.__send__(method, "PATH")
    assert_equal false, ENV.__send__(method, "NO_SUCH_VARIABLE")
  end
  assert_equal true, ENV.value?(ENV["TZ"])
  assert_equal ENV["TZ"], ENV[ENV.key(ENV["TZ"])]
  assert_equal false, ENV.empty?
  assert_equal ENV.keys.size, ENV.size
end

test "as a Hash" do
  hash = ENV.to_h
  assert_equal ENV["PATH"], hash["PATH"]
  assert_equal hash, ENV.to_hash
  assert_equal hash.keys, ENV.keys
  assert_equal hash.values, ENV.values
  assert_equal hash.to_a, ENV.to_a
  assert_equal [ENV["TZ"], nil], ENV.values_at("TZ", "NO_SUCH_VARIABLE")
  assert_equal({ "TZ" => ENV["TZ"] }, ENV.slice("TZ"))
  assert_equal({ "TZ" => ENV["TZ"] }, ENV.select { |name, _| name == "TZ" })
  hash["PATH"] = "changed"
  assert_equal false, ENV["PATH"] == "changed"
end

test "walking" do
  seen = {}
  ENV.each { |name, value| seen[name] = value }
  assert_equal ENV.to_h, seen
  assert_equal ENV.keys, ENV.map { |name, _| name }
  assert_equal ["TZ", ENV["TZ"]], ENV.find { |name, _| name == "TZ" }
  assert_equal ENV.keys.sort, ENV.sort_by { |name, _| name }.map(&:first)
  assert_equal ENV.keys, ENV.each_key.to_a
end

test "no writing, with a reason" do
  [[:[]=, "A", "b"], [:store, "A", "b"], [:delete, "PATH"], [:clear], [:update, {}], [:merge!, {}], [:replace, {}], [:delete_if], [:reject!],
   [:select!], [:keep_if], [:shift]].each do |call|
    assert_raise(FrozenError) { ENV.__send__(*call) }
  end
  begin
    ENV["A"] = "b"
  rescue => e
    assert_equal true, e.message.include?("belongs to the whole process")
  end
  assert_raise(FrozenError) { ENV["PATH"] << "x" }
  assert_equal nil, ENV["A"]
end

test "only strings" do
  [nil, 1, :PATH].each do |name|
    assert_raise(TypeError) { ENV[name] }
    assert_raise(TypeError) { ENV.fetch(name, 1) }
    assert_raise(TypeError) { ENV.key?(name) }
  end
  assert_raise(ArgumentError) { ENV["PATH\0"] }
end

test "its name" do
  assert_equal "ENV", ENV.to_s
  assert_equal ENV.to_h.inspect, ENV.inspect
end
