"""The same pairs through `actae_client`: one process, one client, 64 tasks.

Beside it runs the client that is published on PyPI, against the same server, from an environment of its own.
"""

from __future__ import annotations

import sys
from functools import partial

from benchmarks.harness import goals
from benchmarks.harness.answers import Answer, BenchmarkError, ratios
from benchmarks.harness.loads import Crowd, from_asyncpg, from_client
from benchmarks.harness.postgres import create_reference
from benchmarks.harness.published_client import published_client_python
from benchmarks.harness.rounds import Pace, Subject, take_turns
from benchmarks.harness.server import fresh_server

QUESTION = "How many pairs per second does one process get through the Python client?"
CROWD = Crowd(callers=64)
OURS, PUBLISHED, REFERENCE = "our client, 64", "published client, 64", "asyncpg, 64"


def answer(pace: Pace) -> Answer:
    with fresh_server() as server:
        reference_url = create_reference(server.database_url)
        subjects: dict[str, Subject] = {
            OURS: partial(from_client, sys.executable, server, CROWD, pace),
            REFERENCE: partial(from_asyncpg, reference_url, CROWD, pace),
        }
        remarks = []
        try:
            subjects[PUBLISHED] = partial(from_client, published_client_python(), server, CROWD, pace)
        except BenchmarkError as unavailable:
            remarks.append(f"The published client was skipped. {unavailable}")
        samples = take_turns(subjects, pace.rounds)
    goal = goals.PAIRS_FROM_THE_CLIENT
    figures = [ratios("our client's pairs / asyncpg's", samples[OURS], samples[REFERENCE], goal=goal)]
    if PUBLISHED in samples:
        figures.append(ratios("our client / the published one", samples[OURS], samples[PUBLISHED]))
    return Answer(samples=samples, figures=figures, remarks=remarks)
