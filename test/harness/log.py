# SPDX-License-Identifier: Apache-2.0
"""The error logs of one httpd.

Every line of level warn or worse, every trace of a crash, and everything that is not a line of
httpd's log at all (stderr of a child, a report of a sanitizer) must be expected by the test.
"""

import re

from .wait import until

_LINE = re.compile(r"\[[^]]+\] \[(?P<module>\w*):(?P<level>\w+)\] \[pid (?P<pid>\d+)")
_LOUD = {"emerg", "alert", "crit", "error", "warn"}
_CRASH = re.compile(r"AH0005[0-2]|exit signal|Sanitizer|double free|stack smashing")

#: Lines of httpd's own that say nothing about the module.
NOISE = {
    # The servers of the tests are small and simple, and tests use all of their workers on purpose.
    "AH00161": "prefork: server reached MaxRequestWorkers",
    "AH00286": "worker: server reached MaxRequestWorkers",
    "AH00484": "event: server reached MaxRequestWorkers",
    "AH01873": "ssl: no session cache is configured",
    "AH03490": "event: scoreboard full while old generations still linger",
    "AH10159": "event: server is within MinSpareThreads of MaxRequestWorkers",
}

#: What AddressSanitizer says when a script asks for more than there is, and its malloc says no.
REFUSED = "AddressSanitizer failed to allocate"

#: The same, but only once httpd has been told to stop.
NOISE_OF_STOPPING = {
    # The listener thread closes its pollset while workers still hand connections back to it.
    "AH03092": "event: process_lingering_close: apr_pollset_add failure (Bad file descriptor)",
    "AH03093": "event: process_socket: apr_pollset_add failure (Bad file descriptor)",
}


class Log:
    def __init__(self, root):
        self._folders = [root / "logs", root / "reports"]
        self._expected = []

    def lines(self, *fragments, file=None):
        """Lines with all the fragments; of all logs, or of the one in logs/ called file."""
        return [line for line in self._read(file) if _has(line, fragments)]

    def grep(self, pattern, file=None):
        """Matches of a regular expression, in the order of the lines."""
        return [found for line in self._read(file) if (found := re.search(pattern, line))]

    def expects(self, *fragments, times=None, file=None):
        """
        A line with all the fragments comes (exactly `times` lines, if given); such lines do not
        fail the test.  Returns the first.
        """
        wanted = times or 1
        until(lambda: len(self.lines(*fragments, file=file)) >= wanted,
              _Complaint(self, fragments, wanted, file))
        self._expected.append((fragments, times, file))
        return self.lines(*fragments, file=file)[0]

    def clear(self):
        """Forget what has been logged so far; httpd is not running."""
        for path in self._files():
            path.unlink()

    def unexpected(self, noise=NOISE):
        """Lines that fail the test."""
        return [line for line in self._read() if self._fails(line, noise)]

    def verify(self, stopped=False):
        """The whole log is what the test expected, no more."""
        bad = self.unexpected(NOISE | NOISE_OF_STOPPING if stopped else NOISE)
        assert not bad, "unexpected in the error log:\n  " + "\n  ".join(bad[:40])
        for fragments, times, file in self._expected:
            seen = len(self.lines(*fragments, file=file))
            assert times in (None, seen), f"{fragments} is logged {seen} times, not {times}"

    def _files(self, name=None):
        return [path for folder in self._folders for path in sorted(folder.glob("*"))
                if name in (None, path.name)]

    def _read(self, file=None):
        for path in self._files(file):
            text = path.read_bytes().decode("utf-8", "backslashreplace")
            yield from (line for line in text.split("\n") if line)

    def _fails(self, line, noise):
        if any(_has(line, fragments) for fragments, _, _ in self._expected):
            return False
        if REFUSED in line:
            return False
        found = _LINE.match(line)
        if not found or _CRASH.search(line):
            return True
        return found["level"] in _LOUD and not any(number in line for number in noise)


def _has(line, fragments):
    return all(fragment in line for fragment in fragments)


class _Complaint:
    """Says what the log holds instead, when it is asked: at the end of the wait."""

    def __init__(self, log, fragments, wanted, file):
        self.log, self.fragments, self.wanted, self.file = log, fragments, wanted, file

    def __str__(self):
        where = self.file or "the error log"
        return (f"{self.wanted} line(s) with {self.fragments} in {where}; there is:\n  "
                + "\n  ".join(self.log.lines(file=self.file)[-30:]))
