"""Claims a fresh key and completes it, over HTTP, at 1, 16 and 64 callers.

The reference is PostgreSQL itself: asyncpg and pgbench claim and complete one row per transaction, in another
database of the same cluster, at the same concurrency. They write one table; Actae writes the ledger, two
events, their hash chain and the channel's head.
"""

from __future__ import annotations

import secrets
from functools import partial

from benchmarks.harness import goals
from benchmarks.harness.answers import Answer, Figure, Samples, figure, ratios
from benchmarks.harness.loads import Crowd, from_asyncpg, from_pgbench, over_http
from benchmarks.harness.postgres import create_reference
from benchmarks.harness.rounds import Pace, Subject, take_turns
from benchmarks.harness.server import Server, fresh_server

QUESTION = "How many claims with their completes per second, and how long does a pair take?"
CALLERS = (1, 16, 64)


def answer(pace: Pace) -> Answer:
    with fresh_server() as server:
        reference_url = create_reference(server.database_url)
        subjects: dict[str, Subject] = {}
        for callers in CALLERS:
            subjects |= subjects_at(callers, server, reference_url, pace)
        samples = take_turns(subjects, pace.rounds)
    return Answer(samples=samples, figures=figures(samples))


def subjects_at(callers: int, server: Server, reference_url: str, pace: Pace) -> dict[str, Subject]:
    crowd = Crowd(callers=callers)
    return {
        f"Actae, {callers}": partial(over_http, [server], crowd, pace),
        f"asyncpg, {callers}": partial(from_asyncpg, reference_url, crowd, pace),
        f"pgbench, {callers}": lambda: from_pgbench(reference_url, crowd, pace, run=secrets.token_hex(4)),
    }


def figures(samples: Samples) -> list[Figure]:
    actae, asyncpg, pgbench = (
        {n: samples[f"{who}, {n}"] for n in CALLERS} for who in ("Actae", "asyncpg", "pgbench")
    )
    return [
        ratios("pairs at 64 / asyncpg's", actae[64], asyncpg[64], goal=goals.PAIRS_OVER_HTTP),
        ratios("pairs at 64 / pgbench's", actae[64], pgbench[64]),
        ratios("pairs at 16 / asyncpg's", actae[16], asyncpg[16]),
        ratios("p50 at 1 / asyncpg's", actae[1], asyncpg[1], of="p50_ms", goal=goals.LATENCY_AT_ONE_CALLER),
        figure("p99 at 64", actae[64], of="p99_ms", unit="ms", goal=goals.P99_MS_AT_64_CALLERS),
    ]
