"""Consuming a channel together with others, one event after the other."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator
from types import TracebackType
from typing import TYPE_CHECKING, Self

from actae_client._async._io import Ticker, at_most, sleep
from actae_client._calls.arguments import require, require_number
from actae_client._calls.consumer_groups import WAIT_SECONDS_MAX
from actae_client._types.consumer_groups import GroupOffset
from actae_client._types.events import Event
from actae_client.errors import ActaeError, ConsumerError
from actae_client.live.backoff import FAILURES_MAX, may_pass, pause

if TYPE_CHECKING:
    from actae_client._async.consumer_groups import ConsumerGroupMethods

logger: logging.Logger = logging.getLogger("actae_client")

_RELEASE_SECONDS_MAX = 10.0


class Consumption:
    """One consumer's part of a group: entered, then iterated.

    The lease is renewed every third of its length beside whatever is done with the events. If it lapses all
    the same (the machine slept, the server was away), the consumer joins again and goes on with what it is
    handed then; the event in its hands may have gone to another one, and may come again. It waits some
    minutes for a server that is away. A group that was deleted and made anew is another one, with which it
    does not go on.
    """

    def __init__(
        self,
        client: ConsumerGroupMethods,
        group_id: str,
        consumer_id: str,
        *,
        limit: int,
        lease_seconds: int,
        poll_seconds: float,
        follow: bool,
    ) -> None:
        _require_between("limit", limit, 1, 1_000)
        _require_between("lease_seconds", lease_seconds, 1, 86_400)
        require_number("poll_seconds", poll_seconds)
        if not poll_seconds > 0:
            raise ValueError(f"poll_seconds is {poll_seconds}; it must be above 0")
        self._client = client
        self._group_id = group_id
        self._consumer_id = consumer_id
        self._limit = limit
        self._lease_seconds = lease_seconds
        self._wait_seconds = min(poll_seconds, WAIT_SECONDS_MAX) if follow else 0.0
        self._follow = follow
        self._is_entered = False
        self._is_joined = False
        self._group_created_at: str | None = None
        self._failures = 0
        self._has_work_in_hand = False
        self._ticker = Ticker(lease_seconds / 3, self._beat)

    async def __aenter__(self) -> Self:
        await self._join()
        self._ticker.start()
        self._is_entered = True
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._is_entered = False
        await self._ticker.stop()
        if self._has_work_in_hand:
            await self._release()

    async def __aiter__(self) -> AsyncIterator[Event]:
        if not self._is_entered:
            raise RuntimeError("what is consumed must be entered: `with client.consume(…) as events`")
        while True:
            asked_at = time.monotonic()
            try:
                if not self._is_joined:
                    await self._join()
                self._has_work_in_hand = True  # until we know better: a reply may be lost
                work = await self._client.claim_work(
                    self._group_id, self._consumer_id, limit=self._limit, wait_seconds=self._wait_seconds
                )
                self._failures = 0
                for event in work.events:
                    yield event
                    await self._client.ack_work(self._group_id, self._consumer_id, event.cursor)
            except ActaeError as trouble:
                await self._overcome(trouble)
                continue
            self._has_work_in_hand = False
            if not work.events:
                if work.is_finished or not self._follow:
                    return
                # A server that leaves, or that knows no waiting, answers at once.
                await sleep(max(0.0, asked_at + self._wait_seconds - time.monotonic()))

    async def _overcome(self, trouble: ActaeError) -> None:
        """Have the lease renewed that has lapsed, or wait for what may pass. Raises everything else."""
        if isinstance(trouble, ConsumerError) and self._is_joined:
            logger.warning("%s joins %s again: %s", self._consumer_id, self._group_id, trouble)
            self._is_joined = False
            return
        self._failures += 1
        if self._failures >= FAILURES_MAX or not may_pass(trouble):
            raise trouble
        logger.warning("%s in %s: %s; going on", self._consumer_id, self._group_id, trouble)
        await sleep(pause(self._failures - 1))

    async def _join(self) -> None:
        joined = await self._client.join_group(
            self._group_id, self._consumer_id, lease_seconds=self._lease_seconds
        )
        self._require_same_group(joined)
        self._group_created_at = joined.group_created_at
        self._is_joined = True

    def _require_same_group(self, joined: GroupOffset) -> None:
        if self._group_created_at in (None, joined.group_created_at):
            return
        raise ConsumerError(
            f"Group {self._group_id!r} was deleted, and made anew at {joined.group_created_at}. What "
            f"{self._consumer_id!r} was consuming is gone; call consume again to begin with the new one."
        )

    async def _beat(self) -> bool:
        try:
            async with at_most(self._lease_seconds / 3):
                await self._client.heartbeat(
                    self._group_id, self._consumer_id, lease_seconds=self._lease_seconds
                )
        except (ActaeError, TimeoutError) as failure:
            logger.warning("A heartbeat of %s in %s failed: %r", self._consumer_id, self._group_id, failure)
        return True

    async def _release(self) -> None:
        """Let others soon have what is in our hands: a lease cannot be given back, but shortened it can."""
        try:
            async with at_most(_RELEASE_SECONDS_MAX):
                await self._client.heartbeat(self._group_id, self._consumer_id, lease_seconds=1)
        except ConsumerError:
            pass  # The lease has ended already.
        except (ActaeError, TimeoutError) as failure:
            logger.warning("What %s may have in hand waits for its lease: %r", self._consumer_id, failure)


def _require_between(name: str, value: int, least: int, most: int) -> None:
    require(name, value, int)
    if not least <= value <= most:
        raise ValueError(f"{name} is {value}; it must be {least} to {most}")
