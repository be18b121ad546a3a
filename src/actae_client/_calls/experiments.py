"""Calls about experiments: channels that are compared by their scores."""

from __future__ import annotations

from typing import Any

from actae_client._calls.call import Call, in_path, read, write
from actae_client._calls.channel_ids import validate_channel_id
from actae_client._types.json import Json
from actae_client.retry import Repeat

_ROOT = "/api/v1/experiments"


def create_experiment(
    name: str, *, description: str | None, baseline_channel_id: str | None
) -> Call[dict[str, Any]]:
    """Open an experiment. Each call opens another one, so this is never repeated."""
    if baseline_channel_id:
        validate_channel_id(baseline_channel_id)
    body: dict[str, Json] = {"name": name}
    if description:
        body["description"] = description
    if baseline_channel_id:
        body["baseline_channel_id"] = baseline_channel_id
    return write(_ROOT, dict, body)


def list_experiments() -> Call[list[dict[str, Any]]]:
    """List the experiments."""
    return read(_ROOT, _experiments_of)


def get_experiment(group_id: str) -> Call[dict[str, Any]]:
    """Read one experiment."""
    return read(_path(group_id), dict)


def add_experiment_member(
    group_id: str, channel_id: str, *, role: str, declared_delta: dict[str, Json] | None
) -> Call[dict[str, Any]]:
    """Add a channel. Adding it again sets role and delta, so this may be repeated."""
    validate_channel_id(channel_id)
    body: dict[str, Json] = {"channel_id": channel_id, "role": role}
    if declared_delta:
        body["declared_delta"] = declared_delta
    return write(f"{_path(group_id)}/members", dict, body, repeat=Repeat.SAFE)


def rank_experiment(group_id: str) -> Call[dict[str, Any]]:
    """Order the members by their scores."""
    return read(f"{_path(group_id)}/rank", dict)


def _path(group_id: str) -> str:
    return f"{_ROOT}/{in_path('group_id', group_id)}"


def _experiments_of(reply: Any) -> list[dict[str, Any]]:
    return list(reply["experiments"] if isinstance(reply, dict) else reply)
