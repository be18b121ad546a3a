"""The calls of one execution."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import Any

from actae_client._types.executions import Resolution
from actae_client._types.json import Json
from actae_client.approvals import ApprovalOperation
from actae_client.tools.asking import ask
from actae_client.tools.call import Terms, ToolCall
from actae_client.tools.failures import Failure

logger: logging.Logger = logging.getLogger(__name__)

_REPORT_SECONDS_MAX = 10.0


@dataclass(frozen=True, slots=True)
class Held:
    """An execution that this process owns."""

    execution_id: str
    key_name: str
    claim_token: str = field(repr=False)
    attempt: int

    def __str__(self) -> str:
        return f"{self.key_name!r} (execution {self.execution_id})"


class Ledger:
    """Claims, renews and settles executions through one client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def claim(self, call: ToolCall) -> Any:
        """Ask to run the call. Answers with an `ExecutionClaim`."""
        return await ask(
            self._client,
            "claim_execution",
            call.channel_id,
            call.key_name,
            call.tool_name,
            call.params,
            dedup_fields=call.terms.dedup_fields,
            lease_seconds=call.terms.lease_seconds,
            emit_replay_event=call.terms.emit_replay_event,
            actor=call.actor,
            **_terms_of(call.terms),
        )

    async def get(self, execution_id: str) -> Any:
        """Read an execution, an `ExecutionInfo`."""
        return await ask(self._client, "get_execution", execution_id)

    async def mark_dispatched(self, held: Held) -> None:
        """Say that the tool is about to be called."""
        await ask(self._client, "mark_dispatched", held.execution_id, held.claim_token)

    async def resolve(self, execution_id: str, outcome: Resolution, **said: Any) -> None:
        """Say what became of an execution that nobody holds."""
        await ask(self._client, "resolve_execution", execution_id, outcome, **said)

    async def request_approval(self, call: ToolCall, request_id: str, operation: ApprovalOperation) -> None:
        """Ask a person whether the call may be run."""
        fields = call.terms.approval_fields
        narrowing = {} if fields is None else {"approval_fields": fields}
        await ask(
            self._client,
            "request_approval",
            call.channel_id,
            summary=call.terms.approval,
            requester=call.actor,
            request_id=request_id,
            operation=operation,
            **narrowing,
        )

    async def ask_again(self, call: ToolCall, request_id: str, details: Json) -> Any:
        """Ask a person whether the call may be run once more. Answers with the `Approval`."""
        await ask(
            self._client,
            "request_approval",
            call.channel_id,
            summary=call.terms.ask,
            details=details,
            requester=call.actor,
            request_id=request_id,
        )
        (asked,) = await ask(
            self._client, "list_approvals", channel_id=call.channel_id, request_id=request_id
        )
        return asked

    async def renew(self, held: Held, lease_seconds: int) -> None:
        """Send one heartbeat."""
        await ask(self._client, "heartbeat_execution", held.execution_id, held.claim_token, lease_seconds)

    async def complete(self, held: Held, result: Json) -> None:
        """Record what the tool returned; `recording.record_result` says what to do when that fails."""
        await ask(self._client, "complete_execution", held.execution_id, held.claim_token, result)

    async def fail(self, held: Held, error: BaseException, *, outcome_unknown: bool = False) -> None:
        """Record why the tool did not return; best effort, because the lease lapses anyway.

        With `outcome_unknown` nobody gets the execution before it is resolved.
        """
        unknown = {"outcome_unknown": True} if outcome_unknown else {}
        failure = Failure.of(error)
        await self._report(
            "fail_execution",
            held,
            failure.message,
            claim_token=held.claim_token,
            error_type=failure.error_type,
            stack=failure.stack,
            **unknown,
        )

    async def cancel(self, held: Held) -> None:
        """Give the execution back; best effort, because the lease lapses anyway."""
        await self._report("cancel_execution", held, claim_token=held.claim_token)

    async def _report(self, method: str, held: Held, *args: Any, **kwargs: Any) -> None:
        try:
            async with asyncio.timeout(_REPORT_SECONDS_MAX):
                await ask(self._client, method, held.execution_id, *args, **kwargs)
        except Exception as failure:
            logger.warning("%s of %s failed; its lease will lapse: %r", method, held, failure)


def _terms_of(terms: Terms) -> dict[str, Any]:
    """What a claim says beyond the usual. Not every client knows of all this, nor needs to."""
    said = {
        "requires_approval": terms.approval is not None,
        "on_lapse": terms.on_lapse if terms.on_lapse != "reclaim" else None,
        "dispatches": terms.dispatches,
        "on_failure": terms.on_failure if terms.on_failure != "reclaim" else None,
        "ttl_seconds": terms.ttl_seconds,
    }
    return {name: value for name, value in said.items() if value}
