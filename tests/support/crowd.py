"""Many callers at once, on as many connections."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from io import BytesIO
from typing import Any, NamedTuple

import aiohttp

from tests.support.server import RunningServer


class Answer(NamedTuple):
    """What came back."""

    status: int
    body: Any


class Crowd:
    """Sends whatever it is given at the same time."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def post(self, path: str, body: Any) -> Answer:
        """POST below /api/v1."""
        sent = BytesIO(json.dumps(body).encode())  # aiohttp wants large bodies as files
        headers = {"content-type": "application/json"}
        async with self._session.post(f"/api/v1{path}", data=sent, headers=headers) as answer:
            return Answer(answer.status, await answer.json())

    async def get(self, path: str) -> Answer:
        """GET below /api/v1."""
        async with self._session.get(f"/api/v1{path}") as answer:
            return Answer(answer.status, await answer.json())

    async def end(self, channel_id: str, how: str) -> None:
        """Close or delete a channel; `how` is what it is then."""
        method, path = {"closed": ("POST", f"{channel_id}/close"), "deleted": ("DELETE", channel_id)}[how]
        async with self._session.request(method, f"/api/v1/channels/{path}") as answer:
            assert answer.status == 200, await answer.text()

    async def post_together(self, path: str, bodies: Iterable[Any]) -> list[Answer]:
        """All of them at once; the answers in the order of the bodies."""
        return await asyncio.gather(*(self.post(path, body) for body in bodies))


@asynccontextmanager
async def crowd_at(server: RunningServer) -> AsyncIterator[Crowd]:
    """A crowd before one server."""
    connector = aiohttp.TCPConnector(limit=0)
    headers = {"x-api-key": server.api_key}
    async with aiohttp.ClientSession(server.url, connector=connector, headers=headers) as session:
        yield Crowd(session)
