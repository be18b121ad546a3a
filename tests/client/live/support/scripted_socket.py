"""A real server of WebSockets that leaves it to the test what is said on them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import WSMsgType, web


class Peer:
    """The server's end of one connection."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self.socket = socket
        self.ended = asyncio.Event()
        self._heard: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    async def listen(self) -> None:
        """Until the client goes."""
        async for message in self.socket:
            if message.type is WSMsgType.TEXT:
                self._heard.put_nowait(json.loads(message.data))
        self.ended.set()
        self._heard.put_nowait(None)

    async def hear(self) -> dict[str, Any]:
        """The next frame of the client."""
        async with asyncio.timeout(30):
            heard = await self._heard.get()
        assert heard is not None, "the client has gone"
        return heard

    async def expect(self, kind: str) -> dict[str, Any]:
        """The next frame, which is of this type."""
        heard = await self.hear()
        assert heard["type"] == kind, heard
        return heard

    async def say(self, tag: str, **fields: Any) -> None:
        """One frame."""
        await self.socket.send_str(json.dumps({tag: fields}))

    async def confirm(self, cursor: int | None = 0) -> dict[str, Any]:
        """Confirm the subscription that comes next; what it asked for."""
        asked = await self.expect("subscribe")
        await self.say("Subscription", event="subscribed", topic=asked["topic"], cursor=cursor)
        return asked

    async def tell(self, event: dict[str, Any]) -> None:
        """Broadcast an event."""
        await self.say("Broadcast", topic=event["channel_id"], payload={"event": event})

    async def ack(self, event: dict[str, Any]) -> dict[str, Any]:
        """Acknowledge the publish that comes next, as this event; what was published."""
        asked = await self.expect("broadcast")
        await self.say("Ack", request_id=asked["request_id"], **event)
        return asked

    async def cut(self) -> None:
        """End the connection without a word."""
        assert self.socket._req is not None
        transport = self.socket._req.transport
        assert transport is not None
        transport.abort()
        await self.ended.wait()


class ScriptedSocket:
    """Takes connections, good keys and all keys; answers reads of the log from `log`."""

    def __init__(self) -> None:
        self.url = ""
        self.log: list[dict[str, Any]] = []
        self.reads = 0
        self.upgrades = 0
        self.is_refusing = False
        self._peers: asyncio.Queue[Peer] = asyncio.Queue()

    async def next_peer(self) -> Peer:
        """The next connection, before anything is said."""
        async with asyncio.timeout(30):
            return await self._peers.get()

    async def next_client(self) -> Peer:
        """The next connection, once it is authenticated."""
        peer = await self.next_peer()
        await peer.expect("auth")
        await peer.say("Connection", event="authenticated", payload={"connection_id": "c"})
        return peer

    async def upgrade(self, request: web.Request) -> web.StreamResponse:
        """The WebSocket."""
        self.upgrades += 1
        if self.is_refusing:
            return web.Response(status=503)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        peer = Peer(socket)
        self._peers.put_nowait(peer)
        await peer.listen()
        return socket

    async def replay(self, request: web.Request) -> web.Response:
        """The log after a cursor."""
        self.reads += 1
        after, most = int(request.query.get("cursor", 0)), int(request.query["limit"])
        return web.json_response({"events": [each for each in self.log if each["cursor"] > after][:most]})

    async def head(self, _request: web.Request) -> web.Response:
        """The newest cursor."""
        return web.json_response({"latest_cursor": self.log[-1]["cursor"] if self.log else None})


def event(cursor: int, payload: Any = None, *, channel_id: str = "run-7", **more: Any) -> dict[str, Any]:
    """An event as a server writes it."""
    return {
        "id": f"e-{cursor}",
        "channel_id": channel_id,
        "type": "note",
        "event_type": "note",
        "payload": payload,
        "actor": "somebody",
        "cursor": cursor,
        "channel_cursor": cursor,
        "timestamp": "2026-01-01T00:00:00Z",
        **more,
    }


@asynccontextmanager
async def serving() -> AsyncIterator[ScriptedSocket]:
    """A scripted server, on the loop of the test."""
    scripted = ScriptedSocket()
    app = web.Application()
    app.router.add_get("/ws", scripted.upgrade)
    app.router.add_get("/api/v1/events/replay/{channel_id}", scripted.replay)
    app.router.add_get("/api/v1/events/cursor/{channel_id}", scripted.head)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    assert site._server is not None
    port = site._server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
    scripted.url = f"http://127.0.0.1:{port}"
    try:
        yield scripted
    finally:
        await runner.cleanup()
