"""JSON text as Go's encoder writes it, so that both languages derive the same ids."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from numbers import Integral, Real

from actae_client._types.json import Json

_to_text = json.JSONEncoder(ensure_ascii=False).encode

# What Go escapes beyond JSON, and what it writes for text that has no UTF-8.
_ESCAPED = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def canonical_json(value: Json) -> str:
    """Compact JSON with keys sorted at every depth and numbers in their shortest form.

    Raises ValueError for NaN and infinities, TypeError for what is not JSON.
    """
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Integral):
        return int.__repr__(int(value))
    if isinstance(value, Real):
        return _number(float(value))
    if isinstance(value, dict):
        return _object(value)
    if isinstance(value, list | tuple):
        return f"[{','.join(canonical_json(item) for item in value)}]"
    raise TypeError(f"{type(value).__name__} is not JSON")


def _object(value: dict[str, Json]) -> str:
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"the key {key!r} is not a str")
    return f"{{{','.join(f'{_string(key)}:{canonical_json(value[key])}' for key in sorted(value))}}}"


def _string(value: str) -> str:
    return _ESCAPED.sub(_escape, _to_text(value))


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return "\\ufffd" if "\ud800" <= character <= "\udfff" else f"\\u{ord(character):04x}"


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(f"{value} is not JSON")
    if value == 0:
        return "0"
    shortest = Decimal(repr(value))
    if 1e-6 <= abs(value) < 1e21:
        text = f"{shortest:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    sign, digits, _ = shortest.normalize().as_tuple()
    rest = "".join(map(str, digits[1:]))
    mantissa = f"{digits[0]}.{rest}" if rest else str(digits[0])
    return f"{'-' if sign else ''}{mantissa}e{shortest.adjusted():+d}"
