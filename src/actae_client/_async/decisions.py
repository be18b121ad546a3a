"""Waiting for a person: the log is read from a cursor on, until it holds an answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from itertools import count
from time import monotonic
from typing import Any, Final

from actae_client._async._io import sleep
from actae_client._types.approvals import Approval
from actae_client._types.events import Event
from actae_client.errors import ActaeError, ApprovalSupersededError
from actae_client.retry import Repeat, may_be_repeated

logger: logging.Logger = logging.getLogger("actae_client")

DECISIONS_A_PAGE: Final = 500
_LOOKS_A_STANDING: Final = 10  # people are asked anew seldom


class Decisions:
    """The answers to one request. `read` brings a page of its channel's decisions after a cursor."""

    def __init__(
        self, read: Callable[[int], Coroutine[Any, Any, list[Event]]], request_id: str, cursor: int
    ) -> None:
        self._read = read
        self._request_id = request_id
        self._cursor = cursor

    async def next(self) -> Event | None:
        """The next answer that is there already."""
        while page := await self._read(self._cursor):
            for event in page:
                self._cursor = event.cursor
                if isinstance(event.payload, dict) and event.payload.get("request_id") == self._request_id:
                    return event
        return None

    async def _next_if_reachable(self) -> Event | None:
        """People take hours; that the server is restarted meanwhile ends no wait."""
        try:
            return await self.next()
        except ActaeError as error:
            if not may_be_repeated(Repeat.SAFE, error):
                raise
            logger.warning("%s; the wait for an answer to %r goes on", error, self._request_id)
            return None

    async def _refuse_superseded(self, find: Callable[[], Coroutine[Any, Any, list[Approval]]]) -> None:
        try:
            found = await find()
        except ActaeError:  # not reachable, or a server that does not know
            return
        if found and found[0].status == "superseded":
            superseded = ApprovalSupersededError(
                f"Request {self._request_id!r} was superseded by a later one about the same key."
            )
            superseded.details = {"approval_request_id": self._request_id}
            raise superseded

    def skip_to(self, cursor: int | None) -> None:
        """Look no more at what is before a cursor; it has been looked at."""
        self._cursor = max(self._cursor, cursor or 0)

    async def wait(
        self,
        timeout_seconds: float | None,
        poll_interval: float,
        expire: Callable[[], Coroutine[Any, Any, Event]],
        find: Callable[[], Coroutine[Any, Any, list[Approval]]] | None = None,
    ) -> Event | None:
        """The next answer, whenever it comes; None when the time was over first, which is then recorded.

        Whether it was is for the log to say: an answer that stands before the expiry was in time. `find`
        tells how the request stands: raises ApprovalSupersededError once no answer would count.
        """
        give_up_at = None if timeout_seconds is None else monotonic() + timeout_seconds
        for look in count(1):
            answer = await self._next_if_reachable()
            if answer is not None:
                return answer
            if find is not None and look % _LOOKS_A_STANDING == 0:
                await self._refuse_superseded(find)
            left = poll_interval if give_up_at is None else give_up_at - monotonic()
            if left <= 0:
                break
            await sleep(min(poll_interval, left))
        expired = await expire()
        answer = await self.next()
        return answer if answer is not None and answer.cursor < expired.cursor else None
