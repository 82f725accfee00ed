# SPDX-License-Identifier: Apache-2.0
"""A private httpd to measure: its own ServerRoot, port, session and log; gone when the block ends.

    with Server("event", modules=[Module("bench", path)], config="...", files={...}) as httpd:
        ... http://127.0.0.1:{httpd.port}/ ...

Nothing outside of the temporary ServerRoot is read but the modules; nothing is written elsewhere.
The server listens on loopback only, and is stopped by its process id.
"""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
HTTPD = os.environ.get("HTTPD", "/usr/sbin/apache2")
LIBEXEC = pathlib.Path(os.environ.get("HTTPD_MODULES", "/usr/lib/apache2/modules"))
MPMS = ("event", "worker", "prefork")

BENCH = pathlib.Path(os.environ.get("BENCH_MODULE", ROOT / "build/mod_bench.so"))
BASELINE = ROOT / "build/bench/mod_baseline.so"

BODY = b"Hello mod_bench!!!\n"
TYPE = "text/html; charset=utf-8"


class Trouble(Exception):
    """Something that the user must put right before anything can be measured."""


@dataclass(frozen=True)
class Module:
    name: str
    path: pathlib.Path


@dataclass(frozen=True)
class Variant:
    """One way to answer with BODY: what is loaded, and how its file is handled."""

    name: str
    file: str
    text: str
    config: str = ""
    modules: tuple = ()

    def server(self, mpm, modules=None, **options):
        return Server(
            mpm,
            modules=self.modules if modules is None else modules,
            config=f'<Files "{self.file}">\n{self.config}\n</Files>',
            files={self.file: self.text},
            **options,
        )


HELLO_C = Variant(
    "C handler",
    "hello.cee",
    "",
    "SetHandler baseline-hello",
    (Module("baseline", BASELINE),),
)
HELLO_STATIC = Variant("static file", "hello.htm", BODY.decode(), f'ForceType "{TYPE}"')
HELLO_MRB = Variant(
    "hello.mrb",
    "hello.mrb",
    'print "Hello mod_bench!!!\\n"\n',
    "SetHandler bench-script",
    (Module("bench", BENCH),),
)
HELLO_RACK = Variant(
    "Rack hello",
    "hello.ru",
    'run ->(env) { [200, {"content-type" => "text/html; charset=utf-8"}, ["Hello mod_bench!!!\\n"]] }\n',
    "SetHandler bench-rack",
    (Module("bench", BENCH),),
)
HELLO_LUA = Variant(
    "mod_lua",
    "hello.lua",
    'function handle(r)\n  r.content_type = "text/html; charset=utf-8"\n'
    '  r:write("Hello mod_bench!!!\\n")\n  return apache2.OK\nend\n',
    "SetHandler lua-script\nLuaScope thread\nLuaCodeCache forever",
    (Module("lua", LIBEXEC / "mod_lua.so"),),
)


def wait_until_up(process, port, said, patience=60):
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise Trouble(f"httpd did not start:\n{said()}")


