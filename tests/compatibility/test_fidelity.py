"""What the published client stores comes back equal: every kind of JSON, and every kind of name."""

import json
from typing import Any

import pytest

from tests.compatibility.conftest import Run

VALUES: list[Any] = [
    *(None, True, False, 0, -1, 2**53 + 1, 2**64, -(2**70), 10**400),
    *(0.1, 1.0, -0.0, 1e300, 1e-300, 1e16, -1e-5),
    *("", "a\0b", "é 漢 😀", "half \ud800", "\u2028 \x7f \x01 \t", '<&>"\\/', "1e5", "x" * 10_000),
    *([], {}, [[]], [None, [None]], [1, 1.0, "1", True], list(range(5000))),
    *({"": {}}, {"a": None}, {"b": 1, "a": {"z": [], "y": {}}}, {"a\0": {"\ud800": 1}}, {"k" * 1000: 1}),
    {"deep": json.loads("[" * 200 + "]" * 200)},
]

SUFFIXES = ["-", "_", ".", "..", "...", ":a:b", ".causal-graph", "-replay", "A.b_c-d:9", "x" * 230]

WORDS = ["a b", "a/b", "é漢😀", "a\nb", "'\"\\", "..", "?#&=%20", "  ", "<b>", "tool.started!", "é" * 128]

TEXTS = ["", "\0", "half \ud800", "é漢😀\n\t", "x" * 50_000]


@pytest.fixture(scope="module")
def stored(run: Run) -> dict[str, Any]:
    """Where each value went, by its place in the list, and what came back."""
    stored: dict[str, Any] = run("fidelity", json.dumps(VALUES))
    return stored


@pytest.mark.parametrize("number", range(len(VALUES)))
def test_a_value_comes_back_as_it_was(stored: dict[str, Any], number: int) -> None:
    """In its type, to the last digit and character, with its keys in their order, wherever it was kept."""
    sent = json.dumps(VALUES[number])
    assert {place for place, back in stored[str(number)].items() if json.dumps(back) != sent} == set()


@pytest.fixture(scope="module")
def named(run: Run) -> dict[str, Any]:
    """What came back for each name."""
    named: dict[str, Any] = run("names", json.dumps({"suffixes": SUFFIXES, "words": WORDS, "texts": TEXTS}))
    return named


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_channel_may_have_any_name_of_the_grammar(named: dict[str, Any], suffix: str) -> None:
    """Every route that has it in its path finds it."""
    *names, deleted = [each for each in named["channels"][suffix] if isinstance(each, str)]
    (figures,) = [each for each in named["channels"][suffix] if isinstance(each, dict)]
    assert {*names, deleted} == {named["channel"] + suffix}
    assert figures == {
        "cursor": 1,
        "latest": 1,
        "versions": 1,
        "version": 1,
        "event": True,
        "last_step": 1,
        "executions": [],
    }


@pytest.mark.parametrize("word", WORDS)
def test_other_names_may_be_any_text(named: dict[str, Any], word: str) -> None:
    """Keys, tools, types, actors and operation ids."""
    assert set(named["words"][word]) == {word}


@pytest.mark.parametrize("text", TEXTS)
def test_a_failure_is_told_in_any_characters(named: dict[str, Any], text: str) -> None:
    """It may be all that is left of a real effect."""
    assert named["failures"][text] == [text] * 3
