"""The story of one effect: claim, look, run, record. It is told on the background loop."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from actae_client import _boundaries
from actae_client._lease import LeaseKeeper
from actae_client.errors import ApprovalPendingError, ExecutionAmbiguousError, ExecutionNotOwnedError
from actae_client.tools.approved import claim_approved
from actae_client.tools.call import ToolCall
from actae_client.tools.errors import (
    AdapterContractError,
    LeaseLostError,
    RecordedFailureError,
    ToolExecutionInProgressError,
)
from actae_client.tools.failures import annotate
from actae_client.tools.inquiry import Inquiry, Known
from actae_client.tools.ledger import Held, Ledger
from actae_client.tools.operation import Operation
from actae_client.tools.outcomes import Outcome, Raised, Returned
from actae_client.tools.recording import record_result
from actae_client.tools.results import as_json
from actae_client.tools.running import ToolRun
from actae_client.tools.verdicts import Applied

T = TypeVar("T")

logger: logging.Logger = logging.getLogger(__name__)

_POLL_SECONDS_FIRST = 0.1
_POLL_SECONDS_MAX = 2.0
_CLAIM_GRACE_SECONDS = 5.0


class Effect:
    """One call of a tool through the ledger.

    Once the tool has returned, only `complete` is sent, however the lease and the caller are doing.
    `fail` and `cancel` are for tools that did not return: both hand the key out again.
    """

    def __init__(self, ledger: Ledger, call: ToolCall, tool: ToolRun, inquiry: Inquiry) -> None:
        self._ledger = ledger
        self._call = call
        self._tool = tool
        self._inquiry = inquiry
        self._interrupted = asyncio.Event()

    def interrupt(self) -> None:
        """The caller does not want to go on. Called on the background loop."""
        self._interrupted.set()
        self._stop()

    def _stop(self) -> None:
        self._inquiry.interrupt()
        self._tool.interrupt()

    async def run(self) -> Outcome:
        """Tell the story. An exception is an outcome too, so that any kind reaches the caller intact."""
        try:
            return await self._story()
        except (Exception, asyncio.CancelledError) as error:
            return Raised(error)
        finally:
            self._tool.release()

    async def _story(self) -> Outcome:
        requested_at, claim = await self._claim()
        match claim.status:
            case "replayed" if claim.execution.status == "failed":
                raise RecordedFailureError(claim.execution.id, self._call.key_name, claim.error)
            case "replayed":
                return Returned(claim.result)
            case "in_progress":
                execution = claim.execution
                raise ToolExecutionInProgressError(execution.id, execution.key_name, execution.lease_until)
            case "claimed" | "reclaimed" if claim.claim_token:
                held = Held(
                    claim.execution.id, self._call.key_name, claim.claim_token, claim.execution.attempts
                )
                return await self._own(held, requested_at, self._is_in_doubt(claim))
        raise AdapterContractError(f"The claim has the status {claim.status!r} without what goes with it.")

    async def _claim(self) -> tuple[float, Any]:
        """Claim; while somebody else holds the key, or thinks, again until `wait_seconds` are over.

        Where nobody gets the operation because nobody knows what became of it, find out, and claim again.
        """
        wait_until = time.monotonic() + self._call.terms.wait_seconds
        pause = _POLL_SECONDS_FIRST
        while True:
            requested_at = time.monotonic()
            try:
                claim = await self._unless_interrupted(claim_approved(self._ledger, self._call))
            except ApprovalPendingError:
                if (left := wait_until - time.monotonic()) <= 0:
                    raise
            except ExecutionAmbiguousError as refusal:
                await self._unless_interrupted(self._inquiry.settle(refusal))
                continue
            else:
                left = wait_until - time.monotonic()
                if claim.status != "in_progress" or left <= 0:
                    return requested_at, claim
            await self._unless_interrupted(asyncio.sleep(min(pause, left)), grace_seconds=0.0)
            pause = min(pause * 1.5, _POLL_SECONDS_MAX)

    def _is_in_doubt(self, claim: Any) -> bool:
        """Whether the attempt before this one may have had its effect, and there is a way to find out.

        That somebody has found none is for the ledger to say: a worker may have reported a result since.
        """
        if claim.status != "reclaimed" or self._call.terms.reconcile is None:
            return False
        return not getattr(claim, "unapplied", False)

    async def _own(self, held: Held, requested_at: float, is_in_doubt: bool) -> Outcome:
        keeper = self._keeper(held, requested_at)
        if keeper.is_lapsing():
            # The claim took as long as the lease: somebody else may own the operation by now.
            await keeper.renew_now()
            if keeper.is_lapsing():
                raise LeaseLostError(held.execution_id, held.key_name) from keeper.loss
        async with keeper:
            outcome = await self._before_the_tool(held, is_in_doubt, keeper) or await self._run_tool(held)
            if isinstance(outcome, Returned):
                timeout = self._call.terms.completion_timeout
                return Returned(
                    await record_result(self._ledger, held, outcome.value, timeout_seconds=timeout)
                )
        return await self._did_not_return(held, outcome, keeper)

    async def _before_the_tool(self, held: Held, is_in_doubt: bool, keeper: LeaseKeeper) -> Returned | None:
        """Look whether it was called before, and say that it will be; None if it is to be called.

        What an earlier attempt has done is a result like any other.
        """
        if is_in_doubt and not self._interrupted.is_set():
            found = await self._look(held, keeper)
            if isinstance(found, Applied):
                return Returned(as_json(found.result))
        try:
            await self._announce(held)
        except ExecutionNotOwnedError as taken:
            raise LeaseLostError(held.execution_id, held.key_name) from taken
        except (Exception, asyncio.CancelledError):
            await self._ledger.cancel(held)  # The tool was not called.
            raise
        if self._interrupted.is_set() or keeper.loss is not None:
            await self._ledger.cancel(held)
            raise _lease_lost(held, keeper) or asyncio.CancelledError
        return None

    async def _announce(self, held: Held) -> None:
        if self._call.terms.dispatches and not self._interrupted.is_set():
            await self._unless_interrupted(self._ledger.mark_dispatched(held))

    async def _look(self, held: Held, keeper: LeaseKeeper) -> Known:
        """What the attempt before has done. Where that cannot be told, nobody gets the operation."""
        try:
            return await self._unless_interrupted(self._inquiry.look(held))
        except (Exception, asyncio.CancelledError) as error:
            if not keeper.is_fenced:
                await self._ledger.fail(held, error, outcome_unknown=True)
            lost = _lease_lost(held, keeper)
            if lost is None or self._interrupted.is_set():
                raise
            raise lost from keeper.loss

    async def _run_tool(self, held: Held) -> Outcome:
        call = self._call
        operation = Operation(call.channel_id, held.key_name, call.tool_name, held.execution_id, held.attempt)
        _boundaries.reach("tool.entering", held.key_name)
        self._tool.start(operation)
        outcome = await asyncio.wrap_future(self._tool.ended)
        _boundaries.reach("tool.returned" if isinstance(outcome, Returned) else "tool.raised", held.key_name)
        return outcome

    async def _did_not_return(self, held: Held, outcome: Raised, keeper: LeaseKeeper) -> Outcome:
        if outcome.is_interruption:
            return await self._was_cut_off(held, outcome, keeper)
        if keeper.is_fenced:
            annotate(outcome.error, f"Meanwhile somebody else took over or resolved {held}.")
            return outcome
        is_open = self._leaves_open(outcome, keeper)
        await self._ledger.fail(held, outcome.error, outcome_unknown=is_open)
        if is_open:
            annotate(
                outcome.error, f"Whether {held} took effect is unknown; nobody gets it until it is known."
            )
        return outcome

    def _leaves_open(self, outcome: Raised, keeper: LeaseKeeper) -> bool:
        """Whether the tool may have had its effect though it raised.

        What it raises once it is asked to stop may be its word for being cut off.
        """
        terms = self._call.terms
        was_cancelled = self._interrupted.is_set()
        if terms.leaves_open(outcome.error) or (was_cancelled and terms.when_cancelled == "ambiguous"):
            return True
        was_cut_off = keeper.loss is not None or (was_cancelled and terms.when_cancelled == "hold")
        return terms.on_lapse == "ambiguous" and (was_cut_off or outcome.has_run)

    async def _was_cut_off(self, held: Held, outcome: Raised, keeper: LeaseKeeper) -> Outcome:
        terms, lost = self._call.terms, _lease_lost(held, keeper)
        error = outcome.error if lost is None else lost
        if terms.when_cancelled == "hold":
            logger.warning("%s was interrupted; it is held until its lease lapses", held)
        elif keeper.is_fenced:
            pass
        elif terms.when_cancelled == "ambiguous" or (lost is not None and terms.on_lapse == "ambiguous"):
            await self._ledger.fail(held, error, outcome_unknown=True)
        elif lost is None or terms.on_failure == "replay":  # A lost lease is no failure to replay for ever.
            await self._ledger.cancel(held)
        else:
            await self._ledger.fail(held, lost)
        return outcome if lost is None else Raised(lost)

    def _keeper(self, held: Held, requested_at: float) -> LeaseKeeper:
        terms = self._call.terms
        return LeaseKeeper(
            lambda: self._ledger.renew(held, terms.lease_seconds),
            lease_seconds=terms.lease_seconds,
            interval=terms.interval,
            requested_at=requested_at,
            is_alive=lambda: self._inquiry.is_alive() and self._tool.is_alive(),
            on_lost=self._stop,
            name=str(held),
        )

    async def _unless_interrupted(
        self, work: Coroutine[Any, Any, T], *, grace_seconds: float = _CLAIM_GRACE_SECONDS
    ) -> T:
        """Await the work; when the caller interrupts, only a little longer.

        The grace lets a claim under way come back, so that it can be given back at once.
        """
        task = asyncio.ensure_future(work)
        interrupted = asyncio.ensure_future(self._interrupted.wait())
        try:
            await asyncio.wait({task, interrupted}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                await asyncio.wait({task}, timeout=grace_seconds)
        finally:
            interrupted.cancel()
        if not task.done():
            task.cancel()
            raise asyncio.CancelledError
        return task.result()


def _lease_lost(held: Held, keeper: LeaseKeeper) -> LeaseLostError | None:
    if keeper.loss is None:
        return None
    error = LeaseLostError(held.execution_id, held.key_name)
    error.__cause__ = keeper.loss
    return error
