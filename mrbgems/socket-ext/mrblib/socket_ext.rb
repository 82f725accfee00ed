# SPDX-License-Identifier: Apache-2.0

class BasicSocket
  def __listening
    self._is_socket = true
    @do_not_reverse_lookup = BasicSocket.do_not_reverse_lookup
  end
end

class TCPServer
  # (port), (host, port) or (host, port, backlog)
  def initialize(host, port = nil, backlog = 511)
    host, port = nil, host unless port
    __listen(host, port, backlog)
    __listening
  end
end

class UNIXServer
  def initialize(path, backlog = 511)
    __listen(path, backlog)
    __listening
    return unless block_given?

    begin
      yield self
    ensure
      close unless closed?
    end
  end
end
