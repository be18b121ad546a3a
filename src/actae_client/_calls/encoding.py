"""JSON text from Python values, and a refusal that names the place of what is not JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from actae_client._types.json import Json

_to_utf8 = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_to_ascii = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


def encode(body: Mapping[str, Json]) -> bytes:
    """The body as JSON text.

    Integers of any size, NUL and lone surrogates pass. Raises TypeError or ValueError that names
    the path of the first value that is not JSON: NaN and infinities, bytes and other objects,
    keys that are not str, cycles.
    """
    try:
        text = _to_utf8(body)
    except (TypeError, ValueError, RecursionError) as error:
        _explain(body, "", ())
        raise ValueError(f"the arguments cannot be written as JSON: {error}") from error
    if _has_odd_key(body):
        _explain(body, "", ())
    try:
        return text.encode()
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8, only an escape.
        return _to_ascii(body).encode()


def _has_odd_key(body: Json) -> bool:
    """Whether a dict has a key that is not str; the encoder would rewrite it without a word."""
    waiting = [body]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            for key, value in item.items():
                if not isinstance(key, str):
                    return True
                if isinstance(value, dict | list | tuple):
                    waiting.append(value)
        else:
            waiting.extend(value for value in item if isinstance(value, dict | list | tuple))
    return False


def _explain(value: Any, path: str, parents: tuple[int, ...]) -> None:
    """Raise for the first value, depth first, that is not JSON."""
    if value is None or isinstance(value, str | bool | int):
        _refuse_endless_digits(value, path)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{path} is {value}, which JSON cannot hold")
    elif id(value) in parents:
        raise ValueError(f"{path} contains itself")
    elif len(parents) > 300:
        raise ValueError(f"{path[:80]}… is nested too deeply")
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{path or 'the body'} has the key {key!r}; JSON keys are str")
            _explain(item, f"{path}.{key}" if path else key, (*parents, id(value)))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _explain(item, f"{path}[{index}]", (*parents, id(value)))
    else:
        raise TypeError(f"{path} is a {type(value).__name__}, which is not JSON")


def _refuse_endless_digits(value: Any, path: str) -> None:
    if type(value) is int:
        try:
            repr(value)
        except ValueError as error:
            raise ValueError(f"{path} has more digits than Python writes: {error}") from error
