"""Records an event and waits until all subscribers of its channel have it, then the next: there is no queue.

Times run from the writer's request to the arrival at a subscriber, over all subscribers. Elsewhere, they
follow another server process than the one that is written to. The reference is PostgreSQL itself: a row is
stored and notified in one transaction, and as many connections as there are subscribers listen.
"""

from __future__ import annotations

from functools import partial

from benchmarks.harness import goals
from benchmarks.harness.answers import Answer, Figure, Samples, figure, ratios
from benchmarks.harness.folders import scratch_folder
from benchmarks.harness.postgres import create_reference
from benchmarks.harness.readers import delivering, notifying
from benchmarks.harness.rounds import Pace, Subject, take_turns
from benchmarks.harness.server import fresh_server, running_server

QUESTION = "How long is an event on its way to subscribers?"
SUBSCRIBERS = (1, 64, 1000)
LISTENERS = (1, 64)  # PostgreSQL takes 100 connections unless it is told otherwise.


def answer(pace: Pace) -> Answer:
    subjects: dict[str, Subject] = {}
    with (
        fresh_server() as here,
        scratch_folder() as folder,
        running_server(folder, database_url=here.database_url) as there,
    ):
        reference_url = create_reference(here.database_url)
        for count in SUBSCRIBERS:
            subjects[f"here, {count}"] = partial(delivering, here, here, count, pace)
            subjects[f"elsewhere, {count}"] = partial(delivering, here, there, count, pace)
        for count in LISTENERS:
            subjects[f"NOTIFY, {count}"] = partial(notifying, here, reference_url, count, pace)
        samples = take_turns(subjects, pace.rounds)
    return Answer(samples=samples, figures=figures(samples))


def figures(samples: Samples) -> list[Figure]:
    here, elsewhere = ({n: samples[f"{where}, {n}"] for n in SUBSCRIBERS} for where in ("here", "elsewhere"))
    notify = {n: samples[f"NOTIFY, {n}"] for n in LISTENERS}
    return [
        ratios("p50 at 1 / NOTIFY's", here[1], notify[1], of="p50_ms", goal=goals.DELIVERY_AT_ONE_SUBSCRIBER),
        ratios("p50 at 1, elsewhere / NOTIFY's", elsewhere[1], notify[1], of="p50_ms"),
        ratios("p50 at 64 / NOTIFY's", here[64], notify[64], of="p50_ms"),
        ratios("p50 at 1000 / at 1", here[1000], here[1], of="p50_ms"),
        ratios("writer's p50 at 1000 / at 1", here[1000], here[1], of="reply_p50_ms"),
        figure("writer's p50 at 1000", here[1000], of="reply_p50_ms", unit="ms"),
    ]
