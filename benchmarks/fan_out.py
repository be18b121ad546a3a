"""Records events in one channel, 16 callers as fast as they are answered, and counts what their readers get.

Each subscriber must get every event, once and in order. What has not arrived when the window closes is waited
for, and not counted. The reference is PostgreSQL itself: 16 connections store a row and notify in one
transaction, 64 listen.

Who writes also pays for readers that have nothing to do with it: while 100 subscribers follow other channels
at another server, that one is told of everything. Counted are transitions of 64 callers, then and otherwise.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

from benchmarks.harness.answers import Answer, Sample, ratios
from benchmarks.harness.folders import scratch_folder
from benchmarks.harness.loads import Crowd, over_http
from benchmarks.harness.postgres import create_reference
from benchmarks.harness.readers import delivering, idle_readers, notifying
from benchmarks.harness.rounds import Pace, Subject, take_turns
from benchmarks.harness.server import fresh_server, running_server

QUESTION = "How many deliveries per second, and what do readers cost those who write?"
SUBSCRIBERS = (1, 64, 1000)
LISTENERS = 64  # With the writers, about what PostgreSQL takes unless it is told otherwise.
WRITERS = 16
READERS_ELSEWHERE = 100


def answer(pace: Pace) -> Answer:
    with fresh_server() as server:
        reference_url = create_reference(server.database_url)
        subjects: dict[str, Subject] = {
            f"Actae, {count}": partial(delivering, server, server, count, pace, writers=WRITERS)
            for count in SUBSCRIBERS
        }
        subjects |= {
            f"NOTIFY, {LISTENERS}": partial(
                notifying, server, reference_url, LISTENERS, pace, writers=WRITERS
            ),
            "writes, read elsewhere": partial(writing, server.database_url, pace, READERS_ELSEWHERE),
            "writes, not read": partial(writing, server.database_url, pace, 0),
        }
        samples = take_turns(subjects, pace.rounds)
    _, actae, _, notify, read, unread = samples.values()
    return Answer(
        samples=samples,
        figures=[
            ratios("deliveries at 64 / NOTIFY's", actae, notify),
            ratios("writes, read elsewhere / not read", read, unread),
        ],
    )


def writing(database_url: str, pace: Pace, readers_elsewhere: int) -> Sample:
    """Two servers of their own: a server remembers for a while that another one has had readers."""
    with ExitStack() as stack:
        here, there = (
            stack.enter_context(
                running_server(stack.enter_context(scratch_folder()), database_url=database_url)
            )
            for _ in range(2)
        )
        if readers_elsewhere:
            stack.enter_context(idle_readers(there, readers_elsewhere))
        return over_http([here], Crowd(callers=64), pace, unit="transition")
