"""A proxy that cuts connections after random numbers of bytes, in the middle of whatever is on its way."""

import asyncio
import random
import threading
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tests.support.proxy import target_of

_LIVE = (b"GET /ws", b"/events/stream/")
_QUIET_SECONDS = 0.1


@dataclass(eq=False)
class _Line:
    """One connection through the proxy, and how many bytes it may still carry each way."""

    caller: asyncio.StreamWriter
    target: asyncio.StreamWriter
    forth: float
    back: float
    is_live: bool
    is_spared: bool
    carried_at: float = 0.0
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def cut(self) -> None:
        """End both sides at once, with what is on its way."""
        for side in (self.caller, self.target):
            side.transport.abort()
        self.ended.set()


class CuttingProxy:
    """Carries bytes to a server, in a thread of its own; a context manager.

    A live connection (a WebSocket, or a stream of server-sent events) ends in the middle of a byte string
    that was drawn for it; half of them on the way there, half on the way back. `spared` bytes get through in
    any case. Other connections are cut as well, if `calls_too`; only live ones are counted in `cuts`.
    """

    def __init__(
        self, url: str, *, seed: int, bytes_max: int, until: bytes = b"", calls_too: bool = False
    ) -> None:
        self._target = target_of(url)
        self._draw = random.Random(seed)
        self._bytes_max = bytes_max
        self._until = until
        self._calls_too = calls_too
        self._is_cutting = True
        self._lines: set[_Line] = set()
        self._carrying: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="cutting proxy")
        self._thread.start()
        self.cuts = 0
        self._server: asyncio.Server = self._run(asyncio.start_server(self._carry, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def cut_quiet(self) -> bool:
        """Cut the live connections on which nothing moves and that are not spared. Whether there were any."""
        return self._thread.is_alive() and bool(self._run(self._cut_quiet()))

    def relent(self) -> None:
        """Cut nothing any more."""
        self._is_cutting = False

    def close(self) -> None:
        """End every connection."""
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> "CuttingProxy":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _cut_quiet(self) -> int:
        quiet_since = self._loop.time() - _QUIET_SECONDS
        quiet = [
            line
            for line in self._lines
            if line.is_live and not line.is_spared and line.carried_at < quiet_since
        ]
        for line in quiet:
            self._cut(line)
        return len(quiet)

    async def _close(self) -> None:
        self._server.close()
        for task in self._carrying:
            task.cancel()
        await asyncio.gather(*self._carrying, return_exceptions=True)

    async def _carry(self, caller: asyncio.StreamReader, to_caller: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None, "the server runs each connection in a task"
        self._carrying.add(task)
        try:
            first = await caller.read(1 << 16)
            target, to_target = await asyncio.open_connection(*self._target)
            line = self._line(to_caller, to_target, is_live=any(marker in first for marker in _LIVE))
            self._lines.add(line)
            try:
                await self._carry_both(line, first, caller, target)
            finally:
                self._lines.discard(line)
                to_target.close()
        except OSError:
            pass  # the server is down, or a side has gone: the caller's connection ends, as without us
        finally:
            self._carrying.discard(task)
            to_caller.close()

    def _line(
        self, to_caller: asyncio.StreamWriter, to_target: asyncio.StreamWriter, *, is_live: bool
    ) -> _Line:
        forth = back = float("inf")
        if is_live or self._calls_too:
            there = self._draw.random() < 0.5
            # What is sent there is little: the handshake, the key, a subscription.
            forth = self._draw.randint(1, 700) if there else forth
            back = self._draw.randint(1, self._bytes_max)
        return _Line(to_caller, to_target, forth, back, is_live, is_spared=is_live and bool(self._until))

    async def _carry_both(
        self, line: _Line, first: bytes, caller: asyncio.StreamReader, target: asyncio.StreamReader
    ) -> None:
        work = {
            asyncio.create_task(self._forth(line, first, caller)),
            asyncio.create_task(self._back(line, target)),
            asyncio.create_task(line.ended.wait()),
        }
        try:
            await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in work:
                each.cancel()
            await asyncio.gather(*work, return_exceptions=True)

    async def _forth(self, line: _Line, piece: bytes, caller: asyncio.StreamReader) -> None:
        while piece:
            line.forth = await self._pass(line, piece, line.target, line.forth)
            piece = await caller.read(1 << 16)

    async def _back(self, line: _Line, target: asyncio.StreamReader) -> None:
        while piece := await target.read(1 << 16):
            line.back = await self._pass(line, piece, line.caller, line.back)
            line.is_spared = line.is_spared and self._until not in piece

    async def _pass(self, line: _Line, piece: bytes, to: asyncio.StreamWriter, rest: float) -> float:
        """Send as much as may be sent, then cut; the bytes that are left."""
        line.carried_at = self._loop.time()
        if line.is_spared:
            rest += len(piece)
        if self._is_cutting and len(piece) >= rest:
            to.write(piece[: int(rest)])
            with suppress(OSError):
                await to.drain()
            self._cut(line)
            return 0
        to.write(piece)
        await to.drain()
        return rest - len(piece)

    def _cut(self, line: _Line) -> None:
        if not line.ended.is_set():
            self.cuts += line.is_live
            line.cut()
