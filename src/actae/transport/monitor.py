"""What a server knows of itself: its numbers, and what they stand for."""

import asyncio
from time import monotonic
from typing import Final

from actae.operations.census import Census
from actae.operations.probe import Probe
from actae.operations.tail import Tail
from actae.operations.writer import Writer
from actae.settings import Settings
from actae.store.census import Counts
from actae.store.database import Database
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
        self._census = Census(db)
        self._instance_id = instance_id
        self._started = monotonic()

    @property
    def uptime_seconds(self) -> int:
        """Since this process was built."""
        return int(monotonic() - self._started)

    async def metrics_text(self) -> bytes:
        """All metrics in Prometheus's text format."""
        self.sampler.sample()
        return await asyncio.to_thread(_render, self.tally, self._instance_id, await self._census.take())


def _render(tally: Tally, instance_id: str, counts: Counts) -> bytes:
    from actae.transport.metrics import (
        render,  # brings a whole library, which nobody needs before the first scrape
    )

    return render(tally, instance_id=instance_id, counts=counts)
