"""Python values from JSON text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

_parse: Callable[[str], Any] = json.JSONDecoder().decode

# Some servers of this protocol write a number as an object with this one key.
_WRAPPED_NUMBER = "$sonic_rs::private::JsonNumber"
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def decode(text: str | bytes) -> Any:
    """The value that the text stands for. Raises ValueError or RecursionError when it stands for none.

    An integer with more digits than Python converts (4300, unless told otherwise) is a Decimal.
    """
    if isinstance(text, bytes):
        text = text.decode()
    if _WRAPPED_NUMBER in text:
        return json.loads(text, object_hook=unwrapped, parse_int=_whole)
    try:
        return _parse(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # A hook for all integers would make every other text slow.
        return json.loads(text, parse_int=_whole)


def unwrapped(item: dict[str, Any]) -> Any:
    """The number, where the object is one that was wrapped; any other object as it is."""
    number = item.get(_WRAPPED_NUMBER) if len(item) == 1 else None
    return decode(number) if isinstance(number, str) and _NUMBER.fullmatch(number) else item


def _whole(literal: str) -> int | Decimal:
    try:
        return int(literal)
    except ValueError:
        return Decimal(literal)
