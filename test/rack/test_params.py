# SPDX-License-Identifier: Apache-2.0
"""
Thousands of generated queries, forms and multipart bodies: `make check-params`.

BENCH_PARAMS   how many altogether (default 10,000)
BENCH_RECORD   nothing is compared; some of each kind go to params.json, for "make test"
"""

import json
import os

import pytest
from generate import KINDS
from harness.params import SCRIPTS, agree, ours, racks
from harness.rack import Rack22, TESTS
from hypothesis import HealthCheck, Phase, given, settings

TOTAL = int(os.environ.get("BENCH_PARAMS") or 10_000)
SHARES = {"url": 0.2, "query": 0.2, "form": 0.2, "multipart": 0.4}
RECORDED = {"url": 100, "query": 100, "form": 100, "multipart": 200}
CORPUS = TESTS / "rack" / "params.json"


@pytest.fixture(scope="module")
def rack22():
    rack = Rack22()
    yield rack
    rack.close()


def keep(kind, different):
    """As many as are wanted, from all over what was generated."""
    corpus = json.loads(CORPUS.read_text()) if CORPUS.exists() else {}
    step = max(1, len(different) // RECORDED[kind])
    corpus[kind] = [[media_type, data.decode("latin-1")] for media_type, data in
                    list(different)[::step][:RECORDED[kind]]]
    CORPUS.write_text(json.dumps(corpus, indent=0, sort_keys=True) + "\n")


@pytest.mark.mpms("event")
@pytest.mark.parametrize("kind", KINDS)
def test_generated(httpd, rack22, kind):
    share = int(TOTAL * SHARES[kind])
    recording = os.environ.get("BENCH_RECORD")
    different = {}

    def compare(connection, pair):
        mine, wanted = ours(connection, kind, *pair), racks(rack22, kind, *pair)
        assert agree(mine, wanted), f"{pair}\n  ours {mine}\n  rack {wanted}"

    httpd.run("MaxKeepAliveRequests 0", *SCRIPTS)
    with httpd.connect() as connection:
        # Some are generated more than once.
        @settings(max_examples=2 * share, derandomize=True, deadline=None, database=None,
                  phases=[Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck))
        @given(KINDS[kind])
        def generated(pair):
            if recording:
                different[pair] = True
            elif len(different) < share and pair not in different:
                compare(connection, pair)
                different[pair] = True

        generated()
    assert len(different) >= share
    if recording:
        keep(kind, different)
