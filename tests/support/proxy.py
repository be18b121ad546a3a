"""A proxy that loses a chosen message: what is sent never arrives, or what comes back is never heard."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import parse_qs, urlsplit

from tests.support.waiting import until

Target: TypeAlias = tuple[str, int] | Path
Lost: TypeAlias = Literal["request", "reply"]
Then: TypeAlias = Literal["hold", "cut"]


@dataclass(eq=False)
class Loss:
    """One message to lose: the first that holds the marker, in the piece that a caller sends at once."""

    what: Lost
    marker: bytes
    then: Then
    _happened: threading.Event = field(default_factory=threading.Event)

    def happen(self) -> None:
        """Called by the proxy."""
        self._happened.set()

    def wait(self) -> None:
        """Return when it has happened. A reply is lost when the target has given it, so its work is done."""
        until(self._happened.is_set)


class Proxy:
    """Carries bytes between callers and a target, in a thread of its own; a context manager.

    Where a loss says `hold`, the caller is left waiting; where it says `cut`, its connection ends.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._losses: list[Loss] = []
        self._carrying: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy")
        self._thread.start()
        self._server: asyncio.Server = self._run(asyncio.start_server(self._carry, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]

    def lose(self, what: Lost, marker: bytes, *, then: Then = "hold") -> Loss:
        """Lose the next request that holds the marker, or the reply to it."""
        loss = Loss(what, marker, then)
        self._losses.append(loss)
        return loss

    def close(self) -> None:
        """End every connection."""
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> "Proxy":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

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
            target, to_target = await self._connect()
            try:
                await _Line(caller, to_caller, target, to_target, self._loss_in).carry()
            finally:
                to_target.close()
        except OSError:
            pass  # the target is down, or a side has gone: the caller's connection ends, as without us
        finally:
            self._carrying.discard(task)
            to_caller.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if isinstance(self._target, Path):
            return await asyncio.open_unix_connection(str(self._target))
        return await asyncio.open_connection(*self._target)

    def _loss_in(self, piece: bytes) -> Loss | None:
        for loss in self._losses:
            if loss.marker in piece:
                self._losses.remove(loss)
                return loss
        return None


class _Line:
    """One connection through the proxy."""

    def __init__(
        self,
        caller: asyncio.StreamReader,
        to_caller: asyncio.StreamWriter,
        target: asyncio.StreamReader,
        to_target: asyncio.StreamWriter,
        loss_in: Callable[[bytes], Loss | None],
    ) -> None:
        self._caller, self._to_caller = caller, to_caller
        self._target, self._to_target = target, to_target
        self._loss_in = loss_in
        self._loss: Loss | None = None

    async def carry(self) -> None:
        """Until either side ends, or a loss cuts."""
        directions = {asyncio.create_task(self._forth()), asyncio.create_task(self._back())}
        try:
            await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in directions:
                each.cancel()
            await asyncio.gather(*directions, return_exceptions=True)

    async def _forth(self) -> None:
        while piece := await self._caller.read(1 << 20):
            self._loss = self._loss or self._loss_in(piece)
            if self._loss is not None and self._loss.what == "request":
                return await self._lose(self._loss)
            self._to_target.write(piece)
            await self._to_target.drain()
        return None

    async def _back(self) -> None:
        while piece := await self._target.read(1 << 20):
            if self._loss is not None:
                return await self._lose(self._loss)
            self._to_caller.write(piece)
            await self._to_caller.drain()
        return None

    async def _lose(self, loss: Loss) -> None:
        loss.happen()
        if loss.then == "hold":
            await asyncio.Event().wait()  # for ever; closing the proxy, or the caller's end, cancels it


def target_of(url: str) -> Target:
    """Where a URL of HTTP or of PostgreSQL leads."""
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    if "host" in query:
        return Path(query["host"][0]) / f".s.PGSQL.{query.get('port', ['5432'])[0]}"
    assert parts.hostname is not None, f"no host in {url}"
    return parts.hostname, parts.port or 5432


def through(proxy: Proxy, url: str) -> str:
    """The same URL by way of the proxy."""
    parts = urlsplit(url)
    user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    return parts._replace(netloc=f"{user}127.0.0.1:{proxy.port}", query="").geturl()
