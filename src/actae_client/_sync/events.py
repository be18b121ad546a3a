# Written by tools/generate_sync.py from _async/events.py. Do not edit.
"""Methods about events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from actae_client._calls import events
from actae_client._sync.sender import Sender
from actae_client._types.events import ChainVerification, Event, TransitionResult
from actae_client._types.json import Json


class EventMethods(Sender):
    """Appending to a channel's log, and reading it."""

    def record(
        self,
        channel_id: str,
        event_type: str,
        payload: Json,
        *,
        actor: str,
        agent_id: str | None = None,
        user_id: str | None = None,
        metadata: dict[str, Json] | None = None,
        operation_id: str | None = None,
        step_number: int | None = None,
        dependencies: Sequence[Mapping[str, str]] | None = None,
    ) -> Event:
        """Append one event to a channel, which comes into being with its first.

        Repeating a call with the same `operation_id` and content returns the first event; without
        one, an id is made for this call, so that its retries append once. `step_number` (1, 2 …)
        enters the step index. `dependencies` are `{"event_id": …, "dependency_type": …}`.

        Raises IdempotencyConflictError when the id names other content, ConflictError when the
        channel is closed or deleted, and CounterfactualBlockedError on a frozen fork.
        """
        return self._send(
            events.record(
                channel_id,
                event_type,
                payload,
                actor=actor,
                agent_id=agent_id,
                user_id=user_id,
                metadata=metadata,
                operation_id=operation_id,
                step_number=step_number,
                dependencies=dependencies,
            )
        )

    def transition(
        self,
        channel_id: str,
        event_type: str,
        payload: Json,
        state: Json,
        *,
        actor: str = "system",
        agent_id: str | None = None,
        user_id: str | None = None,
        metadata: dict[str, Json] | None = None,
        operation_id: str | None = None,
        expected_version: int | None = None,
        expected_cursor: int | None = None,
    ) -> TransitionResult:
        """Append one event and save the state that follows from it: both, or neither.

        The expectations are those of the latest snapshot; 0 is "no snapshot". A repeated
        `operation_id` with the same content returns the first result.

        Raises VersionConflictError when an expectation does not hold, and what `record` raises.
        """
        return self._send(
            events.transition(
                channel_id,
                event_type,
                payload,
                state,
                actor=actor,
                agent_id=agent_id,
                user_id=user_id,
                metadata=metadata,
                operation_id=operation_id,
                expected_version=expected_version,
                expected_cursor=expected_cursor,
            )
        )

    def replay(
        self, channel_id: str, *, cursor: int | None = None, limit: int = 100, event_type: str | None = None
    ) -> list[Event]:
        """Read events after `cursor`, in order; a channel without events gives an empty list.

        Page by passing the last cursor until the list is empty.
        """
        return self._send(events.replay(channel_id, cursor=cursor, limit=limit, event_type=event_type))

    def query(
        self,
        *,
        channel_ids: Sequence[str] | None = None,
        event_type: str | None = None,
        actor: str | None = None,
        cursor_start: int | None = None,
        cursor_end: int | None = None,
        from_time: datetime | str | None = None,
        to_time: datetime | str | None = None,
        limit: int = 100,
        offset: int | None = None,
    ) -> list[Event]:
        """Search events across channels, newest first. All bounds are inclusive.

        Times are RFC 3339 strings or aware datetimes; a naive one is a ValueError.
        """
        return self._send(
            events.query(
                channel_ids=channel_ids,
                event_type=event_type,
                actor=actor,
                cursor_start=cursor_start,
                cursor_end=cursor_end,
                from_time=from_time,
                to_time=to_time,
                limit=limit,
                offset=offset,
            )
        )

    def get_cursor(self, channel_id: str) -> int | None:
        """The cursor of the newest event, None for a channel without events."""
        return self._send(events.get_cursor(channel_id))

    latest_cursor = get_cursor

    def verify_chain(self, channel_id: str) -> ChainVerification:
        """Have the server recompute the hash chain of a channel."""
        return self._send(events.verify_chain(channel_id))

    def causal_graph(self, event_id: str, *, max_nodes: int = 1000) -> dict[str, Any]:
        """What led to an event, across channels: `root_event_id`, `events`, `dependencies`, `truncated`.

        Raises EventNotFoundError.
        """
        return self._send(events.causal_graph(event_id, max_nodes=max_nodes))
