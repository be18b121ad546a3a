"""What the log says about operations: the order in which an attempt starts, ends and is replayed."""

import pytest

from actae.domain.claims import decide_claim
from actae.domain.executions import ExecutionRow, digest_key
from actae.domain.ledger_invariants import ledger_agrees_with_the_log, ledger_row_is_sound
from actae.domain.lifecycles import Life, LifecycleEvent, next_life, read_lifecycle_event
from actae.domain.settlements import decide_complete, decide_fail
from actae.domain.view import EventRow, View
from tests.support.asks import NOON, claim, complete, fail

KEY = digest_key("charge:1")

Step = tuple[str, int] | tuple[str, int, str]  # of a resolution: what it says


def live(steps: list[Step], *, keys_were_freed: bool = True) -> tuple[Life | None, list[str]]:
    """The life that these events make, and what is wrong with them. Ends depend on the latest start."""
    life: Life | None = None
    wrong: list[str] = []
    for cursor, (name, attempt, *says) in enumerate(steps, 1):
        depends_on = life.started_event_id if life is not None and name != "started" else None
        event = LifecycleEvent(KEY, attempt, f"tool.{name}", cursor, f"event {cursor}", depends_on, *says)
        life, found = next_life(life, event, keys_were_freed=keys_were_freed)
        wrong += found
    return life, wrong


SOUND: dict[str, list[Step]] = {
    "runs": [("started", 1)],
    "is completed": [("started", 1), ("completed", 1)],
    "is completed and replayed": [("started", 1), ("completed", 1), ("replayed", 1)],
    "fails and is taken over": [("started", 1), ("failed", 1), ("started", 2), ("completed", 2)],
    "is resolved as not applied, and once more": [
        *[("started", 1), ("resolved", 1, "not_applied"), ("failed", 1)],
        *[("resolved", 1, "not_applied"), ("failed", 1), ("started", 2)],
    ],
    "is resolved as not applied, and then as applied": [
        *[("started", 1), ("resolved", 1, "not_applied"), ("failed", 1)],
        *[("resolved", 1, "applied"), ("completed", 1)],
    ],
    "lapses and is taken over": [("started", 1), ("started", 2), ("started", 3), ("completed", 3)],
}


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_life_passes(name: str) -> None:
    """Whether or not keys were freed."""
    for keys_were_freed in (True, False):
        _, wrong = live(SOUND[name], keys_were_freed=keys_were_freed)
        assert wrong == []


BROKEN: dict[str, list[Step]] = {
    "begins with its second attempt": [("started", 2)],
    "skips an attempt": [("started", 1), ("started", 3)],
    "is handed out after it was completed": [("started", 1), ("completed", 1), ("started", 2)],
    "ends without a start": [("completed", 1)],
    "is completed twice": [("started", 1), ("completed", 1), ("completed", 1)],
    "fails after it was completed": [("started", 1), ("completed", 1), ("failed", 1)],
    "fails twice": [("started", 1), ("failed", 1), ("failed", 1)],
    "is completed after it was said not to be": [
        *[("started", 1), ("failed", 1), ("resolved", 1, "not_applied"), ("completed", 1)]
    ],
    "fails after it was said to be applied": [
        *[("started", 1), ("failed", 1), ("resolved", 1, "applied"), ("failed", 1)]
    ],
    "is completed by a stale owner": [("started", 1), ("started", 2), ("completed", 1)],
    "is replayed twice": [("started", 1), ("completed", 1), ("replayed", 1), ("replayed", 1)],
    "is replayed while it runs": [("started", 1), ("replayed", 1)],
    "is replayed after it failed": [("started", 1), ("failed", 1), ("replayed", 1)],
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_life_is_named(name: str) -> None:
    """Once, at the event where it broke."""
    _, wrong = live(BROKEN[name])
    assert len(wrong) == 1, wrong


@pytest.mark.parametrize("outcome", ["completed", "failed", None])
def test_a_freed_key_starts_anew(outcome: str | None) -> None:
    """Its deletion leaves no trace; where no key was freed, the same log shows a double execution."""
    first: list[Step] = [("started", 1), *([(outcome, 1)] if outcome else [])]
    assert live([*first, ("started", 1)])[1] == []
    assert live([*first, ("started", 1)], keys_were_freed=False)[1] != []


def test_an_end_depends_on_its_start() -> None:
    """Not on an earlier one, nor on nothing."""
    life = Life(attempt=1, started_cursor=1, started_event_id="start")
    _, wrong = next_life(life, LifecycleEvent(KEY, 1, "tool.completed", 2, "end", "elsewhere"))
    assert len(list(wrong)) == 1


def read(event: EventRow, channel_id: str = "run-1") -> LifecycleEvent | None:
    """The event as a part of an operation's life."""
    return read_lifecycle_event(
        channel_id,
        event_type=event.event_type,
        cursor=event.cursor,
        event_id=event.event_id,
        depends_on=event.depends_on,
        payload=event.payload,
    )


def played(*, fails: bool = False, key_name: str = "charge:1") -> tuple[list[EventRow], ExecutionRow]:
    """An operation that was claimed and ended in the ordinary way: its events and its row."""
    view = View(NOON)
    token = decide_claim(view, claim(key_name)).claim_token  # type: ignore[union-attr]
    if fails:
        decide_fail(view, fail(token, key_name))
    else:
        decide_complete(view, complete(token, key_name))
    row = view.execution("run-1", digest_key(key_name))
    assert row is not None
    return view.changes.events, row


@pytest.mark.parametrize(
    "key_name", ["charge:1", 'quote " backslash \\ end', 'x","attempt":7,"y":"', "\u00e9\u4e16"]
)
def test_the_events_of_the_ledger_are_recognised(key_name: str) -> None:
    """Whatever the key is called."""
    events, row = played(key_name=key_name)
    found = [read(event) for event in events]
    assert [each and (each.event_type, each.attempt, each.key_digest) for each in found] == [
        ("tool.started", 1, row.key_digest),
        ("tool.completed", 1, row.key_digest),
    ]


@pytest.mark.parametrize(
    "payload", [b"1", b"{}", b'{"execution_id":"run-1~x"}', b'"tool.started"', b'{"attempt":1}']
)
def test_what_callers_record_under_the_same_type_is_left_alone(payload: bytes) -> None:
    """Types are free for everybody."""
    events, _ = played()
    assert read(events[0]._replace(payload=payload)) is None
    assert read(events[0]._replace(event_type="note")) is None
    assert read(events[0], channel_id="run-2") is None


@pytest.mark.parametrize("fails", [True, False])
def test_a_row_agrees_with_the_events_that_made_it(fails: bool) -> None:
    """And is sound by itself."""
    events, row = played(fails=fails)
    life: Life | None = None
    for event in events:
        told = read(event)
        assert told is not None
        life, _ = next_life(life, told)
    assert list(ledger_row_is_sound(row)) == []
    assert list(ledger_agrees_with_the_log(row, life)) == []
    assert list(ledger_agrees_with_the_log(row, None)) != []
