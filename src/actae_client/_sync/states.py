# Written by tools/generate_sync.py from _async/states.py. Do not edit.
"""Methods about state snapshots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from actae_client._calls import states
from actae_client._sync.sender import Sender
from actae_client._types.json import Json
from actae_client._types.states import LatestState, Snapshot, SnapshotVersion


class StateMethods(Sender):
    """Numbered snapshots of a channel's state; the latest is the one with the highest version."""

    def save_state(
        self,
        channel_id: str,
        cursor: int,
        state: Json,
        *,
        expected_version: int | None = None,
        expected_cursor: int | None = None,
        operation_id: str | None = None,
        dependencies: Sequence[Mapping[str, str]] | None = None,
    ) -> int:
        """Store the state that belongs to a cursor, and return its version.

        The state is written to JSON when this is called: what happens to it afterwards is not
        saved. The expectations are those of the latest snapshot; 0 is "no snapshot".

        Raises VersionConflictError when an expectation does not hold, IdempotencyConflictError
        when `operation_id` names other content.
        """
        return self._send(
            states.save_state(
                channel_id,
                cursor,
                state,
                expected_version=expected_version,
                expected_cursor=expected_cursor,
                operation_id=operation_id,
                dependencies=dependencies,
            )
        )

    def latest_state(self, channel_id: str) -> LatestState | None:
        """The newest snapshot, None when there is none."""
        return self._send(states.latest_state(channel_id))

    def list_states(self, channel_id: str, *, limit: int = 100, offset: int = 0) -> list[SnapshotVersion]:
        """The versions of a channel's state, newest first, without their states."""
        return self._send(states.list_states(channel_id, limit=limit, offset=offset))

    def get_state(self, channel_id: str, version: int) -> Snapshot | None:
        """One version of the state, None when it does not exist."""
        return self._send(states.get_state(channel_id, version))

    def delete_state(self, channel_id: str, version: int) -> None:
        """Remove one version. Its number is not used again."""
        return self._send(states.delete_state(channel_id, version))
