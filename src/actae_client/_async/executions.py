"""Methods of whoever runs an operation."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import Any

from actae_client._async.sender import Sender
from actae_client._calls import executions
from actae_client._types.executions import ExecutionClaim, ExecutionInfo, OnFailure, OnLapse
from actae_client._types.json import Json


class ExecutionMethods(Sender):
    """Claim before the tool runs, complete once it has returned.

    Once it has returned, only `complete_execution` may be sent, again and again with the same
    token; never `fail_execution`, never `cancel_execution`: both hand the key out again.
    """

    def claim_execution(
        self,
        channel_id: str,
        key_name: str,
        tool_name: str,
        params: Json = None,
        *,
        dedup_fields: Sequence[str] | None = None,
        lease_seconds: int | None = None,
        emit_replay_event: bool = False,
        actor: str | None = None,
        attempt_id: str | None = None,
        requires_approval: bool = False,
        approval_request_id: str | None = None,
        on_lapse: OnLapse = "reclaim",
        dispatches: bool = False,
        on_failure: OnFailure = "reclaim",
        ttl_seconds: int | None = None,
    ) -> Coroutine[Any, Any, ExecutionClaim]:
        """Ask to be the one who runs the tool under this key.

        `dedup_fields` names the top-level fields of `params` that make two calls the same; without
        it all of them do. The lease lasts `lease_seconds` (1 to 86400, the server's default is 60).
        `attempt_id` is made for each call: a repeated claim with the same one gets the same answer.

        Where somebody was asked to approve the key, their answer decides. `requires_approval` refuses
        the claim when nobody was; `approval_request_id` insists on the answer to one request.

        `on_lapse` says what it means when the lease of this attempt ends without an outcome:
        `reclaim`, the next claimer runs the tool again; `ambiguous`, nobody gets the operation before
        `resolve_execution` has said what happened. With `dispatches`, `mark_dispatched` will be sent
        before the tool is called, and only a lapse after that is ambiguous. `on_failure` is about
        attempts that have failed already: `reclaim` runs the tool again, `replay` answers with the
        recorded error. `ttl_seconds` is how long the key lives from its first claim on.

        Raises IdempotencyKeyMismatchError when the key names a call with other input,
        ExecutionAmbiguousError, KeyExpiredError,
        ForkToolBlockedError and CounterfactualBlockedError when a fork's policy refuses,
        ApprovalPendingError, ApprovalRejectedError, ApprovalExpiredError, ApprovalMismatchError and
        ApprovalNotFoundError when the call is not approved, ToolFrozenError, BudgetExceededError and
        NearDuplicateError when a guard lets it not start.
        """
        return self._send(
            executions.claim_execution(
                channel_id,
                key_name,
                tool_name,
                params,
                dedup_fields=dedup_fields,
                lease_seconds=lease_seconds,
                emit_replay_event=emit_replay_event,
                actor=actor,
                attempt_id=attempt_id,
                requires_approval=requires_approval,
                approval_request_id=approval_request_id,
                on_lapse=on_lapse,
                dispatches=dispatches,
                on_failure=on_failure,
                ttl_seconds=ttl_seconds,
            )
        )

    def complete_execution(
        self, execution_id: str, claim_token: str | None = None, result: Json = None
    ) -> Coroutine[Any, Any, ExecutionInfo]:
        """Record what the tool returned; from then on every claim of the key replays it.

        Sent again and again, by a policy of its own, until the server has answered. A repetition
        that finds the result recorded under this token succeeds.

        Raises ExecutionNotOwnedError when somebody else took the operation over,
        ExecutionTerminalError when it ended in another way, ExecutionNotFoundError.
        """
        return self._send(executions.complete_execution(execution_id, claim_token, result))

    def fail_execution(
        self,
        execution_id: str,
        message: str,
        *,
        claim_token: str | None = None,
        error_type: str | None = None,
        stack: str | None = None,
        outcome_unknown: bool = False,
    ) -> Coroutine[Any, Any, ExecutionInfo]:
        """Record that the tool did not do its work; the key may be claimed again.

        With `outcome_unknown` the tool may have taken effect all the same: the operation becomes
        `ambiguous`, and nobody gets it before `resolve_execution`; until then its owner may still
        complete it. Never overwrites a completion. Raises ExecutionNotOwnedError,
        ExecutionNotFoundError.
        """
        return self._send(
            executions.fail_execution(
                execution_id,
                message,
                claim_token=claim_token,
                error_type=error_type,
                stack=stack,
                outcome_unknown=outcome_unknown,
            )
        )

    def heartbeat_execution(
        self, execution_id: str, claim_token: str | None = None, lease_seconds: int | None = None
    ) -> Coroutine[Any, Any, ExecutionInfo]:
        """Extend the lease to `lease_seconds` from now, by default the length that was claimed.

        Raises ExecutionNotOwnedError when the operation was taken over or has ended.
        """
        return self._send(executions.heartbeat_execution(execution_id, claim_token, lease_seconds))

    def mark_dispatched(
        self, execution_id: str, claim_token: str | None = None
    ) -> Coroutine[Any, Any, ExecutionInfo]:
        """Say that the tool is about to be called; call it only after the answer.

        For claims with `on_lapse="ambiguous"` and `dispatches`: a lapse before this is handed to the
        next claimer, one after it is ambiguous.

        Raises ExecutionNotOwnedError when the operation was taken over or has ended; then the tool
        must not be called.
        """
        return self._send(executions.mark_dispatched(execution_id, claim_token))

    def cancel_execution(
        self, execution_id: str, claim_token: str | None = None
    ) -> Coroutine[Any, Any, ExecutionInfo]:
        """Give the operation back without having run the tool.

        Raises ExecutionNotOwnedError, ExecutionNotFoundError.
        """
        return self._send(executions.cancel_execution(execution_id, claim_token))
