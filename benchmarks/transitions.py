"""Appends an event together with the state that follows from it, on one hot channel and spread over 64.

The reference counts transactions: asyncpg's pair is two of them, a transition is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from benchmarks.harness.answers import Answer, Figure, Sample
from benchmarks.harness.loads import Crowd, from_asyncpg, over_http
from benchmarks.harness.postgres import create_reference
from benchmarks.harness.rounds import Pace, take_turns
from benchmarks.harness.server import fresh_server

QUESTION = "How many transitions per second?"
HOT = Crowd(callers=64, channels=1, channel_prefix="hot")
SPREAD = Crowd(callers=64)
TRANSACTIONS_PER_PAIR = 2


def answer(pace: Pace) -> Answer:
    with fresh_server() as server:
        reference_url = create_reference(server.database_url)
        subjects = {
            "Actae, one channel": partial(over_http, [server], HOT, pace, unit="transition"),
            "Actae, 64 channels": partial(over_http, [server], SPREAD, pace, unit="transition"),
            "asyncpg, pairs": partial(from_asyncpg, reference_url, SPREAD, pace),
        }
        samples = take_turns(subjects, pace.rounds)
    hot, spread, pairs = samples.values()
    return Answer(
        samples=samples,
        figures=[
            per_transaction("one channel / asyncpg's transactions", hot, pairs),
            per_transaction("64 channels / asyncpg's transactions", spread, pairs),
        ],
    )


def per_transaction(label: str, transitions: Sequence[Sample], pairs: Sequence[Sample]) -> Figure:
    rounds = zip(transitions, pairs, strict=True)
    return Figure(
        label=label, values=[t.per_second / (TRANSACTIONS_PER_PAIR * p.per_second) for t, p in rounds]
    )
