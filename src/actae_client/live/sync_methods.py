"""Methods about what happens now, for code that blocks. They need HTTP alone."""

from __future__ import annotations

import threading
import weakref
from typing import Final, cast

from actae_client._calls import events
from actae_client._calls.call import read
from actae_client._calls.channel_ids import validate_channel_id
from actae_client._calls.replies import read_reply
from actae_client._calls.requests import Requests
from actae_client._sync.sender import Sender
from actae_client._types.events import Event
from actae_client._types.json import Json
from actae_client.errors import InvalidReplyError
from actae_client.live.cursors import validate_cursor
from actae_client.live.following import Source, SyncStream
from actae_client.live.publication import publication, recorded
from actae_client.retry import RetryPolicy
from actae_client.transport import ByteStream, StreamingTransport, SyncTransport

# The server says something every 15 seconds at least.
_SILENCE_SECONDS_MAX: Final = 45.0
_EVENT_STREAM: Final = "text/event-stream"


class FollowingMethods(Sender):
    """Streaming and publishing without an event loop."""

    def __init__(
        self, transport: SyncTransport, requests: Requests, retry: RetryPolicy, completion_retry: RetryPolicy
    ) -> None:
        super().__init__(transport, requests, retry, completion_retry)
        self._source = Source(self._read_head, self._read_events, self._open_stream)
        self._streams: weakref.WeakSet[SyncStream] = weakref.WeakSet()
        self._streams_lock = threading.Lock()

    def disconnect(self) -> None:
        """Close all connections: streams end, in whichever thread. A later call opens new ones."""
        with self._streams_lock:
            streams, self._streams = list(self._streams), weakref.WeakSet()
        for stream in streams:
            stream.close()
        super().disconnect()

    def publish(self, topic: str, payload: Json, *, operation_id: str | None = None) -> Event:
        """Append an event of type `broadcast` to a channel, and tell everybody who follows it.

        It is recorded over HTTP, with the actor `publisher`, and comes to this client's own streams too.
        Raises what `record` raises.
        """
        return self._send(recorded(publication(topic, payload, operation_id), payload))

    def stream(self, topic: str, cursor: int | None = None) -> SyncStream:
        """The events of a channel after a cursor, for `for`; 0 is all, None those to come.

        Each comes once and in order, also when the connection is lost in between. `with` tells from when on:
        what is recorded after it was entered will come. Another thread may close the stream.
        """
        validate_channel_id(topic)
        if not hasattr(self._transport, "open_stream"):
            raise TypeError(f"{type(self._transport).__name__} cannot stream: it has no open_stream")
        stream = SyncStream(self._source, topic, validate_cursor(cursor))
        with self._streams_lock:
            self._streams.add(stream)
        return stream

    def _read_head(self, channel_id: str) -> int | None:
        return self._send(events.get_cursor(channel_id))

    def _read_events(self, channel_id: str, cursor: int, limit: int) -> list[Event]:
        return self._send(events.replay(channel_id, cursor=cursor, limit=limit, event_type=None))

    def _open_stream(self, channel_id: str, cursor: int) -> ByteStream:
        call = read(f"/api/v1/events/stream/{channel_id}", str, {"cursor": cursor})
        transport = cast(StreamingTransport, self._transport)
        opened = transport.open_stream(self._requests.request(call), silence_seconds_max=_SILENCE_SECONDS_MAX)
        if opened.status == 200 and opened.content_type.startswith(_EVENT_STREAM):
            return opened
        try:
            read_reply(call, opened.whole())
        finally:
            opened.close()
        raise InvalidReplyError(
            f"{call} was answered with {opened.content_type or 'no content type'}, which is no event stream"
        )
