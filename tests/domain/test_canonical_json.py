"""Canonical JSON: one form for each value, and the fast way gives what the exact way gives."""

import json
import sys
from collections.abc import Iterator
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from actae.domain.canonical_json import canonical, canonical_number, read_exactly, write_exactly

MEBIBYTE = 1 << 20

FORMS = [
    ("keys are sorted", b'{"b":1,"a":2}', b'{"a":2,"b":1}'),
    ("at every depth", b'[{"b":{"d":1,"c":2},"a":3}]', b'[{"a":3,"b":{"c":2,"d":1}}]'),
    ("by code point, not by UTF-16", '{"𐀀":1,"\uffff":2}'.encode(), '{"\uffff":2,"𐀀":1}'.encode()),
    ("a short key before a longer one", b'{"aa":1,"a":2,"":3}', b'{"":3,"a":2,"aa":1}'),
    ("the last of equal keys wins", b'{"a":1,"\\u0061":2}', b'{"a":2}'),
    ("white space goes", b' { "a" : [ 1 ,\t2 ] }\r\n', b'{"a":[1,2]}'),
    ("empty containers stay", b"[{},[]]", b"[{},[]]"),
    ("words stay", b"[null,true,false]", b"[null,true,false]"),
    ("escapes of what needs none go", b'"\\u0041\\/\\u00e9"', '"A/é"'.encode()),
    ("control characters are escaped in one way", b'"\\u000A\\u0000\\u001F"', b'"\\n\\u0000\\u001f"'),
    ("quotes and backslashes", b'"\\u0022\\u005c"', b'"\\"\\\\"'),
    ("a pair of escapes is one character", b'"\\uD83D\\uDE00"', '"😀"'.encode()),
    ("a lone surrogate stays an escape", b'"\\uD800"', b'"\\ud800"'),
    (
        "in keys too, in their order",
        b'{"\\ue000":1,"\\udc00":2,"z":3}',
        b'{"z":3,"\\udc00":2,"\xee\x80\x80":1}',
    ),
    (
        "beside numbers and nesting",
        b'[{"a":[1.50,{}],"b":null},"\\udfff"]',
        b'[{"a":[1.5,{}],"b":null},"\\udfff"]',
    ),
    ("a reversed pair is two characters", b'"\\ude00\\ud83d"', b'"\\ude00\\ud83d"'),
]

NUMBERS = [
    ("0", "0"), ("-0", "0"), ("0.0", "0"), ("-0.0", "0"), ("0e5", "0"), ("0.000e-7", "0"),
    ("1", "1"), ("1.0", "1"), ("1e0", "1"), ("10e-1", "1"), ("0.1e1", "1"), ("1E+00", "1"),
    ("-12.50", "-12.5"), ("1200", "1200"), ("1.2e3", "1200"), ("12e-5", "0.00012"), ("1e-07", "0.0000001"),
    ("9007199254740993", "9007199254740993"), ("9007199254740993.0", "9007199254740993"),
    ("18446744073709551616", "18446744073709551616"), ("-9223372036854775809", "-9223372036854775809"),
    ("0.1", "0.1"), ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
    ("1e39", "1" + "0" * 39), ("1" + "0" * 39, "1" + "0" * 39),
    ("1e40", "1e40"), ("1" + "0" * 40, "1e40"), ("-1" + "0" * 40, "-1e40"), ("12" + "0" * 40, "12e40"),
    ("1" * 41, "1" * 41 + "e0"), ("1" * 41 + ".0", "1" * 41 + "e0"), ("0." + "3" * 39, "3" * 39 + "e-39"),
    ("0." + "3" * 38, "0." + "3" * 38), ("1." + "0" * 50 + "1", "1" + "0" * 50 + "1e-51"),
    ("1e400", "1e400"), ("10e399", "1e400"), ("-1.5e-400", "-15e-401"), ("5e-324", "5e-324"),
    ("1e1000000000", "1e1000000000"), ("100e999999998", "1e1000000000"), ("1e-00", "1"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "form"), [row[1:] for row in FORMS], ids=[row[0] for row in FORMS])
