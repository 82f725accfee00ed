# SPDX-License-Identifier: Apache-2.0
"""HTTP/1 as it is on the wire: a client that hides nothing, least of all a cut answer."""

import socket

from .wait import PATIENCE


class NoAnswer(Exception):
    """The server closed the connection without an answer."""


class Truncated(Exception):
    """The answer ended before it was complete."""

    def __init__(self, response):
        super().__init__(f"{response.status}, cut after {len(response.body)} bytes")
        self.response = response


class Headers:
    """Names without regard to case, repeated names kept."""

    def __init__(self, pairs):
        self.pairs = pairs

    def all(self, name):
        return [value for key, value in self.pairs if key.lower() == name.lower()]

    def get(self, name, default=None):
        return (self.all(name) or [default])[0]

    def __getitem__(self, name):
        values = self.all(name)
        assert values, f"no {name} in {self}"
        assert len(values) == 1, f"several {name} in {self}"
        return values[0]

    def __contains__(self, name):
        return bool(self.all(name))

    def __repr__(self):
        return repr(self.pairs)


class Response:
    def __init__(self, status, reason="", version="", headers=()):
        self.status, self.reason, self.version = status, reason, version
        self.headers = Headers(list(headers))
        self.complete = False
        self.interim = []
        self._body = bytearray()

    @property
    def body(self):
        return bytes(self._body)

    def add(self, data):
        self._body += data

    def __len__(self):
        return len(self._body)

    @property
    def text(self):
        return self.body.decode()

    @property
    def chunked(self):
        return self.headers.get("Transfer-Encoding", "").lower() == "chunked"

    def __repr__(self):
        return f"<{self.status} {self.headers} {self.body[:200]!r}>"


class Connection:
    """One connection; requests go out as they are given, answers come back one by one."""

    def __init__(self, address, context=None, host="localhost", receive_buffer=None):
        self.host = host
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        self.answers = 0
        self._buffer = b""
        self._methods = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def half_close(self):
        """No more to send; answers are still read."""
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self):
        """Go away rudely: the server gets a reset instead of an end."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def send_bytes(self, data):
        self.socket.sendall(data)

    def send(self, method, path, body=None, headers=None, version="1.1", host=None):
        """Send a whole request; a body gets its Content-Length unless headers say otherwise."""
        self.send_bytes(self.format(method, path, body, headers, version, host))

    def format(self, method, path, body=None, headers=None, version="1.1", host=None):
        fields = {"Host": host or self.host}
        if body is not None:
            fields["Content-Length"] = str(len(body))
        fields.update(headers or {})
        if "Transfer-Encoding" in fields:
            fields.pop("Content-Length", None)
        head = f"{method} {path} HTTP/{version}\r\n" + "".join(
            f"{name}: {value}\r\n" for name, value in fields.items())
        self._methods.append(method)
        return head.encode("latin-1") + b"\r\n" + (body or b"")

    def expect_answers_to(self, *methods):
        """Announce the methods of requests that were sent as plain bytes."""
        self._methods.extend(methods)

    def request(self, method, path, body=None, headers=None, **options):
        self.send(method, path, body, headers, **options)
        return self.response()

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def response(self, partial=False):
        """The next answer, whole; Truncated if it was cut, unless partial answers are wanted."""
        response = self.response_head()
        self.rest(response)
        if not response.complete and not partial:
            raise Truncated(response)
        return response

    def response_head(self):
        """The next answer up to its body; the body comes by first_chunk() and rest()."""
        interim = []
        while True:
            line = self._line()
            if line is None:
                raise NoAnswer()
            version, status, reason = (line.decode("latin-1") + "  ").split(" ", 2)
            response = Response(int(status), reason.strip(), version, self._header_lines())
            if response.status >= 200 or response.status == 101:
                break
            interim.append(response)
        response.interim = interim
        self.answers += 1
        response.method = self._methods.pop(0) if self._methods else "GET"
        return response

    def first_chunk(self, response):
        """Read one chunk of a chunked answer."""
        assert response.chunked, f"not streamed: {response}"
        self._chunk(response)

    def rest(self, response):
        """Read what is left of the body."""
        if response.method == "HEAD" or response.status in (101, 204, 304):
            response.complete = True
        elif response.chunked:
            while self._chunk(response):
                pass
        elif "Content-Length" in response.headers:
            length = int(response.headers["Content-Length"])
            response.add(self._take(length - len(response)))
            response.complete = len(response) == length
        else:
            response.add(self.until_closed())
            response.complete = True

    def until_closed(self):
        """All bytes until the server closes."""
        while self._fill():
            pass
        data, self._buffer = self._buffer, b""
        return data

    def is_closed(self):
        """The server has closed, and sent nothing more."""
        return self.until_closed() == b""

    def _chunk(self, response):
        size = self._line()
        if size is None:
            return False
        length = int(size.split(b";")[0], 16)
        if length == 0:
            response.complete = self._line() == b""
            return False
        data = self._take(length)
        response.add(data)
        return len(data) == length and self._line() == b""

    def _header_lines(self):
        pairs = []
        while line := self._line():
            name, _, value = line.decode("latin-1").partition(":")
            pairs.append((name, value.strip()))
        if line is None:
            raise NoAnswer("cut in the header")
        return pairs

    def _line(self):
        while b"\r\n" not in self._buffer:
            if not self._fill():
                return None
        line, self._buffer = self._buffer.split(b"\r\n", 1)
        return line

    def _take(self, count):
        pieces, have = [self._buffer], len(self._buffer)
        self._buffer = b""
        while have < count and self._fill():
            pieces.append(self._buffer)
            have += len(self._buffer)
            self._buffer = b""
        data = b"".join(pieces)
        self._buffer = data[count:]
        return data[:count]

    def _fill(self):
        try:
            data = self.socket.recv(65536)
        except (ConnectionResetError, BrokenPipeError):
            data = b""
        self._buffer += data
        return bool(data)
