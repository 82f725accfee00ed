# SPDX-License-Identifier: Apache-2.0
"""HTTP/2: several requests in parallel on one connection, in the clear or over TLS."""

import socket
from contextlib import contextmanager

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import ConnectionTerminated, DataReceived, ResponseReceived, StreamEnded, StreamReset

from .wait import PATIENCE
from .wire import NoAnswer, Response


class Client:
    def __init__(self, sock, scheme):
        self._socket, self._scheme = sock, scheme
        self._h2 = H2Connection(H2Configuration(client_side=True, header_encoding="utf-8"))
        self._h2.initiate_connection()
        self._open = {}
        self._flush()

    def get(self, path):
        return self.fetch([("GET", path, None)])[0]

    def post(self, path, body):
        return self.fetch([("POST", path, body)])[0]

    def fetch(self, requests):
        """Send all the (method, path, body) at once; the answers, in the same order."""
        streams = [self.send(*request) for request in requests]
        return [self.wait(stream) for stream in streams]

    def send(self, method, path, body=None):
        """Send one request without waiting for its answer.  Bodies have no Content-Length."""
        stream = self._h2.get_next_available_stream_id()
        head = [(":method", method), (":path", path), (":scheme", self._scheme),
                (":authority", "localhost")]
        self._h2.send_headers(stream, head, end_stream=body is None)
        if body is not None:
            for start in range(0, len(body) or 1, 16384):
                self._h2.send_data(stream, body[start:start + 16384],
                                   end_stream=start + 16384 >= len(body))
        self._open[stream] = Response(None)
        self._flush()
        return stream

    def cancel(self, stream):
        """Reset a stream: its answer is not wanted any more."""
        self._h2.reset_stream(stream, error_code=8)
        self._flush()

    def wait(self, stream):
        """The answer of a stream; not complete if the server has reset it."""
        response = self._open[stream]
        while not response.complete and not getattr(response, "reset", False):
            self._receive()
        return response

    def _receive(self):
        data = self._socket.recv(65536)
        if not data:
            raise NoAnswer("the server closed the connection")
        for event in self._h2.receive_data(data):
            self._handle(event)
        self._flush()

    def _handle(self, event):
        response = self._open.get(getattr(event, "stream_id", None))
        if isinstance(event, ConnectionTerminated):
            raise NoAnswer(f"GOAWAY, error {event.error_code}")
        if response is None:
            return
        if isinstance(event, ResponseReceived):
            fields = list(event.headers)
            response.status = int(dict(fields)[":status"])
            response.headers.pairs = [pair for pair in fields if not pair[0].startswith(":")]
        elif isinstance(event, DataReceived):
            response.add(event.data)
            self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, StreamEnded):
            response.complete = True
        elif isinstance(event, StreamReset):
            response.reset = True

    def _flush(self):
        self._socket.sendall(self._h2.data_to_send())


@contextmanager
def connect(httpd, tls=False):
    """A client of an httpd that was started with modules=["http2"] and the Protocols for it."""
    with socket.create_connection(httpd.address(tls), timeout=PATIENCE) as sock:
        if not tls:
            yield Client(sock, "http")
            return
        with httpd.tls_context("h2").wrap_socket(sock, server_hostname="localhost") as secure:
            assert secure.selected_alpn_protocol() == "h2"
            yield Client(secure, "https")
