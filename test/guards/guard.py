# SPDX-License-Identifier: Apache-2.0
"""What the guards share: the files of the tree, C without its comments, and the way to report.

A guard is an executable beside this file.  It gives main() a function check(tree, found) and
samples: small trees that break its rule, each with a word of the complaint that must come.  They
are tried before the real tree, at every run, so that a guard that has gone blind fails.  A guard
that finds nothing to check fails, too.
"""

import os
import pathlib
import re
import subprocess
import sys
from fnmatch import fnmatch

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Tree:
    """The project's files: those that git tracks or would track."""

    def __init__(self, root=ROOT):
        self.root = root
        git = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        try:
            listed = subprocess.run(git, capture_output=True, check=True).stdout.decode()
            names = listed.rstrip("\0").split("\0")
        except (OSError, subprocess.CalledProcessError):  # an unpacked archive
            names = [
                str(p.relative_to(root)) for p in root.rglob("*")
                if not p.relative_to(root).parts[0] in ("build", ".git")
                and "__pycache__" not in p.parts
            ]
        self.names = sorted(n for n in set(names) if (root / n).is_file())

    def files(self, *patterns):
        return [n for n in self.names if any(fnmatch(n, p) for p in patterns)]

    def text(self, name):
        """Its text, or None for a file that is none."""
        try:
            return (self.root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            return None

    def executable(self, name):
        return os.access(self.root / name, os.X_OK)


class Sample(Tree):
    """A tree that is made up."""

    def __init__(self, files):
        self.all = files
        self.names = sorted(files)

    def text(self, name):
        return self.all[name]

    def executable(self, name):
        return self.all[name].startswith("#!")


class Found:
    def __init__(self):
        self.checked = 0
        self.problems = []

    def problem(self, text, file=None, line=None):
        where = f"{file}:{line}: " if line else f"{file}: " if file else ""
        self.problems.append(where + text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def c_code(text, strings=True):
    """C without comments (and without what is in strings, on demand), lines as they were."""

    def plain(m):
        token = m[0]
        if token.startswith("/"):
            return re.sub(r"[^\n]+", " ", token)
        return token if strings else token[0] + token[-1]

    return re.sub(
        r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', plain, text, flags=re.S
    )


def main(name, check, samples, what):
    """Tries the samples, checks the tree, reports."""
    for files, complaint in samples:
        found = Found()
        check(Sample(files), found)
        if not any(complaint in p for p in found.problems):
            sys.exit(f"{name}: does not see what it must see: {complaint!r} in {sorted(files)}; "
                     f"it said {found.problems}")
    found = Found()
    check(Tree(), found)
    if not found.checked:
        found.problem("nothing to check")
    for p in found.problems:
        print(f"{name}: {p}", file=sys.stderr)
    if found.problems:
        sys.exit(1)
    print(f"{name}: {found.checked} {what}, ok")
