"""What the log of a channel says about its operations: attempts, outcomes and replays, in order."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

# The beginning of every payload that `lifecycle_payload` writes. Callers may record events of any type, so
# the type alone says little.
_PAYLOAD: Final = re.compile(
    rb'\{"execution_id":"([^"]+)~([0-9a-f]{32})","key_name":"(?:[^"\\]|\\.)*","tool_name":"(?:[^"\\]|\\.)*",'
    rb'"attempt":(\d+)(?:,"outcome":"(applied|not_applied)")?[,}]'
)


class LifecycleEvent(NamedTuple):
    """One event of an operation's life, as the log has it."""

    key_digest: str
    attempt: int
    event_type: str
    cursor: int
    event_id: str
    depends_on: str | None
    says: str | None = None  # of a resolution: `applied` or `not_applied`


class Life(NamedTuple):
    """Where an operation stands after the events so far: its latest attempt, and how that ended."""

    attempt: int
    started_cursor: int
    started_event_id: str
    outcome: str | None = None  # `completed` or `failed`
    outcome_cursor: int | None = None
    outcome_event_id: str | None = None
    is_replay_told: bool = False
    said: str | None = None  # by a resolution: what had failed may be completed, or fail anew


def read_lifecycle_event(
    channel_id: str, *, event_type: str, cursor: int, event_id: str, depends_on: str | None, payload: bytes
) -> LifecycleEvent | None:
    """The event as part of an operation's life; None for any other event."""
    if event_type not in _TYPES:
        return None
    found = _PAYLOAD.match(payload)
    if found is None or found[1].decode() != channel_id:
        return None
    return LifecycleEvent(
        found[2].decode(),
        int(found[3]),
        event_type,
        cursor,
        event_id,
        depends_on,
        found[4].decode() if found[4] else None,
    )


def next_life(
    life: Life | None, event: LifecycleEvent, *, keys_were_freed: bool = True
) -> tuple[Life | None, Iterator[str]]:
    """The life after one more event, and what is wrong with that event.

    A freed key leaves no trace in the log: its next operation starts at attempt 1 again. Where it is known
    that no key was freed, a second start at attempt 1 is a double execution.
    """
    if event.event_type == "tool.started":
        started = Life(event.attempt, event.cursor, event.event_id)
        return started, _wrong_start(None if keys_were_freed and event.attempt == 1 else life, event)
    if life is None:
        return None, iter(
            [f"{event.event_type} at cursor {event.cursor} belongs to an operation that never started"]
        )
    if event.event_type == "tool.resolved":
        return life._replace(said=event.says), _wrong_resolution(life, event)
    if event.event_type == "tool.replayed":
        return life._replace(is_replay_told=True), _wrong_replay(life, event)
    outcome = event.event_type.removeprefix("tool.")
    ended = life._replace(
        said=None, outcome=outcome, outcome_cursor=event.cursor, outcome_event_id=event.event_id
    )
    return ended, _wrong_end(life, event)


def _wrong_start(life: Life | None, event: LifecycleEvent) -> Iterator[str]:
    if life is not None and life.outcome == "completed":
        yield f"completed at cursor {life.outcome_cursor}, it was handed out again at cursor {event.cursor}"
    expected = 1 if life is None else life.attempt + 1
    if event.attempt != expected:
        yield f"its attempt at cursor {event.cursor} is number {event.attempt}, and should be {expected}"


def _wrong_end(life: Life, event: LifecycleEvent) -> Iterator[str]:
    if event.attempt != life.attempt:
        yield f"attempt {event.attempt} ends at cursor {event.cursor}, but attempt {life.attempt} had begun"
    if life.outcome is not None and life.said != _SAID_BY.get(event.event_type):
        yield f"attempt {life.attempt} ends twice, at cursors {life.outcome_cursor} and {event.cursor}"
    if event.depends_on != life.started_event_id:
        yield f"its end at cursor {event.cursor} does not depend on its start"


def _wrong_resolution(life: Life, event: LifecycleEvent) -> Iterator[str]:
    if life.outcome == "completed":
        yield f"completed at cursor {life.outcome_cursor}, it was resolved at cursor {event.cursor}"


def _wrong_replay(life: Life, event: LifecycleEvent) -> Iterator[str]:
    if life.outcome != "completed":
        yield f"it is replayed at cursor {event.cursor} without being completed"
    if life.is_replay_told:
        yield f"it is told to be replayed for the second time at cursor {event.cursor}"


_TYPES: Final = frozenset({"tool.started", "tool.completed", "tool.failed", "tool.replayed", "tool.resolved"})
_SAID_BY: Final = {"tool.completed": "applied", "tool.failed": "not_applied"}
