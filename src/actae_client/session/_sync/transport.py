# Written by tools/generate_sync.py from _async/transport.py. Do not edit.
"""What a session needs of a client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from actae_client._types.channels import ChannelMetadata, ResolvedStep
from actae_client._types.events import Event
from actae_client._types.forks import ForkReceipt
from actae_client._types.json import Json
from actae_client._types.states import LatestState
from actae_client.errors import SessionError


class SyncSessionTransport(Protocol):
    """The methods that every session calls; they are those of `ActaeClient`.

    Some features need more of them: a fence needs `claim_execution`, `heartbeat_execution` and
    `cancel_execution`, an outcome `set_outcome`, experiments and promotion their methods. A session
    on a transport without them raises SessionError when the feature is used.
    """

    def record(
        self,
        channel_id: str,
        event_type: str,
        payload: Json,
        *,
        actor: str,
        metadata: dict[str, Json] | None = None,
        operation_id: str | None = None,
        step_number: int | None = None,
    ) -> Event:
        """Append an event."""
        ...

    def replay(
        self, channel_id: str, *, cursor: int | None = None, limit: int = 100, event_type: str | None = None
    ) -> list[Event]:
        """Read events after a cursor."""
        ...

    def save_state(self, channel_id: str, cursor: int, state: Json) -> int:
        """Store a snapshot."""
        ...

    def latest_state(self, channel_id: str) -> LatestState | None:
        """Read the newest snapshot."""
        ...

    def fork(
        self,
        source_channel_id: str,
        new_channel_id: str,
        at_cursor: int = 0,
        *,
        display_name: str | None = None,
        reason: str | None = None,
        experiment_metadata: dict[str, Json] | None = None,
        operation_id: str | None = None,
        manifest: dict[str, Json] | None = None,
        tool_policies: dict[str, Any] | None = None,
    ) -> ForkReceipt:
        """Make a fork."""
        ...

    def get_channel_metadata(self, channel_id: str) -> ChannelMetadata | None:
        """Read a channel's metadata, None if there is no such channel."""
        ...

    def update_metadata(
        self,
        channel_id: str,
        *,
        display_name: str | None = None,
        experiment_metadata: dict[str, Json] | None = None,
    ) -> ChannelMetadata:
        """Overwrite a channel's metadata."""
        ...

    def resolve_step(self, channel_id: str, step_number: int) -> ResolvedStep | None:
        """Find a step, None if the server has no index of it."""
        ...

    def latest_step_number(self, channel_id: str) -> int | None:
        """The highest step number, None if the server has no index."""
        ...


def method(transport: object, name: str) -> Callable[..., Any]:
    """A method that not every transport has. Raises SessionError where it is missing."""
    found = getattr(transport, name, None)
    if not callable(found):
        raise SessionError(f"{type(transport).__name__} has no {name!r}, which this needs")
    return found  # type: ignore[no-any-return]  # a transport is whatever the application passed
