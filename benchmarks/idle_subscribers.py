"""Resident memory of the server process for readers to whom nothing happens, and the CPU to let them in.

Each follows a channel of its own. Their part of the kernel's memory is left out, and so is PostgreSQL's.
"""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.harness.answers import Answer, Figure
from benchmarks.harness.processes import cpu_seconds, resident_mb
from benchmarks.harness.readers import idle_readers
from benchmarks.harness.rounds import Pace
from benchmarks.harness.server import Server, fresh_server

QUESTION = "What does a reader cost to whom nothing happens?"
KINDS = {"socket": "WebSocket", "stream": "event stream"}


class Cost(NamedTuple):
    """What one reader has added."""

    kb_of_few: float
    kb_of_many: float
    cpu_us: float


def answer(pace: Pace) -> Answer:
    few, many = pace.idle_readers // 5, pace.idle_readers
    figures: list[Figure] = []
    for kind, name in KINDS.items():
        costs = [measure(kind, few, many) for _ in range(pace.rounds)]
        kb_of_few, kb_of_many, cpu_us = zip(*costs, strict=True)
        figures += [
            Figure(label=f"{name}, memory of each of {few}", values=kb_of_few, unit="KB"),
            Figure(label=f"{name}, memory of each of {many}", values=kb_of_many, unit="KB"),
            Figure(label=f"{name}, CPU to let one in", values=cpu_us, unit="µs"),
        ]
    return Answer(figures=figures)


def measure(kind: str, few: int, many: int) -> Cost:
    """On a server of its own, because memory that was used once is kept."""
    with fresh_server() as server:
        begin = now(server)
        with idle_readers(server, few, kind=kind, prefix="few"):
            at_few = now(server)
            with idle_readers(server, many - few, kind=kind, prefix="more"):
                at_many = now(server)
    return Cost(
        kb_of_few=1000 * (at_few.mb - begin.mb) / few,
        kb_of_many=1000 * (at_many.mb - begin.mb) / many,
        cpu_us=1e6 * (at_many.cpu_seconds - begin.cpu_seconds) / many,
    )


class Now(NamedTuple):
    """A server process at one moment."""

    mb: float
    cpu_seconds: float


def now(server: Server) -> Now:
    return Now(resident_mb(server.pid), cpu_seconds([server.pid]).servers)
