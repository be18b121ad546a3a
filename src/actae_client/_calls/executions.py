"""Calls about the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from actae_client._calls.call import Call, identity, in_path, read, write
from actae_client._calls.channel_ids import validate_channel_id
from actae_client._types.executions import (
    Claimed,
    ExecutionClaim,
    ExecutionInfo,
    InProgress,
    Reclaimed,
    Replayed,
)
from actae_client._types.json import Json
from actae_client.approvals import field_names
from actae_client.retry import Repeat


def claim_execution(
    channel_id: str,
    key_name: str,
    tool_name: str,
    params: Json,
    *,
    dedup_fields: Sequence[str] | None,
    lease_seconds: int | None,
    emit_replay_event: bool,
    actor: str | None,
    attempt_id: str | None,
    requires_approval: bool,
    approval_request_id: str | None,
) -> Call[ExecutionClaim]:
    """Ask to be the one who runs the tool.

    The attempt id is made once per call. When the reply is lost and the call repeated, the server
    knows its own claim again and gives the same answer, token included.
    """
    validate_channel_id(channel_id)
    body: dict[str, Json] = {
        "channel_id": channel_id,
        "key_name": key_name,
        "tool_name": tool_name,
        "attempt_id": identity(attempt_id),
    }
    if params is not None:
        body["params"] = params
    if dedup_fields is not None:
        body["dedup_fields"] = list(field_names("dedup_fields", dedup_fields))
    if lease_seconds is not None:
        body["lease_seconds"] = lease_seconds
    if emit_replay_event:
        body["emit_replay_event"] = True
    if actor is not None:
        body["actor"] = actor
    if requires_approval:
        body["requires_approval"] = True
    if approval_request_id is not None:
        body["approval_request_id"] = approval_request_id
    return write("/api/v1/executions/claim", _claim_of, body, repeat=Repeat.SAFE)


def complete_execution(execution_id: str, claim_token: str | None, result: Json) -> Call[ExecutionInfo]:
    """Record what the tool returned."""
    repeat = Repeat.NEVER if claim_token is None else Repeat.UNTIL_RECORDED
    return _settle(execution_id, "complete", {"claim_token": claim_token, "result": result}, repeat)


def fail_execution(
    execution_id: str,
    message: str,
    *,
    claim_token: str | None,
    error_type: str | None,
    stack: str | None,
) -> Call[ExecutionInfo]:
    """Record that the tool did not do its work."""
    body = {"message": message, "claim_token": claim_token, "error_type": error_type, "stack": stack}
    return _settle(execution_id, "fail", body, _safe_with(claim_token))


def heartbeat_execution(
    execution_id: str, claim_token: str | None, lease_seconds: int | None
) -> Call[ExecutionInfo]:
    """Extend the lease."""
    body = {"claim_token": claim_token, "lease_seconds": lease_seconds}
    return _settle(execution_id, "heartbeat", body, _safe_with(claim_token))


def cancel_execution(execution_id: str, claim_token: str | None) -> Call[ExecutionInfo]:
    """Give the operation back without having run the tool."""
    return _settle(execution_id, "cancel", {"claim_token": claim_token}, _safe_with(claim_token))


def get_execution(execution_id: str) -> Call[ExecutionInfo]:
    """Read one operation."""
    return read(_path(execution_id), _execution_of)


def list_executions(channel_id: str, *, limit: int) -> Call[list[ExecutionInfo]]:
    """List a channel's operations, newest first."""
    validate_channel_id(channel_id)
    return read("/api/v1/executions", _executions_of, {"channel_id": channel_id, "limit": limit})


def delete_execution(execution_id: str) -> Call[bool]:
    """Forget an operation, which frees its key.

    Never repeated: the key may have been claimed anew in between, under the same id.
    """
    return Call("DELETE", _path(execution_id), _true)


def _settle(execution_id: str, verb: str, body: dict[str, Json], repeat: Repeat) -> Call[ExecutionInfo]:
    present = {name: value for name, value in body.items() if value is not None}
    return write(f"{_path(execution_id)}/{verb}", _execution_of, present, repeat=repeat)


def _safe_with(claim_token: str | None) -> Repeat:
    return Repeat.NEVER if claim_token is None else Repeat.SAFE


def _path(execution_id: str) -> str:
    return f"/api/v1/executions/{in_path('execution_id', execution_id)}"


def _claim_of(reply: Any) -> ExecutionClaim:
    execution = ExecutionInfo.from_dict(reply["execution"])
    match reply["status"]:
        case "claimed":
            return Claimed(execution, reply["claim_token"])
        case "reclaimed":
            return Reclaimed(execution, reply["claim_token"])
        case "replayed":
            return Replayed(execution, reply.get("result"))
        case "in_progress":
            return InProgress(execution)
        case other:
            raise ValueError(f"the claim has the unknown status {other!r}")


def _execution_of(reply: Any) -> ExecutionInfo:
    return ExecutionInfo.from_dict(reply["execution"])


def _executions_of(reply: Any) -> list[ExecutionInfo]:
    return [ExecutionInfo.from_dict(item) for item in reply["executions"]]


def _true(_reply: Any) -> bool:
    return True
