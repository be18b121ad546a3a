"""The events of a channel for as long as somebody watches, whatever happens to the server."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from actae.cli.output import tell

if TYPE_CHECKING:
    from actae_client import Event, SyncActaeClient

_PAUSE_SECONDS: Final = 5.0


def following(client: "SyncActaeClient", channel: str, after: int) -> "Iterator[Event]":
    """Each event above a cursor once and in order, without an end.

    A stream gives a server that is away some minutes; whoever watches has more patience.

    Raises:
        ActaeError: the server refuses, and will go on doing so.
    """
    from actae_client.errors import ActaeConnectionError, RateLimitError, ServerError

    while True:
        try:
            with client.stream(channel, cursor=after) as stream:
                for event in stream:
                    yield event
                    after = event.cursor
        except (ActaeConnectionError, RateLimitError, ServerError) as error:
            tell(f"{error} Going on after event {after} when it is back.")
            time.sleep(_PAUSE_SECONDS)
