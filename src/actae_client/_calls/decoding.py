"""Python values from JSON text."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

_parse: Callable[[str], Any] = json.JSONDecoder().decode

# Some servers of this protocol write a number as an object with this one key.
_WRAPPED_NUMBER = "$sonic_rs::private::JsonNumber"


def decode(text: str | bytes) -> Any:
    """The value that the text stands for. Raises ValueError or RecursionError when it stands for none.

    An integer with more digits than Python converts (4300, unless told otherwise) is a Decimal.
    """
    if isinstance(text, bytes):
        text = text.decode()
    if _WRAPPED_NUMBER in text:
        return json.loads(text, object_hook=_unwrapped, parse_int=_whole)
    try:
        return _parse(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # A hook for all integers would make every other text slow.
        return json.loads(text, parse_int=_whole)


def _unwrapped(item: dict[str, Any]) -> Any:
    if len(item) == 1 and isinstance(number := item.get(_WRAPPED_NUMBER), str):
        return decode(number)
    return item


def _whole(literal: str) -> int | Decimal:
    try:
        return int(literal)
    except ValueError:
        return Decimal(literal)