def test_a_text_takes_its_canonical_form(raw: bytes, form: bytes) -> None:
    """Each rule in one example; the form is its own form."""
    assert canonical(raw) == form
    assert canonical(form) == form


@pytest.mark.parametrize(("literal", "form"), NUMBERS)
def test_a_number_counts_by_its_exact_decimal_value(literal: str, form: str) -> None:
    """However it is spelled, and alike in both ways of reading."""
    assert canonical(literal.encode()) == form.encode()
    assert write_exactly(read_exactly(literal.encode())) == form.encode()
    assert canonical_number(form) == form


def test_an_exponent_too_long_to_calculate_with_keeps_its_literal() -> None:
    """Nothing is lost or confused, and signs and leading zeros still do not matter."""
    vast = "9" * 5_000
    assert canonical_number(f"2E+00{vast}") == f"2e{vast}"
    assert canonical_number(f"-2e-{vast}") == f"-2e-{vast}"
    assert canonical_number(f"0e{vast}") == "0"
    assert canonical_number("3e" + "0" * 5_000 + "1") == "30"


@pytest.fixture(params=[640, 4_300, 0])
def digits_python_converts(request: pytest.FixtureRequest) -> Iterator[None]:
    """Python's limit for integers as text, which an administrator may set."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(request.param)
    yield
    sys.set_int_max_str_digits(before)


@pytest.mark.usefixtures("digits_python_converts")
def test_a_big_integer_has_one_form_whatever_python_is_told() -> None:
    """Fingerprints outlive a change of the interpreter's settings."""
    assert canonical(b"[" + b"7" * 5_000 + b"]") == b"[" + b"7" * 5_000 + b"e0]"
    assert canonical(b"[" + b"7" * 1_000 + b"]") == b"[" + b"7" * 1_000 + b"e0]"


NOT_JSON = [
    b"", b"{", b"[1,]", b"01", b"NaN", b"-Infinity", b'["\\ud800",NaN]', b'"\\x"', b'"\xff"',
    b'"\xed\xa0\x80"', b"1" * 41 + b"x", b"\xef\xbb\xbf1",
]  # fmt: skip


@pytest.mark.parametrize("raw", NOT_JSON)
def test_what_is_not_json_is_refused(raw: bytes) -> None:
    """Bad syntax, bad UTF-8 and the words that JSON lacks, on the fast way and on the exact one."""
    with pytest.raises(ValueError):
        canonical(raw)


@pytest.mark.parametrize(
    "raw",
    [b"9" * (16 * MEBIBYTE), b"1e" + b"9" * (16 * MEBIBYTE), b'"' + b"\\u00e9" * (2 * MEBIBYTE) + b'"'],
    ids=["digits", "exponent", "escapes"],
)
def test_sixteen_mebibytes_have_a_form(raw: bytes) -> None:
    """Whatever is quadratic in the text never ends here."""
    form = canonical(raw)
    assert len(form) <= len(raw) + 2


def test_the_exact_writer_does_not_recurse() -> None:
    """Its depth is that of a list, not that of the stack."""
    value: Any = "\ud800"
    for _ in range(20_000):
        value = [value]
    assert write_exactly(value) == b"[" * 20_000 + b'"\\ud800"' + b"]" * 20_000


