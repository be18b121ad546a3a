"""Calls about forks: making them, comparing them, and what becomes of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from actae_client._calls.call import Call, identity, read, write
from actae_client._calls.channel_ids import validate_channel_id, validate_id
from actae_client._types.channels import ChannelMetadata
from actae_client._types.forks import ForkInfo, ForkReceipt, ToolPolicy
from actae_client._types.json import Json
from actae_client.retry import Repeat


def fork(
    source_channel_id: str,
    new_channel_id: str,
    at_cursor: int,
    *,
    display_name: str | None,
    reason: str | None,
    experiment_metadata: dict[str, Json] | None,
    operation_id: str | None,
    manifest: dict[str, Json] | None,
    tool_policies: Mapping[str, ToolPolicy] | None,
    expected_version: int | None,
    expected_cursor: int | None,
    copy_state: bool,
) -> Call[ForkReceipt]:
    """Make a fork, once per operation id and once per child."""
    validate_id("source_channel_id", source_channel_id)
    validate_id("new_channel_id", new_channel_id)
    body: dict[str, Json] = {
        "source_channel_id": source_channel_id,
        "new_channel_id": new_channel_id,
        "at_cursor": at_cursor,
        "operation_id": identity(operation_id),
    }
    described = {
        "display_name": display_name,
        "reason": reason,
        "experiment_metadata": experiment_metadata,
        "manifest": manifest,
        "tool_policies": dict(tool_policies) if tool_policies else None,
    }
    body.update((name, value) for name, value in described.items() if value)
    expected = {"expected_version": expected_version, "expected_cursor": expected_cursor}
    body.update((name, value) for name, value in expected.items() if value is not None)
    if not copy_state:
        body["copy_state"] = False
    return write("/api/v1/channels/fork", ForkReceipt.from_dict, body, repeat=Repeat.SAFE)


def get_fork_receipt(channel_id: str) -> Call[ForkReceipt]:
    """Read the receipt of a fork."""
    return read(f"{_path(channel_id)}/receipt", ForkReceipt.from_dict)


def list_forks(channel_id: str) -> Call[list[ChannelMetadata]]:
    """List the direct children."""
    return read(f"{_path(channel_id)}/forks", _forks_of)


def get_fork_tree(root_channel_id: str) -> Call[ForkInfo]:
    """Read a channel and all that was forked from it."""
    return read(f"{_path(root_channel_id)}/fork-tree", ForkInfo.from_dict)


def diff_states(left: str, right: str) -> Call[dict[str, Any]]:
    """Compare the latest states of two channels."""
    return _compare("diff", left, right)


def compare_channels(left: str, right: str) -> Call[dict[str, Any]]:
    """Compare two channels in all that they recorded."""
    return _compare("compare", left, right)


def decision_trail(channel_id: str) -> Call[dict[str, Any]]:
    """Read what led to a channel, and what it did."""
    return read(f"{_path(channel_id)}/trail", dict)


def set_outcome(channel_id: str, outcome: str | None, *, score: float | None) -> Call[dict[str, Any]]:
    """Say how a channel ended. Saying the same again changes nothing, so this may be repeated."""
    body: dict[str, Json] = {"outcome": outcome}
    if score is not None:
        body["score"] = score
    return write(f"{_path(channel_id)}/outcome", dict, body, method="PATCH", repeat=Repeat.SAFE)


def promote_channel(channel_id: str) -> Call[dict[str, Any]]:
    """Bring a fork's state into its parent. A second time returns the first result."""
    return Call("POST", f"{_path(channel_id)}/promote", dict, repeat=Repeat.SAFE)


def _compare(how: str, left: str, right: str) -> Call[dict[str, Any]]:
    validate_id("left", left)
    validate_id("right", right)
    return read(f"/api/v1/channels/{how}", dict, {"left": left, "right": right})


def _path(channel_id: str) -> str:
    validate_channel_id(channel_id)
    return f"/api/v1/channels/{channel_id}"


def _forks_of(reply: Any) -> list[ChannelMetadata]:
    return [ChannelMetadata.from_dict(item) for item in reply["forks"]]
