"""Calls about channels: their names and lineage, their steps, their end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from actae_client._calls.call import Call, read, write
from actae_client._calls.channel_ids import validate_channel_id
from actae_client._types.channels import ChannelMetadata, ResolvedStep
from actae_client._types.json import Json
from actae_client.retry import Repeat

_NONE_IF_MISSING: Mapping[int, None] = {404: None}


def list_channels() -> Call[list[str]]:
    """List the readable channels."""
    return read("/api/v1/channels", _channel_ids_of)


def get_channel_metadata(channel_id: str) -> Call[ChannelMetadata | None]:
    """Read a channel's metadata."""
    return Call(
        "GET",
        f"{_path(channel_id)}/metadata",
        ChannelMetadata.from_dict,
        repeat=Repeat.SAFE,
        values=_NONE_IF_MISSING,
    )


def update_metadata(
    channel_id: str,
    *,
    display_name: str | None,
    reason: str | None,
    experiment_metadata: dict[str, Json] | None,
) -> Call[ChannelMetadata]:
    """Overwrite the fields that are given."""
    fields = {"display_name": display_name, "reason": reason, "experiment_metadata": experiment_metadata}
    body: dict[str, Json] = {"channel_id": channel_id}
    body.update((name, value) for name, value in fields.items() if value is not None)
    return write(f"{_path(channel_id)}/metadata", ChannelMetadata.from_dict, body, method="PUT")


def resolve_step(channel_id: str, step_number: int) -> Call[ResolvedStep | None]:
    """Find where a step is recorded."""
    return Call(
        "GET",
        f"{_path(channel_id)}/steps/{step_number:d}",
        _step_of,
        repeat=Repeat.SAFE,
        values=_NONE_IF_MISSING,
    )


def latest_step_number(channel_id: str) -> Call[int | None]:
    """Ask for the highest step number."""
    return Call(
        "GET", f"{_path(channel_id)}/steps", _last_step_of, repeat=Repeat.SAFE, values=_NONE_IF_MISSING
    )


def close_channel(channel_id: str) -> Call[dict[str, Any]]:
    """Take no more writes. Closing a closed channel changes nothing, so this may be repeated."""
    return Call("POST", f"{_path(channel_id)}/close", dict, repeat=Repeat.SAFE)


def delete_channel(channel_id: str, *, recursive: bool) -> Call[dict[str, Any]]:
    """Remove what the channel holds. Its id is not used again, so this may be repeated."""
    target = f"{_path(channel_id)}?recursive={'true' if recursive else 'false'}"
    return Call("DELETE", target, dict, repeat=Repeat.SAFE)


def _path(channel_id: str) -> str:
    validate_channel_id(channel_id)
    return f"/api/v1/channels/{channel_id}"


def _channel_ids_of(reply: Any) -> list[str]:
    return list(reply["channels"])


def _step_of(reply: Any) -> ResolvedStep:
    return ResolvedStep(reply["channel_id"], reply["cursor"], reply.get("event_id"))


def _last_step_of(reply: Any) -> int:
    number: int = reply["last_step_number"]
    return number
