"""Is a run safe to be started again? Questions, each answered from what is stored, with the rows behind it.

What cannot be told from the data is said to be so.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Final, Literal

import msgspec

from actae.domain.volatile import volatile_fields, volatile_part

Verdict = Literal["yes", "no", "cannot_be_told"]

ROWS_MAX: Final = 20
_EQUAL_CALLS_MAX: Final = 2  # so many keys with the same input may be meant


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that an answer rests on: an operation, or a snapshot."""

    note: str
    execution_id: str | None = None
    key_name: str | None = None
    cursor: int | None = None
    version: int | None = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One question. `rows` are the first of `row_count` that decided it."""

    question: str
    asks: str
    verdict: Verdict
    because: str
    rows: list[Row]
    row_count: int


class Checklist(msgspec.Struct, frozen=True, kw_only=True):
    """A channel's answers. If `truncated`, only its newest operations or snapshots were looked at."""

    channel_id: str
    verdict: Verdict
    operations: int
    snapshots: int
    truncated: bool
    answers: list[Answer]


class SeenOperation(msgspec.Struct, frozen=True, kw_only=True):
    """What the questions have to know of an operation. `result` is None where there is none yet."""

    execution_id: str
    key_name: str
    tool_name: str
    fingerprint: bytes
    status: str
    attempts: int
    called_at: datetime
    started_cursor: int
    completed_cursor: int | None = None
    params: Any = None
    compared: list[str] | None = None
    result: Literal["present", "null", "omitted"] | None = None
    mentions_its_key: bool = False
    is_lapsed: bool = False
    late_evidence_cursor: int | None = None
    unrecorded_cursor: int | None = None  # where a worker reported an effect that the record does not hold

    def row(self, note: str) -> Row:
        """The operation as a reason."""
        cursor = self.started_cursor if self.completed_cursor is None else self.completed_cursor
        return Row(note=note, execution_id=self.execution_id, key_name=self.key_name, cursor=cursor)


class SeenSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot, and whether it was stored in one transaction with the event at its cursor."""

    version: int
    cursor: int
    is_with_event: bool


Operations = Sequence[SeenOperation]
Reasoned = tuple[Verdict, str, list[Row]]


def make_checklist(
    channel_id: str, operations: Operations, snapshots: Sequence[SeenSnapshot], *, truncated: bool
) -> Checklist:
    """All answers; the channel's verdict is the worst of them, and a `no` is worse than not knowing."""
    answers = [
        *(_answer(question, asks, judge(operations)) for question, asks, judge in _ABOUT_OPERATIONS),
        _answer(
            "state_with_event", "Are events and the state that follows stored together?", _state(snapshots)
        ),
    ]
    return Checklist(
        channel_id=channel_id,
        verdict=worst(answer.verdict for answer in answers),
        operations=len(operations),
        snapshots=len(snapshots),
        truncated=truncated,
        answers=answers,
    )


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """`no` if any is; else `cannot_be_told` if any is."""
    found = set(verdicts)
    return "no" if "no" in found else "cannot_be_told" if "cannot_be_told" in found else "yes"


def _answer(question: str, asks: str, reasoned: Reasoned) -> Answer:
    verdict, because, rows = reasoned
    return Answer(
        question=question,
        asks=asks,
        verdict=verdict,
        because=because,
        rows=rows[:ROWS_MAX],
        row_count=len(rows),
    )


_NOTHING: Final[Reasoned] = ("cannot_be_told", "There are no operations.", [])


def _identity(operations: Operations) -> Reasoned:
    if not operations:
        return _NOTHING
    rows = []
    alike: dict[tuple[str, bytes], list[SeenOperation]] = defaultdict(list)
    for each in operations:
        alike[each.tool_name, each.fingerprint].append(each)
        if (part := volatile_part(each.key_name, each.params)) is not None:
            rows.append(each.row(f"{part!r} in the key looks random or timed, and is no parameter"))
    for (tool_name, _), calls in alike.items():
        if len(calls) > _EQUAL_CALLS_MAX:
            note = f"one of {len(calls)} keys of {tool_name!r} with the same input"
            rows += (each.row(note) for each in calls)
    if rows:
        return "no", "Keys look as if every attempt had one of its own, so nothing would be replayed.", rows
    return "yes", f"No key of {_count(operations)} looks random, and none repeats another's input often.", []


