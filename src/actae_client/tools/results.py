"""What a tool returned, as JSON.

By the time a result is encoded its effect has happened, so nothing is refused here. What JSON
can hold is kept as it is. The rest becomes:

==========================================  ==================================================
value                                       stored as
==========================================  ==================================================
tuple, deque and other sequences            list
set, frozenset                              list, in the order of the items' JSON text
dataclass, pydantic model                   object of its fields
numpy array or scalar                       what its `tolist()` returns
Enum                                        its value
datetime, date, time                        ISO 8601 text
timedelta                                   seconds
Decimal, Fraction, UUID, path, IP address   text
keys that are int, float, bool or None      JSON's spelling of them: `"1"`, `"true"`, `"null"`
mapping whose keys have no such spelling,   `{"$pairs": [[key, value], …]}`
or two keys with the same one
bytes, bytearray, memoryview                `{"$base64": "…"}`
NaN and the infinities                      `{"$float": "NaN"}`
a number in the wrapping of some servers    the number
anything else, and cycles                   `{"$repr": "…", "$type": "module.Class"}`
==========================================  ==================================================

Nothing turns a `$` form back into an object: a replay returns exactly what is stored.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import math
from collections import deque
from collections.abc import Mapping, Sequence, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from ipaddress import IPv4Address, IPv6Address
from pathlib import PurePath
from typing import Any
from uuid import UUID

from actae_client._calls.decoding import decode, unwrapped
from actae_client._types.json import Json

_DEPTH_MAX = 100  # Deeper structures are described, not walked.
_REPR_CHARACTERS_MAX = 4_000
_PREVIEW_CHARACTERS_MAX = 1_000
_INT_BITS_MAX = 14_000  # Python refuses to read or write more than 4,300 decimal digits.

_SPELLED = (Decimal, Fraction, UUID, PurePath, IPv4Address, IPv6Address)


def as_json(value: object) -> Json:
    """The value as the ledger stores it, and as the first run and each replay return it.

    Shares nothing mutable with `value`. Never raises an Exception.
    """
    try:
        stored = decode(json.dumps(value, allow_nan=False))
        if stored == value:
            return stored
    except Exception:  # noqa: S110 - the walk below says what to do with it
        pass
    try:
        return json.loads(json.dumps(_plain(value, ()), allow_nan=False))
    except Exception:
        return _described(value)


def left_out(stored: Json, reason: str) -> Json:
    """What stands for a result that the server would not take: its digest, its size and its beginning."""
    text = json.dumps(stored)
    return {
        "$omitted": reason,
        "$sha256": hashlib.sha256(text.encode()).hexdigest(),
        "$bytes": len(text),
        "$preview": text[:_PREVIEW_CHARACTERS_MAX],
    }


def _plain(value: object, parents: tuple[int, ...]) -> Json:
    if id(value) in parents or len(parents) > _DEPTH_MAX:
        return _described(value)
    try:
        return _form(value, (*parents, id(value)))
    except Exception:
        return _described(value)


def _form(value: Any, within: tuple[int, ...]) -> Json:
    match value:
        case Enum():
            return _plain(value.value, within)
        case None | bool() | str():
            return value
        case int():
            return value if value.bit_length() < _INT_BITS_MAX else _described(value)
        case float():
            return value if math.isfinite(value) else {"$float": _spelling_of_float(value)}
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case bytes() | bytearray() | memoryview():
            return {"$base64": base64.b64encode(value).decode()}
        case Mapping():
            return _object(value, within)
        case Set():
            return sorted((_plain(item, within) for item in value), key=json.dumps)
        case Sequence() | deque():
            return [_plain(item, within) for item in value]
    if isinstance(value, _SPELLED):
        return str(value)
    return _fields(value, within)


def _fields(value: Any, within: tuple[int, ...]) -> Json:
    kind = type(value)
    if dataclasses.is_dataclass(kind):
        return {field.name: _plain(getattr(value, field.name), within) for field in dataclasses.fields(kind)}
    if hasattr(kind, "model_dump"):
        return _plain(value.model_dump(), within)
    if hasattr(kind, "tolist"):
        return _plain(value.tolist(), within)
    return _described(value)


def _object(value: Mapping[Any, Any], within: tuple[int, ...]) -> Json:
    pairs = [(_spelling_of_key(key), _plain(item, within)) for key, item in value.items()]
    spelled = {key: item for key, item in pairs if key is not None}
    if len(spelled) == len(pairs):
        read = unwrapped(spelled)
        return spelled if read is spelled else _plain(read, within)
    return {"$pairs": [[_plain(key, within), _plain(item, within)] for key, item in value.items()]}


def _spelling_of_key(key: object) -> str | None:
    match key:
        case str() if not isinstance(key, Enum):
            return str(key)
        case None | bool() | int() | float() if not isinstance(key, Enum):
            return json.dumps(key)
    form = _plain(key, ())
    return form if isinstance(form, str) else None


def _spelling_of_float(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _described(value: object) -> Json:
    kind = type(value)
    try:
        text = hex(value) if isinstance(value, int) else repr(value)
    except Exception:
        text = f"<{kind.__qualname__} without a repr>"
    return {"$repr": text[:_REPR_CHARACTERS_MAX], "$type": f"{kind.__module__}.{kind.__qualname__}"}
