"""What a server knows of itself: its numbers, and what they stand for."""

import asyncio
from time import monotonic
from typing import Final

from actae.operations.attention import Attention, Situation, list_attention
from actae.operations.census import Census, Remembered
from actae.operations.probe import Probe
from actae.operations.storage import measure_tables
from actae.operations.tail import Tail
from actae.operations.writer import Writer
from actae.settings import Settings
from actae.store.census import Counts, count_freezes
from actae.store.database import Database
from actae.transport.history import History
from actae.transport.sampling import Sampler
from actae.transport.tally import Tally

METRICS_CONTENT_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"


class Monitor:
    """Answers for one process, or for all that share its tally."""

    def __init__(
        self,
        settings: Settings,
        db: Database,
        writer: Writer,
        tail: Tail,
        tally: Tally,
        instance_id: str,
    ) -> None:
        self.tally = tally
        self.probe = Probe(db, settings)
        self.sampler = Sampler(tally, db, writer, tail)
        self.history = History(tally, self.sampler)
        self.sizes = Remembered(db, measure_tables)
        self._census = Census(db)
        self._freezes = Remembered(db, count_freezes)
        self._waiting_max = settings.queue_asks_max * settings.lanes
        self._instance_id = instance_id
        self._started = monotonic()

    @property
    def uptime_seconds(self) -> int:
        """Since this process was built."""
        return int(monotonic() - self._started)

    @property
    def workers(self) -> int:
        """How many processes share the tally."""
        return sum(pid > 0 for pid in self.tally.each("pid"))

    async def list_attention(self) -> list[Attention]:
        """What somebody should look at, most urgent first. The counts are some seconds old."""
        situation = Situation(
            await self._census.take(),
            await self._freezes.get(),
            self.history.databases_lost(),
            self.tally.total("writer_waiting"),
            self._waiting_max * self.workers,
        )
        return list_attention(situation)

    async def metrics_text(self) -> bytes:
        """All metrics in Prometheus's text format."""
        self.sampler.sample()
        return await asyncio.to_thread(_render, self.tally, self._instance_id, await self._census.take())


def _render(tally: Tally, instance_id: str, counts: Counts) -> bytes:
    from actae.transport.metrics import (
        render,  # brings a whole library, which nobody needs before the first scrape
    )

    return render(tally, instance_id=instance_id, counts=counts)
