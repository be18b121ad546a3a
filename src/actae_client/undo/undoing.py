"""One undo, from its plan to its report: the same story for code with an event loop and without."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Required, TypedDict

from actae_client._types.executions import ExecutionInfo
from actae_client._types.json import Json
from actae_client.deterministic import deterministic_operation_key
from actae_client.errors import (
    ActaeError,
    APIError,
    ApprovalError,
    ChannelClosedError,
    ChannelDeletedError,
    CounterfactualBlockedError,
    ExecutionNotFoundError,
    ForkToolBlockedError,
    GuardError,
    IdempotencyKeyMismatchError,
    PermissionDeniedError,
    ServerError,
)
from actae_client.tools.asking import ask
from actae_client.tools.call import EffectOptions, Terms
from actae_client.tools.errors import (
    EffectNotRecordedError,
    LeaseLostError,
    OutcomeUnknownError,
    RecordedFailureError,
    ToolExecutionInProgressError,
)
from actae_client.tools.executor import ActaeToolExecutor
from actae_client.tools.failures import message_of
from actae_client.tools.running import Invoke
from actae_client.undo.compensations import Compensation, Compensations
from actae_client.undo.plan import SUFFIX, PlannedUndo, not_reached, read_work
from actae_client.undo.report import NotUndone, Undone, UndoReport, WhyNotUndone

logger: logging.Logger = logging.getLogger(__name__)

EFFECTS_UNDONE = "effects.undone"


class UndoOptions(TypedDict, total=False):
    """What may be said about an undo.

    `to_cursor`: what was completed after this event is undone; 0 is everything. `actor` signs the
    compensations. `wait_seconds`: how long to wait for another process that is undoing the same effect,
    or for the lease of one that died at it. With `stop_at_failure`, what came before an effect that could
    not be undone stays as it is, too.
    """

    to_cursor: Required[int]
    actor: str
    wait_seconds: float
    stop_at_failure: bool


class Undoing:
    """The effects of a channel, undone one after the other; the last one to complete is the first.

    Raises TypeError and ValueError for options that cannot be.
    """

    def __init__(
        self,
        client: Any,
        channel_id: str,
        compensations: Compensations,
        *,
        to_cursor: int,
        actor: str = "undo",
        wait_seconds: float = 0.0,
        stop_at_failure: bool = False,
    ) -> None:
        Terms(wait_seconds=wait_seconds)
        if not isinstance(actor, str):
            raise TypeError(f"actor must be a str, not {type(actor).__name__}")
        if not actor:
            raise ValueError("actor must not be empty")
        self.tools = ActaeToolExecutor(client, channel_id, actor)
        self._client = client
        self._channel_id = channel_id
        self._compensations = compensations
        self._to_cursor = to_cursor
        self._wait_seconds = wait_seconds
        self._stop_at_failure = stop_at_failure
        self._left: list[PlannedUndo] = []
        self._undone: list[Undone] = []
        self._not_undone: list[NotUndone] = []

    async def begin(self) -> None:
        """Plan. What may be in the way is tried: meanwhile it may have ended, or a probe can tell."""
        work = await read_work(self._client, self._channel_id, self._to_cursor, self._compensations)
        plan = work.plan
        self._left = list(plan.to_undo)
        self._undone = list(plan.undone)
        self._not_undone = list(plan.not_undone)

    async def next_call(self) -> UndoCall | None:
        """The next compensation to run; None when none is left."""
        while self._left:
            planned = self._left.pop(0)
            effect = await self._look_at(planned)
            compensation = self._compensations.find(planned.tool_name)
            if effect is not None and compensation:
                return UndoCall(planned, effect, compensation, self._wait_seconds)
        return None

    async def _look_at(self, planned: PlannedUndo) -> ExecutionInfo | None:
        """The effect as it is now, whole; None, and noted, when it is not what was planned about."""
        try:
            effect: ExecutionInfo = await ask(self._client, "get_execution", planned.execution_id)
        except ExecutionNotFoundError as error:
            self._note(planned, "refused", "it was deleted from the ledger meanwhile", error)
            return None
        if effect.completed_cursor == planned.completed_cursor and effect.status == "completed":
            return effect
        self._note(planned, "refused", f"it began anew meanwhile, and is {effect.status}", None)
        return None

    @contextmanager
    def noting(self, call: UndoCall) -> Iterator[None]:
        """Note what becomes of the call in the block. What is not about this one effect is raised."""
        planned = call.planned
        try:
            yield
        except Exception as error:
            reason = _why_not(error, call)
            if reason is None:
                raise
            detail = message_of(error) or type(error).__name__
            if isinstance(error, ToolExecutionInProgressError):
                detail = (
                    f"another process is undoing it, or died at it; its lease ends at {error.lease_until}"
                )
            self._note(planned, reason, detail, error)
            if self._stop_at_failure or reason in _IN_THE_WAY:
                self._give_up_the_rest(planned)
        else:
            done = (planned.execution_id, planned.key_name, planned.tool_name, planned.completed_cursor)
            self._undone.append(Undone(*done, call.result, was_before=not call.has_begun))

    def _give_up_the_rest(self, at: PlannedUndo) -> None:
        self._not_undone += [not_reached(planned, at) for planned in self._left]
        self._left = []

    def _note(self, planned: PlannedUndo, reason: WhyNotUndone, detail: str, error: Exception | None) -> None:
        self._not_undone.append(planned.stays(reason, detail, error))

    async def finish(self) -> UndoReport:
        """Leave an event about what was done, and report."""
        report = UndoReport(
            self._channel_id,
            self._to_cursor,
            tuple(sorted(self._undone, key=lambda each: each.completed_cursor, reverse=True)),
            tuple(sorted(self._not_undone, key=_place, reverse=True)),
        )
        if report.undone or report.not_undone:
            await self._record(report)
        return report

    async def _record(self, report: UndoReport) -> None:
        """Best effort: the operations are the record, the event is for readers of the log."""
        payload: dict[str, Json] = {
            "to_cursor": report.to_cursor,
            "undone": [each.key_name for each in report.undone],
            "not_undone": [{"key_name": each.key_name, "reason": each.reason} for each in report.not_undone],
        }
        content = hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()
        operation_id = deterministic_operation_key("actae.undo", "report", content)
        try:
            await ask(
                self._client,
                "record",
                self._channel_id,
                EFFECTS_UNDONE,
                payload,
                actor=self.tools.actor,
                operation_id=operation_id,
            )
        except ActaeError as failure:
            logger.warning("%s of %s could not be recorded: %r", EFFECTS_UNDONE, self._channel_id, failure)


def _place(stays: NotUndone) -> float:
    return float("inf") if stays.completed_cursor is None else stays.completed_cursor


@dataclass(slots=True)
class UndoCall:
    """One compensation, as the executor takes it."""

    planned: PlannedUndo
    effect: ExecutionInfo
    compensation: Compensation
    wait_seconds: float
    has_begun: bool = False
    result: Json = None

    @property
    def arguments(self) -> tuple[str, str, Json, Invoke]:
        """Key, tool, parameters and function."""
        effect = self.effect
        # Two effects under one key, the first of which was forgotten, are told apart by their events.
        params = {"undoes": effect.completed_event_id, "params": effect.params, "result": effect.result}
        return effect.key_name + SUFFIX, effect.tool_name + SUFFIX, params, self._invoke

    @property
    def options(self) -> EffectOptions:
        """On which terms."""
        return {
            **self.compensation.terms,
            "dedup_fields": ["undoes"],
            "emit_replay_event": False,
            "wait_seconds": self.wait_seconds,
            "cancellation_event": None,
            "approval": None,
            "ask": None,
        }

    def _invoke(self) -> Any:
        self.has_begun = True
        return self.compensation.undo(self.effect.params, self.effect.result)


# What came before such an effect must not be undone before it.
_IN_THE_WAY = ("undo_in_progress", "undo_outcome_unknown")

# What is wrong with the channel, the credential or the connection is wrong for all effects.
_ABOUT_ALL = (ChannelClosedError, ChannelDeletedError, PermissionDeniedError, ServerError)
_ABOUT_ONE = (
    APIError,
    ApprovalError,
    CounterfactualBlockedError,
    ForkToolBlockedError,
    IdempotencyKeyMismatchError,
    LeaseLostError,
    TypeError,
    ValueError,
)


def _why_not(error: Exception, call: UndoCall) -> WhyNotUndone | None:
    """Why this effect was not undone; None for what has to be raised."""
    if isinstance(error, OutcomeUnknownError):
        return "undo_outcome_unknown"
    if call.has_begun:
        left_open = call.compensation.terms.get("ambiguous_on", ())
        is_lost = isinstance(error, (EffectNotRecordedError, LeaseLostError, *left_open))
        return "undo_outcome_unknown" if is_lost else "compensation_failed"
    if isinstance(error, RecordedFailureError):
        return "compensation_failed"
    if isinstance(error, ToolExecutionInProgressError):
        return "undo_in_progress"
    if isinstance(error, GuardError):
        return "undo_refused"
    if isinstance(error, _ABOUT_ONE) and not isinstance(error, _ABOUT_ALL):
        return "refused"
    return None
