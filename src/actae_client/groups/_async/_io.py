"""What differs between the two kinds of groups: waiting, what runs beside a block, and subscribing."""

from __future__ import annotations

import asyncio
import time
from asyncio import sleep
from asyncio import timeout as at_most
from collections.abc import Awaitable, Callable
from typing import Any

from actae_client._lease import LeaseKeeper, default_heartbeat_interval
from actae_client.errors import MemberLeaseLostError
from actae_client.groups.losses import TAKEN, loss_of

__all__ = ["Keeper", "Subscribing", "at_most", "sleep"]


class Keeper:
    """Renews the lease of a block beside it, and interrupts the block when the lease is lost."""

    def __init__(
        self,
        renew: Callable[[], Awaitable[object]],
        lose: Callable[[MemberLeaseLostError], None],
        *,
        lease_seconds: int,
        name: str,
    ) -> None:
        self.loss: MemberLeaseLostError | None = None
        self._renew = renew
        self._lose = lose
        self._lease_seconds = lease_seconds
        self._name = name
        self._requested_at = 0.0
        self._keeper: LeaseKeeper | None = None
        self._block: asyncio.Task[Any] | None = None
        self._is_interrupting = False

    def expect_claim(self) -> None:
        """The lease lasts from here at least, however long the answer takes."""
        self._requested_at = time.monotonic()

    async def start(self) -> None:
        """Begin; the calling task is the block."""
        self._block = asyncio.current_task()
        self._keeper = LeaseKeeper(
            self._renew,
            lease_seconds=self._lease_seconds,
            interval=default_heartbeat_interval(self._lease_seconds),
            requested_at=self._requested_at,
            is_alive=lambda: self.loss is None,
            on_lost=self._interrupt,
            name=self._name,
            taken=TAKEN,
        )
        await self._keeper.__aenter__()

    async def stop(self) -> None:
        """End, and wait until a renewal that is under way has ended."""
        assert self._keeper is not None, "started before it is stopped"
        try:
            await self._keeper.__aexit__(None, None, None)
        except asyncio.CancelledError:
            # Perhaps the interruption, which came when the block had just ended by itself.
            assert self._block is not None, "a block is interrupted while it runs"
            if not self._is_interrupting or self._block.cancelling() > 1:
                raise
            await self._keeper.__aexit__(None, None, None)

    def has_interrupted(self, error: BaseException | None) -> bool:
        """Whether the block ended with this because it was interrupted here, and not from outside too."""
        if not self._is_interrupting:
            return False
        assert self._block is not None, "a block is interrupted while it runs"
        cancellations_left = self._block.uncancel()
        return isinstance(error, asyncio.CancelledError) and cancellations_left == 0

    def _interrupt(self) -> None:
        assert self._keeper is not None, "only a kept lease is lost"
        self.loss = loss_of(self._name, self._keeper.loss)
        self._lose(self.loss)
        if self._block is not None and not self._block.done():
            self._is_interrupting = True
            self._block.cancel()


class Subscribing:
    """Mail through the client's callbacks. It needs a WebSocket, and so an event loop."""

    async def subscribe_ws(self, *, cursor: int | None = None) -> None:
        """Have the client's `on_message` called with the events of the member's channel after a cursor.

        `GroupMessage.from_websocket_event` reads a message out of one of type `message.received`.
        Raises ValueError for a member that the group does not have.
        """
        member: Any = self
        await member.group.client.subscribe(await member.find_channel(), cursor)

    async def unsubscribe_ws(self) -> None:
        """End what `subscribe_ws` began."""
        member: Any = self
        await member.group.client.unsubscribe(await member.find_channel())