def _fingerprint(operations: Operations) -> Reasoned:
    if not operations:
        return _NOTHING
    rows = [
        each.row(f"compares {path!r}, which looks as if it changed with every attempt")
        for each in operations
        for path in volatile_fields(each.params, each.called_at, compared=each.compared)
    ]
    if rows:
        return (
            "no",
            "A retry would be refused as another call: name the business fields in dedup_fields.",
            rows,
        )
    return "yes", f"What is compared of {_count(operations)} looks like business.", []


def _status(operations: Operations) -> Reasoned:
    if not operations:
        return _NOTHING
    rows = [
        each.row("it has no outcome, and no owner with a live lease")
        for each in operations
        if each.is_lapsed or each.status == "ambiguous"
    ]
    unrecorded = [
        msgspec.structs.replace(
            each.row("a worker reported an effect that the record does not hold"),
            cursor=each.unrecorded_cursor,
        )
        for each in operations
        if each.unrecorded_cursor is not None
    ]
    if rows:
        return "no", "Nobody knows what became of these operations.", [*rows, *unrecorded]
    if unrecorded:
        return "no", "What became of these is not all on record: an effect may be left over.", unrecorded
    return "yes", f"Each of {_count(operations)} has an outcome, or an owner with a live lease.", []


def _replay(operations: Operations) -> Reasoned:
    completed = [each for each in operations if each.status == "completed"]
    if not completed:
        return "cannot_be_told", "No operation is completed.", []
    omitted = [
        each.row("its result was too large to be kept") for each in completed if each.result == "omitted"
    ]
    if omitted:
        return "no", "A replay of these returns a digest instead of the result.", omitted
    empty = [each.row("its result is null") for each in completed if each.result == "null"]
    if empty:
        return (
            "cannot_be_told",
            "A replay returns null: right if the tool returns nothing, else a mistake.",
            empty,
        )
    return "yes", f"Each of {_count(completed)} that completed has its result.", []


def _fencing(operations: Operations) -> Reasoned:
    late = [
        msgspec.structs.replace(
            each.row("what a worker reported after it had lost the operation was refused, and kept"),
            cursor=each.late_evidence_cursor,
        )
        for each in operations
        if each.late_evidence_cursor is not None
    ]
    if late:
        return "yes", "Workers came back too late, and changed nothing.", late
    taken_over = [each.row(f"attempt {each.attempts}") for each in operations if each.attempts > 1]
    if taken_over:
        return (
            "cannot_be_told",
            "Operations were handed out again, and no earlier owner came back.",
            taken_over,
        )
    return "cannot_be_told", "No operation was ever handed out a second time.", []


def _provider_key(operations: Operations) -> Reasoned:
    completed = [each for each in operations if each.status == "completed"]
    silent = [
        each.row("its key is in no parameter and no result")
        for each in completed
        if not each.mentions_its_key
    ]
    if not completed:
        return "cannot_be_told", "No operation is completed.", []
    if silent:
        because = "What a tool sends to its provider is not seen here; only parameters and results are."
        return "cannot_be_told", because, silent
    return "yes", f"The parameters or the result of {_count(completed)} hold the key for the provider.", []


def _state(snapshots: Sequence[SeenSnapshot]) -> Reasoned:
    if not snapshots:
        return "cannot_be_told", "There is no state.", []
    apart = [
        Row(
            note="stored by itself, not with the event at its cursor",
            version=each.version,
            cursor=each.cursor,
        )
        for each in snapshots
        if not each.is_with_event
    ]
    if apart:
        return "no", "A crash between the two leaves an event without its state.", apart
    return "yes", f"Each of {len(snapshots)} snapshots came with its event, in one transaction.", []


def _count(operations: Operations) -> str:
    return "1 operation" if len(operations) == 1 else f"{len(operations)} operations"


_ABOUT_OPERATIONS: Final[tuple[tuple[str, str, Callable[[Operations], Reasoned]], ...]] = (
    ("stable_identity", "Has every side effect a key that is the same at each attempt?", _identity),
    ("business_fingerprint", "Is only business compared, nothing that changes by itself?", _fingerprint),
    ("known_status", "Is it known what became of every operation?", _status),
    ("replayable", "Can what is completed be replayed?", _replay),
    ("stale_workers_fenced", "Was a worker that came back too late refused?", _fencing),
    ("provider_key", "Was the provider given a key that outlives the attempt?", _provider_key),
)
