"""Python values from JSON text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

_parse: Callable[[str], Any] = json.JSONDecoder().decode

# Some servers of this protocol write a number as an object with this one key.
_WRAPPED_NUMBER = "$sonic_rs::private::JsonNumber"


def decode(text: str | bytes) -> Any:
    """The value that the text stands for. Raises ValueError or RecursionError when it stands for none."""
    if isinstance(text, bytes):
        text = text.decode()
    if _WRAPPED_NUMBER in text:
        return json.loads(text, object_hook=_unwrapped)
    return _parse(text)


def _unwrapped(item: dict[str, Any]) -> Any:
    if len(item) == 1 and isinstance(number := item.get(_WRAPPED_NUMBER), str):
        return _parse(number)
    return item
