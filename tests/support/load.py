"""Callers that write all the time, side by side, and remember what was acknowledged."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeAlias

import aiohttp

from tests.support.history import History
from tests.support.writes import Claim, Complete, Describe, Enlist, Letter, Move, Note, Write

SHARED = "shared"
MOVED = ("moved-1", "moved-2")
CHARGED = "charged"
CREW = {"ada": SHARED, "bob": "bob"}  # members of a group, and their channels

_RETRYABLE = frozenset({429, 503})  # a 500 is a defect, whoever was killed
_PAUSE_SECONDS = 0.02

Caller: TypeAlias = Callable[[], Coroutine[Any, Any, None]]


class UnansweredError(Exception):
    """No acknowledgement came, and nobody is to ask again."""


class Load:
    """A handful of callers of every kind. `insist` says whether they repeat what was not answered."""

    def __init__(self, url: str, api_key: str, *, insist: bool) -> None:
        self.writes: list[Write] = []
        self._url = url
        self._headers = {"x-api-key": api_key}
        self._insist = insist
        self.is_over = False
        self._session: aiohttp.ClientSession | None = None

    async def run(self) -> None:
        """Until `end`, or, for those who do not insist, until nobody is answered any more."""
        callers: list[Caller] = [
            *(lambda name=f"noter {n}": self._note(name) for n in range(3)),
            *(lambda channel_id=channel_id: self._move(channel_id) for channel_id in MOVED),
            *(self._charge for _ in range(3)),
            self._describe,
            *(lambda pair=pair: self._correspond(*pair) for pair in (("ada", "bob"), ("bob", "ada"))),
        ]
        async with self._open(), asyncio.TaskGroup() as together:
            for caller in callers:
                together.create_task(self._until_unanswered(caller))

    def end(self) -> None:
        """Finish what is under way, and begin nothing new."""
        self.is_over = True

    async def repeat_unanswered(self) -> None:
        """Send once more, under the same identity, what was not acknowledged; it has to be, now."""
        async with self._open():
            for write in self.unanswered:
                await self._send(write)

    async def repeat_acknowledged(self) -> None:
        """Send again, long after, what promises to be answered as it was at first; and compare."""
        async with self._open():
            for write in self.acknowledged:
                if write.repeats_its_reply:
                    first = write.reply
                    assert await self._send(write)
                    assert write.reply == first

    @property
    def unanswered(self) -> list[Write]:
        """What may be there or not."""
        return [write for write in self.writes if write.reply is None]

    @property
    def acknowledged(self) -> list[Write]:
        """What must be there."""
        return [write for write in self.writes if write.reply is not None]

    def look(self, history: History) -> None:
        """Assert that everything acknowledged is there, and nothing is there twice."""
        for write in self.acknowledged:
            write.look(history)
        history.no_note_is_there_twice(SHARED)
        history.no_note_is_there_twice(CHARGED)
        history.no_letter_is_there_twice(*CREW.values())
        for channel_id in MOVED:
            history.each_move_has_its_state(channel_id)

    def _open(self) -> aiohttp.ClientSession:
        timeout = aiohttp.ClientTimeout(total=20)
        self._session = aiohttp.ClientSession(self._url, headers=self._headers, timeout=timeout)
        return self._session

    async def _until_unanswered(self, caller: Caller) -> None:
        with suppress(UnansweredError):
            await caller()

    async def _note(self, name: str) -> None:
        number = 0
        while not self.is_over:
            number += 1
            await self._write(Note(SHARED, f"{name} {number}"))

    async def _move(self, channel_id: str) -> None:
        version = 0
        while not self.is_over:
            version += 1
            await self._write(Move(channel_id, version))

    async def _charge(self) -> None:
        """All chargers want the same keys, in the same order."""
        number = 0
        while not self.is_over:
            number += 1
            claim = Claim(CHARGED, f"order:{number}")
            await self._write(claim)
            if claim.is_owner:
                await self._write(Complete(claim))

    async def _describe(self) -> None:
        await self._write(Note(CHARGED, "a channel must exist before it is described"))
        number = 0
        while not self.is_over:
            number += 1
            await self._write(Describe(CHARGED, number))

    async def _correspond(self, sender: str, recipient: str) -> None:
        """Two members write to each other, on channels that others write to as well."""
        await self._write(Enlist("POST", "/execution-groups", {"group_id": "load", "metadata": {}}))
        for name, channel_id in CREW.items():
            member = {"member_id": name, "channel_id": channel_id, "metadata": {}}
            await self._write(Enlist("POST", "/execution-groups/load/members", member))
        number = 0
        while not self._is_over:
            number += 1
            await self._write(Letter("load", sender, recipient, f"{sender} {number}"))

    async def _write(self, write: Write) -> None:
        self.writes.append(write)
        while not await self._send(write):
            if not self._insist:
                raise UnansweredError
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _send(self, write: Write) -> bool:
        """Whether it was acknowledged. A refusal that no repetition mends is a failure of the test."""
        assert self._session is not None, "run() opens it"
        try:
            async with self._session.request(write.method, write.path, json=write.body) as answer:
                status, body = answer.status, await answer.json()
        except (aiohttp.ClientError, OSError, TimeoutError):
            return False
        assert status == 200 or status in _RETRYABLE, (write, status, body)
        if status == 200:
            write.reply = body
        return status == 200
