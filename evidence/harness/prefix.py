"""Whether a fork has inherited exactly what its parent had: compared byte by byte, as the server sends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import msgspec
from msgspec import Raw

from evidence.failures import EvidenceError
from evidence.harness.bench import Bench
from evidence.harness.record import RecordedStep

_LOG_PAGE = 1_000
_FIRST_VERSION = 1  # a fork's copy of its parent's state


class _State(msgspec.Struct):
    state: Raw


class _Log(msgspec.Struct):
    events: list[Raw]


@dataclass(frozen=True, kw_only=True)
class Boundary:
    """What a run was up to the step at which it is forked, taken before the fork."""

    channel_id: str
    cursor: int
    state: bytes
    events: tuple[bytes, ...]
    effects: dict[str, Any]
    """The result of each effect by then, by key."""


@dataclass(frozen=True, kw_only=True)
class Prefix:
    """What the comparison found."""

    state_bytes: int
    state_is_identical: bool
    """The fork's first state is its parent's at the boundary."""
    parent_events: int
    parent_is_untouched: bool
    """The parent's events up to the boundary are, after the fork has run, what they were before."""
    effects_replayed: int
    effects_are_identical: bool
    """Each effect that the fork asked for again had the result that its parent had."""

    @property
    def is_identical(self) -> bool:
        return self.state_is_identical and self.parent_is_untouched and self.effects_are_identical

    def to_json(self) -> dict[str, Any]:
        """For the report."""
        return {**asdict(self), "is_identical": self.is_identical}


def take_boundary(bench: Bench, channel_id: str, steps: Sequence[RecordedStep], fork_at: int) -> Boundary:
    """Remember everything that a fork after the step `fork_at` will inherit."""
    cursor = next(step.cursor for step in steps if step.number == fork_at)
    done = {
        effect["key"]: effect["result"] for step in steps if step.number <= fork_at for effect in step.effects
    }
    return Boundary(
        channel_id=channel_id,
        cursor=cursor,
        state=_read_state(bench, channel_id, _version_at(bench, channel_id, cursor)),
        events=_read_events(bench, channel_id, cursor),
        effects=done,
    )


def check_prefix(bench: Bench, boundary: Boundary, fork: str, steps: Sequence[RecordedStep]) -> Prefix:
    """Compare a fork that has run, and its parent as it is now, with what the parent was."""
    replayed = [effect for step in steps for effect in step.effects if effect["fate"] == "replayed"]
    return Prefix(
        state_bytes=len(boundary.state),
        state_is_identical=_read_state(bench, fork, _FIRST_VERSION) == boundary.state,
        parent_events=len(boundary.events),
        parent_is_untouched=_read_events(bench, boundary.channel_id, boundary.cursor) == boundary.events,
        effects_replayed=len(replayed),
        effects_are_identical=all(
            boundary.effects.get(effect["key"]) == effect["result"] for effect in replayed
        ),
    )


def _version_at(bench: Bench, channel_id: str, cursor: int) -> int:
    versions = [at["version"] for at in bench.client.list_states(channel_id) if at["cursor"] == cursor]
    if not versions:
        raise EvidenceError(f"{channel_id} has no snapshot at cursor {cursor}, so no fork could start there.")
    return max(versions)


def _read_state(bench: Bench, channel_id: str, version: int) -> bytes:
    reply = bench.read_bytes(f"/state/{channel_id}/version/{version}")
    return bytes(msgspec.json.decode(reply, type=_State).state)


def _read_events(bench: Bench, channel_id: str, up_to: int) -> tuple[bytes, ...]:
    assert up_to <= _LOG_PAGE, f"{channel_id} is longer than one page"
    reply = bench.read_bytes(f"/events/replay/{channel_id}?limit={up_to}")
    return tuple(bytes(event) for event in msgspec.json.decode(reply, type=_Log).events)
