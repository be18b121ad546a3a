"""Which effects an undo is about, and in which order: decided from the ledger alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from actae_client._types.executions import ExecutionInfo
from actae_client._types.json import Json
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


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """What an undo would do now: `to_undo` in this order, the last effect first.

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

    Raises TypeError and ValueError for a cursor that is none.
    """
    if not isinstance(to_cursor, int) or isinstance(to_cursor, bool):
        raise TypeError(f"to_cursor must be an int, not {type(to_cursor).__name__}")
    if to_cursor < 0:
        raise ValueError(f"to_cursor is {to_cursor}; cursors begin at 1, and 0 is before all of them")
    reports = await _read_reports(client, channel_id)
    operations = await _read_operations(client, channel_id, reports)
    if any(operation.status == "running" for operation in operations.values()):
        # Whether a lease has ended is for the database's clock to say.
        operations.update(await _read_operations(client, channel_id, reports, status="lapsed"))
    return make_plan(channel_id, to_cursor, operations.values(), compensations)


@dataclass(frozen=True, slots=True)
class LateReport:
    """An effect that a worker reported after it had lost the operation."""

    cursor: int
    result: Json


LateReports = Mapping[str | None, Sequence[LateReport]]
"""By the event with which their operation started: a key that was freed, and used anew, has another one."""


async def _read_reports(client: Any, channel_id: str) -> LateReports:
    found: defaultdict[str | None, list[LateReport]] = defaultdict(list)
    offset = 0
    while page := await ask(
        client, "query", channel_ids=[channel_id], event_type=_LATE_EVIDENCE, limit=_PAGE, offset=offset
    ):
        offset += len(page)
        for event in page:
            if isinstance(event.payload, dict) and event.payload.get("says") == "completed":
                found[event.depends_on].append(LateReport(event.cursor, event.payload.get("result")))
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
        """The operation; lapsed, it is one whose outcome nobody knows."""
        is_done = execution.status == "completed"
        is_undo = _names_an_undo(execution.key_name, execution.tool_name)
        params = execution.params if is_undo and isinstance(execution.params, dict) else {}
        unrecorded = [
            report.cursor
            for report in reports.get(execution.started_event_id, ())
            if not is_done or report.result != execution.result
        ]
        return cls(
            execution_id=execution.id,
            key_name=execution.key_name,
            tool_name=execution.tool_name,
            status="ambiguous" if is_lapsed else execution.status,
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


def make_plan(
    channel_id: str,
    to_cursor: int,
    operations: Iterable[OperationSeen],
    compensations: Compensations | None,
) -> UndoPlan:
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
    return UndoPlan(channel_id, to_cursor, tuple(to_undo), tuple(undone), tuple(not_undone))


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
    if undo is not None and undo.status == "completed":
        if undo.undoes == effect.completed_event_id:
            return Undone(*named, undo.undo_result, was_before=True)
        what = f"{undo.key_name!r} undid an earlier effect under this key; delete that execution first"
        return _stays(effect, "refused", what)
    if compensation is None and compensations is not None:
        what = f"this process has no compensation for the tool {effect.tool_name!r}"
        return _stays(effect, "no_compensation", what)
    return PlannedUndo(*named, compensation.name if compensation else None)


def _stays(effect: OperationSeen, reason: WhyNotUndone, detail: str) -> NotUndone:
    return NotUndone(
        effect.execution_id, effect.key_name, effect.tool_name, effect.completed_cursor, reason, detail
    )
