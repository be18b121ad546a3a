"""Resident memory of the server process, idle and after load from 64 callers; PostgreSQL's is left out."""

from __future__ import annotations

from benchmarks.harness import goals
from benchmarks.harness.answers import Answer, Figure
from benchmarks.harness.loads import Crowd, over_http
from benchmarks.harness.processes import resident_mb
from benchmarks.harness.rounds import Pace
from benchmarks.harness.server import fresh_server

QUESTION = "How much memory does a server take?"
CROWD = Crowd(callers=64)


def answer(pace: Pace) -> Answer:
    with fresh_server() as server:
        idle = resident_mb(server.pid)
        samples, loaded = [], []
        for _ in range(pace.rounds):
            samples.append(over_http([server], CROWD, pace))
            loaded.append(resident_mb(server.pid))
    return Answer(
        samples={"Actae, 64": samples},
        figures=[
            Figure(label="server memory, idle", values=[idle], unit="MB"),
            Figure(label="server memory, after load", values=loaded, unit="MB", goal=goals.SERVER_MEMORY_MB),
        ],
    )
