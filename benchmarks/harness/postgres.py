"""The PostgreSQL under the server, reached past it: other databases of the same cluster and settings."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from string import Template

import asyncpg

from actae.embedded.binaries import find_binaries
from benchmarks.harness.answers import BenchmarkError
from benchmarks.load.workload import PARAMS, RESULT, STATE

HERE = Path(__file__).resolve().parent
REFERENCE = HERE.parent / "load" / "reference.sql"
FILLED_LEDGER = HERE / "filled_ledger.sql"
FILLED_RUN = HERE / "filled_run.sql"
DURABILITY = ("fsync", "synchronous_commit", "full_page_writes")


def create_database(database_url: str, name: str) -> str:
    """Another database beside that of `database_url`; its own URL."""
    execute(database_url, f"create database {name}")
    return beside(database_url, name)


def create_reference(database_url: str) -> str:
    """A database with the one table of the reference load; its URL."""
    reference_url = create_database(database_url, "benchmark_reference")
    execute(reference_url, REFERENCE.read_text())
    return reference_url


def fill_ledger(database_url: str, *, execution_count: int, channel_count: int) -> None:
    """Put completed executions into an empty ledger, and leave it as it would be found: analysed and flushed.

    With `fill_runs` the one place outside the server that knows its tables.
    """
    fill = Template(FILLED_LEDGER.read_text()).substitute(
        executions=execution_count, channels=channel_count, params=PARAMS, result=RESULT
    )
    execute(database_url, fill, "vacuum analyze", "checkpoint")


def fill_runs(database_url: str, steps_by_channel: Mapping[str, int]) -> None:
    """Put one interrupted session of so many steps into each of these channels, which must be new."""
    fill = Template(FILLED_RUN.read_text())
    values = {"params": PARAMS, "result": RESULT, "state": STATE}
    fills = [
        fill.substitute(values, channel=channel, steps=steps) for channel, steps in steps_by_channel.items()
    ]
    execute(database_url, *fills, "vacuum analyze", "checkpoint")


def must_be_durable(database_url: str) -> None:
    """Both sides of every ratio commit to disk; a ratio of two that do not would mean nothing.

    Raises:
        BenchmarkError: a setting says otherwise.
    """

    async def careless() -> list[str]:
        connection = await asyncpg.connect(database_url)
        try:
            return [name for name in DURABILITY if await connection.fetchval(f"show {name}") != "on"]
        finally:
            await connection.close()

    if names := asyncio.run(careless()):
        raise BenchmarkError(f"PostgreSQL runs with {', '.join(names)} off. Switch it on and measure again.")


def execute(database_url: str, *statements: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(database_url)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    asyncio.run(run())


def beside(database_url: str, name: str) -> str:
    """The same cluster, another database. Taken apart by hand: urllib loses the `//` of an empty host."""
    scheme, _, rest = database_url.partition("://")
    address, _, path = rest.partition("/")
    _, question_mark, query = path.partition("?")
    return f"{scheme}://{address}/{name}{question_mark}{query}"


def program(name: str) -> str:
    """The path of one of PostgreSQL's programs, from where the server would take it."""
    return str(find_binaries().program(name))
