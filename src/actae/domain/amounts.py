"""Amounts: decimals of a bounded size, so that they add up without ever being rounded."""

import re
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Final

from msgspec import Raw

from actae.domain.literal_json import members_of

DIGITS_MAX: Final = 30  # before the point, and after it
WHAT_IS_AN_AMOUNT: Final = (
    f"a number of 0 or more with at most {DIGITS_MAX} digits on either side of the point"
)

_NUMBER: Final = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,9})?")
_SHOWN_CHARS_MAX: Final = 60
_EXACT: Final = Context(prec=4 * DIGITS_MAX, traps=[Inexact, InvalidOperation])
ZERO: Final = Decimal(0)


def read_amount(text: bytes) -> Decimal | None:
    """What a JSON number says; None where it is none, or negative, or of too many digits."""
    if len(text) > 3 * DIGITS_MAX or _NUMBER.fullmatch(text) is None:
        return None
    amount = Decimal(text.decode())
    if not amount:
        return ZERO
    _, _, exponent = amount.as_tuple()
    assert isinstance(exponent, int), "the pattern takes no infinities"
    if amount < 0 or amount.adjusted() >= DIGITS_MAX or exponent < -DIGITS_MAX:
        return None
    return amount


def amount_in(params: bytes, field: str) -> Decimal | None:
    """The amount in a top-level field of params; None where there is none."""
    value = members_of(params).get(field)
    return None if value is None else read_amount(bytes(value))


def abridged(text: bytes) -> str:
    """The text of a value that is no amount, for a sentence that says so."""
    shown = text.decode()
    return shown if len(shown) <= _SHOWN_CHARS_MAX else f"{shown[:_SHOWN_CHARS_MAX]}…"


def add(left: Decimal, right: Decimal) -> Decimal:
    """The exact sum."""
    return _EXACT.add(left, right)


def write_amount(amount: Decimal) -> Raw:
    """The amount as a JSON number, with all its digits."""
    return Raw(format(amount, "f").encode())
