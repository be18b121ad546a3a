"""How servers of one database learn of each other's commits: hints, and a poll that stands behind them.

A hint says how far channels reach. It is sent after the commit, on a connection whose own commits wait for
no disk, and only while another process has readers: processes with readers say so now and then, and answer
whoever asks. So a server that is alone pays nothing. A hint may come late, twice or never; what it tells is
read from the log, and the poll finds whatever no hint told.
"""

import asyncio
import math
import random
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final, Literal

import msgspec

from actae.domain.errors import ActaeError
from actae.observations import HintsLost, Observer, TailFailed
from actae.operations.tail import Tail
from actae.store.database import Database
from actae.store.hints import ACCESS_CHANGED, HintLine
from actae.store.tail import list_head_cursors

_PRESENCE_SECONDS: Final = 5.0
_FORGOTTEN_SECONDS: Final = 3 * _PRESENCE_SECONDS
_SILENT_SECONDS: Final = 30.0  # A line on which nothing is said for so long is tried.
# After it has spoken it takes a breath, twice as long: a server that commits without a pause spends at most a
# third of its time on telling others.
_BREATH_SECONDS_MAX: Final = 0.05
_HINT_BYTES: Final = 7_000  # PostgreSQL takes less than 8,000
_POLLED_AT_ONCE: Final = 1_000
_BACKOFF_SECONDS: Final = (0.1, 0.5, 2.0, 5.0)

_encode = msgspec.json.Encoder().encode


class Hint(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is said: who has readers, who wants to know, how far channels reach, that a key was revoked."""

    sender: str
    says: Literal["reading", "who", "moved", "access"]
    heads: dict[str, int] = {}


class Hints:
    """One process's part in the conversation."""

    def __init__(
        self,
        tail: Tail,
        db: Database,
        dsn: str,
        observe: Observer,
        *,
        poll_seconds: float,
        on_access: Callable[[], None],
    ) -> None:
        self._tail = tail
        self._on_access = on_access
        self._db = db
        self._dsn = dsn
        self._observe = observe
        self._poll_seconds = poll_seconds
        self._name = secrets.token_hex(8)
        self._decode = msgspec.json.Decoder(Hint).decode
        self._readers: dict[str, float] = {}  # other processes with readers, and when they last said so
        self._moved: dict[str, int] = {}
        self._something = asyncio.Event()
        self._must_answer = False
        self._answered = -math.inf
        self._poll_now = asyncio.Event()
        tail.spread_with(self._spread, self._answer)

    def _spread(self, heads: Mapping[str, int]) -> None:
        """This process has moved channels: tell those who have readers."""
        if self._readers:
            self._moved.update(heads)
            self._something.set()

    def _answer(self) -> None:
        self._must_answer = True
        self._something.set()

    def _hear(self, text: str) -> None:
        try:
            hint = self._decode(text)
        except msgspec.MsgspecError:
            return  # Somebody else uses the same name, or a newer version says more.
        if hint.sender == self._name:
            return
        if hint.says == ACCESS_CHANGED:
            self._on_access()
        elif hint.says == "moved":
            self._tail.heard(hint.heads)
        elif hint.says == "reading":
            self._readers[hint.sender] = time.monotonic()
        elif self._tail.channel_ids:
            self._answer()

    async def converse(self) -> None:
        """Hold the line; when it is lost, open another. What was missed meanwhile is polled."""
        losses = 0
        while True:
            try:
                line = await HintLine.connect(self._dsn, self._hear, self._something.set)
                try:
                    losses = 0
                    self._poll_now.set()
                    self._on_access()
                    await self._speak(line)
                finally:
                    line.close()
            except ActaeError as error:
                if losses == 0:  # An outage is told once, not at each attempt to end it.
                    self._observe(HintsLost(error.message))
            except Exception as error:  # a defect, and no reason to be deaf from now on
                self._observe(TailFailed("hints", error))
            await asyncio.sleep(_pause(losses))
            losses += 1

    async def _speak(self, line: HintLine) -> None:
        """Say whatever there is to say.

        Raises:
            UnavailableError: the line is lost.
        """
        await line.speak([_text(Hint(self._name, "who"))])
        self._must_answer = True
        spoke_at = time.monotonic()
        while True:
            moved, self._moved = self._moved, {}
            hints = list(self._collect(moved))
            began_at = time.monotonic()
            if hints or line.is_lost or began_at - spoke_at >= _SILENT_SECONDS:
                try:
                    await line.speak(hints)
                except BaseException:
                    self._moved = moved | self._moved  # The next line says it once more.
                    raise
                spoke_at = time.monotonic()
                await asyncio.sleep(min(2 * (spoke_at - began_at), _BREATH_SECONDS_MAX))
            await _within(_PRESENCE_SECONDS, self._something)

    def _collect(self, moved: Mapping[str, int]) -> Iterator[str]:
        """Everything that is to be said now."""
        now = time.monotonic()
        self._readers = {name: at for name, at in self._readers.items() if now - at < _FORGOTTEN_SECONDS}
        if self._tail.channel_ids and (self._must_answer or now - self._answered >= _PRESENCE_SECONDS):
            self._answered = now
            yield _text(Hint(self._name, "reading"))
        self._must_answer = False
        for heads in _pieces(moved):
            yield _text(Hint(self._name, "moved", heads))

    async def poll(self) -> None:
        """Look how far every followed channel reaches, again and again."""
        while True:
            await _within(random.uniform(0.8, 1.0) * self._poll_seconds, self._poll_now)  # noqa: S311
            followed = self._tail.channel_ids
            for start in range(0, len(followed), _POLLED_AT_ONCE):
                some = followed[start : start + _POLLED_AT_ONCE]
                try:
                    cursors, deleted = await list_head_cursors(self._db, some)
                    self._tail.heard(cursors)
                    self._tail.forget(deleted)
                except ActaeError:
                    pass  # The database is away: the next round sees.
                except Exception as error:  # a defect, and the last thing that must end
                    self._observe(TailFailed("poll", error))


@asynccontextmanager
async def keep_hinting(
    tail: Tail,
    db: Database,
    dsn: str,
    observe: Observer,
    *,
    poll_seconds: float,
    on_access: Callable[[], None],
) -> AsyncIterator[None]:
    """While the block runs, followers learn of what other processes commit, and those of this one's.

    `on_access` is called when somebody may have lost an access, and when that may have been missed.
    """
    hints = Hints(tail, db, dsn, observe, poll_seconds=poll_seconds, on_access=on_access)
    tasks = [
        asyncio.create_task(hints.converse(), name="actae hints"),
        asyncio.create_task(hints.poll(), name="actae poll"),
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _within(seconds: float, event: asyncio.Event) -> None:
    """Wait for the event, but no longer; it is unset afterwards."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    event.clear()


def _pieces(heads: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """The heads in pieces that fit into a hint."""
    piece: dict[str, int] = {}
    size = 0
    for channel_id, cursor in heads.items():
        if size > _HINT_BYTES - 300:
            yield piece
            piece, size = {}, 0
        piece[channel_id] = cursor
        size += len(channel_id) + 25
    if piece:
        yield piece


def _text(hint: Hint) -> str:
    return _encode(hint).decode()


def _pause(losses: int) -> float:
    return random.uniform(0.5, 1.0) * _BACKOFF_SECONDS[min(losses, len(_BACKOFF_SECONDS) - 1)]  # noqa: S311
