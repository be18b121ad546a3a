"""Finding out what became of an attempt whose outcome nobody knows, before anything is called again."""

from __future__ import annotations

import asyncio
import functools
import logging
from contextvars import Context
from typing import Any, TypeAlias

from actae_client._types.executions import Resolution
from actae_client._types.json import Json
from actae_client.errors import (
    APIError,
    ExecutionAmbiguousError,
    ExecutionNotFoundError,
    PermissionDeniedError,
)
from actae_client.tools.call import ToolCall
from actae_client.tools.errors import OutcomeUnknownError
from actae_client.tools.failures import message_of
from actae_client.tools.keys import distinct_operation_key
from actae_client.tools.ledger import Held, Ledger
from actae_client.tools.outcomes import Outcome, Raised
from actae_client.tools.recording import is_about_the_result
from actae_client.tools.results import as_json, left_out
from actae_client.tools.running import Invoke, ToolRun
from actae_client.tools.verdicts import Applied, NotApplied, UncertainOperation, Unknown, Verdict

logger: logging.Logger = logging.getLogger(__name__)

Known: TypeAlias = Applied | NotApplied

_DETAIL_CHARS_MAX = 200

# Its owner came back, or somebody else has said what happened; the next claim tells.
_OVERTAKEN = frozenset(
    {"execution_in_progress", "execution_terminal", "execution_moved_on", "execution_not_found"}
)


