# SPDX-License-Identifier: Apache-2.0
"""The tool that httpd runs under: none, asan, tsan or valgrind (environment: BENCH_TOOL).

The sanitizers' runtimes are preloaded into the distribution's own httpd; the module, and for tsan
mruby too, are built with the sanitizer (environment: BENCH_MODULE).  Every tool writes its reports
into a directory of the server; a file with something in it fails the test.
"""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Tool:
    name: str
    slowness: int = 1
    preload: tuple = ()
    prefix: tuple = ()
    options: dict = field(default_factory=dict)

    def command(self, argv, reports):
        return [word.format(reports=reports, here=HERE) for word in self.prefix] + argv

    def environment(self, reports):
        """Variables for httpd: the runtimes to preload, and where reports go."""
        env = {name: value.format(reports=reports, here=HERE)
               for name, value in self.options.items()}
        if self.preload:
            env["LD_PRELOAD"] = " ".join(_runtime(name) for name in self.preload)
        return env


def _runtime(name):
    gcc = os.environ.get("CC", "gcc").split()
    path = subprocess.run(gcc + [f"-print-file-name={name}"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()
    assert os.path.isabs(path), f"the compiler has no {name}"
    return os.path.realpath(path)


_TOOLS = [
    Tool("none"),
    Tool("asan", slowness=3, preload=("libasan.so", "libubsan.so"), options={
        # Leaks are counted by the module itself (BENCH0004, BENCH0006): httpd frees little at exit.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:abort_on_error=1:detect_stack_use_after_return=1:"
                        "quarantine_size_mb=16:"
                        "log_path={reports}/asan",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1:log_path={reports}/ubsan",
    }),
    # Newer kernels place mappings where TSan's shadow must be: randomisation is switched off.
    # httpd and APR are not instrumented: what they do is seen by interceptors only, so that a race
    # between two of their own calls says nothing.  prefork frees its pools in a signal handler.
    Tool("tsan", slowness=6, preload=("libtsan.so",), prefix=("setarch", "-R"), options={
        "TSAN_OPTIONS": "halt_on_error=0:second_deadlock_stack=1:history_size=4:"
                        "ignore_noninstrumented_modules=1:report_signal_unsafe=0:atexit_sleep_ms=0:"
                        "suppressions={here}/tsan.supp:log_path={reports}/tsan",
    }),
    Tool("valgrind", slowness=20, prefix=(
        "valgrind", "-q", "--vgdb=no", "--trace-children=yes", "--error-exitcode=99",
        "--leak-check=no", "--suppressions={here}/valgrind.supp",
        "--log-file={reports}/valgrind.%p")),
]

TOOL = {tool.name: tool for tool in _TOOLS}[os.environ.get("BENCH_TOOL") or "none"]
