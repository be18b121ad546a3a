"""Calls of whoever looks at operations, and of whoever says what became of one."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from actae_client._calls.call import Call, identity, read, write
from actae_client._calls.channel_ids import validate_channel_id
from actae_client._calls.executions import path_of
from actae_client._types.executions import ExecutionInfo, Resolution
from actae_client._types.json import Json
from actae_client.retry import Repeat


class FoundExecutions(NamedTuple):
    """One page of a search; `next_page` is what brings the one that follows, None after the last."""

    executions: list[ExecutionInfo]
    next_page: str | None


def get_execution(execution_id: str) -> Call[ExecutionInfo]:
    """Read one operation, with what was reported of it too late."""
    return read(path_of(execution_id), _witnessed_of)


def list_executions(
    channel_id: str, *, limit: int, offset: int, status: str | None
) -> Call[list[ExecutionInfo]]:
    """List a channel's operations, newest first."""
    validate_channel_id(channel_id)
    query = {"channel_id": channel_id, "limit": limit, "offset": offset or None, "status": status}
    return read("/api/v1/executions", _executions_of, query)


def search_executions(
    *,
    status: str | None,
    tool_name: str | None,
    key_prefix: str | None,
    older_than_seconds: int | None,
    field: str | None,
    value: str | int | float | bool | None,
    text: str | None,
    limit: int,
    after: str | None,
) -> Call[FoundExecutions]:
    """Look for operations on all channels, newest first."""
    query = {
        "status": status,
        "tool_name": tool_name,
        "key_prefix": key_prefix,
        "older_than_seconds": older_than_seconds,
        "field": field,
        "value": _as_text(value),
        "text": text,
        "limit": limit,
        "after": after,
    }
    return read("/api/v1/executions", _found_of, query)


def resolve_execution(
    execution_id: str,
    outcome: Resolution,
    *,
    by: str,
    result: Json,
    reason: str | None,
    evidence: Json,
    attempts: int | None,
    operation_id: str | None,
) -> Call[ExecutionInfo]:
    """Say what became of an operation."""
    body: dict[str, Json] = {"outcome": outcome, "by": by, "operation_id": identity(operation_id)}
    said = {"result": result, "reason": reason, "evidence": evidence, "attempts": attempts}
    body.update((name, value) for name, value in said.items() if value is not None)
    path = f"{path_of(execution_id)}/resolve"
    return write(path, _execution_of, body, repeat=Repeat.SAFE, boundary=("resolve", execution_id))


def delete_execution(execution_id: str) -> Call[bool]:
    """Forget an operation, which frees its key.

    Never repeated: the key may have been claimed anew in between, under the same id.
    """
    return Call("DELETE", path_of(execution_id), _true)


def _as_text(value: str | int | float | bool | None) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _execution_of(reply: Any) -> ExecutionInfo:
    return ExecutionInfo.from_dict(reply["execution"])


def _witnessed_of(reply: Any) -> ExecutionInfo:
    return ExecutionInfo.from_dict(reply["execution"], reply.get("late_evidence", ()))


def _executions_of(reply: Any) -> list[ExecutionInfo]:
    return [ExecutionInfo.from_dict(item) for item in reply["executions"]]


def _found_of(reply: Any) -> FoundExecutions:
    return FoundExecutions(_executions_of(reply), reply.get("next"))


def _true(_reply: Any) -> bool:
    return True
