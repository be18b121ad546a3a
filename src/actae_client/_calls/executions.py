"""Calls of whoever runs an operation: claim it, keep it, settle it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from actae_client._calls.call import Call, identity, in_path, write
from actae_client._calls.channel_ids import validate_channel_id
from actae_client._types.executions import (
    Claimed,
    ExecutionClaim,
    ExecutionInfo,
    InProgress,
    OnFailure,
    OnLapse,
    Reclaimed,
    Replayed,
)
from actae_client._types.guards import SimilarCall
from actae_client._types.json import Json
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
    on_lapse: OnLapse,
    dispatches: bool,
    on_failure: OnFailure,
    ttl_seconds: int | None,
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
        body["dedup_fields"] = _field_names(dedup_fields)
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
    if on_lapse != "reclaim":
        body["on_lapse"] = on_lapse
    if dispatches:
        body["dispatches"] = True
    if on_failure != "reclaim":
        body["on_failure"] = on_failure
    if ttl_seconds is not None:
        body["ttl_seconds"] = ttl_seconds
    boundary = ("claim", key_name)
    return write("/api/v1/executions/claim", _claim_of, body, repeat=Repeat.SAFE, boundary=boundary)


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
    outcome_unknown: bool,
) -> Call[ExecutionInfo]:
    """Record that the tool did not do its work, or that nobody knows whether it did."""
    body: dict[str, Json] = {
        "message": message,
        "claim_token": claim_token,
        "error_type": error_type,
        "stack": stack,
        "outcome_unknown": outcome_unknown or None,
    }
    return _settle(execution_id, "fail", body, _safe_with(claim_token))


def heartbeat_execution(
    execution_id: str, claim_token: str | None, lease_seconds: int | None
) -> Call[ExecutionInfo]:
    """Extend the lease."""
    body = {"claim_token": claim_token, "lease_seconds": lease_seconds}
    return _settle(execution_id, "heartbeat", body, _safe_with(claim_token))


def mark_dispatched(execution_id: str, claim_token: str | None) -> Call[ExecutionInfo]:
    """Say that the tool is about to be called."""
    return _settle(execution_id, "dispatched", {"claim_token": claim_token}, _safe_with(claim_token))


def cancel_execution(execution_id: str, claim_token: str | None) -> Call[ExecutionInfo]:
    """Give the operation back without having run the tool."""
    return _settle(execution_id, "cancel", {"claim_token": claim_token}, _safe_with(claim_token))


def _settle(execution_id: str, verb: str, body: dict[str, Json], repeat: Repeat) -> Call[ExecutionInfo]:
    present = {name: value for name, value in body.items() if value is not None}
    boundary = None if verb == "heartbeat" else (verb, execution_id)  # how many there are is a matter of time
    path = f"{path_of(execution_id)}/{verb}"
    return write(path, _execution_of, present, repeat=repeat, boundary=boundary)


def _safe_with(claim_token: str | None) -> Repeat:
    return Repeat.NEVER if claim_token is None else Repeat.SAFE


def path_of(execution_id: str) -> str:
    """Where one operation is addressed."""
    return f"/api/v1/executions/{in_path('execution_id', execution_id)}"


def _field_names(dedup_fields: Sequence[str]) -> list[str]:
    if isinstance(dedup_fields, str):
        # It would be read as a list of single characters.
        raise TypeError("dedup_fields must be a list of str, not one str")
    return list(dedup_fields)


def _claim_of(reply: Any) -> ExecutionClaim:
    execution = ExecutionInfo.from_dict(reply["execution"])
    match reply["status"]:
        case "claimed":
            return Claimed(execution, reply["claim_token"], _warnings_of(reply))
        case "reclaimed":
            return Reclaimed(
                execution, reply["claim_token"], bool(reply.get("unapplied")), _warnings_of(reply)
            )
        case "replayed":
            return Replayed(execution, reply.get("result"), reply.get("error"))
        case "in_progress":
            return InProgress(execution)
        case other:
            raise ValueError(f"the claim has the unknown status {other!r}")


def _warnings_of(reply: Any) -> tuple[SimilarCall, ...]:
    return tuple(SimilarCall.from_dict(each) for each in reply.get("warnings", ()))


def _execution_of(reply: Any) -> ExecutionInfo:
    return ExecutionInfo.from_dict(reply["execution"])
