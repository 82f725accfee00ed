# SPDX-License-Identifier: Apache-2.0
"""What a test hands to httpd.run(), and the httpd.conf that is made of it.

A test gives lines of configuration and files.  The lines stand at the end of the main server's
configuration and may use ${ROOT} (the ServerRoot), ${DOCS} (the DocumentRoot), ${PORT} and
${TLS_PORT}.
"""

import os
import subprocess
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
MODULE = Path(os.environ.get("BENCH_MODULE") or "build/mod_bench.so")
MODULE = MODULE if MODULE.is_absolute() else PROJECT / MODULE


@dataclass(frozen=True)
class File:
    """A file below the ServerRoot."""
    path: str
    content: bytes
    mode: int = 0o644

    def write(self, root):
        """Write it in place, as most editors do not: same inode, truncated first."""
        target = root / self.path
        for folder in reversed(target.relative_to(root).parents[:-1]):
            (root / folder).mkdir(mode=0o755, exist_ok=True)
            (root / folder).chmod(0o755)
        if target.exists():
            target.chmod(0o644)
        target.write_bytes(self.content)
        target.chmod(self.mode)
        return target


def file(path, content="", mode=0o644):
    """A file below the ServerRoot; text loses its common indentation."""
    return File(path, source(content), mode)


def script(path, content="", mode=0o644):
    """A file below the DocumentRoot; text loses its common indentation."""
    return File("htdocs/" + path, source(content), mode)


def source(content):
    if isinstance(content, bytes):
        return content
    return textwrap.dedent(content.removeprefix("\n")).encode()


def vhost(name, *lines, address="*"):
    """A name-based virtual host."""
    return "\n".join([f"<VirtualHost {address}>", f"ServerName {name}", *lines, "</VirtualHost>"])


@dataclass
class Settings:
    """Everything httpd.conf is made of."""
    root: Path
    mpm: str
    lines: list
    modules: tuple = ()
    children: int = 1
    threads: int = 5
    processes: int = 4
    tls: bool = False
    bench: bool = True
    ports: list = field(default_factory=list)

    @property
    def workers(self):
        """How many requests are served at the same time."""
        return self.processes if self.mpm == "prefork" else self.children * self.threads


def apxs_libexecdir():
    return subprocess.run(["apxs", "-q", "LIBEXECDIR"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def render(settings, libexec):
    """The text of httpd.conf."""
    modules = [f"mpm_{settings.mpm}", "authz_core", "mime", "dir", *settings.modules]
    if settings.tls:
        modules.append("ssl")
    blocks = [
        _definitions(settings),
        [f"LoadModule {name}_module {libexec}/mod_{name}.so" for name in dict.fromkeys(modules)],
        [f"LoadModule bench_module {MODULE}"] if settings.bench else [],
        _capacity(settings),
        _MAIN.splitlines(),
        ["User www-data", "Group www-data"] if os.geteuid() == 0 else [],
        ["LogLevel warn bench:debug", "AddHandler bench-script .mrb"]
        if settings.bench else ["LogLevel warn"],
        settings.lines,
        _tls() if settings.tls else [],
    ]
    return "\n".join("\n".join(block) for block in blocks) + "\n"


def _definitions(settings):
    lines = [f'Define ROOT "{settings.root}"', f'Define DOCS "{settings.root}/htdocs"',
             f"Define PORT {settings.ports[0]}"]
    if settings.tls:
        lines.append(f"Define TLS_PORT {settings.ports[1]}")
    return lines


def _capacity(settings):
    if settings.mpm == "prefork":
        return [f"StartServers {settings.processes}", "MinSpareServers 1",
                f"MaxSpareServers {settings.processes + 1}",
                f"MaxRequestWorkers {settings.processes}"]
    # ServerLimit leaves room for the old generation beside the new one in a graceful restart.
    return [f"StartServers {settings.children}", f"ServerLimit {settings.children + 15}",
            f"ThreadLimit {settings.threads}", f"ThreadsPerChild {settings.threads}",
            f"MaxRequestWorkers {settings.workers}", "MinSpareThreads 1",
            f"MaxSpareThreads {settings.workers + settings.threads}"]


# AcceptFilter none: a connection is seen when it is made, not when its first byte comes.
_MAIN = """\
ServerRoot "${ROOT}"
DefaultRuntimeDir "${ROOT}/run"
PidFile "${ROOT}/run/httpd.pid"
ServerName localhost
Listen 127.0.0.1:${PORT}
AcceptFilter http none
AcceptFilter https none
Timeout 60
KeepAliveTimeout 15
TypesConfig conf/mime.types
ErrorLog logs/error.log
DocumentRoot htdocs
<Directory />
    AllowOverride None
    Require all denied
</Directory>
<Directory "${DOCS}">
    Require all granted
</Directory>"""

MIME_TYPES = "text/html html shtml\ntext/plain txt\n"


def _tls():
    return ["Listen 127.0.0.1:${TLS_PORT} https",
            "<VirtualHost *:${TLS_PORT}>", "ServerName localhost", "SSLEngine on",
            "SSLCertificateFile conf/cert.pem", "SSLCertificateKeyFile conf/key.pem",
            "</VirtualHost>"]


def make_certificate(directory):
    """A certificate for localhost, made once for each server that speaks TLS."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                    "-addext", "basicConstraints=critical,CA:FALSE",
                    "-keyout", directory / "key.pem", "-out", directory / "cert.pem"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
