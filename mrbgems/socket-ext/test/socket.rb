# SPDX-License-Identifier: Apache-2.0

# What the kernel says about the queue of a listening socket.
def backlog_of(*options)
  line = IO.popen("ss -H -ln #{options.join(" ")}") { |io| io.read }.split("\n")[0]
  line.split(" ").map(&:to_i)[options[0] == "-x" ? 3 : 2]
end

def tcp_backlog(server)
  backlog_of("-t", "sport", "=", ":#{server.addr[1]}")
end

def unix_backlog(path)
  backlog_of("-x", "src", path)
end

SOMAXCONN = File.open("/proc/sys/net/core/somaxconn") { |f| f.read.to_i }
PATH = "/tmp/.socket-ext-#{SecureRandom.hex(8)}"

def unix_server(*arguments, &block)
  UNIXServer.new(PATH, *arguments, &block)
ensure
  File.unlink(PATH) if File.exist?(PATH)
end

test "the queue is as long as one likes" do
  server = TCPServer.new("127.0.0.1", 0)
  assert_equal [511, SOMAXCONN].min, tcp_backlog(server)
  server.listen(7)
  assert_equal 7, tcp_backlog(server)
  server.close
  server = TCPServer.new("127.0.0.1", 0, 20)
  assert_equal 20, tcp_backlog(server)
  server.close
  server = TCPServer.new("127.0.0.1", 0, 1 << 40)
  assert_equal SOMAXCONN, tcp_backlog(server)
  server.close
end

test "the queue of a UNIX socket" do
  server = UNIXServer.new(PATH)
  assert_equal [511, SOMAXCONN].min, unix_backlog(PATH)
  server.close
  File.unlink(PATH)
  server = UNIXServer.new(PATH, 3)
  assert_equal 3, unix_backlog(PATH)
  server.close
  File.unlink(PATH)
end

test "as many clients as that wait without an accept" do
  server = TCPServer.new("127.0.0.1", 0)
  clients = Array.new(40) { TCPSocket.new("127.0.0.1", server.addr[1]) }
  clients.each_with_index { |client, i| client.write("#{i}\n") }
  40.times do |i|
    accepted = server.accept
    assert_equal "#{i}\n", accepted.gets
    accepted.write("back #{i}\n")
    accepted.close
    assert_equal "back #{i}\n", clients[i].gets
    clients[i].close
  end
  server.close
end

test "arguments as CRuby has them" do
  [[0], [nil, 0], ["", 0], ["0.0.0.0", 0]].each do |arguments|
    server = TCPServer.new(*arguments)
    assert_equal ["AF_INET", "0.0.0.0"], server.addr.values_at(0, 3)
    server.close
  end
  server = TCPServer.new("localhost", "0")
  assert_equal true, server.addr[1] > 0
  assert_equal true, server.do_not_reverse_lookup
  server.close
  assert_equal true, server.closed?
  port = TCPServer.open("127.0.0.1", 0) { |opened| opened.addr[1] }
  again = TCPServer.new("127.0.0.1", port)
  assert_equal port, again.addr[1]
  again.close
end

test "a port that is taken is refused" do
  server = TCPServer.new("127.0.0.1", 0)
  assert_raise(Errno::EADDRINUSE) { TCPServer.new("127.0.0.1", server.addr[1]) }
  begin
    TCPServer.new("127.0.0.1", server.addr[1])
  rescue => e
    assert_equal true, e.message.include?("bind(2) for \"127.0.0.1\" port #{server.addr[1]}")
  end
  server.close
end

test "what cannot be" do
  assert_raise(Errno::EADDRNOTAVAIL) { TCPServer.new("192.0.2.1", 0) }
  assert_raise(SocketError) { TCPServer.new("127.0.0.1", "no-such-service") }
  assert_raise(SocketError) { TCPServer.new("256.0.0.1.", 0) }
  assert_raise(TypeError) { TCPServer.new(1, 0) }
  assert_raise(TypeError) { TCPServer.new("127.0.0.1", 0, "x") }
  assert_raise(ArgumentError) { TCPServer.new("127\0", 0) }
  assert_raise(ArgumentError) { TCPServer.new }
  assert_raise(ArgumentError) { UNIXServer.new("x" * 200) }
  assert_raise(ArgumentError) { UNIXServer.new("a\0b") }
  assert_raise(TypeError) { UNIXServer.new(nil) }
  assert_raise(Errno::ENOENT) { UNIXServer.new("/nonexistent/socket") }
end

test "what fails leaves no descriptor behind" do
  server = TCPServer.new("127.0.0.1", 0)
  GC.start
  before = Dir.entries("/proc/self/fd").size
  20.times do
    TCPServer.new("127.0.0.1", server.addr[1]) rescue nil
    UNIXServer.new("/nonexistent/socket") rescue nil
  end
  assert_equal before, Dir.entries("/proc/self/fd").size
  server.close
end

test "a program that is started gets none of it" do
  server = TCPServer.new("127.0.0.1", 0)
  assert_equal true, server.close_on_exec?
  server.close
end

test "a UNIX server with a block" do
  kept = nil
  unix_server do |server|
    kept = server
    client = UNIXSocket.new(PATH)
    client.write("hello")
    client.close
    assert_equal "hello", server.accept.read
    assert_equal PATH, server.path
  end
  assert_equal true, kept.closed?
  assert_raise(RuntimeError) { unix_server { raise "here" } }
end
