"""What must always hold of a message between members: both of its events are there, and belong together."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from actae.domain.group_messages import RECEIVED, SENT


class StoredMessage(NamedTuple):
    """A message's row, and what is found at the two places that it names."""

    channel_id: str
    cursor: int
    source_channel_id: str
    source_cursor: int
    delivery_type: str | None
    delivery_depends_on: str | None
    source_type: str | None
    source_event_id: str | None
    is_source_deleted: bool


def messages_have_both_events(page: Iterable[StoredMessage]) -> Iterator[str]:
    """A delivery on the recipient's channel, caused by a sending on the sender's, unless that was deleted."""
    for message in page:
        if message.delivery_type != RECEIVED:
            there = message.delivery_type or "nothing"
            yield f"a message is delivered at cursor {message.cursor}; there is {there}"
        elif message.is_source_deleted:
            continue
        elif message.source_type != SENT or message.source_event_id != message.delivery_depends_on:
            sent_at = f"cursor {message.source_cursor} of {message.source_channel_id!r}"
            yield f"the message at cursor {message.cursor} was sent at {sent_at}; that is not its cause"
