"""Whatever a tool returns can be stored."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections import OrderedDict, deque, namedtuple
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actae_client.tools.results import as_json, left_out


@dataclasses.dataclass
class Receipt:
    """A result of the kind that tools return."""

    number: int
    paid_at: dt.datetime
    lines: tuple[str, ...] = ()


class Colour(Enum):
    """An enumeration."""

    RED = "red"


class Level(IntEnum):
    """An enumeration that is an int."""

    HIGH = 3


class Word(StrEnum):
    """An enumeration that is a str."""

    YES = "yes"


class Model:
    """What a pydantic model looks like from outside."""

    def model_dump(self) -> dict[str, Any]:
        """Its fields."""
        return {"at": dt.date(2026, 1, 2)}


class Array:
    """What a numpy array looks like from outside."""

    def tolist(self) -> list[float]:
        """Its items."""
        return [1.5, float("nan")]


class Unprintable:
    """An object without any text."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class Treacherous(dict[str, int]):
    """A mapping that cannot be read."""

    def items(self) -> Any:
        """Fails."""
        raise RuntimeError("not today")


Point = namedtuple("Point", "x y")
UTC = dt.UTC
WRAPPED = "$sonic_rs::private::JsonNumber"


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (None, None),
        (True, True),
        ("\x00 \ud800 é", "\x00 \ud800 é"),
        (2**200, 2**200),
        (0.1, 0.1),
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}),
        (OrderedDict(a=1), {"a": 1}),
        ((1, (2, 3)), [1, [2, 3]]),
        (Point(1, 2), [1, 2]),
        (deque([1, 2]), [1, 2]),
        (range(3), [0, 1, 2]),
        ({3, 1, 2}, [1, 2, 3]),
        (frozenset({"b", "a"}), ["a", "b"]),
        (b"\xff\x00", {"$base64": "/wA="}),
        (bytearray(b"x"), {"$base64": "eA=="}),
        (dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "2026-01-02T03:04:05+00:00"),
        (dt.date(2026, 1, 2), "2026-01-02"),
        (dt.time(3, 4), "03:04:00"),
        (dt.timedelta(minutes=1, milliseconds=500), 60.5),
        (Decimal("1.10"), "1.10"),
        (Fraction(1, 3), "1/3"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("/tmp/x"), "/tmp/x"),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (Word.YES, "yes"),
        ([Word.YES, (Level.HIGH,)], ["yes", [3]]),
        ({Word.YES: 1, Colour.RED: (2,)}, {"yes": 1, "red": [2]}),
        (
            Receipt(7, dt.datetime(2026, 1, 2, tzinfo=UTC), ("a",)),
            {"number": 7, "paid_at": "2026-01-02T00:00:00+00:00", "lines": ["a"]},
        ),
        (Model(), {"at": "2026-01-02"}),
        (Array(), [1.5, {"$float": "NaN"}]),
        (float("inf"), {"$float": "Infinity"}),
        (float("-inf"), {"$float": "-Infinity"}),
        ({2: "a", None: "b", False: "c", 0.5: "d"}, {"2": "a", "null": "b", "false": "c", "0.5": "d"}),
        ({1: "int", "1": "str"}, {"$pairs": [[1, "int"], ["1", "str"]]}),
        ({(1, 2): "pair"}, {"$pairs": [[[1, 2], "pair"]]}),
        ({UUID(int=1): 1}, {"00000000-0000-0000-0000-000000000001": 1}),
        ({"n": {WRAPPED: "12"}}, {"n": 12}),
        ([{WRAPPED: Decimal("1.50")}, ()], [1.5, []]),
        ({WRAPPED: "9" * 5_000}, "9" * 5_000),
        ({WRAPPED: "1e999"}, {"$float": "Infinity"}),
        ({WRAPPED: "hello"}, {WRAPPED: "hello"}),
        ({WRAPPED: {WRAPPED: "12"}}, {WRAPPED: 12}),
    ],
)
def test_the_table_of_forms(value: object, stored: object) -> None:
    """Each row of the table in the module's documentation."""
    assert as_json(value) == stored


def test_what_has_no_form_is_described() -> None:
    """Its text and its type, so that a reader knows what it was."""
    described = as_json({"connection": object()})["connection"]
    assert described["$type"] == "builtins.object"
    assert described["$repr"].startswith("<object object at")


def test_one_value_without_a_text_spoils_nothing_else() -> None:
    """Only that value is replaced."""
    stored = as_json({"amount": 5, "odd": Unprintable(), "dict": Treacherous(a=1), "t": ()})
    assert stored["amount"] == 5
    assert stored["odd"]["$repr"] == "<Unprintable without a repr>"
    assert "Treacherous" in stored["dict"]["$type"]


def test_a_cycle_ends_where_it_begins() -> None:
    """A value inside of itself is described there."""
    value: dict[str, Any] = {"name": "loop"}
    value["self"] = value
    stored = as_json(value)
    assert stored["name"] == "loop"
    assert stored["self"]["$type"] == "builtins.dict"


def test_endless_depth_and_endless_digits_are_described() -> None:
    """What would overrun a parser is cut off."""
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep, ()]
    assert json.dumps(as_json(deep))
    assert as_json((10**5000,))[0]["$repr"].startswith("0x")


def test_a_generator_is_not_consumed() -> None:
    """Encoding a result does not run the caller's code any further."""
    ran: list[int] = []
    as_json(ran.append(n) for n in range(3))
    assert ran == []


def test_a_left_out_result_can_be_recognised() -> None:
    """Its size and digest say whether another copy is the same."""
    one, other = left_out("x" * 9000, "PayloadTooLargeError"), left_out("x" * 9000, "PayloadTooLargeError")
    assert one == other
    assert (one["$bytes"], len(one["$sha256"]), len(one["$preview"])) == (9002, 64, 1000)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.datetimes(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers() | st.booleans() | st.none() | st.floats(), inner)
    ),
)


@given(plain)
def test_json_is_kept_as_it_is(value: object) -> None:
    """What JSON can hold comes back equal."""
    assert as_json(value) == value


@given(anything)
def test_everything_else_settles_in_one_step(value: object) -> None:
    """A stored result, stored again, is the same: first run and replay agree."""
    stored = as_json(value)
    assert as_json(stored) == stored == json.loads(json.dumps(stored, allow_nan=False))
