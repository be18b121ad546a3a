"""Copies of JSON values, for what is written later than it was given."""

from __future__ import annotations

from numbers import Integral, Real

from actae_client._calls.encoding import encode
from actae_client._types.json import Json


def frozen(name: str, value: Json) -> Json:
    """A copy that shares nothing with the value, so that its owner may go on changing it.

    Tuples become lists, and numbers of other libraries plain ones. Raises TypeError or ValueError,
    which name the path of the first value that is not JSON.
    """
    try:
        copied = {name: _copied(value)}
    except RecursionError:
        copied = {name: value}
    encode(copied)
    return copied[name]


def _copied(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_copied(item) for item in value]
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value
