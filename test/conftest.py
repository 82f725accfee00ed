# SPDX-License-Identifier: Apache-2.0
"""The `httpd` fixture: each test gets an httpd of its own, under each MPM.

BENCH_MPMS  the MPMs, with commas between (default: event,worker,prefork)
BENCH_KEEP  keep the servers' directories
BENCH_RECORD  write down what Rack 2.2 answers (harness.rack)
harness.tool says what BENCH_TOOL and BENCH_MODULE are for.
"""

import os

import pytest
from harness.rack import Recorded
from harness.server import Httpd

MPMS = ("event", "worker", "prefork")
NO_MPM = "none"


def pytest_generate_tests(metafunc):
    """Every test with an httpd exists once for each MPM, or for those that its marker names."""
    if "mpm" in metafunc.fixturenames:
        mark = metafunc.definition.get_closest_marker("mpms")
        wanted = os.environ.get("BENCH_MPMS", "").replace(",", " ").split() or MPMS
        assert set(wanted) <= set(MPMS), f"BENCH_MPMS: expected some of {', '.join(MPMS)}"
        names = [name for name in wanted if not mark or name in mark.args]
        metafunc.parametrize("mpm", names or [NO_MPM], scope="session")


def pytest_collection_modifyitems(items):
    """A test that exists under none of the wanted MPMs does not exist."""
    items[:] = [item for item in items
                if not hasattr(item, "callspec") or item.callspec.params.get("mpm") is not NO_MPM]


@pytest.fixture
def httpd(mpm):
    server = Httpd(mpm)
    yield server
    server.discard()


@pytest.fixture(scope="session")
def rack():
    """Rack 2.2, to compare with."""
    known = Recorded()
    yield known
    known.close()


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item):
    """After the test's own assertions: stop its httpd, and fail for what stands in its log."""
    server = getattr(item, "funcargs", {}).get("httpd")
    if server is not None:
        server.stop()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A failure shows the end of the error log."""
    outcome = yield
    server = getattr(item, "funcargs", {}).get("httpd")
    if server is not None and call.excinfo is not None:
        outcome.get_result().sections.append(
            ("error log", "\n".join(server.log.lines()[-40:])))