class Inquiry:
    """Asks the call's probe, and then a person, what became of an attempt.

    A probe runs where the tool would: on the caller's event loop, or in a thread. One that raises, is
    cut off or answers nonsense has not answered.
    """

    def __init__(
        self, ledger: Ledger, call: ToolCall, *, context: Context, home: asyncio.AbstractEventLoop | None
    ) -> None:
        self._ledger = ledger
        self._call = call
        self._context = context
        self._home = home
        self._run: ToolRun | None = None

    def interrupt(self) -> None:
        """Ask a probe that runs to stop."""
        if self._run is not None:
            self._run.interrupt()

    def is_alive(self) -> bool:
        """Whether a probe that runs can still answer."""
        return self._run is None or self._run.is_alive()

    async def look(self, held: Held) -> Known:
        """What became of the attempt before this one, which the caller has taken over.

        Raises OutcomeUnknownError, and CancelledError when it was interrupted: then nobody must get the
        operation before somebody knows.
        """
        verdict, cause = await self._ask_probe(held.execution_id, held.attempt - 1)
        if not isinstance(verdict, Unknown):
            return verdict
        # It is this attempt now that waits for somebody who knows.
        _, error = await self._ask_person(held.execution_id, held.attempt, verdict.reason, cause)
        raise error from cause

    async def settle(self, refusal: ExecutionAmbiguousError) -> None:
        """Find out about an operation that nobody gets, and say so to the ledger.

        Somebody else may have been faster; the next claim tells. Raises OutcomeUnknownError.
        """
        execution_id, attempt = refusal.details["execution_id"], refusal.details["attempts"]
        reported_at = refusal.details.get("late_evidence_cursor")
        verdict, cause = await self._ask_probe(execution_id, attempt)
        if not isinstance(verdict, Unknown):
            await self._resolve(execution_id, attempt, verdict, by=self._call.actor)
            return
        if self._call.terms.reconcile is not None:
            await self._note(execution_id, attempt, verdict)
        reason = verdict.reason
        if reported_at is not None:
            reason = f"a worker reported a result too late, at cursor {reported_at}, and {reason}"
        decided_by, error = await self._ask_person(execution_id, attempt, reason, cause, reported_at)
        if decided_by is None:
            raise error from (cause or refusal)
        yes = NotApplied({"approval_request_id": error.approval_request_id})
        await self._resolve(execution_id, attempt, yes, by=decided_by)

    async def _ask_probe(self, execution_id: str, attempt: int) -> tuple[Verdict, BaseException | None]:
        probe = self._call.terms.reconcile
        if probe is None:
            return Unknown("there is no probe to ask"), None
        try:
            operation = await self._uncertain(execution_id, attempt)
        except Exception as failure:
            return Unknown(f"the ledger could not be read ({type(failure).__name__})"), failure
        ended = await self._run_probe(functools.partial(probe, operation), operation)
        if isinstance(ended, Raised):
            if ended.is_interruption:
                raise asyncio.CancelledError from ended.error
            return Unknown(f"the probe raised {type(ended.error).__name__}"), ended.error
        answer: Any = ended.value
        if isinstance(answer, Verdict):
            return answer, None
        nonsense = TypeError(f"a probe answers Applied, NotApplied or Unknown, and not {answer!r:.100}")
        return Unknown("the probe gave no verdict"), nonsense

    async def _run_probe(self, invoke: Invoke, operation: UncertainOperation) -> Outcome:
        self._run = run = ToolRun(
            invoke, context=self._context.copy(), home=self._home, encode=lambda answer: answer
        )
        try:
            run.start(operation)
            # Cancelled or not, a probe in a thread ends by itself, and then has somewhere to put its answer.
            return await asyncio.shield(asyncio.wrap_future(run.ended))
        finally:
            run.release()
            self._run = None

    async def _uncertain(self, execution_id: str, attempt: int) -> UncertainOperation:
        call = self._call
        try:
            late_evidence = (await self._ledger.get(execution_id)).late_evidence
        except PermissionDeniedError:  # Who may only write can still ask the provider.
            late_evidence = ()
        return UncertainOperation(
            call.channel_id,
            call.key_name,
            call.tool_name,
            execution_id,
            attempt,
            params=call.params,
            late_evidence=late_evidence,
        )

    async def _resolve(self, execution_id: str, attempt: int, verdict: Known, *, by: str) -> None:
        said: dict[str, Any] = {"by": by, "evidence": as_json(verdict.evidence), "attempts": attempt}
        if isinstance(verdict, NotApplied):
            return await self._say(execution_id, "not_applied", **said)
        result = as_json(verdict.result)
        try:
            await self._say(execution_id, "applied", result=result, **said)
        except Exception as failure:
            if not is_about_the_result(failure):
                raise
            stub = left_out(result, type(failure).__name__)
            await self._say(execution_id, "applied", result=stub, **said)

    async def _say(self, execution_id: str, outcome: Resolution, **said: Any) -> None:
        try:
            await self._ledger.resolve(execution_id, outcome, **said)
        except (APIError, ExecutionNotFoundError) as refusal:
            if refusal.code not in _OVERTAKEN:
                raise
            logger.info("%r is not resolved as %s: %s", self._call.key_name, outcome, refusal)

    async def _note(self, execution_id: str, attempt: int, verdict: Unknown) -> None:
        """Have the log say that somebody looked: once for each reason, however often they look."""
        operation_id = distinct_operation_key(
            "actae.reconcile", "unknown", execution_id, str(attempt), verdict.reason
        )
        try:
            await self._ledger.resolve(
                execution_id,
                "unknown",
                by=self._call.actor,
                reason=verdict.reason,
                attempts=attempt,
                operation_id=operation_id,
            )
        except Exception as failure:
            logger.warning("That %r was looked at is not recorded: %r", self._call.key_name, failure)

    async def _ask_person(
        self,
        execution_id: str,
        attempt: int,
        reason: str,
        cause: BaseException | None,
        reported_at: int | None = None,
    ) -> tuple[str | None, OutcomeUnknownError]:
        """Who said that the tool may be called again, None if nobody has; and what to raise then.

        Who was asked before a worker's late report, at the cursor `reported_at`, is asked again.
        """
        request_id = decided_by = None
        if self._call.terms.ask is not None:
            reported = [] if reported_at is None else [str(reported_at)]
            request_id = distinct_operation_key(
                "actae.effect", "ambiguous", execution_id, str(attempt), *reported
            )
            details: dict[str, Json] = {
                "execution_id": execution_id,
                "attempt": attempt,
                "tool_name": self._call.tool_name,
                "params": self._call.params,
            }
            if reported_at is not None:
                details["late_evidence_cursor"] = reported_at
            asked = await self._ledger.ask_again(self._call, request_id, details)
            reason = f"{reason}, and the answer to request {request_id!r} is {asked.status}"
            if asked.status == "approved":
                decided_by = asked.decided_by or "somebody"
        error = OutcomeUnknownError(
            execution_id,
            self._call.key_name,
            attempt=attempt,
            reason=reason,
            approval_request_id=request_id,
            detail=None if cause is None else message_of(cause)[:_DETAIL_CHARS_MAX] or None,
        )
        return decided_by, error
