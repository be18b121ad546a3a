"""Runs: channels as a list shows them, with what they did in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class EffectCounts:
    """A channel's operations by how they stand, each counted once.

    `lapsed` are running past their lease, and the next claimer gets them; `ambiguous` are handed to nobody
    before somebody says what became of them. `more` says that only some were counted.
    """

    running: int
    lapsed: int
    ambiguous: int
    completed: int
    failed: int
    cancelled: int
    more: bool


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """What a channel's newest events say was spent. `partial` where older ones were not looked at."""

    input: float | None
    output: float | None
    cost: float | None
    partial: bool


@dataclass(frozen=True, slots=True)
class LastEvent:
    """The newest event of a channel, without its content."""

    cursor: int
    event_type: str
    actor: str
    recorded_at: str


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One channel as a list shows it.

    `lifecycle` is `open`, `frozen` or `closed`. `forks` is at most 100. `tokens` is None where no event says,
    or where the key may not read the channel. Moments are RFC 3339.
    """

    channel_id: str
    display_name: str | None
    lifecycle: str
    outcome: str | None
    created_at: str
    active_at: str
    cursor: int
    version: int
    latest_step: int
    source_channel_id: str | None
    forks: int
    effects: EffectCounts
    tokens: TokenCounts | None
    last_event: LastEvent | None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RunInfo:
        """Read a run as the server writes it; keys that are not known are ignored."""
        effects, tokens, last = data["effects"], data.get("tokens"), data.get("last_event")
        return cls(
            data["channel_id"],
            data.get("display_name"),
            data["lifecycle"],
            data.get("outcome"),
            data["created_at"],
            data["active_at"],
            data["cursor"],
            data["version"],
            data["latest_step"],
            data.get("source_channel_id"),
            data["forks"],
            EffectCounts(**_those_of(EffectCounts, effects)),
            None if tokens is None else TokenCounts(**_those_of(TokenCounts, tokens)),
            None if last is None else LastEvent(**_those_of(LastEvent, last)),
        )


def _those_of(kind: type[EffectCounts | TokenCounts | LastEvent], data: Mapping[str, Any]) -> dict[str, Any]:
    return {field.name: data[field.name] for field in fields(kind)}
