"""Calls about whether runs are safe to be started again."""

from __future__ import annotations

from typing import Any

from actae_client._calls.call import Call, in_path, read
from actae_client._calls.channel_ids import validate_channel_id


def get_checklist(channel_id: str) -> Call[dict[str, Any]]:
    """Read the checklist of one channel."""
    validate_channel_id(channel_id)
    return read(f"/api/v1/channels/{in_path('channel_id', channel_id)}/checklist", dict)


def list_checklists(pattern: str, *, after: str | None, limit: int) -> Call[list[dict[str, Any]]]:
    """Read those of the channels that match, by their ids."""
    query = {"pattern": pattern, "after": after, "limit": limit}
    return read("/api/v1/checklists", _checklists_of, query)


def _checklists_of(reply: Any) -> list[dict[str, Any]]:
    return list(reply["checklists"])
