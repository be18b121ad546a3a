"""What can go wrong between a tool and its record.

RuntimeError, ActaeError
└── ToolExecutionInProgressError   somebody else is running this effect now
ActaeError
├── LeaseLostError                 the effect was interrupted: its lease could not be kept
├── EffectNotRecordedError         the effect happened, and the ledger does not know
├── OutcomeUnknownError            nobody knows whether the effect happened; it is not run
└── RecordedFailureError           the effect failed before, and its failure is replayed
ValueError, ActaeError
└── AdapterContractError           an answer or an adapter's data breaks the contract
"""

from __future__ import annotations

from actae_client._types.json import Json
from actae_client.errors import ActaeError


class AdapterContractError(ActaeError, ValueError):
    """Data that does not keep to the contract between Actae and an adapter."""


class ToolExecutionInProgressError(ActaeError, RuntimeError):
    """Another owner holds the lease of this effect; the tool was not run.

    `lease_until` is the end of that lease by the server's clock (RFC 3339), None if it did not say.
    """

    def __init__(self, execution_id: str, key_name: str, lease_until: str | None = None) -> None:
        until = f" until {lease_until}" if lease_until else ""
        super().__init__(
            f"{key_name!r} (execution {execution_id}) is being run by another owner{until}. "
            "Try again later, or pass wait_seconds."
        )
        self.execution_id = execution_id
        self.key_name = key_name
        self.lease_until = lease_until


class LeaseLostError(ActaeError):
    """The lease could not be kept, so the call was interrupted; whether its effect happened is unknown.

    The failure that ended the lease is the cause.
    """

    def __init__(self, execution_id: str, key_name: str) -> None:
        super().__init__(
            f"The lease of {key_name!r} (execution {execution_id}) could not be renewed in time, so the "
            "call was interrupted. Whether its effect happened is unknown."
        )
        self.execution_id = execution_id
        self.key_name = key_name


class EffectNotRecordedError(ActaeError):
    """The tool has returned, its effect happened, and the ledger could not be told.

    This exception is the only witness: `result` is what the tool returned, as it would have been
    stored. Reconcile before the key is claimed again. `claim_token` is masked: it names the attempt
    and cannot be used. The refusal or failure is the cause.
    """

    def __init__(
        self, execution_id: str, key_name: str, *, claim_token: str, result: Json, reason: str
    ) -> None:
        super().__init__(
            f"The effect {key_name!r} (execution {execution_id}) happened but is not recorded: {reason}. "
            "Its result is in this exception; reconcile it before the key is claimed again."
        )
        self.execution_id = execution_id
        self.key_name = key_name
        self.claim_token: str = masked(claim_token)
        self.result = result
        self.reason = reason


class OutcomeUnknownError(ActaeError):
    """Nobody knows whether an earlier attempt took effect, so the tool was not run.

    It stays so until somebody says what happened: `resolve_execution`, or a later call whose probe
    can tell. `approval_request_id` names the question that a person was asked, None if nobody was.
    What kept the probe from answering, or the refusal of the ledger, is the cause. The message says it too,
    `reason` does not.
    """

    def __init__(
        self,
        execution_id: str,
        key_name: str,
        *,
        attempt: int,
        reason: str,
        approval_request_id: str | None = None,
        detail: str | None = None,
    ) -> None:
        because = reason if detail is None else f"{reason} ({detail})"
        resolves = f"`actae executions resolve {execution_id} --applied JSON`, or --not-applied"
        if approval_request_id is not None:
            channel_id = execution_id.rpartition("~")[0]
            resolves += f"; or answer: `actae approvals approve {channel_id} {approval_request_id}`"
        super().__init__(
            f"Nobody knows whether attempt {attempt} of {key_name!r} (execution {execution_id}) took effect: "
            f"{because}. Find out, and resolve it: {resolves}."
        )
        self.execution_id = execution_id
        self.key_name = key_name
        self.attempt = attempt
        self.reason = reason
        self.approval_request_id = approval_request_id


class RecordedFailureError(ActaeError):
    """The effect failed before, and `on_failure="replay"` asks for that failure instead of another try.

    `message`, `error_type` and `stack` are what was recorded, character by character; the last two
    may be None. `error` is all of it.
    """

    def __init__(self, execution_id: str, key_name: str, error: Json) -> None:
        said = error if isinstance(error, dict) else {"message": error}
        self.execution_id = execution_id
        self.key_name = key_name
        self.error = error
        self.message = said.get("message")
        self.error_type = said.get("error_type")
        self.stack = said.get("stack")
        kind = self.error_type or "Error"
        super().__init__(f"{key_name!r} (execution {execution_id}) failed before: {kind}: {self.message}")


def masked(secret: str) -> str:
    """Enough of a secret to tell two apart, too little to use one."""
    return f"{secret[:6]}…" if len(secret) > 12 else "…"
