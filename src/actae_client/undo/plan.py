"""Which effects an undo is about, and in which order: decided from the ledger alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from actae_client._types.executions import ExecutionInfo
from actae_client._types.json import Json
from actae_client.errors import APIError, ChannelDeletedError, ChannelNotFoundError, ExecutionNotFoundError
from actae_client.tools.asking import ask
from actae_client.undo.compensations import Compensations
from actae_client.undo.report import NotUndone, Undone, WhyNotUndone

SUFFIX = ":undo"

_PAGE = 100
_LATE_EVIDENCE = "tool.late_evidence"


@dataclass(frozen=True, slots=True)
class PlannedUndo:
    """An effect that is to be undone. `compensation` names what will do it, where that is known."""

    execution_id: str
    key_name: str
    tool_name: str
    completed_cursor: int
    compensation: str | None

    def stays(self, reason: WhyNotUndone, detail: str, error: Exception | None = None) -> NotUndone:
        """The effect as one that is not undone."""
        named = (self.execution_id, self.key_name, self.tool_name, self.completed_cursor)
        return NotUndone(*named, reason, detail, error)


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """What an undo would do now: `to_undo` in this order, the last effect first.

    What its undo would stop at, and what it would not reach then, is not among these. Guards and people are
    asked when it is done, and what somebody begins meanwhile is not foreseen.
    `undone` was undone before. `not_undone` would stay as it is. An operation that had an effect which is
    not on record, by what a worker reported too late, is there for that one, beside what becomes of its own.
    """

    channel_id: str
    to_cursor: int
    to_undo: tuple[PlannedUndo, ...]
    undone: tuple[Undone, ...]
    not_undone: tuple[NotUndone, ...]


async def read_plan(
    client: Any, channel_id: str, to_cursor: int, compensations: Compensations | None
) -> UndoPlan:
    """What an undo would do, as the ledger is now. Without compensations, all effects count as having one.

    Raises TypeError and ValueError for a cursor that is none, ChannelNotFoundError, ChannelDeletedError.
    """
    return (await read_work(client, channel_id, to_cursor, compensations)).foreseen


async def read_work(
    client: Any, channel_id: str, to_cursor: int, compensations: Compensations | None
) -> UndoWork:
    """What an undo has to try, and what it may meet."""
    if not isinstance(to_cursor, int) or isinstance(to_cursor, bool):
        raise TypeError(f"to_cursor must be an int, not {type(to_cursor).__name__}")
    if to_cursor < 0:
        raise ValueError(f"to_cursor is {to_cursor}; cursors begin at 1, and 0 is before all of them")
    reports = await _read_reports(client, channel_id)
    operations = await _read_operations(client, channel_id, reports)
    if not operations:
        await _refuse_missing(client, channel_id)
    if any(operation.status == "running" for operation in operations.values()):
        # Whether a lease has ended is for the database's clock to say.
        operations.update(await _read_operations(client, channel_id, reports, status="lapsed"))
    return make_work(channel_id, to_cursor, operations.values(), compensations)


async def _refuse_missing(client: Any, channel_id: str) -> None:
    """A channel that is not there did nothing, and is hardly the one that was meant."""
    metadata = await ask(client, "get_channel_metadata", channel_id)
    if metadata is None:
        missing = f"Channel {channel_id!r} does not exist; look at its name."
        error: APIError = ChannelNotFoundError(404, missing)
    elif metadata.deleted_at is not None:
        error = ChannelDeletedError(
            409,
            f"Channel {channel_id!r} was deleted at {metadata.deleted_at}, with all that it had on record.",
        )
    else:
        return
    error.details = {"channel_id": channel_id}
    raise error


@dataclass(frozen=True, slots=True)
class LateReport:
    """An effect that a worker reported after it had lost the operation."""

    cursor: int
    result: Json


LateReports = Mapping[str, Sequence[LateReport]]
"""By the id of their operation, whatever attempt it is at."""


async def _read_reports(client: Any, channel_id: str) -> LateReports:
    """The log has which operations were reported on, the ledger what of it is about these.

    A key that was freed, and used anew, has the id of the one before, and nothing of what was reported on it.
    """
    found: dict[str, list[LateReport]] = {}
    for execution_id in await _list_reported(client, channel_id):
        try:
            execution: ExecutionInfo = await ask(client, "get_execution", execution_id)
        except ExecutionNotFoundError:
            continue
        found[execution_id] = [
            LateReport(each.cursor, each.value)
            for each in execution.late_evidence
            if each.says == "completed"
        ]
    return found


async def _list_reported(client: Any, channel_id: str) -> set[str]:
    found: set[str] = set()
    offset = 0
    while page := await ask(
        client, "query", channel_ids=[channel_id], event_type=_LATE_EVIDENCE, limit=_PAGE, offset=offset
    ):
        offset += len(page)
        for event in page:
            payload = event.payload if isinstance(event.payload, dict) else {}
            execution_id = payload.get("execution_id")
            if isinstance(execution_id, str) and execution_id.startswith(f"{channel_id}~"):
                found.add(execution_id)
    return found


async def _read_operations(
    client: Any, channel_id: str, reports: LateReports, status: str | None = None
) -> dict[str, OperationSeen]:
    """The channel's own operations by id; what a fork inherits is not among them."""
    found: dict[str, OperationSeen] = {}
    offset = 0
    while page := await ask(client, "list_executions", channel_id, _PAGE, offset=offset, status=status):
        offset += len(page)
        found.update(
            (each.id, OperationSeen.of(each, reports, is_lapsed=status == "lapsed")) for each in page
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationSeen:
    """What a plan has to know of an operation: not its parameters and result, which may be large."""

    execution_id: str
    key_name: str
    tool_name: str
    status: str
    started_cursor: int | None
    completed_cursor: int | None = None
    completed_event_id: str | None = None
    undoes: Json = None  # of an undo: the event that completed the effect
    undo_result: Json = None
    unrecorded_cursor: int | None = None  # of the last report of an effect that the record does not hold

    @classmethod
    def of(cls, execution: ExecutionInfo, reports: LateReports, *, is_lapsed: bool) -> OperationSeen:
        """The operation; lapsed, it is one whose outcome nobody knows, or an undo that anybody takes over."""
        is_done = execution.status == "completed"
        is_undo = _names_an_undo(execution.key_name, execution.tool_name)
        params = execution.params if is_undo and isinstance(execution.params, dict) else {}
        unrecorded = [
            report.cursor
            for report in reports.get(execution.id, ())
            if not is_done or report.result != execution.result
        ]
        if is_lapsed and not is_undo:
            status = "ambiguous"
        else:
            status = "lapsed" if is_lapsed and execution.status == "running" else execution.status
        return cls(
            execution_id=execution.id,
            key_name=execution.key_name,
            tool_name=execution.tool_name,
            status=status,
            started_cursor=execution.started_cursor,
            completed_cursor=execution.completed_cursor if is_done else None,
            completed_event_id=execution.completed_event_id if is_done else None,
            undoes=params.get("undoes"),
            undo_result=execution.result if is_undo else None,
            unrecorded_cursor=max(unrecorded, default=None),
        )

    @property
    def is_undo(self) -> bool:
        """Whether it undoes another operation."""
        return _names_an_undo(self.key_name, self.tool_name)

    @property
    def is_effect(self) -> bool:
        """Whether it does something. A session's fence, which has no events, does not."""
        return not self.is_undo and self.started_cursor is not None

    def may_have_happened_after(self, cursor: int) -> bool:
        """Whether it did, or whether that is open. What failed or was given up did not, says the ledger."""
        if self.completed_cursor is not None:
            return self.completed_cursor > cursor
        return self.is_open

    @property
    def is_open(self) -> bool:
        """Whether it has no outcome yet."""
        return self.status in ("running", "ambiguous")

    def is_doubted_after(self, cursor: int) -> bool:
        """Whether a worker has reported an effect since that is not the one on record."""
        return not self.is_open and self.unrecorded_cursor is not None and self.unrecorded_cursor > cursor


def _names_an_undo(key_name: str, tool_name: str) -> bool:
    return key_name.endswith(SUFFIX) and tool_name.endswith(SUFFIX)


@dataclass(frozen=True, slots=True)
class UndoWork:
    """What an undo tries: `plan`, as if nothing were in the way. `obstacles` are, by the id of the effect."""

    plan: UndoPlan
    obstacles: Mapping[str, NotUndone]

    @property
    def foreseen(self) -> UndoPlan:
        """The plan up to the first obstacle. Nothing that came before is undone before what is in its way."""
        to_undo = self.plan.to_undo
        stop = next((n for n, each in enumerate(to_undo) if each.execution_id in self.obstacles), None)
        if stop is None:
            return self.plan
        at, *before = to_undo[stop:]
        stays = (self.obstacles[at.execution_id], *(not_reached(each, at) for each in before))
        return replace(self.plan, to_undo=to_undo[:stop], not_undone=(*stays, *self.plan.not_undone))


def not_reached(planned: PlannedUndo, at: PlannedUndo) -> NotUndone:
    """An effect that stays because an undo stops `at` one that came after it."""
    return planned.stays("not_reached", f"the undo stopped at {at.key_name!r}")


def make_work(
    channel_id: str,
    to_cursor: int,
    operations: Iterable[OperationSeen],
    compensations: Compensations | None,
) -> UndoWork:
    """Sort the operations: to undo, undone before, and those that stay."""
    seen = list(operations)
    undos = {each.key_name: each for each in seen if each.is_undo}
    effects = [each for each in seen if each.is_effect and each.may_have_happened_after(to_cursor)]
    effects.sort(key=lambda each: each.completed_cursor or 0, reverse=True)
    to_undo: list[PlannedUndo] = []
    undone: list[Undone] = []
    not_undone: list[NotUndone] = []
    for effect in effects:
        match _judge(effect, undos, compensations):
            case PlannedUndo() as planned:
                to_undo.append(planned)
            case Undone() as before:
                undone.append(before)
            case NotUndone() as stays:
                not_undone.append(stays)
    not_undone += (
        _stays(
            replace(each, completed_cursor=None),
            "late_evidence",
            f"a worker reported an effect that the record does not hold, at cursor {each.unrecorded_cursor}: "
            "look for it, and take it back by hand",
        )
        for each in seen
        if each.is_effect
        and each.is_doubted_after(to_cursor)
        and (compensations is None or compensations.find(each.tool_name) is not False)
    )
    obstacles = (_obstacle(each, undos.get(each.key_name + SUFFIX), compensations) for each in to_undo)
    return UndoWork(
        UndoPlan(channel_id, to_cursor, tuple(to_undo), tuple(undone), tuple(not_undone)),
        {each.execution_id: each for each in obstacles if each is not None},
    )


def _obstacle(
    planned: PlannedUndo, undo: OperationSeen | None, compensations: Compensations | None
) -> NotUndone | None:
    """What an undo stops at: one that somebody is at, or that may have happened and no probe can tell."""
    if undo is not None and undo.status == "running":
        what = "another process is undoing it, or died at it"
        return planned.stays("undo_in_progress", what)
    if undo is None or undo.status != "ambiguous":
        return None
    compensation = None if compensations is None else compensations.find(planned.tool_name)
    if compensation and compensation.terms.get("reconcile") is not None:
        return None
    what = (
        f"nobody knows whether {undo.key_name!r} happened: find out, and resolve it: "
        f"`actae executions resolve {undo.execution_id} --applied JSON`, or --not-applied"
    )
    return planned.stays("undo_outcome_unknown", what)


def _judge(
    effect: OperationSeen, undos: Mapping[str, OperationSeen], compensations: Compensations | None
) -> PlannedUndo | Undone | NotUndone | None:
    """None: there is nothing to undo about it."""
    compensation = None if compensations is None else compensations.find(effect.tool_name)
    if compensation is False:
        return None
    if effect.status == "ambiguous":
        what = "nobody knows whether it happened: find out, and record that"
        return _stays(effect, "outcome_unknown", what)
    if effect.completed_cursor is None:
        return _stays(effect, "still_running", "somebody holds its lease; undo again once it has ended")
    undo = undos.get(effect.key_name + SUFFIX)
    named = (effect.execution_id, effect.key_name, effect.tool_name, effect.completed_cursor)
    if undo is not None and undo.undoes != effect.completed_event_id:
        what = f"{undo.key_name!r} undid an earlier effect under this key; delete that execution first"
        return _stays(effect, "refused", what)
    if undo is not None and undo.status == "completed":
        return Undone(*named, undo.undo_result, was_before=True)
    if compensation is None and compensations is not None:
        what = f"this process has no compensation for the tool {effect.tool_name!r}"
        return _stays(effect, "no_compensation", what)
    return PlannedUndo(*named, compensation.name if compensation else None)


def _stays(effect: OperationSeen, reason: WhyNotUndone, detail: str) -> NotUndone:
    return NotUndone(
        effect.execution_id, effect.key_name, effect.tool_name, effect.completed_cursor, reason, detail
    )
