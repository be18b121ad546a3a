"""Looks whether the database answers, on behalf of everybody who asks at the same time."""

import asyncio
from time import perf_counter
from typing import Final, Literal

import asyncpg
import msgspec

from actae.domain.errors import UnavailableError
from actae.operations.asking import Asking
from actae.settings import Settings
from actae.store.connections import PoolUse, pool_use
from actae.store.database import Database
from actae.store.instance import ping

Condition = Literal["ok", "degraded", "down"]

SLOW_SECONDS: Final = 0.5
PATIENCE_SECONDS: Final = 2.0


class Finding(msgspec.Struct, frozen=True):
    """What one look at the database showed. `seconds` is how long the look took."""

    database: Condition
    seconds: float
    pool: PoolUse
    trouble: str | None = None

    @property
    def connections(self) -> Condition:
        """Whether a read finds a free connection."""
        return "degraded" if self.pool.is_exhausted else "ok"


class Probe:
    """One look at a time: nobody can keep the database busy by asking how it is."""

    def __init__(self, db: Database, settings: Settings) -> None:
        self._db = db
        self._patience_seconds = min(PATIENCE_SECONDS, settings.read_timeout_seconds)
        self._looking: asyncio.Task[Finding] | None = None
        self._ping = Asking(lambda: ping(db), name="actae ping")

    async def look(self) -> Finding:
        """How the database is now. Never raises, and takes about two seconds at most."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look(), name="actae probe")
        # A caller who goes away must not take the answer from the others.
        return await asyncio.shield(self._looking)

    async def _look(self) -> Finding:
        started = perf_counter()
        condition: Condition = "ok"
        trouble: str | None = None
        pool = pool_use(self._db)
        try:
            await self._ping.answer(self._patience_seconds)
        except UnavailableError:
            condition, trouble = "down", "It cannot be reached."
        except asyncpg.PostgresError as error:
            condition, trouble = "down", f"It refuses: {error.sqlstate}."
        except TimeoutError:
            condition, trouble = "down", f"It did not answer within {self._patience_seconds:g} s."
            if pool.is_exhausted:  # then nobody has asked it
                condition, trouble = "degraded", "All connections are in use."
                self._ping.give_up()  # it would take the next one that becomes free
        seconds = perf_counter() - started
        if condition == "ok" and seconds > SLOW_SECONDS:
            condition, trouble = "degraded", "It answers slowly."
        return Finding(condition, seconds, pool, trouble)
