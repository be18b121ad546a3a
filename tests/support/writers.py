"""A writer of a test's own, and what it observed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from actae.observations import BatchCommitted, Observation
from actae.operations.committer import SILENCE_SECONDS
from actae.operations.writer import Bounds, Writer

Fact = TypeVar("Fact")

_BOUNDS = {"batch_asks": 256, "batch_bytes": 8 * 2**20, "queue_asks": 4096, "queue_bytes": 256 * 2**20}


class Facts(list[Observation]):
    """Everything that was observed, in order."""

    def of(self, kind: type[Fact]) -> list[Fact]:
        """Those of one kind."""
        return [fact for fact in self if isinstance(fact, kind)]

    @property
    def batch_sizes(self) -> list[int]:
        """How many asks each committed batch held."""
        return [fact.asks for fact in self.of(BatchCommitted)]


@asynccontextmanager
async def writing(
    dsn: str, *, lanes: int = 1, silence_seconds: float = SILENCE_SECONDS, **bounds: Any
) -> AsyncIterator[tuple[Writer, Facts]]:
    """A started writer; it is stopped at the end, and finishes what it has accepted."""
    facts = Facts()
    writer = Writer(
        dsn,
        lanes=lanes,
        bounds=Bounds(**{**_BOUNDS, **bounds}),
        observe=facts.append,
        silence_seconds=silence_seconds,
    )
    await writer.start()
    try:
        yield writer, facts
    finally:
        await writer.stop()
