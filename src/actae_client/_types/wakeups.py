"""Wake-ups: durable timers, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Wakeup:
    """A moment at which the server appends an event to a channel.

    `status` is `pending`, `done`, `failed` or `cancelled`. `attempts` counts the tries to fire it, `error`
    says why the last one failed, and `executed_at` is when its event was appended.
    """

    id: str
    channel_id: str
    run_at: str
    status: str
    payload: dict[str, Any] | None = None
    created_at: str = ""
    executed_at: str | None = None
    attempts: int = 0
    error: str | None = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Wakeup:
        """Read a wake-up as the server writes it; keys that are not known are ignored."""
        return cls(**{name: data[name] for name in _NAMES if name in data})


_NAMES = tuple(field.name for field in fields(Wakeup))