def end(process, sig=signal.SIGTERM, patience=60):
    """Ends a process that was started in a session of its own."""
    if process.poll() is None:
        process.send_signal(sig)
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # its session holds only what it started itself
            process.wait()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """One httpd.  threads and children give its capacity, the same number at all times."""

    def __init__(self, mpm, modules=(), config="", files=None, threads=4, children=1,
                 spare_children=0, log_level="warn", error_log=None, wrapper=(), debug=False,
                 cpus=None):
        self.mpm, self.modules, self.config = mpm, modules, config
        self.files = files or {}
        self.threads, self.children, self.spare = threads, children, spare_children
        self.log_level, self.error_log = log_level, error_log
        self.wrapper, self.debug, self.cpus = list(wrapper), debug, cpus
        self.process = None

    # -- life --------------------------------------------------------------------------------

    def __enter__(self):
        for need in (pathlib.Path(HTTPD), *(m.path for m in self.modules)):
            if not need.exists():
                raise Trouble(f"{need} is missing (make deps; make)")
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="bench-httpd-"))
        try:
            self.root.chmod(0o755)
            (self.root / "docs").mkdir()
            for name, text in self.files.items():
                (self.root / "docs" / name).write_text(text)
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.port = free_port()
        self.log = self.root / "error_log"
        conf = self.root / "httpd.conf"
        conf.write_text(self.text())
        command = [HTTPD, "-d", str(self.root), "-f", str(conf)]
        check = subprocess.run([*command, "-t"], capture_output=True, text=True)
        if check.returncode:
            raise Trouble(f"httpd refuses the configuration:\n{check.stderr.strip()}")
        self.process = subprocess.Popen(
            [*self.wrapper, *command, "-X" if self.debug else "-DFOREGROUND"],
            stdin=subprocess.DEVNULL,
            stdout=(self.root / "output").open("wb"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=self.cpus and (lambda: os.sched_setaffinity(0, self.cpus)),
        )
        wait_until_up(self.process, self.port, self.said)

    def stop(self, sig=signal.SIGTERM, patience=60):
        """Ends the server and removes its files; returns its log."""
        if self.process:
            end(self.process, sig, patience)
        self.process = None
        said = self.said()
        shutil.rmtree(self.root, ignore_errors=True)
        return said

    def said(self):
        """What it has written to its log and its standard output."""
        files = (self.root / "output", self.root / "error_log")
        return "".join(f.read_text(errors="replace") for f in files if f.exists())

    # -- what is inside ----------------------------------------------------------------------

    def pids(self):
        """The children, without the parent."""
        pid = self.process.pid
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return [int(p) for p in text.split()]

    def rss(self):
        """Resident memory of the children together, in bytes."""
        total = 0
        for pid in self.pids():
            for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    total += int(line.split()[1]) * 1024
        return total

    def cpu(self):
        """CPU time of all threads of all children, in ns."""
        total = 0
        for pid in self.pids():
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                total += int((task / "schedstat").read_text().split()[0])
        return total

    def url(self, name=""):
        return f"http://127.0.0.1:{self.port}/{name}"

    # -- configuration -----------------------------------------------------------------------

    def text(self):
        lines = [
            f"ServerRoot {self.root}",
            f"DefaultRuntimeDir {self.root}",
            f"PidFile {self.root}/pid",
            "ServerName localhost",
            f"Listen 127.0.0.1:{self.port}",
            f"ErrorLog {self.error_log or self.log}",
            f"LogLevel {self.log_level}",
            f"LoadModule mpm_{self.mpm}_module {LIBEXEC}/mod_mpm_{self.mpm}.so",
            f"LoadModule authz_core_module {LIBEXEC}/mod_authz_core.so",
            f"LoadModule mime_module {LIBEXEC}/mod_mime.so",
            *(f"LoadModule {m.name}_module {m.path}" for m in self.modules),
            *(("User www-data", "Group www-data") if os.getuid() == 0 else ()),
            *self.capacity(),
            "TypesConfig /dev/null",
            "Timeout 60",
            "KeepAlive On",
            "KeepAliveTimeout 5",
            "MaxKeepAliveRequests 0",
            "MaxConnectionsPerChild 0",
            "FileETag None",
            f"DocumentRoot {self.root}/docs",
            "<Directory />",
            "    AllowOverride None",
            "    Require all granted",
            "</Directory>",
            self.config,
        ]
        return "\n".join(lines) + "\n"

    def capacity(self):
        if self.mpm == "prefork":
            n = self.threads * self.children
            return (
                f"ServerLimit {n + self.spare}",
                f"StartServers {n}",
                "MinSpareServers 1",
                f"MaxSpareServers {n + 1}",
                f"MaxRequestWorkers {n}",
            )
        n = self.threads * self.children
        return (
            f"ThreadLimit {self.threads}",
            f"ThreadsPerChild {self.threads}",
            f"ServerLimit {self.children + self.spare}",
            f"StartServers {self.children}",
            "MinSpareThreads 1",
            f"MaxSpareThreads {n + self.threads}",
            f"MaxRequestWorkers {n}",
        )


class Shipped:
    """The server that `make run` starts, with the configuration of conf/."""

    def __init__(self, mpm):
        self.mpm = mpm

    def __enter__(self):
        self.port = free_port()
        self.output = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [str(ROOT / "tools/run"), self.mpm, str(self.port)],
            stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output,
            start_new_session=True,
        )
        try:
            wait_until_up(self.process, self.port, self.said)
        except BaseException:
            end(self.process)
            raise
        return self

    def __exit__(self, *_):
        end(self.process)

    def said(self):
        self.output.seek(0)
        return self.output.read().decode(errors="replace")

    def url(self, name=""):
        return f"http://127.0.0.1:{self.port}/{name}"


def fetch(port, name, method="GET"):
    """One request on a connection of its own: (status, headers without Date, body)."""
    with socket.create_connection(("127.0.0.1", port), 60) as s:
        s.sendall(f"{method} /{name} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        data = b""
        while chunk := s.recv(65536):
            data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in rest)
    headers.pop("Date", None)
    return int(first.split()[1]), headers, body


def main(run):
    """Runs a tool: 0 or 1 is its verdict, 2 is trouble; SIGTERM cleans up as Ctrl-C does."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    try:
        sys.exit(run())
    except Trouble as e:
        print(f"{pathlib.Path(sys.argv[0]).name}: {e}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
