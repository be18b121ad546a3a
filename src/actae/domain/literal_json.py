"""JSON values whose numbers keep their spelling.

Canonical JSON writes a number by its value, which is what a digest needs: a long integer may become
`<digits>e<exponent>`. What is shown to people stays as it was sent, for their readers take that for a double.
"""

import json
import re
from typing import Final, NoReturn, TypeAlias, cast

import msgspec
from msgspec import Raw

from actae.domain.canonical_json import PLAIN_NUMBER_CHARS_MAX, JsonValue, canonical_number, write_exactly

LiteralValue: TypeAlias = JsonValue
"""As `JsonValue`, but a `Raw` is a number as it was spelt."""

# Python refuses to convert very long integers; they are kept as they are, like fractions.
_LONG_DIGITS: Final = re.compile(rb"[0-9][0-9]{%d}" % PLAIN_NUMBER_CHARS_MAX)


def read_literally(text: bytes) -> LiteralValue:
    """The value of a JSON text. Raises ValueError and RecursionError as `canonical` does."""
    if _LONG_DIGITS.search(text) is None:
        try:
            return cast("LiteralValue", _decoder.decode(text))
        except msgspec.DecodeError:
            pass  # Half a surrogate pair, or not JSON; the reader in Python knows which.
    return cast("LiteralValue", _patient_decoder.decode(text.decode()))


def write_literally(value: LiteralValue) -> bytes:
    """A value that `read_literally` gave, or part of one, as JSON; keys in the order in which they came."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return write_exactly(value)


def members_of(payload: bytes | Raw | None) -> dict[str, Raw]:
    """The members of a payload as they were sent; none if it is no object."""
    if payload is None:
        return {}
    try:
        return msgspec.json.decode(payload, type=dict[str, Raw])
    except msgspec.ValidationError:
        return {}
    except msgspec.DecodeError:  # half of a surrogate pair is in it somewhere
        value = read_literally(bytes(payload))
        members = value.items() if isinstance(value, dict) else ()
        return {name: Raw(write_literally(member)) for name, member in members}


def are_equal_numbers(left: int | Raw, right: int | Raw) -> bool:
    """By value, however they are spelt."""
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    return left == right or _canonical(left) == _canonical(right)


def _canonical(number: int | Raw) -> str:
    return canonical_number(str(number) if isinstance(number, int) else bytes(number).decode())


def _whole(literal: str) -> int | Raw:
    return int(literal) if len(literal) <= PLAIN_NUMBER_CHARS_MAX else Raw(literal)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON.")


_decoder = msgspec.json.Decoder(float_hook=Raw)
_encoder = msgspec.json.Encoder()
_patient_decoder = json.JSONDecoder(parse_float=Raw, parse_int=_whole, parse_constant=_refuse_constant)
