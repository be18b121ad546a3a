# Written by tools/generate_sync.py from _async/executions.py. Do not edit.
"""Methods about the ledger."""

from __future__ import annotations

from collections.abc import Sequence

from actae_client._calls import executions
from actae_client._sync.sender import Sender
from actae_client._types.executions import ExecutionClaim, ExecutionInfo
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
    ) -> ExecutionClaim:
        """Ask to be the one who runs the tool under this key.

        `dedup_fields` names the top-level fields of `params` that make two calls the same; without
        it all of them do. The lease lasts `lease_seconds` (1 to 86400, the server's default is 60).
        `attempt_id` is made for each call: a repeated claim with the same one gets the same answer.

        Where somebody was asked to approve the key, their answer decides. `requires_approval` refuses
        the claim when nobody was; `approval_request_id` insists on the answer to one request.

        Raises IdempotencyKeyMismatchError when the key names a call with other input,
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
            )
        )

    def complete_execution(
        self, execution_id: str, claim_token: str | None = None, result: Json = None
    ) -> ExecutionInfo:
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
    ) -> ExecutionInfo:
        """Record that the tool did not do its work; the key may be claimed again.

        Never overwrites a completion. Raises ExecutionNotOwnedError, ExecutionNotFoundError.
        """
        return self._send(
            executions.fail_execution(
                execution_id, message, claim_token=claim_token, error_type=error_type, stack=stack
            )
        )

    def heartbeat_execution(
        self, execution_id: str, claim_token: str | None = None, lease_seconds: int | None = None
    ) -> ExecutionInfo:
        """Extend the lease to `lease_seconds` from now, by default the length that was claimed.

        Raises ExecutionNotOwnedError when the operation was taken over or has ended.
        """
        return self._send(executions.heartbeat_execution(execution_id, claim_token, lease_seconds))

    def cancel_execution(self, execution_id: str, claim_token: str | None = None) -> ExecutionInfo:
        """Give the operation back without having run the tool.

        Raises ExecutionNotOwnedError, ExecutionNotFoundError.
        """
        return self._send(executions.cancel_execution(execution_id, claim_token))

    def get_execution(self, execution_id: str) -> ExecutionInfo:
        """One operation. Raises ExecutionNotFoundError."""
        return self._send(executions.get_execution(execution_id))

    def list_executions(self, channel_id: str, limit: int = 50) -> list[ExecutionInfo]:
        """A channel's operations, newest first; `limit` is 1 to 100."""
        return self._send(executions.list_executions(channel_id, limit=limit))

    def delete_execution(self, execution_id: str) -> bool:
        """Forget an operation, which frees its key; its events stay. Raises ExecutionNotFoundError."""
        return self._send(executions.delete_execution(execution_id))
