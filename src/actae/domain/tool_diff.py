"""Which operations two branches have: those that ran on one side, and those that both have."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw

from actae.domain.canonical_json import canonical
from actae.domain.executions import Execution, Status

_PLAIN: Final = ("tool_name", "status")
_OPAQUE: Final = ("params", "result", "error")


class HeldEffect(NamedTuple):
    """An operation that a channel has: its own, or one that it inherits."""

    key_name: str
    channel_id: str
    key_digest: str
    created_at: datetime
    is_inherited: bool


class ToolCall(msgspec.Struct, frozen=True):
    """An operation as one side has it; `inherited` ones ran in an ancestor, before the fork."""

    id: str
    channel_id: str
    tool_name: str
    status: Status
    attempts: int
    inherited: bool
    params: Raw
    result: Raw
    error: Raw


class SameCall(msgspec.Struct, frozen=True):
    """Both sides have the same input and the same outcome.

    `shared` says that it is one operation, which ran once: what the fork did not have to pay for again.
    """

    tool_name: str
    status: Status
    shared: bool
    left_id: str
    right_id: str


class ChangedCall(msgspec.Struct, frozen=True):
    """One key, two operations; `differs` names the fields that are not alike."""

    differs: list[str]
    left: ToolCall
    right: ToolCall


class ToolDiff(msgspec.Struct, frozen=True):
    """Operations by key, oldest first, with those that a fork inherits."""

    left_only: dict[str, ToolCall]
    right_only: dict[str, ToolCall]
    changed: dict[str, ChangedCall]
    same: dict[str, SameCall]
    truncated: bool


def order_keys(*sides: Iterable[HeldEffect]) -> list[str]:
    """The keys of all sides, oldest first."""
    first: dict[str, datetime] = {}
    for each in (effect for side in sides for effect in side):
        first[each.key_name] = min(each.created_at, first.get(each.key_name, each.created_at))
    return sorted(first, key=lambda key: (first[key], key))


def show_call(execution: Execution, *, inherited: bool) -> ToolCall:
    """The operation as a side has it."""
    return ToolCall(
        execution.id,
        execution.channel_id,
        execution.tool_name,
        execution.status,
        execution.attempts,
        inherited,
        execution.params,
        execution.result,
        execution.error,
    )


def compare_calls(
    keys: Sequence[str], left: Mapping[str, ToolCall], right: Mapping[str, ToolCall], *, truncated: bool
) -> ToolDiff:
    """Sort the operations of these keys by what became of them on the two sides."""
    found = ToolDiff({}, {}, {}, {}, truncated)
    for key in keys:
        ours, theirs = left.get(key), right.get(key)
        if ours is None and theirs is not None:
            found.right_only[key] = theirs
        elif ours is not None and theirs is None:
            found.left_only[key] = ours
        elif ours is not None and theirs is not None:
            differs = _differing_fields(ours, theirs)
            if differs:
                found.changed[key] = ChangedCall(differs, ours, theirs)
            else:
                found.same[key] = _same(ours, theirs)
    return found


def _same(left: ToolCall, right: ToolCall) -> SameCall:
    return SameCall(left.tool_name, left.status, left.id == right.id, left.id, right.id)


def _differing_fields(left: ToolCall, right: ToolCall) -> list[str]:
    if left.id == right.id:
        return []
    plain = [name for name in _PLAIN if getattr(left, name) != getattr(right, name)]
    opaque = [name for name in _OPAQUE if not _say_the_same(getattr(left, name), getattr(right, name))]
    return plain + opaque


def _say_the_same(left: Raw, right: Raw) -> bool:
    return left == right or canonical(bytes(left)) == canonical(bytes(right))
