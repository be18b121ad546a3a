# Written by tools/generate_sync.py from _async/channels.py. Do not edit.
"""Methods about channels."""

from __future__ import annotations

from typing import Any

from actae_client._calls import channels
from actae_client._sync.sender import Sender
from actae_client._types.channels import ChannelMetadata, ResolvedStep
from actae_client._types.json import Json


class ChannelMethods(Sender):
    """What a channel is called, where its steps are, and how it ends."""

    def list_channels(self) -> list[str]:
        """The ids of the channels that the key may read, the most recently used first."""
        return self._send(channels.list_channels())

    def get_channel_metadata(self, channel_id: str) -> ChannelMetadata | None:
        """Name, lineage and outcome of a channel, None when it does not exist."""
        return self._send(channels.get_channel_metadata(channel_id))

    def update_metadata(
        self,
        channel_id: str,
        *,
        display_name: str | None = None,
        reason: str | None = None,
        experiment_metadata: dict[str, Json] | None = None,
    ) -> ChannelMetadata:
        """Overwrite the fields that are given and return all of them.

        `experiment_metadata` is replaced as a whole. Raises ChannelNotFoundError.
        """
        return self._send(
            channels.update_metadata(
                channel_id,
                display_name=display_name,
                reason=reason,
                experiment_metadata=experiment_metadata,
            )
        )

    def resolve_step(self, channel_id: str, step_number: int) -> ResolvedStep | None:
        """Where a step is recorded: `(channel_id, cursor, event_id)`, None when it is not.

        A fork inherits steps; the channel in the answer is the one that owns the step.
        """
        return self._send(channels.resolve_step(channel_id, step_number))

    def latest_step_number(self, channel_id: str) -> int | None:
        """The highest step number; 0 for a channel without steps, None for no such channel."""
        return self._send(channels.latest_step_number(channel_id))

    def close_channel(self, channel_id: str) -> dict[str, Any]:
        """Take no more writes on the channel; it can still be read. Raises ChannelNotFoundError."""
        return self._send(channels.close_channel(channel_id))

    def delete_channel(self, channel_id: str, recursive: bool = False) -> dict[str, Any]:
        """Remove all that the channel holds, and with `recursive` its forks; `deleted` lists them.

        Raises ChannelNotFoundError, and ChannelHasForksError when forks would be left behind.
        """
        return self._send(channels.delete_channel(channel_id, recursive=recursive))
