# SPDX-License-Identifier: Apache-2.0
"""A real httpd for each test: configuration, request, answer, log.

    config   what stands in httpd.conf            wire   HTTP/1 byte by byte
    server   start, restart and stop one httpd    h2     HTTP/2, streams in parallel
    log      error logs, and what may stand there crowd  many clients at once
    tool     sanitizers and valgrind around httpd wait   deadlines; never sleep and hope
"""

from . import h2
from .config import file, script, vhost
from .crowd import background, together
from .wait import until
from .wire import NoAnswer, Truncated

__all__ = ["NoAnswer", "Truncated", "background", "file", "h2", "script", "together", "until",
           "vhost"]
