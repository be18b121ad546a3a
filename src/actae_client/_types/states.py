"""State snapshots."""

from __future__ import annotations

from typing import TypedDict

from actae_client._types.json import Json


class LatestState(TypedDict):
    """The newest snapshot of a channel, and the cursor that it belongs to."""

    cursor: int
    state: Json


class Snapshot(TypedDict):
    """One numbered snapshot of a channel."""

    cursor: int
    state: Json
    version: int


class SnapshotVersion(TypedDict):
    """That a snapshot exists, without what it holds. `timestamp` is RFC 3339."""

    version: int
    cursor: int
    timestamp: str
