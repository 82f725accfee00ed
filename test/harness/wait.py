# SPDX-License-Identifier: Apache-2.0
"""Waiting for a condition, with a deadline that knows the tool httpd runs under."""

import time

from .tool import TOOL

#: How long anything may take before the test calls it lost, in seconds.
PATIENCE = 15 * TOOL.slowness


def until(condition, what, seconds=PATIENCE):
    """Poll until condition() is true, and return its value; AssertionError past the deadline."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.005)
