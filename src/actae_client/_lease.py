"""Keeping a lease while a tool runs, or while somebody works for a member of a group."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from types import TracebackType

from actae_client.errors import ExecutionNotFoundError, ExecutionNotOwnedError

logger: logging.Logger = logging.getLogger(__name__)

_INTERVAL_SECONDS_MIN = 0.25
_INTERVAL_SECONDS_MAX = 30.0
_MARGIN_SECONDS_MAX = 5.0
_FIRST_PAUSE_SECONDS = 0.1


def default_heartbeat_interval(lease_seconds: float) -> float:
    """Seconds between heartbeats: a third of the lease, at least 0.25 and at most 30."""
    return max(_INTERVAL_SECONDS_MIN, min(lease_seconds / 3, _INTERVAL_SECONDS_MAX))


class LeaseKeeper:
    """Renews a lease until it is closed; an async context manager.

    `renew` sends one heartbeat. The lease is known to last until `lease_seconds` after the
    moment *before* the last answered request was sent, by this process's monotonic clock. A failed
    heartbeat is sent again, after growing pauses, and only when a margin before that end is reached,
    or the server says that somebody else owns the operation, `on_lost` is called: once.

    After that the keeper goes on, because a call that cannot be stopped is still running: the
    server revives a lease that lapsed and was not taken. It ends only when the operation is taken.
    While `is_alive` says that the call cannot make progress, nothing is renewed. `taken` are the errors that
    say that somebody else has it.
    """

    def __init__(
        self,
        renew: Callable[[], Awaitable[object]],
        *,
        lease_seconds: float,
        interval: float,
        requested_at: float,
        is_alive: Callable[[], bool],
        on_lost: Callable[[], None],
        name: str,
        taken: tuple[type[Exception], ...] = (ExecutionNotOwnedError, ExecutionNotFoundError),
    ) -> None:
        self.loss: Exception | None = None
        self.is_fenced = False
        self._renew = renew
        self._lease_seconds = lease_seconds
        self._interval = interval
        self._margin = min(_MARGIN_SECONDS_MAX, lease_seconds / 6)
        self._expires_at = requested_at + lease_seconds
        self._next_at = requested_at + interval
        self._failures = 0
        self._is_alive = is_alive
        self._on_lost = on_lost
        self._name = name
        self._taken = taken
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> LeaseKeeper:
        self._task = asyncio.create_task(self._keep())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None, "entered before it is left"
        self._task.cancel()
        await asyncio.wait([self._task])  # Raises only if the caller is cancelled, too.

    def is_lapsing(self) -> bool:
        """Whether the end of the lease, less the margin, has come."""
        return time.monotonic() >= self._expires_at - self._margin

    async def renew_now(self) -> None:
        """Send one heartbeat. A failure is counted and kept as `loss` when the time is up."""
        sent_at = time.monotonic()
        try:
            async with asyncio.timeout(self._attempt_seconds(sent_at)):
                await self._renew()
        except self._taken as refusal:
            self.is_fenced = True
            self._lose(refusal)
        except Exception as failure:
            self._failures += 1
            logger.warning("A heartbeat of %s failed (%d in a row): %r", self._name, self._failures, failure)
            if self.is_lapsing():
                self._lose(failure)
            self._next_at = time.monotonic() + self._pause()
        else:
            self._failures = 0
            self._expires_at = sent_at + self._lease_seconds
            self._next_at = sent_at + self._interval

    async def _keep(self) -> None:
        while not self.is_fenced:
            await asyncio.sleep(max(0.0, self._next_at - time.monotonic()))
            if self._is_alive():
                await self.renew_now()
            else:
                self._next_at = time.monotonic() + self._interval

    def _attempt_seconds(self, now: float) -> float:
        """How long to wait for an answer: a part of the lease, so that there is time to ask again."""
        usual = max(1.0, self._lease_seconds / 6)
        left = self._expires_at - self._margin - now
        return min(usual, left) if left > 0 else usual

    def _pause(self) -> float:
        """How long to wait after a failure: longer each time, but not beyond the margin."""
        longest = _FIRST_PAUSE_SECONDS * 2.0 ** min(self._failures, 16)
        pause = min(random.uniform(longest / 2, longest), self._interval)  # noqa: S311 - spreads callers
        left = self._expires_at - self._margin - time.monotonic()
        return min(pause, left) if left > 0 else pause

    def _lose(self, cause: Exception) -> None:
        if self.loss is None:
            self.loss = cause
            logger.error("The lease of %s is lost: %r", self._name, cause)
            self._on_lost()
