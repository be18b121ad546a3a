"""A channel, live, over HTTP alone."""

from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from typing import Annotated

import msgspec
from msgspec import Meta

from actae.domain import errors
from actae.domain.access import Action
from actae.transport.auth import wait_for_news
from actae.transport.endpoint import Text
from actae.transport.fields import Cursor, check_channel_id
from actae.transport.live.event_stream import EventStream, redacted_stream_message, stream_message
from actae.transport.live.mailbox import Mailbox
from actae.transport.live.patience import Patience
from actae.transport.live.readers import EVENT_STREAMS
from actae.transport.route import Asked, Route
from actae.transport.services import Services

_LAST_EVENT_ID = b"last-event-id"


class StreamQuery(msgspec.Struct):
    """Where to begin."""

    cursor: Annotated[
        Cursor | None,
        Meta(description="Exclusive: events above it, then live ones. Absent: live ones only."),
    ] = None


async def stream(services: Services, asked: Asked) -> EventStream:
    """Every event of the channel above the cursor, then each one that is recorded, as server-sent events.

    The id of each message is the event's cursor. A browser sends the last one as `Last-Event-ID` when it
    comes back, which goes before `cursor`; so nothing is lost or repeated. An event of more than a megabyte
    comes without payload and metadata and with `truncated`: read it by its cursor.
    """
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("observe", channel_id)
    # Whoever begins as a reader goes on as one, or not at all.
    action: Action = "read" if asked.caller.permissions.allows("read", channel_id) else "observe"
    query: StreamQuery = asked.query
    resumed = _last_event_id(asked)
    patience = Patience(services.monitor.tally, services.settings.stream_stall_seconds)
    mailbox = Mailbox(stream_message if action == "read" else redacted_stream_message, patience)
    with ExitStack() as leaving:
        leaving.enter_context(services.readers.one_more(EVENT_STREAMS))
        follower = await services.tail.follow(
            channel_id, mailbox, after=query.cursor if resumed is None else resumed
        )
        leaving.callback(services.tail.leave, follower)
        return EventStream(
            follower,
            mailbox,
            leaving.pop_all(),
            allowed=_allowed(services, asked, action, channel_id),
            stopping=services.stopping,
            observe=services.observe,
        )


def _allowed(
    services: Services, asked: Asked, action: Action, channel_id: str
) -> Callable[[], Coroutine[None, None, None]]:
    """Goes on as long as the credential is good and may do this on the channel."""

    async def allowed() -> None:
        while True:
            news = services.authenticator.news
            try:
                caller = await services.authenticator.identify(asked.headers)
                caller.require(action, channel_id)
            except errors.UnavailableError:
                pass  # The next round sees.
            except errors.ActaeError:
                return
            await wait_for_news(news, services.settings.stream_access_seconds)

    return allowed


def _last_event_id(asked: Asked) -> int | None:
    value = next((value for name, value in asked.headers if name == _LAST_EVENT_ID), b"")
    if not value:
        return None
    if not value.isdigit() or len(value) > 18:
        raise errors.InvalidRequestError(
            f"The header Last-Event-ID must be a cursor; it is {value[:40].decode(errors='replace')!r}.",
            field="last-event-id",
        )
    return int(value)


ROUTES = (
    Route(
        method="GET",
        path="/events/stream/{channel_id}",
        operation="events.stream",
        summary="Follow a channel as server-sent events.",
        handler=stream,
        query=StreamQuery,
        is_live=True,
        reply=Annotated[Text, "text/event-stream"],
        errors=(errors.InvalidRequestError, errors.ForbiddenError, errors.TooManyReadersError),
    ),
)
