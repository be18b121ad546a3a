# Written by tools/generate_sync.py from _async/checklists.py. Do not edit.
"""Methods about whether runs are safe to be started again."""

from __future__ import annotations

from typing import Any

from actae_client._calls import checklists
from actae_client._sync.sender import Sender


class ChecklistMethods(Sender):
    """Questions about what channels did, answered from the data: `yes`, `no` or `cannot_be_told`."""

    def get_checklist(self, channel_id: str) -> dict[str, Any]:
        """The answers about one channel, with the rows behind them. Raises ChannelNotFoundError."""
        return self._send(checklists.get_checklist(channel_id))

    def list_checklists(
        self, pattern: str, *, after: str | None = None, limit: int = 20
    ) -> list[dict[str, Any]]:
        """Those of the channels that match `prefix*` or `*` and may be read, in the order of their ids.

        At most 20; ask again `after` the last channel until nothing comes. Raises InvalidRequestError.
        """
        return self._send(checklists.list_checklists(pattern, after=after, limit=limit))
