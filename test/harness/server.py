# SPDX-License-Identifier: Apache-2.0
"""One httpd: configured, started, asked, restarted and stopped by a test."""

import contextlib
import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from . import config
from .log import Log
from .tool import TOOL
from .wait import PATIENCE, until
from .wire import Connection

BINARY = os.environ.get("BENCH_HTTPD") or "/usr/sbin/apache2"
libexecdir = lru_cache(config.apxs_libexecdir)


@dataclass
class ConfigTest:
    ok: bool
    output: str


class Httpd:
    """A test's httpd; it runs from run() to the end of the test."""

    def __init__(self, mpm):
        self.mpm = mpm
        self.root = _server_root()
        self.log = Log(self.root)
        self.process = None
        self.settings = None

    # -- life ------------------------------------------------------------------------------

    def run(self, *parts, env=None, flags=("-DFOREGROUND",), **settings):
        """Start with these lines of configuration and files; Settings names the options."""
        assert self.process is None, "this httpd has been started before"
        for _ in range(5):
            self._write(parts, settings)
            self.process = self._spawn(flags, env)
            until(lambda: self._answers_or_ended("-X" not in flags), "httpd to come up")
            if self.process.poll() is None:
                until(lambda: "-X" in flags or self._ready(), "all workers to be ready")
                return self
            if not self.log.lines("AH00072"):
                break
            self.process = None
            self.log.clear()  # the port was taken meanwhile: it was somebody else's line
        raise AssertionError("httpd does not start:\n" + "\n".join(self.log.lines()))

    def configtest(self, *parts, env=None, **settings):
        """What `httpd -t` says."""
        self._write(parts, settings)
        process = self._spawn(["-t"], env)
        process.wait(PATIENCE)
        return ConfigTest(process.returncode == 0, self._startup_output())

    def graceful(self):
        """Restart gracefully, and wait until the old children have gone."""
        old, before = set(self.children()), self._generations()
        self.process.send_signal(signal.SIGUSR1)
        until(lambda: self._generations() > before, "the new generation")
        until(lambda: not old & set(self.children()), "the old children to go", 4 * PATIENCE)

    def stop(self, how=signal.SIGTERM, busy=False):
        """
        Stop, wait for every process of this httpd, and check what it logged.  It is told to stop
        when it is idle: event and worker close the sockets of busy workers under their hands, and
        now and then crash by it, with no module of ours loaded.
        """
        if self.process is None:
            return
        if not busy:
            until(self.idle, "the last connection to end")
        self.log.verify()
        process, self.process = self.process, None
        _end(process, how)
        self.log.verify(stopped=True)

    def discard(self):
        """End without judging: the test has failed already, or has been judged."""
        if self.process is not None:
            _kill(self.process)
        if not os.environ.get("BENCH_KEEP"):
            shutil.rmtree(self.root, ignore_errors=True)

    def children(self):
        """Process ids of the children."""
        return [pid for pid, parent in _parents() if parent == self.process.pid]

    def idle(self):
        """No child has a connection open, and all threads wait."""
        children = self.children() or [self.process.pid]  # httpd -X serves by itself
        spare = 1 if "http2" in self.settings.modules else 0  # mod_http2 keeps one for show
        return all(len(_sockets(pid)) <= 1 + self.settings.tls + spare and _sleeps(pid)
                   for pid in children)

    def descriptors(self):
        """How many files and sockets the children have open."""
        return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in self.children())

    def resident_kib(self):
        """Resident memory of all children."""
        return sum(_resident_kib(pid) for pid in self.children())

    # -- files -----------------------------------------------------------------------------

    @property
    def docs(self):
        return self.root / "htdocs"

    def add(self, *files):
        """Write files while httpd runs (in place: same inode)."""
        for part in files:
            part.write(self.root)

    # -- requests --------------------------------------------------------------------------

    @property
    def workers(self):
        """How many requests it serves at the same time."""
        return self.settings.workers

    def connect(self, tls=False, **options):
        """A connection to be kept alive, pipelined, cut: whatever the test has in mind."""
        return Connection(self.address(tls), self.tls_context() if tls else None, **options)

    def request(self, method, path, body=None, headers=None, *, tls=False, **options):
        """One request on its own connection."""
        headers = {"Connection": "close", **(headers or {})}
        with self.connect(tls) as connection:
            return connection.request(method, path, body, headers, **options)

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, body=b"", **options):
        return self.request("POST", path, body, **options)

    def raw(self, data):
        """Send bytes, and no more; all that comes back until the server closes."""
        with self.connect() as connection:
            connection.send_bytes(data)
            connection.half_close()
            return connection.until_closed()

    def everywhere(self, path, **options):
        """
        One answer from each worker at the same time.  The script has to end with
        `response.flush; request.body.read`: it is held there until all the others have come as far.
        """
        connections = [self.connect() for _ in range(self.workers)]
        try:
            for connection in connections:
                connection.send("POST", path, headers={"Content-Length": "1",
                                                       "Connection": "close"}, **options)
            heads = [connection.response_head() for connection in connections]
            for connection, response in zip(connections, heads):
                connection.first_chunk(response)
            for connection, response in zip(connections, heads):
                connection.send_bytes(b".")
                connection.rest(response)
                assert response.complete, response
            return heads
        finally:
            for connection in connections:
                connection.close()

    def address(self, tls=False):
        return ("127.0.0.1", self.settings.ports[1 if tls else 0])

    def tls_context(self, *protocols):
        context = ssl.create_default_context(cafile=self.root / "conf" / "cert.pem")
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # no authority has signed it
        if protocols:
            context.set_alpn_protocols(protocols)
        return context

    # -- inside ----------------------------------------------------------------------------

    def _write(self, parts, settings):
        lines = [part for part in parts if isinstance(part, str)]
        self.add(config.file("conf/mime.types", config.MIME_TYPES),
                 *(part for part in parts if isinstance(part, config.File)))
        if settings.get("tls") and not (self.root / "conf" / "cert.pem").exists():
            config.make_certificate(self.root / "conf")
        self.settings = config.Settings(self.root, self.mpm, lines, ports=_free_ports(2),
                                        **settings)
        self._conf.write_text(config.render(self.settings, libexecdir()))

    @property
    def _conf(self):
        return self.root / "conf" / "httpd.conf"

    @cached_property
    def _stderr(self):
        return self.root / "logs" / "stderr"

    def _spawn(self, options, env):
        """In a session of its own: prefork signals its whole process group when it stops."""
        argv = TOOL.command([BINARY, "-f", str(self._conf), *options], self.root / "reports")
        environment = {**os.environ, **TOOL.environment(self.root / "reports"), **(env or {})}
        environment = {name: value for name, value in environment.items() if value is not None}
        with open(self._stderr, "wb") as stderr:
            return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=stderr, stderr=stderr,
                                    env=environment, cwd="/", start_new_session=True)

    def _answers_or_ended(self, says_so):
        if self.process.poll() is not None:
            return True
        try:
            socket.create_connection(self.address(), timeout=PATIENCE).close()
        except OSError:
            return False
        return self._generations() > 0 or not says_so

    def _ready(self):
        """
        Every worker waits for a connection.  Earlier, event thinks that all are busy, and closes
        connections that a client means to keep.
        """
        children, settings = self.children(), self.settings
        prefork = self.mpm == "prefork"
        threads = 1 if prefork else settings.threads + 2  # the main one and the listener
        return (len(children) == (settings.processes if prefork else settings.children)
                and all(_threads(pid) >= threads and _sleeps(pid) for pid in children))

    def _generations(self):
        return len(self.log.lines("resuming normal operations"))

    def _startup_output(self):
        return self._stderr.read_text(errors="backslashreplace")


