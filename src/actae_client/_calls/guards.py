"""Calls about guards: freezes, budgets and near-duplicates."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from actae_client._calls.call import Call, identity, in_path, read, write
from actae_client._types.guards import Guard
from actae_client._types.json import Json
from actae_client.retry import Repeat

_ROOT = "/api/v1/guards"


def add_guard(
    kind: str, *, tool_name: str | None, channel_pattern: str | None, guard_id: str | None, **settings: Json
) -> Call[Guard]:
    """Add a guard. Its id is made once per call, so a repetition finds it there."""
    body: dict[str, Json] = {
        "kind": kind,
        "tool_name": tool_name,
        "channel_pattern": channel_pattern,
        "guard_id": identity(guard_id),
        **settings,
    }
    present = {name: value for name, value in body.items() if value is not None}
    return write(_ROOT, Guard.from_dict, present, repeat=Repeat.SAFE)


def list_guards() -> Call[list[Guard]]:
    """List the guards."""
    return read(_ROOT, _guards_of)


def remove_guard(guard_id: str) -> Call[bool]:
    """Remove a guard; False if there is none. Of an attempt without an answer, none is what is left."""
    path = f"{_ROOT}/{in_path('guard_id', guard_id)}"
    return Call("DELETE", path, _true, repeat=Repeat.SAFE, values={404: False}, values_repeated={404: True})


def amount(limit: int | float | Decimal, field: str | None) -> Json:
    """A limit as it is sent: a decimal goes as text, with all its digits.

    Raises ValueError for a fraction where operations are counted.
    """
    if field is None and isinstance(limit, float | Decimal) and math.isfinite(limit) and limit != int(limit):
        raise ValueError(f"limit is {limit}; without a field it counts operations, so it must be whole")
    return format(limit, "f") if isinstance(limit, Decimal) else limit


def _guards_of(reply: Any) -> list[Guard]:
    return [Guard.from_dict(item) for item in reply["guards"]]


def _true(_reply: Any) -> bool:
    return True
