# Written by tools/generate_sync.py from _async/state_manager.py. Do not edit.
"""The smallest way to keep a state."""

from __future__ import annotations

from actae_client._calls.frozen import frozen
from actae_client._sync.methods import Methods
from actae_client._types.json import Json
from actae_client._types.states import Snapshot, SnapshotVersion
from actae_client.errors import SnapshotBoundaryError


class SyncStateManager:
    """Saves, loads and forks the state of one channel, whatever framework it belongs to."""

    def __init__(self, actae: Methods, channel: str) -> None:
        self.actae = actae
        self.channel = channel

    def save(self, state: Json) -> int:
        """Save the state at the channel's newest event, and return its version.

        The state is copied when this is called. Raises TypeError and ValueError for what is not
        JSON.
        """
        return self._save(frozen("state", state))

    def load(self) -> Json:
        """The newest state, None if there is none."""
        latest = self.actae.latest_state(self.channel)
        return None if latest is None else latest["state"]

    def resume(self, default_state: Json = None) -> Json:
        """The newest state, else the default, else an empty dict."""
        latest = self.actae.latest_state(self.channel)
        if latest is not None:
            return latest["state"]
        return {} if default_state is None else default_state

    def fork(self, new_channel: str, *, reason: str | None = None) -> SyncStateManager:
        """Start a new channel from the newest event; without any state, from nothing.

        Raises ChannelConflictError when the new channel exists already and is not this fork,
        ChannelNotFoundError when there is nothing to fork.
        """
        cursor = self.actae.get_cursor(self.channel) or 0
        try:
            self.actae.fork(self.channel, new_channel, cursor, reason=reason)
        except SnapshotBoundaryError:
            self.actae.fork(self.channel, new_channel, 0, reason=reason)
        return SyncStateManager(self.actae, new_channel)

    def list_versions(self) -> list[SnapshotVersion]:
        """The versions of the state, newest first, at most 100."""
        return self.actae.list_states(self.channel)

    def get_version(self, version: int) -> Snapshot | None:
        """One version, None if it does not exist."""
        return self.actae.get_state(self.channel, version)

    def delete_version(self, version: int) -> None:
        """Remove one version."""
        self.actae.delete_state(self.channel, version)

    def _save(self, state: Json) -> int:
        cursor = self.actae.get_cursor(self.channel) or 0
        return self.actae.save_state(self.channel, cursor, state)
