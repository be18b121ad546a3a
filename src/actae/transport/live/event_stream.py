"""A channel as server-sent events (WHATWG HTML, 9.2), for browsers, curl and clients that block."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from typing import Final

from actae.observations import Observer, RequestFailed
from actae.operations.tail import Follower, Told
from actae.transport.asgi import Receive, Scope, Send
from actae.transport.corking import TRANSPORT_STATE
from actae.transport.endpoint import Live, new_request_id
from actae.transport.live.frames import LiveEvent, encode, to_live, to_redacted
from actae.transport.live.mailbox import Mailbox
from actae.transport.unsent import keep_unsent_short

CONTENT_TYPE: Final = b"text/event-stream; charset=utf-8"
KEEP_ALIVE_SECONDS: Final = 15.0

_FAREWELL_SECONDS: Final = 1.0
_KEEP_ALIVE: Final = b": keep-alive\n\n"
_HELLO: Final = b"retry: 1000\n: connected\n\n"

_HEADERS: Final = [
    (b"content-type", CONTENT_TYPE),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # nginx would hold events back
]


def stream_message(told: Told) -> bytes:
    """One event: its cursor as the id that a client comes back with, and itself as data."""
    return _message(told, to_live(told))


def redacted_stream_message(told: Told) -> bytes:
    """The same for who may only observe."""
    return _message(told, to_redacted(told))


def _message(told: Told, event: LiveEvent) -> bytes:
    data = encode(event).replace(b"\r", b"\n").replace(b"\n", b"\ndata: ")
    return b"id: %d\ndata: %s\n\n" % (told.event.cursor, data)


class EventStream(Live):
    """One response that goes on until somebody ends it: the client, the server, whoever revokes the key, or
    the server's patience with a client that reads nothing.
    """

    def __init__(
        self,
        follower: Follower,
        mailbox: Mailbox,
        leaving: ExitStack,
        *,
        allowed: Callable[[], Coroutine[None, None, None]],
        stopping: asyncio.Event,
        observe: Observer,
        keep_alive_seconds: float = KEEP_ALIVE_SECONDS,
    ) -> None:
        """`allowed` goes on as long as the client may read; `leaving` is closed in the end."""
        self._follower = follower
        self._mailbox = mailbox
        self._leaving = leaving
        self._allowed = allowed
        self._stopping = stopping
        self._observe = observe
        self._keep_alive_seconds = keep_alive_seconds

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events."""
        transport = scope["state"][TRANSPORT_STATE]
        keep_unsent_short(transport)
        sending = asyncio.create_task(self._send_all(send), name="actae stream")
        tasks: list[asyncio.Task[object]] = [
            sending,
            asyncio.create_task(_gone(receive), name="actae stream client"),
            asyncio.create_task(self._stopping.wait(), name="actae stream server"),
            asyncio.create_task(self._allowed(), name="actae stream access"),
        ]
        for each in tasks:
            each.add_done_callback(lambda _task: self._mailbox.end())
        with self._leaving:
            try:
                if scope["method"] == "HEAD":
                    self._mailbox.end()
                self._follower.start()
                await self._mailbox.ended()
                await asyncio.wait([sending], timeout=_FAREWELL_SECONDS)
            finally:
                if not sending.done():  # in the middle of what the client does not read
                    transport.abort()
                for each in tasks:
                    each.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                self._observe(RequestFailed(new_request_id(), "GET", scope["path"], outcome))
                transport.abort()

    async def _send_all(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        piece = _HELLO
        while not self._mailbox.has_ended:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            piece = await self._mailbox.take(self._keep_alive_seconds) or _KEEP_ALIVE
        await send({"type": "http.response.body", "body": b""})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
