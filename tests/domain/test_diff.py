"""Where two JSON values differ."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actae.domain.canonical_json import canonical
from actae.domain.diff import ENTRIES_MAX, Entry, diff

CASES = [
    # left, right, what is found: (path, kind, left, right)
    ('{"a":1}', '{"a":1}', []),
    ('{"a":1,"b":2}', '{"b":2,"a":1}', []),
    ('{"a":1}', '{"a":2}', [(["a"], "changed", "1", "2")]),
    ("{}", '{"a":null}', [(["a"], "added", None, "null")]),
    ('{"a":null}', "{}", [(["a"], "removed", "null", None)]),
    ('{"a":{"b":[1,2]}}', "{}", [(["a"], "removed", '{"b":[1,2]}', None)]),
    ("[1,2]", "[1,3,4]", [(["1"], "changed", "2", "3"), (["2"], "added", None, "4")]),
    ("[1,2,3]", "[1]", [(["1"], "removed", "2", None), (["2"], "removed", "3", None)]),
    ('{"a":[{"b":1}]}', '{"a":[{"b":2}]}', [(["a", "0", "b"], "changed", "1", "2")]),
    ('{"a":{}}', '{"a":[]}', [(["a"], "changed", "{}", "[]")]),
    ("1", "2", [([], "changed", "1", "2")]),
    ("{}", "[]", [([], "changed", "{}", "[]")]),
    (None, None, []),
    (None, "null", [([], "added", None, "null")]),
    ('{"a":1}', None, [([], "removed", '{"a":1}', None)]),
    ("[1,1.0,1e0,10e-1,-0.0]", "[1.0,1,10e-1,1,0]", []),
    ("[true]", "[1]", [(["0"], "changed", "true", "1")]),
    ("[false,null]", "[0,0]", [(["0"], "changed", "false", "0"), (["1"], "changed", "null", "0")]),
    ('["1"]', "[1]", [(["0"], "changed", '"1"', "1")]),
    ('["1.5"]', "[1.5]", [(["0"], "changed", '"1.5"', "1.5")]),
    (
        "[9007199254740992]",
        "[9007199254740993]",
        [(["0"], "changed", "9007199254740992", "9007199254740993")],
    ),
    ("[0.1]", "[0.1000000000000000055]", [(["0"], "changed", "0.1", "0.1000000000000000055")]),
    (f"[1{'0' * 60}]", "[1e60]", []),
    (f"[1{'0' * 60}]", "[1.0]", [(["0"], "changed", f"1{'0' * 60}", "1.0")]),
    ('[{"z":2.50,"a":1E2}]', "[]", [(["0"], "removed", '{"z":2.50,"a":1E2}', None)]),
    (f"[1{'0' * 39}]", "[1e39]", []),
    ("[1e400]", "[1e401]", [(["0"], "changed", "1e400", "1e401")]),
    ('{"a":1,"a":2}', '{"a":2}', []),
    (r'["\u0061\/"]', '["a/"]', []),
    (r'{"\ud83d":1}', "{}", [(["\ud83d"], "removed", "1", None)]),
    (r'["\ud83d"]', r'["\ud83e"]', [(["0"], "changed", r'"\ud83d"', r'"\ud83e"')]),
    (r'["\u0000"]', '["\\u0000"]', []),
    ('{"é":1}', '{"e\u0301":1}', [(["e\u0301"], "added", None, "1"), (["é"], "removed", "1", None)]),
]


def found(left: str | None, right: str | None) -> list[tuple[Any, ...]]:
    """The entries as plain values."""
    result = diff(None if left is None else left.encode(), None if right is None else right.encode())
    return [
        (
            json.loads(bytes(entry.path)),
            entry.kind,
            None if entry.left is None else bytes(entry.left).decode(),
            None if entry.right is None else bytes(entry.right).decode(),
        )
        for entry in result.entries
    ]


@pytest.mark.parametrize(("left", "right", "expected"), CASES)
def test_each_difference_is_found_once_under_its_path(
    left: str | None, right: str | None, expected: list[tuple[Any, ...]]
) -> None:
    """Keys and indexes as strings; a subtree as one; numbers by value."""
    assert found(left, right) == expected


def test_keys_come_in_the_order_of_their_code_points_and_indexes_ascend() -> None:
    """So two diffs of the same states are the same text, and the first entries are always the same ones."""
    left = json.dumps({"b": list(range(12)), "a": 1, "Z": 1, "é": 1, "😀": 1}).encode()
    right = json.dumps({"b": [each + 1 for each in range(12)]}).encode()
    paths = [json.loads(bytes(entry.path)) for entry in diff(left, right).entries]
    assert paths == [["Z"], ["a"], *(["b", str(place)] for place in range(12)), ["é"], ["😀"]]


def test_more_differences_than_are_shown_are_counted() -> None:
    """The first are there, and a flag says that there are more."""
    left, right = json.dumps([0] * 700).encode(), json.dumps([1] * 700).encode()
    result = diff(left, right)
    assert (len(result.entries), result.max_entries) == (ENTRIES_MAX, 500)
    assert (result.truncated, result.entry_count_total) == (True, 700)
    whole = diff(json.dumps([0] * 500).encode(), b"[]")
    assert (len(whole.entries), whole.truncated, whole.entry_count_total) == (500, False, 500)


def test_values_may_nest_as_deeply_as_a_body_may() -> None:
    """The walk does not recurse."""
    left, right = (b'{"a":[' * 240 + value + b"]}" * 240 for value in (b"1", b"2"))
    [entry] = diff(left, right).entries
    assert json.loads(bytes(entry.path)) == ["a", "0"] * 240


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


@given(json_values, json_values)
def test_applying_the_entries_to_the_left_gives_the_right(left: Any, right: Any) -> None:
    """Nothing is missed and nothing is made up; the other way round it is the mirror image."""
    texts = json.dumps(left).encode(), json.dumps(right).encode()
    forth = diff(*texts, entries_max=10_000).entries
    back = diff(*reversed(texts), entries_max=10_000).entries
    assert canonical(json.dumps(_apply(left, forth)).encode()) == canonical(texts[1])
    assert [(entry.path, entry.left) for entry in forth] == [(entry.path, entry.right) for entry in back]


def _apply(value: Any, entries: list[Entry]) -> Any:
    """Removals from the back and then the rest from the front, so that indexes stay what they are."""
    holder = [json.loads(json.dumps(value))]
    removed = [entry for entry in entries if entry.kind == "removed"]
    for entry in [*reversed(removed), *(entry for entry in entries if entry.kind != "removed")]:
        at, inside = 0, holder
        for name in json.loads(bytes(entry.path)):
            inside = inside[at]
            at = int(name) if isinstance(inside, list) else name
        if entry.kind == "removed":
            del inside[at]
        elif entry.kind == "added" and isinstance(inside, list):
            inside.insert(at, json.loads(bytes(entry.right)))
        else:
            inside[at] = json.loads(bytes(entry.right))
    return holder[0]
