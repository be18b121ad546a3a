"""Canonical JSON: two texts that say the same value become the same bytes.

The rules, in full:

* Object keys are sorted by code point at every depth; of a repeated key the last value counts.
* A number is the exact decimal value of its literal, never a double. `1`, `1.0`, `1e0` and `10e-1` agree,
  `-0.0` is `0`, 2**53 + 1 is not 2**53, and 0.1 is not 0.1000000000000000055. It is written in full, without
  needless zeros, where that takes at most 40 characters besides the sign; beyond, as `<digits>e<exponent>`.
* A string is its sequence of code points. Its escapes do not matter; nothing is folded or normalised.

The output is JSON again, in UTF-8 without white space, and says the value of the input: so different values
never share a form, and the form of a form is itself. A lone surrogate, for which UTF-8 has no bytes, stays an
escape.

Nearly every text takes the fast way: msgspec in, msgspec out. Two things it cannot do, and both are noticed.
Integers it reads and writes in full whatever their size, so a regular expression looks for 41 digits in a row
first; lone surrogates it refuses. Such texts take the standard library's parser, or a writer in Python, or
both: some ten times slower, and just as linear.
"""

import json
import re
from collections.abc import Iterator
from typing import NoReturn, TypeAlias, cast

import msgspec

JsonValue: TypeAlias = "bool | int | str | msgspec.Raw | list[JsonValue] | dict[str, JsonValue] | None"
"""A value as `read` gives it and `write` takes it. A `Raw` is a number, in canonical form already."""

_Pieces: TypeAlias = "Iterator[bytes | JsonValue]"

# An unsigned 128-bit integer has 39 digits. Were it much more, `[1e999,1e999,…]` would grow without bound.
PLAIN_NUMBER_CHARS_MAX = 40

# Python converts up to 640 digits whatever its settings, and no sane exponent comes near.
_EXPONENT_DIGITS_MAX = 640

# The first class stands alone so that the engine can skip from digit to digit.
_LONG_DIGITS = re.compile(rb"[0-9][0-9]{%d}" % PLAIN_NUMBER_CHARS_MAX)


def canonical(raw: bytes) -> bytes:
    """The canonical form of one JSON text.

    Raises ValueError for what is not JSON in UTF-8, and RecursionError past several hundred levels:
    `json_limits.exceeds_depth` is there to refuse those before.
    """
    return write(read(raw))


def read(raw: bytes) -> JsonValue:
    """The value of a JSON text, its numbers exact. Raises as `canonical` does."""
    if _LONG_DIGITS.search(raw) is None:
        try:
            return cast("JsonValue", _decoder.decode(raw))
        except msgspec.DecodeError:
            pass  # A lone surrogate, or not JSON at all; the exact reader knows which.
    return read_exactly(raw)


def write(value: JsonValue) -> bytes:
    """The canonical form of a value that `read` gave, or that is built from parts of one."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return write_exactly(value)


def read_exactly(raw: bytes) -> JsonValue:
    """What `read` promises, without the fast way."""
    return cast("JsonValue", _exact_decoder.decode(raw.decode()))


def write_exactly(value: JsonValue) -> bytes:
    """What `write` promises, without the fast way and without recursion."""
    parts: list[bytes] = []
    pending: list[_Pieces] = [iter((value,))]
    while pending:
        for piece in pending[-1]:
            if isinstance(piece, bytes):
                parts.append(piece)
            elif isinstance(piece, dict):
                pending.append(_pieces_of_object(piece))
                break
            elif isinstance(piece, list):
                pending.append(_pieces_of_array(piece))
                break
            else:
                parts.append(_scalar(piece))
        else:
            pending.pop()
    return b"".join(parts)


def canonical_number(literal: str) -> str:
    """The canonical form of one JSON number, in time linear in its literal, however huge the exponent."""
    sign = "-" if literal.startswith("-") else ""
    mantissa, _, exponent = literal.lower().lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    significant = digits.rstrip("0")
    if not significant:
        return "0"
    exponent = _without_needless_zeros(exponent)
    if len(exponent) > _EXPONENT_DIGITS_MAX:
        # Too long to calculate with, so the literal stands for itself. Another spelling of the value may then
        # disagree; another value still never agrees.
        return f"{sign}{mantissa}e{exponent}"
    power = int(exponent) - len(fraction) + len(digits) - len(significant)
    return sign + (_in_full(significant, power) or f"{significant}e{power}")


def _in_full(significant: str, power: int) -> str | None:
    """`significant` times ten to the `power`, or None where that takes too many characters."""
    whole_count = len(significant) + power  # Digits before the point; negative for zeros after it.
    length = whole_count if power >= 0 else len(significant) + 1 + max(0, 1 - whole_count)
    if length > PLAIN_NUMBER_CHARS_MAX:
        return None
    if power >= 0:
        return significant + "0" * power
    if whole_count > 0:
        return f"{significant[:whole_count]}.{significant[whole_count:]}"
    return "0." + "0" * -whole_count + significant


def _without_needless_zeros(exponent: str) -> str:
    sign = "-" if exponent.startswith("-") else ""
    digits = exponent.lstrip("+-").lstrip("0")
    return sign + digits if digits else "0"


def _number_with_point_or_exponent(literal: str) -> msgspec.Raw:
    in_full = "e" not in literal and "E" not in literal
    if in_full and literal[-1] != "0" and len(literal) <= PLAIN_NUMBER_CHARS_MAX:
        return msgspec.Raw(literal)  # As most come: canonical already.
    return msgspec.Raw(canonical_number(literal))


def _integer(literal: str) -> int | msgspec.Raw:
    if len(literal) <= PLAIN_NUMBER_CHARS_MAX:
        return int(literal)
    return msgspec.Raw(canonical_number(literal))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON.")


def _pieces_of_object(members: dict[str, JsonValue]) -> _Pieces:
    separator = b"{"
    for key in sorted(members):
        yield separator + _scalar(key) + b":"
        yield members[key]
        separator = b","
    yield b"}" if members else b"{}"


def _pieces_of_array(items: list[JsonValue]) -> _Pieces:
    separator = b"["
    for item in items:
        yield separator
        yield item
        separator = b","
    yield b"]" if items else b"[]"


def _scalar(value: bool | int | str | msgspec.Raw | None) -> bytes:
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        # Only a lone surrogate is beyond UTF-8, and Python's replacement for it is JSON's own escape.
        return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace")


_decoder = msgspec.json.Decoder(float_hook=_number_with_point_or_exponent)
_encoder = msgspec.json.Encoder(order="sorted")
_exact_decoder = json.JSONDecoder(
    parse_float=_number_with_point_or_exponent, parse_int=_integer, parse_constant=_refuse_constant
)
