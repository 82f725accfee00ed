# SPDX-License-Identifier: Apache-2.0
"""Load for a server on loopback: ab for numbers, sockets of our own where ab says too little."""

import re
import selectors
import shutil
import socket
import subprocess
import threading
import time
from dataclasses import dataclass, field

from server import BODY, Trouble


# -- ab --------------------------------------------------------------------------------------


@dataclass
class Ab:
    """What one run of ab says."""

    complete: int
    failed: int
    non_2xx: int
    rate: float
    output: str


def ab(url, n, concurrency, keep_alive, cpus=None, patience=1800):
    if not shutil.which("ab"):
        raise Trouble("ab is missing (make deps)")
    command = ["ab", "-q", "-s", "60", "-c", str(concurrency), "-n", str(n)]
    if keep_alive:
        command.append("-k")
    if cpus:
        command = ["taskset", "-c", ",".join(map(str, sorted(cpus))), *command]
    try:
        done = subprocess.run([*command, url], capture_output=True, text=True, timeout=patience)
    except subprocess.TimeoutExpired:
        raise Trouble(f"ab did not end within {patience} s: {' '.join(command)} {url}") from None

    def number(name, default=None):
        m = re.search(rf"^{name}: +([\d.]+)", done.stdout, re.M)
        if m is None and default is None:
            raise Trouble(f"ab gave up: {done.stderr.strip() or done.stdout.strip()}")
        return float(m[1]) if m else default

    return Ab(
        int(number("Complete requests")),
        int(number("Failed requests") + number("Write errors", 0)),
        int(number("Non-2xx responses", 0)),
        number("Requests per second"),
        done.stdout,
    )


# -- many at the same moment -----------------------------------------------------------------


def volley(port, name, n, patience=30):
    """n requests at once, on connections made before: (seconds until the last answer, bodies)."""
    request = f"GET /{name} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
    answers = {}
    with selectors.DefaultSelector() as ready:
        for _ in range(n):
            s = socket.create_connection(("127.0.0.1", port), patience)
            answers[s] = b""
            ready.register(s, selectors.EVENT_READ)
        start = time.monotonic()
        for s in answers:
            s.sendall(request)
        open_ = n
        while open_:
            events = ready.select(max(0, start + patience - time.monotonic()))
            if not events:
                raise Trouble(f"{open_} of {n} requests were not answered within {patience} s")
            for key, _ in events:
                chunk = key.fileobj.recv(65536)
                answers[key.fileobj] += chunk
                if not chunk:
                    ready.unregister(key.fileobj)
                    key.fileobj.close()
                    open_ -= 1
        seconds = time.monotonic() - start
    bodies = []
    for data in answers.values():
        head, _, body = data.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200 "):
            raise Trouble(f"/{name} failed: {data[:300]!r}")
        bodies.append(body)
    return seconds, bodies


# -- load in the background ------------------------------------------------------------------


@dataclass
class Clients:
    """Clients that ask without a pause until they are told to stop.

    Half of them keep their connection, half make one for each request.  A kept connection that the
    server closes while it is idle is no failure: HTTP allows it, and every client asks again.
    """

    port: int
    name: str
    expect: bytes = BODY
    count: int = 8
    requests: int = 0
    failures: list = field(default_factory=list)

    def __enter__(self):
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.threads = [
            threading.Thread(target=self._run, args=(bool(i % 2),), daemon=True)
            for i in range(self.count)
        ]
        for t in self.threads:
            t.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for t in self.threads:
            t.join()

    def _run(self, keep):
        extra = "" if keep else "Connection: close\r\n"
        request = f"GET /{self.name} HTTP/1.1\r\nHost: localhost\r\n{extra}\r\n".encode()
        s = None
        while not self.over.is_set():
            reused = s is not None
            try:
                s = s or socket.create_connection(("127.0.0.1", self.port), 30)
                s.sendall(request)
                data = self._read(s)
            except OSError as e:
                data = e
            idle_close = reused and (data == b"" or isinstance(data, ConnectionError))
            good = not isinstance(data, OSError) and self._good(data)
            if not good and not idle_close:
                with self.lock:
                    self.failures.append(repr(data)[:300])
            if good:
                with self.lock:
                    self.requests += 1
            if not good or not keep or b"\r\nConnection: close\r\n" in data:
                s = s and s.close()
        if s:
            s.close()

    def _good(self, data):
        return data.startswith(b"HTTP/1.1 200 ") and data.endswith(b"\r\n\r\n" + self.expect)

    def _read(self, s):
        data = b""
        while not data.endswith(b"\r\n\r\n" + self.expect) and (chunk := s.recv(65536)):
            data += chunk
        return data
