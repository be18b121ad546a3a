"""Messages as they arrive live: events of the recipient's channel."""

from __future__ import annotations

from typing import Final

from actae_client._types.events import Event
from actae_client._types.execution_groups import GroupMessage

DELIVERY: Final = "message.received"


def message_for(event: Event, group_id: str, member_id: str) -> GroupMessage | None:
    """The message that the event delivers to this member; None for any other event.

    Several members, even of several groups, may share a channel, and anybody may record anything there.
    """
    if event.event_type != DELIVERY:
        return None
    try:
        message = GroupMessage.from_websocket_event(event)
    except ValueError:
        return None
    return message if (message.group_id, message.to_member_id) == (group_id, member_id) else None
