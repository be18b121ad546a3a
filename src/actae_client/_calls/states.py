"""Calls about state snapshots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from actae_client._calls.call import Call, identity, read, write
from actae_client._calls.channel_ids import validate_channel_id
from actae_client._calls.parents import parents
from actae_client._types.json import Json
from actae_client._types.states import LatestState, Snapshot, SnapshotVersion
from actae_client.retry import Repeat


def save_state(
    channel_id: str,
    cursor: int,
    state: Json,
    *,
    expected_version: int | None,
    expected_cursor: int | None,
    operation_id: str | None,
    dependencies: Sequence[Mapping[str, str]] | None,
) -> Call[int]:
    """Store a new version of a channel's state, once per operation id."""
    validate_channel_id(channel_id)
    body: dict[str, Json] = {
        "channel_id": channel_id,
        "cursor": cursor,
        "state": state,
        "operation_id": identity(operation_id),
    }
    if expected_version is not None:
        body["expected_version"] = expected_version
    if expected_cursor is not None:
        body["expected_cursor"] = expected_cursor
    if dependencies:
        body["dependencies"] = parents(dependencies)
    return write(f"/api/v1/state/{channel_id}", _version_of, body, repeat=Repeat.SAFE)


def latest_state(channel_id: str) -> Call[LatestState | None]:
    """Read the newest snapshot."""
    validate_channel_id(channel_id)
    return read(f"/api/v1/state/{channel_id}", _latest_of)


def list_states(channel_id: str, *, limit: int, offset: int) -> Call[list[SnapshotVersion]]:
    """List the versions of a channel's state, newest first."""
    validate_channel_id(channel_id)
    return read(f"/api/v1/state/{channel_id}/versions", _versions_of, {"limit": limit, "offset": offset})


def get_state(channel_id: str, version: int) -> Call[Snapshot | None]:
    """Read one version."""
    validate_channel_id(channel_id)
    return read(f"/api/v1/state/{channel_id}/version/{version:d}", _snapshot_of)


def delete_state(channel_id: str, version: int) -> Call[None]:
    """Remove one version. Numbers are not used again, so this may be repeated."""
    validate_channel_id(channel_id)
    return Call("DELETE", f"/api/v1/state/{channel_id}/version/{version:d}", _nothing, repeat=Repeat.SAFE)


def _version_of(reply: Any) -> int:
    version: int = reply["version"]
    return version


def _latest_of(reply: Any) -> LatestState | None:
    if reply.get("cursor") is None:
        return None
    return {"cursor": reply["cursor"], "state": reply["state"]}


def _snapshot_of(reply: Any) -> Snapshot | None:
    if reply.get("cursor") is None:
        return None
    return {"cursor": reply["cursor"], "state": reply["state"], "version": reply["version"]}


def _versions_of(reply: Any) -> list[SnapshotVersion]:
    return [
        {"version": item["version"], "cursor": item["cursor"], "timestamp": item["timestamp"]}
        for item in reply["versions"]
    ]


def _nothing(_reply: Any) -> None:
    return None
