"""What a run spent, as far as its events say: time, tokens and money.

An event counts a figure once, however often it repeats it: the first number found in its payload, the
payload's `usage`, the payload's `result`, that one's `usage`, its metadata and the metadata's `usage`. A fork
has paid for its own events alone; what it inherits was paid by its ancestors.
"""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Raw

from actae.domain.canonical_json import JsonValue, read

FIGURES: Final = ("latency_ms", "input_tokens", "output_tokens", "cost")

_NOTHING: Final = Decimal()
# No bill is as long as this, and sums of what is shorter are exact.
_LARGEST: Final = Decimal(10**15)

Figure = Annotated[int | float | None, Meta(description="Null where no event says.")]


class Spending(msgspec.Struct, frozen=True):
    """Sums over the events of a channel."""

    latency_ms: Figure = None
    input_tokens: Figure = None
    output_tokens: Figure = None
    cost: Figure = None


class Spendings(msgspec.Struct, frozen=True):
    """Both sides, and how much more the right one spent."""

    left: Spending
    right: Spending
    delta: Spending


class Bill:
    """Adds up what the events of one channel say."""

    def __init__(self) -> None:
        self.sums: dict[str, Decimal] = {}

    def add(self, payload: bytes, metadata: bytes | None) -> None:
        """Count one event."""
        places = list(_places(payload, metadata))
        for name in FIGURES:
            numbers = (_number(place.get(name)) for place in places)
            found = next((number for number in numbers if number is not None), None)
            if found is not None:
                self.sums[name] = self.sums.get(name, _NOTHING) + found

    def total(self) -> Spending:
        """What all of them say together."""
        return _show(self.sums)


def compare_spending(left: Bill, right: Bill) -> Spendings:
    """What nobody mentions is null; what one side mentions counts as nothing on the other."""
    names = left.sums.keys() | right.sums.keys()
    delta = {name: right.sums.get(name, _NOTHING) - left.sums.get(name, _NOTHING) for name in names}
    return Spendings(left.total(), right.total(), _show(delta))


def _places(payload: bytes, metadata: bytes | None) -> Iterator[Mapping[str, JsonValue]]:
    """The objects in which a figure may stand, the more telling ones first."""
    said = read(payload)
    yield from _with_usage(said)
    if isinstance(said, dict):
        yield from _with_usage(said.get("result"))
    if metadata is not None:
        yield from _with_usage(read(metadata))


def _with_usage(value: JsonValue) -> Iterable[Mapping[str, JsonValue]]:
    if not isinstance(value, dict):
        return []
    usage = value.get("usage")
    return [value, usage] if isinstance(usage, dict) else [value]


def _number(value: JsonValue) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | Raw):
        return None
    try:
        number = Decimal(value) if isinstance(value, int) else Decimal(bytes(value).decode())
    except ArithmeticError:  # An exponent beyond all measure.
        return None
    return number if -_LARGEST <= number <= _LARGEST else None  # `abs` would round, and may overflow.


def _show(sums: Mapping[str, Decimal]) -> Spending:
    figures = {name: int(each) if each == int(each) else float(each) for name, each in sums.items()}
    return Spending(**figures)
