"""A plain reader of server-sent events, by the letter of the standard."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from tests.support.server import RunningServer
from tests.support.waiting import until_async


class Stream:
    """One stream: the messages that it brought, the comments, and whether it has ended."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self.response = response
        self.events: list[dict[str, Any]] = []
        self.raw: list[str] = []  # the data of each message, as it was put together
        self.ids: list[str] = []
        self.comments: list[str] = []
        self.broke = False
        self._reading = asyncio.create_task(self._read())

    @property
    def cursors(self) -> list[int]:
        """Where the events that came stand."""
        return [event["cursor"] for event in self.events]

    async def until(self, cursor: int) -> list[int]:
        """Return when an event at this cursor or above it has come; all that have."""
        await until_async(lambda: self.events and self.cursors[-1] >= cursor, seconds=60)
        return self.cursors

    async def ended(self) -> None:
        """Return when the server has ended the stream."""
        await asyncio.wait_for(asyncio.shield(self._reading), 60)

    async def close(self) -> None:
        """Leave."""
        self.response.close()
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def _read(self) -> None:
        message: dict[str, list[str]] = {}
        try:
            async for line in self.response.content:
                text = line.decode().removesuffix("\n")
                if not text:
                    self._take(message)
                    message = {}
                elif text.startswith(":"):
                    self.comments.append(text[1:].strip())
                else:
                    name, _, value = text.partition(":")
                    message.setdefault(name, []).append(value.removeprefix(" "))
        except aiohttp.ClientError:
            self.broke = True

    def _take(self, message: dict[str, list[str]]) -> None:
        if "data" in message:
            self.raw.append("\n".join(message["data"]))
            self.ids += message["id"]
            self.events.append(json.loads(self.raw[-1]))


@asynccontextmanager
async def streaming(
    server: RunningServer,
    channel_id: str,
    cursor: int | None = None,
    *,
    last_event_id: str | None = None,
    api_key: str | None = None,
) -> AsyncIterator[Stream]:
    """A stream that has begun."""
    headers = {"x-api-key": api_key or server.api_key}
    if last_event_id is not None:
        headers["last-event-id"] = last_event_id
    options: dict[str, Any] = {"timeout": aiohttp.ClientTimeout(total=None), "read_bufsize": 2**24}
    async with aiohttp.ClientSession(server.url, headers=headers, **options) as session:
        params = {} if cursor is None else {"cursor": str(cursor)}
        async with session.get(f"/api/v1/events/stream/{channel_id}", params=params) as response:
            assert response.status == 200, await response.text()
            stream = Stream(response)
            await until_async(lambda: "connected" in stream.comments)
            try:
                yield stream
            finally:
                await stream.close()
