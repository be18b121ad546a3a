"""Runs the load programs, each as a process, and reads what they counted."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.harness.answers import BenchmarkError, Sample
from benchmarks.harness.folders import REPOSITORY
from benchmarks.harness.ledger import made_forks, written_events
from benchmarks.harness.postgres import program
from benchmarks.harness.processes import cpu_seconds
from benchmarks.harness.rounds import Pace
from benchmarks.harness.server import Server

SCRIPTS = Path(__file__).resolve().parents[1] / "load"


class Proof(NamedTuple):
    """What a unit must leave behind, so many times, and how to count it on all channels of a crowd."""

    traces_per_unit: int
    counted_by: Callable[[Server, str, int], int] = written_events


PROOFS = {
    "pair": Proof(2),
    "pair_on_terms": Proof(2),
    "marked_pair": Proof(2),
    "transition": Proof(1),
    "fork": Proof(1, made_forks),
    "replay": Proof(0),
    "resume": Proof(0),
}


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """Who calls, and where: `callers` closed loops that share `channels`."""

    callers: int
    channels: int = 64
    channel_prefix: str = "bench"

    def options(self, pace: Pace) -> list[str]:
        return [
            *("--callers", str(self.callers)),
            *("--channels", str(self.channels)),
            *("--channel-prefix", self.channel_prefix),
            *("--seconds", str(pace.seconds)),
            *("--warm-up", str(pace.warm_up_seconds)),
        ]


def over_http(
    servers: Sequence[Server], crowd: Crowd, pace: Pace, *, unit: str = "pair", fork_cursor: int = 0
) -> Sample:
    """Load on one server or, callers shared evenly, on several that serve one database."""
    options = ["--unit", unit, "--fork-cursor", str(fork_cursor)]
    options += [*server_options(servers), *crowd.options(pace)]
    return checked_load([sys.executable, "-m", "benchmarks.load.http", *options], servers, crowd, unit)


def from_client(python: str, server: Server, crowd: Crowd, pace: Pace) -> Sample:
    """Load through the `actae_client` that the interpreter `python` has installed."""
    options = [*server_options([server]), *crowd.options(pace)]
    return checked_load([python, "-m", "benchmarks.load.client_pairs", *options], [server], crowd, "pair")


def resuming(server: Server, crowd: Crowd, pace: Pace, *, steps: int) -> Sample:
    """Sessions of so many steps, resumed through our client again and again."""
    options = ["--steps", str(steps), *server_options([server]), *crowd.options(pace)]
    command = [sys.executable, "-m", "benchmarks.load.session_resumes", *options]
    return checked_load(command, [server], crowd, "resume")


def from_asyncpg(database_url: str, crowd: Crowd, pace: Pace) -> Sample:
    """The reference: one row and one statement per transaction, one connection per caller."""
    options = ["--database-url", database_url, *crowd.options(pace)]
    return as_sample(run_load([sys.executable, "-m", "benchmarks.load.asyncpg_pairs", *options]))


def from_pgbench(database_url: str, crowd: Crowd, pace: Pace, *, run: str) -> Sample:
    """The same two statements from C; pgbench tells an average latency, which is none of ours."""
    command = [program("pgbench"), "--no-vacuum", "--protocol=prepared", f"--client={crowd.callers}"]
    command += [f"--time={max(1, round(pace.seconds))}", f"--file={SCRIPTS / 'pgbench_pairs.sql'}"]
    command += [
        f"--define=run={run}",
        f"--define=channels={crowd.channels}",
        "--define=number=0",
        database_url,
    ]
    output = run_program(command)
    rate = re.search(r"^tps = ([0-9.]+)", output, re.MULTILINE)
    if rate is None or "number of failed transactions: 0 " not in output:
        raise BenchmarkError(f"pgbench did not count what was expected:\n{output}")
    return Sample(per_second=float(rate[1]), p50_ms=None, p99_ms=None)


def server_options(servers: Sequence[Server]) -> list[str]:
    urls = [option for server in servers for option in ("--url", server.url)]
    return [*urls, "--api-key", servers[0].api_key]


def checked_load(command: Sequence[str], servers: Sequence[Server], crowd: Crowd, unit: str) -> Sample:
    """Load whose every answered unit must then be found: speed is nothing without it.

    Raises:
        BenchmarkError: a call was refused, or more or less is stored than was answered.
    """
    proof = PROOFS[unit]
    before = proof.counted_by(servers[0], crowd.channel_prefix, crowd.channels)
    used_before = cpu_seconds(server.pid for server in servers)
    told = run_load(command)
    used = cpu_seconds(server.pid for server in servers) - used_before
    found = proof.counted_by(servers[0], crowd.channel_prefix, crowd.channels) - before
    answered = told["finished_count"] * proof.traces_per_unit
    if found != answered:
        raise BenchmarkError(f"What was answered must have left {answered} traces; there are {found}.")
    told["server_cpu_us"] = 1e6 * used.servers / told["finished_count"]
    if used.postgres:  # None where the server uses a PostgreSQL that another one has started.
        told["postgres_cpu_us"] = 1e6 * used.postgres / told["finished_count"]
    return as_sample(told)


def run_load(command: Sequence[str]) -> dict[str, Any]:
    """Run one load program to its end.

    Raises:
        BenchmarkError: it failed, or anything but success was answered.
    """
    told: dict[str, Any] = json.loads(run_program(command).splitlines()[-1])
    if told["refusal_count"]:
        raise BenchmarkError(f"{told['refusal_count']} calls failed. The first: {told['first_refusal']}")
    if not told["per_second"]:
        raise BenchmarkError("Nothing was answered inside the window.")
    return told


def run_program(command: Sequence[str]) -> str:
    finished = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if finished.returncode:
        raise BenchmarkError(f"{' '.join(command[:4])} … failed:\n{finished.stderr[-2000:]}")
    return finished.stdout


def as_sample(told: dict[str, Any]) -> Sample:
    """What the sample has fields for."""
    known: dict[str, Any] = {field.name: told.get(field.name) for field in fields(Sample)}
    return Sample(**known)
