"""Questions to people, as events: what they are called, and what is in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Literal, NamedTuple, TypedDict, get_args

from actae_client._types.json import Json
from actae_client.deterministic import deterministic_operation_key

APPROVAL_REQUESTED: Final = "approval.requested"
APPROVAL_DECIDED: Final = "approval.decided"
APPROVAL_EXPIRED: Final = "approval.expired"

ApprovalDecision = Literal["approved", "rejected"]

_TIMEOUT_SECONDS_MAX: Final = 315_360_000  # ten years


class _Named(TypedDict):
    key_name: str
    tool_name: str


class ApprovalOperation(_Named, total=False):
    """The call that is asked about, in the words of `claim_execution`.

    The answer counts for a claim of this key with this tool and these params, and for no other. What
    `dedup_fields` says is how the ledger tells operations apart; the answer binds all of the params.
    """

    params: Json
    dedup_fields: Sequence[str] | None


def request_payload(
    request_id: str,
    summary: str,
    *,
    details: Json = None,
    timeout_seconds: float | None = None,
    operation: ApprovalOperation | None = None,
    approval_fields: Sequence[str] | None = None,
) -> dict[str, Json]:
    """What an `approval.requested` says; what is absent is left out.

    Raises TypeError and ValueError for an operation that names no call, for fields of none, and for a time
    that is none.
    """
    if timeout_seconds is not None and not isinstance(timeout_seconds, int | float):
        raise TypeError(f"timeout_seconds must be a number, not {type(timeout_seconds).__name__}")
    if timeout_seconds is not None and not 0 < timeout_seconds <= _TIMEOUT_SECONDS_MAX:
        raise ValueError(
            f"timeout_seconds is {timeout_seconds}; it must be more than 0, and at most ten years"
        )
    payload: dict[str, Json] = {"request_id": request_id, "summary": summary}
    if details is not None:
        payload["details"] = details
    if timeout_seconds is not None:
        payload["timeout_seconds"] = timeout_seconds
    if operation is not None:
        payload["operation"] = _checked(operation)
    if approval_fields is not None:
        if operation is None:
            raise ValueError("approval_fields name what binds of an operation, and there is none")
        payload["approval_fields"] = list(field_names("approval_fields", approval_fields))
    return payload


def field_names(argument: str, names: Sequence[str]) -> Sequence[str]:
    """The names, if they are a list of some. Raises TypeError for what would be read as single characters."""
    if isinstance(names, str):
        raise TypeError(f"{argument} must be a list of str, not one str")
    return names


def decision_payload(request_id: str, decision: str, reason: str | None = None) -> dict[str, Json]:
    """What an `approval.decided` says. Raises ValueError for a decision that is none."""
    if decision not in get_args(ApprovalDecision):
        raise ValueError(f"decision is {decision!r}; it must be 'approved' or 'rejected'")
    payload: dict[str, Json] = {"request_id": request_id, "decision": decision}
    if reason is not None:
        payload["reason"] = reason
    return payload


class Deadline(NamedTuple):
    """The wake-up at the end of a request's time, in the words of `schedule_wakeup`."""

    run_at: str
    payload: dict[str, Json]
    operation_id: str


def deadline_of(request_id: str, asked_at: str, timeout_seconds: float) -> Deadline:
    """When a request that was recorded at a moment has waited long enough.

    It follows from the event alone: whoever asks again schedules the same wake-up.
    """
    run_at = datetime.fromisoformat(asked_at) + timedelta(seconds=timeout_seconds)
    payload: dict[str, Json] = {"approval_request_id": request_id, "kind": "approval_timeout"}
    operation_id = deterministic_operation_key("approval", "wakeup", request_id)
    return Deadline(run_at.isoformat(), payload, operation_id)


def _checked(operation: Mapping[str, Any]) -> dict[str, Json]:
    if not isinstance(operation, Mapping):
        raise TypeError(f"operation must be a dict of a call, not {type(operation).__name__}")
    required = ApprovalOperation.__required_keys__
    if unknown := operation.keys() - required - ApprovalOperation.__optional_keys__:
        raise ValueError(f"operation has {', '.join(sorted(map(repr, unknown)))}, which no claim has")
    if missing := required - operation.keys():
        raise ValueError(f"operation lacks {', '.join(sorted(map(repr, missing)))}")
    present = {name: value for name, value in operation.items() if value is not None}
    if "dedup_fields" in present:
        present["dedup_fields"] = list(field_names("dedup_fields", present["dedup_fields"]))
    return present
