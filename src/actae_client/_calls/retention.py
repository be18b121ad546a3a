"""Calls about retention and sizes."""

from __future__ import annotations

from typing import Any

from actae_client._calls.call import Call, in_path, read, write
from actae_client._types.retention import (
    RetentionPolicy,
    RetentionRun,
    StorageReport,
    policy_of,
    run_of,
    storage_of,
)
from actae_client.retry import Repeat

_POLICIES = "/api/v1/retention/policies"


def list_retention_policies() -> Call[list[RetentionPolicy]]:
    """Read the policies."""
    return read(_POLICIES, _policies_of)


def set_retention_policy(pattern: str, keep_for_seconds: int | None) -> Call[RetentionPolicy]:
    """Set a policy. Set again, it is the same, so this may be repeated."""
    body = {"keep_for_seconds": keep_for_seconds}
    return write(_path(pattern), policy_of, body, method="PUT", repeat=Repeat.SAFE)


def remove_retention_policy(pattern: str) -> Call[None]:
    """Remove a policy. Sent again, this would be told that there is none."""
    return Call("DELETE", _path(pattern), _nothing)


def run_retention(*, dry_run: bool, limit: int | None) -> Call[RetentionRun]:
    """Remove what is past its policy. Sent again, this would tell only of what was left."""
    body: dict[str, Any] = {"dry_run": dry_run}
    if limit is not None:
        body["limit"] = limit
    repeat = Repeat.SAFE if dry_run else Repeat.NEVER
    return write("/api/v1/retention/run", run_of, body, repeat=repeat)


def storage(*, limit: int | None) -> Call[StorageReport]:
    """Read the sizes."""
    return read("/api/v1/storage", storage_of, {"limit": limit})


def _path(pattern: str) -> str:
    return f"{_POLICIES}/{in_path('pattern', pattern)}"


def _policies_of(reply: Any) -> list[RetentionPolicy]:
    return [policy_of(each) for each in reply["policies"]]


def _nothing(_reply: Any) -> None:
    return None
