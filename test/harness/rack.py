# SPDX-License-Identifier: Apache-2.0
"""What Rack 2.2 says, to be compared with what mod_bench does.

    Rack22      asks CRuby's Rack, in a process that lives as long as the tests
    Recorded    what Rack 2.2 has answered, for where there is another Rack or none

Bytes are characters below U+0100: JSON has nothing else for them.
"""

import hashlib
import json
import os
import subprocess
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ASKED = (TESTS / "rack" / "asked.rb").read_text()
RECORD = TESTS / "rack" / "recorded.json"
RUBY = os.environ.get("BENCH_CRUBY") or "/usr/bin/ruby"


def brief(text):
    """Long answers by their digest."""
    if len(text) <= 3000:
        return text
    return f"{text[:100]}... {len(text)} {hashlib.sha256(text.encode()).hexdigest()}"


class Rack22:
    """CRuby with Rack 2.2.  Raises LookupError where there is none."""

    def __init__(self):
        try:
            self._process = subprocess.Popen(
                [RUBY, "-W0", TESTS / "rack" / "cruby.rb"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            version = self.ask({"ask": "version"})
        except (OSError, ValueError) as problem:
            raise LookupError(f"no Rack: {problem}") from None
        if not version.startswith("2.2."):
            self.close()
            raise LookupError(f"Rack {version} is not 2.2")

    def ask(self, question):
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


class Recorded:
    """
    What Rack 2.2 has answered.  Where it is installed, it is asked as well, and the record has to be
    right.  BENCH_RECORD=1 adds to the record what it has not got; begin with an empty one, "{}", and
    all tests, to be rid of questions that nobody asks any more.
    """

    def __init__(self):
        self._writing = bool(os.environ.get("BENCH_RECORD"))
        self._known = json.loads(RECORD.read_text())
        try:
            self._rack = Rack22()
        except LookupError:
            assert not self._writing, "a record needs Rack 2.2"
            self._rack = None

    def ask(self, question):
        """The answer, brief()."""
        text = json.dumps(question, sort_keys=True)
        key = hashlib.sha256(text.encode()).hexdigest()[:16]
        answer = brief(self._rack.ask(question)) if self._rack else None
        if self._writing:
            self._known[key] = answer
        assert key in self._known, f"not recorded; with Rack 2.2, use BENCH_RECORD=1: {text[:500]}"
        assert answer in (None, self._known[key]), f"the record is wrong: {text[:500]}"
        return self._known[key]

    def close(self):
        if self._rack:
            self._rack.close()
        if self._writing:
            RECORD.write_text(json.dumps(self._known, indent=0, sort_keys=True) + "\n")


def environment(method, path, query="", headers=(), body=b"", script="/x.mrb", port="80"):
    """The environment that a request to this server has, by which Rack can be asked the same."""
    env = {"REQUEST_METHOD": method, "SCRIPT_NAME": script, "PATH_INFO": path[len(script):],
           "QUERY_STRING": query, "SERVER_NAME": "localhost", "SERVER_PORT": port,
           "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1", "rack.url_scheme": "http"}
    for name, value in dict(headers).items():
        name = name.upper().replace("-", "_")
        key = name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"
        env[key] = value.strip(" \t")
    return env
