"""What a session writes to its channel."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from actae_client._types.channels import ChannelMetadata
from actae_client._types.events import Event
from actae_client._types.json import Json
from actae_client.errors import IdempotencyConflictError
from actae_client.session._async.persistence import persistently
from actae_client.session._async.transport import SessionTransport
from actae_client.session.conflicts import explained
from actae_client.session.draft import StepDraft, StepIdentity
from actae_client.session.names import ACTOR, SESSION_COMPLETED, SESSION_STARTED

# They describe a moment, and are gone when it has passed.
_PASSING = ("crash_reason", "cursors_warning")


class Journal:
    """Records the events of one session, and keeps its description in the channel's metadata."""

    def __init__(self, transport: SessionTransport, channel_id: str, display_name: str | None) -> None:
        self._transport = transport
        self._channel_id = channel_id
        self._display_name = display_name
        self._started_id = str(uuid4())
        self._completed_id = str(uuid4())

    async def record_started(self, payload: dict[str, Json], metadata: dict[str, Json]) -> Event:
        """Record that the session begins; repeated, it is one event."""
        return await self._record(SESSION_STARTED, payload, metadata, self._started_id)

    async def record_completed(self, payload: dict[str, Json]) -> Event:
        """Record that the session ended well; repeated, it is one event."""
        return await self._record(SESSION_COMPLETED, payload, None, self._completed_id)

    async def record_step(self, draft: StepDraft, step_number: int, kind: StepIdentity) -> Event:
        """Record a step; with the same content, again and again, it is one event.

        Raises IdempotencyConflictError when its identity names other content.
        """
        identity = draft.identity(self._channel_id, step_number, kind)
        try:
            return await self._record(
                draft.step_type,
                draft.payload(step_number),
                draft.described(step_number),
                identity,
                step_number=step_number,
            )
        except IdempotencyConflictError as conflict:
            raise explained(conflict, self._channel_id, step_number, draft, kind) from conflict

    async def describe(self, changes: dict[str, Any]) -> ChannelMetadata:
        """Write the changes over what the metadata says; the rest of it stays."""
        return await persistently(lambda: self._describe(changes))

    async def _describe(self, changes: dict[str, Any]) -> ChannelMetadata:
        metadata = await self._transport.get_channel_metadata(self._channel_id)
        stored = (metadata.experiment_metadata if metadata is not None else None) or {}
        lasting = {name: value for name, value in stored.items() if name not in _PASSING}
        name = self._display_name or (metadata.display_name if metadata is not None else None)
        return await self._transport.update_metadata(
            self._channel_id,
            display_name=name or self._channel_id,
            experiment_metadata={**lasting, **changes},
        )

    async def _record(
        self,
        event_type: str,
        payload: Json,
        metadata: dict[str, Json] | None,
        operation_id: str,
        step_number: int | None = None,
    ) -> Event:
        return await persistently(
            lambda: self._transport.record(
                self._channel_id,
                event_type,
                payload,
                actor=ACTOR,
                metadata=metadata,
                operation_id=operation_id,
                step_number=step_number,
            )
        )
