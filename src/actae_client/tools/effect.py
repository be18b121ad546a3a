"""The story of one effect: claim, run, record. It is told on the background loop."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from actae_client._lease import LeaseKeeper
from actae_client.errors import ApprovalPendingError
from actae_client.tools.approved import claim_approved
from actae_client.tools.call import ToolCall
from actae_client.tools.errors import (
    AdapterContractError,
    LeaseLostError,
    ToolExecutionInProgressError,
)
from actae_client.tools.ledger import Held, Ledger
from actae_client.tools.operation import Operation
from actae_client.tools.outcomes import Outcome, Raised, Returned
from actae_client.tools.recording import record_result
from actae_client.tools.running import ToolRun

logger: logging.Logger = logging.getLogger(__name__)

_POLL_SECONDS_FIRST = 0.1
_POLL_SECONDS_MAX = 2.0
_CLAIM_GRACE_SECONDS = 5.0


class Effect:
    """One call of a tool through the ledger.

    Once the tool has returned, only `complete` is sent, however the lease and the caller are doing.
    `fail` and `cancel` are for tools that did not return: both hand the key out again.
    """

    def __init__(self, ledger: Ledger, call: ToolCall, tool: ToolRun) -> None:
        self._ledger = ledger
        self._call = call
        self._tool = tool
        self._interrupted = asyncio.Event()

    def interrupt(self) -> None:
        """The caller does not want to go on. Called on the background loop."""
        self._interrupted.set()
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
            case "replayed":
                return Returned(claim.result)
            case "in_progress":
                execution = claim.execution
                raise ToolExecutionInProgressError(execution.id, execution.key_name, execution.lease_until)
            case "claimed" | "reclaimed" if claim.claim_token:
                held = Held(
                    claim.execution.id, self._call.key_name, claim.claim_token, claim.execution.attempts
                )
                return await self._own(held, requested_at)
        raise AdapterContractError(f"The claim has the status {claim.status!r} without what goes with it.")

    async def _claim(self) -> tuple[float, Any]:
        """Claim; while somebody else holds the key, or thinks, again until `wait_seconds` are over."""
        wait_until = time.monotonic() + self._call.terms.wait_seconds
        pause = _POLL_SECONDS_FIRST
        while True:
            requested_at = time.monotonic()
            try:
                claim = await self._unless_interrupted(claim_approved(self._ledger, self._call))
            except ApprovalPendingError:
                if (left := wait_until - time.monotonic()) <= 0:
                    raise
            else:
                left = wait_until - time.monotonic()
                if claim.status != "in_progress" or left <= 0:
                    return requested_at, claim
            await self._unless_interrupted(asyncio.sleep(min(pause, left)), grace_seconds=0.0)
            pause = min(pause * 1.5, _POLL_SECONDS_MAX)

    async def _own(self, held: Held, requested_at: float) -> Outcome:
        keeper = self._keeper(held, requested_at)
        if keeper.is_lapsing():
            # The claim took as long as the lease: somebody else may own the operation by now.
            await keeper.renew_now()
            if keeper.is_lapsing():
                raise LeaseLostError(held.execution_id, held.key_name) from keeper.loss
        if self._interrupted.is_set():
            await self._ledger.cancel(held)
            return Raised(asyncio.CancelledError())
        async with keeper:
            outcome = await self._run_tool(held)
            if isinstance(outcome, Returned):
                timeout = self._call.terms.completion_timeout
                return Returned(
                    await record_result(self._ledger, held, outcome.value, timeout_seconds=timeout)
                )
        return await self._did_not_return(held, outcome, keeper)

    async def _run_tool(self, held: Held) -> Outcome:
        call = self._call
        operation = Operation(call.channel_id, held.key_name, call.tool_name, held.execution_id, held.attempt)
        self._tool.start(operation)
        return await asyncio.wrap_future(self._tool.ended)

    async def _did_not_return(self, held: Held, outcome: Raised, keeper: LeaseKeeper) -> Outcome:
        if not outcome.is_interruption:
            if keeper.is_fenced:
                outcome.error.add_note(f"Meanwhile another owner took over {held}.")
            else:
                await self._ledger.fail(held, outcome.error)
            return outcome
        lost = _lease_lost(held, keeper)
        if self._call.terms.on_cancel == "hold":
            logger.warning("%s was interrupted; it is held until its lease lapses", held)
        elif lost is None:
            await self._ledger.cancel(held)
        elif not keeper.is_fenced:
            await self._ledger.fail(held, lost)
        return outcome if lost is None else Raised(lost)

    def _keeper(self, held: Held, requested_at: float) -> LeaseKeeper:
        terms = self._call.terms
        return LeaseKeeper(
            lambda: self._ledger.renew(held, terms.lease_seconds),
            lease_seconds=terms.lease_seconds,
            interval=terms.interval,
            requested_at=requested_at,
            is_alive=self._tool.is_alive,
            on_lost=self._tool.interrupt,
            name=str(held),
        )

    async def _unless_interrupted(self, work: Any, *, grace_seconds: float = _CLAIM_GRACE_SECONDS) -> Any:
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