def _end(process, how):
    """Stop an httpd; its children have to go with it."""
    process.send_signal(how)
    try:
        process.wait(4 * PATIENCE)
        until(lambda: not _alive(process.pid), "the children to go")
    except (subprocess.TimeoutExpired, AssertionError):
        _kill(process)
        raise AssertionError("httpd does not stop") from None


def _kill(process):
    """Kill an httpd and its children, and nothing else: they are a session of their own."""
    if _alive(process.pid):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _parents():
    """(pid, parent's pid) of every process."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text(errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if fields[0] != "Z":
            yield int(entry.parent.name), int(fields[1])


def _sockets(pid):
    """The sockets that a process has open; none if it has ended."""
    found = set()
    try:
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                found.add(os.readlink(entry))
    except (FileNotFoundError, ProcessLookupError):
        pass
    return {name for name in found if name.startswith("socket:")}


def _threads(pid):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return len(os.listdir(f"/proc/{pid}/task"))
    return 0


def _sleeps(pid):
    """No thread of a process is running."""
    for entry in Path(f"/proc/{pid}/task").glob("*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if entry.read_text(errors="replace").rpartition(")")[2].split()[0] in "RD":
                return False
    return True


def _resident_kib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def _server_root():
    """A fresh directory that the children, who are somebody else, can get into."""
    for parent in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        path = Path(parent).resolve()
        if all(folder.stat().st_mode & 0o001 for folder in (path, *path.parents)):
            break
    root = Path(tempfile.mkdtemp(prefix="bench-", dir=path))
    for name, mode in (("", 0o755), ("conf", 0o755), ("htdocs", 0o755), ("logs", 0o755),
                       ("run", 0o755), ("reports", 0o777)):
        (root / name).mkdir(exist_ok=True)
        (root / name).chmod(mode)
    return root


def _free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
