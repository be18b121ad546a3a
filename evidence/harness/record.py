"""What a run has recorded, read back from the server: reports are made of this and of nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from actae_client import Event, SyncActaeClient
from evidence.models.model import Usage

_PAGE = 100


@dataclass(frozen=True, kw_only=True)
class RecordedStep:
    """One step of a run, as its event says."""

    number: int
    name: str
    cursor: int
    ask: str
    text: str
    effects: tuple[dict[str, Any], ...]
    usage: Usage
    finish_reason: str | None
    returned_usage: dict[str, Any]


def read_steps(client: SyncActaeClient, channel_id: str) -> tuple[RecordedStep, ...]:
    """The steps that a channel has recorded itself; those that a fork inherits are its parent's."""
    steps = tuple(_step(event) for event in _events(client, channel_id) if _is_step(event))
    numbers = [step.number for step in steps]
    assert len(numbers) == len(set(numbers)), f"{channel_id} has recorded a step twice: {numbers}"
    return steps


def fates(steps: tuple[RecordedStep, ...], fate: str) -> list[str]:
    """The keys of the effects that had this fate, in order."""
    return [effect["key"] for step in steps for effect in step.effects if effect["fate"] == fate]


def _events(client: SyncActaeClient, channel_id: str) -> Iterator[Event]:
    cursor = 0
    while page := client.replay(channel_id, cursor=cursor, limit=_PAGE):
        yield from page
        cursor = page[-1].cursor


def _is_step(event: Event) -> bool:
    return isinstance(event.payload, dict) and "step_number" in event.payload


def _step(event: Event) -> RecordedStep:
    payload: Any = event.payload
    metadata: Any = event.metadata
    usage = metadata["usage"]
    return RecordedStep(
        number=payload["step_number"],
        name=event.event_type,
        cursor=event.cursor,
        ask=payload["input"]["ask"],
        text=payload["output"]["text"],
        effects=tuple(payload["output"]["effects"]),
        usage=Usage(input_tokens=usage["input_tokens"], output_tokens=usage["output_tokens"]),
        finish_reason=metadata["finish_reason"],
        returned_usage=usage["returned"],
    )