def _joined(text: str) -> str:
    """The text with neighbouring halves of a pair made one character, as any JSON reader makes them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


TEXTS = st.text(
    st.characters(exclude_categories=()) | st.sampled_from('\0\n"\\/é\ud83d\ude00\ue000😀'), max_size=8
)
DECIMALS = st.builds(
    lambda sign, digits, power: Decimal(f"{sign}{digits}e{power}"),
    st.sampled_from(["", "-"]),
    st.integers(0, 10**50) | st.integers(0, 99),
    st.integers(-60, 60) | st.integers(-400, 400) | st.just(0),
)
VALUES = st.recursive(
    st.none() | st.booleans() | DECIMALS | TEXTS.map(_joined),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS.map(_joined), inner, max_size=4),
    max_leaves=12,
)
SEEDS = st.integers(0, 2**32).map(Random)


@given(VALUES, SEEDS, SEEDS)
def test_two_spellings_of_a_value_agree(value: Any, some: Random, other: Random) -> None:
    """Key order, white space, escapes and the spelling of numbers do not matter."""
    assert canonical(_spelled(value, some)) == canonical(_spelled(value, other))


@given(VALUES, SEEDS)
@example([Decimal(0), "\ud800"], Random(1))
@example({"\ud800": Decimal(10) ** 50}, Random(2))
def test_the_form_says_the_value_so_different_values_differ(value: Any, seed: Random) -> None:
    """Read by the standard library with exact decimals, the form is what was sent, and it is its own form."""
    form = canonical(_spelled(value, seed))
    said = json.loads(form.decode(), parse_int=Decimal, parse_float=Decimal)
    assert _tagged(said) == _tagged(value)
    assert canonical(form) == form


@given(VALUES, SEEDS)
def test_the_fast_way_gives_what_the_exact_way_gives(value: Any, seed: Random) -> None:
    """Which way a text takes is nobody's business."""
    raw = _spelled(value, seed)
    assert canonical(raw) == write_exactly(read_exactly(raw))


def _tagged(value: Any) -> Any:
    """The value with its type at every depth, since Python holds True and 1 for equal."""
    if isinstance(value, dict):
        return {key: _tagged(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_tagged(item) for item in value]
    return type(value), value


def _spelled(value: Any, random: Random) -> bytes:
    """One of the many JSON texts of a value."""
    return _spell(value, random).encode()


def _spell(value: Any, random: Random) -> str:
    match value:
        case dict():
            members = [
                f"{_spell_text(k, random)}{_space(random)}:{_spell(v, random)}" for k, v in value.items()
            ]
            random.shuffle(members)
            text = "{" + ",".join(members) + "}"
        case list():
            text = "[" + ",".join(_spell(item, random) for item in value) + "]"
        case Decimal():
            text = _spell_number(value, random)
        case str():
            text = _spell_text(value, random)
        case _:
            text = json.dumps(value)
    return _space(random) + text + _space(random)


def _space(random: Random) -> str:
    return random.choice(["", "", " ", "\n\t", "\r\n"])


def _spell_text(text: str, random: Random) -> str:
    return '"' + "".join(random.choice(_spellings_of(character)) for character in text) + '"'


def _spellings_of(character: str) -> list[str]:
    units = character.encode("utf-16-be", "surrogatepass")
    escape = "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    upper = escape.upper().replace("\\U", "\\u")
    short = {
        '"': '\\"',
        "\\": "\\\\",
        "/": "\\/",
        "\n": "\\n",
        "\t": "\\t",
        "\b": "\\b",
        "\f": "\\f",
        "\r": "\\r",
    }
    must_escape = character < " " or character in '"\\' or "\ud800" <= character <= "\udfff"
    spellings = [escape, upper] if must_escape else [character, character, escape, upper]
    return [*spellings, short[character]] if character in short else spellings


def _spell_number(number: Decimal, random: Random) -> str:
    sign, digit_tuple, power = number.as_tuple()
    assert isinstance(power, int), "the strategy makes finite numbers"
    zeros = random.choice([0, 0, 1, 5, max(0, power) % 100])
    digits = "".join(map(str, digit_tuple)) + "0" * zeros
    point = random.choice([len(digits), random.randint(0, len(digits))])
    whole, fraction = digits[:point] or "0", digits[point:]
    whole = whole if whole.strip("0") else "0"
    exponent = power - zeros + len(fraction)
    text = "-" * sign + whole + ("." + fraction if fraction else "")
    if exponent == 0 and random.random() < 0.8:
        return text
    return f"{text}{random.choice('eE')}{exponent:{random.choice(['', '+', '+03'])}}"
