"""Where two JSON values differ, path by path.

Objects are compared key by key and arrays place by place; any other pair is equal or one difference, and a
subtree that only one side has is one difference, too. Numbers count by value, whatever their size and however
they are spelt; strings by their code points.
"""

from collections.abc import Iterator
from enum import Enum
from itertools import zip_longest
from typing import Annotated, Final, Literal, TypeAlias, TypeGuard

import msgspec
from msgspec import Meta, Raw

from actae.domain.literal_json import LiteralValue, are_equal_numbers, read_literally, write_literally

ENTRIES_MAX: Final = 500


class _Absent(Enum):
    """Nothing at this place: not the value null."""

    ABSENT = "absent"


_ABSENT: Final = _Absent.ABSENT
_Side: TypeAlias = "LiteralValue | _Absent"
_Pair: TypeAlias = tuple[str | int, _Side, _Side]

Path = Annotated[
    Raw,
    Meta(
        description="Object keys and array indexes, from the root on.",
        extra_json_schema={"type": "array", "items": {"type": "string"}},
    ),
]
Value = Annotated[Raw, Meta(description="Null where this side has nothing; `kind` tells it from a null.")]


class Entry(msgspec.Struct, frozen=True):
    """One difference: `added` is only on the right, `removed` only on the left."""

    path: Path
    kind: Literal["added", "removed", "changed"]
    left: Value | None
    right: Value | None


class Difference(msgspec.Struct, frozen=True):
    """The first differences, keys in the order of their code points, and how many there are."""

    entries: list[Entry]
    truncated: bool
    entry_count_total: int
    max_entries: int


def diff(left: bytes | None, right: bytes | None, *, entries_max: int = ENTRIES_MAX) -> Difference:
    """What differs between two JSON texts; None is no value at all. Raises as `canonical` does."""
    entries: list[Entry] = []
    count = 0
    if left != right:  # The same bytes are the same value.
        for path, before, after in _differences(_side(left), _side(right)):
            count += 1
            if count <= entries_max:
                entries.append(_entry(path, before, after))
    return Difference(entries, count > entries_max, count, entries_max)


def _side(text: bytes | None) -> _Side:
    return _ABSENT if text is None else read_literally(text)


def _entry(path: list[str | int], left: _Side, right: _Side) -> Entry:
    kind: Literal["added", "removed", "changed"] = "changed"
    if left is _ABSENT:
        kind = "added"
    elif right is _ABSENT:
        kind = "removed"
    names: list[LiteralValue] = [str(step) for step in path]
    return Entry(Raw(write_literally(names)), kind, _value(left), _value(right))


def _value(side: _Side) -> Raw | None:
    return None if side is _ABSENT else Raw(write_literally(side))


def _differences(left: _Side, right: _Side) -> Iterator[tuple[list[str | int], _Side, _Side]]:
    """Depth first, without recursion: values nest as deeply as their sender likes."""
    pending: list[Iterator[_Pair]] = [iter([("", left, right)])]
    path: list[str | int] = []  # of what is looked at, with a first name for the root, which has none
    while pending:
        for name, before, after in pending[-1]:
            members = _members(before, after)
            if members is not None:
                pending.append(members)
                path.append(name)
                break
            if not _are_equal(before, after):
                yield [*path, name][1:], before, after
        else:
            pending.pop()
            del path[-1:]


def _members(left: _Side, right: _Side) -> Iterator[_Pair] | None:
    """What two objects or two arrays hold side by side; None for any other pair."""
    if isinstance(left, dict) and isinstance(right, dict):
        return _members_of_objects(left, right)
    if isinstance(left, list) and isinstance(right, list):
        return _members_of_arrays(left, right)
    return None


def _members_of_objects(left: dict[str, LiteralValue], right: dict[str, LiteralValue]) -> Iterator[_Pair]:
    for name in sorted(left.keys() | right.keys()):
        yield name, left.get(name, _ABSENT), right.get(name, _ABSENT)


def _members_of_arrays(left: list[LiteralValue], right: list[LiteralValue]) -> Iterator[_Pair]:
    for place, (before, after) in enumerate(zip_longest(left, right, fillvalue=_ABSENT)):
        yield place, before, after


def _are_equal(left: _Side, right: _Side) -> bool:
    """Whether two values that are not both objects or both arrays are the same value."""
    if type(left) is type(right) and left == right:
        return True
    return _is_number(left) and _is_number(right) and are_equal_numbers(left, right)


def _is_number(side: _Side) -> TypeGuard[int | Raw]:
    """To Python true is 1; to JSON it is no number."""
    return type(side) is int or type(side) is Raw
