# SPDX-License-Identifier: Apache-2.0
"""Many clients at once; what goes wrong in one of them fails the test."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from .wait import PATIENCE


def together(count, job):
    """Run job(0) ... job(count - 1) at the same time, each on a thread; their results in order."""
    gate = threading.Barrier(count)

    def start(number):
        gate.wait(PATIENCE)
        return job(number)

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(start, range(count)))


class Crowd:
    """What the clients in the background have done so far."""

    def __init__(self):
        self._lock = threading.Lock()
        self.rounds = 0
        self.failures = []

    def _done(self, failure=None):
        with self._lock:
            self.rounds += 1
            if failure is not None:
                self.failures.append(failure)


@contextmanager
def background(job, clients=3):
    """Clients that run job() over and over while the block runs; the first failure is raised."""
    crowd, stop = Crowd(), threading.Event()

    def client():
        while not stop.is_set() and not crowd.failures:
            try:
                job()
                crowd._done()
            except BaseException as failure:
                crowd._done(failure)

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    try:
        yield crowd
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    if crowd.failures:
        raise crowd.failures[0]
