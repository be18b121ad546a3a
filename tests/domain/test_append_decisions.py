"""Events, transitions and state saves: repetition first, guards second, gapless cursors."""

from typing import Any

import pytest

from actae.domain.answers import Refused
from actae.domain.chain import link
from actae.domain.channels import Head
from actae.domain.errors import ChannelClosedError, IdempotencyConflictError, VersionConflictError
from actae.domain.event_ids import microseconds
from actae.domain.events import AlreadyAppended, Appended, decide_record, decide_transition
from actae.domain.states import Saved, decide_save_state
from actae.domain.view import View
from tests.support.asks import NOON, record, save_state, transition


def test_cursors_and_event_ids_ascend_without_a_gap() -> None:
    """Over one batch, in the order of the asks."""
    view = View(NOON)
    for _ in range(50):
        decide_record(view, record())
    assert [event.cursor for event in view.changes.events] == list(range(1, 51))
    ids = [event.event_id for event in view.changes.events]
    assert ids == sorted(set(ids))


def test_each_event_is_chained_to_its_predecessor() -> None:
    """Recomputing from the stored fields gives the stored hashes."""
    view = View(NOON, [Head("run-1", revision=4, cursor=7, chain_hash=b"\x07" * 32)])
    for payload in (b"1", b'{"a":2}'):
        decide_record(view, record(payload))
    before = b"\x07" * 32
    for event in view.changes.events:
        fields = event._asdict()
        stored = fields.pop("chain_hash")
        before = link(before, recorded_at_us=microseconds(NOON), **fields)
        assert before == stored
    assert view.head("run-1").chain_hash == before


def test_the_same_operation_id_and_content_is_the_same_event() -> None:
    """Within a batch, and from an earlier one."""
    view = View(NOON)
    first = decide_record(view, record(b'{"a":1,"b":2}', operation_id="op"))
    again = decide_record(view, record(b'{ "b": 2.0, "a": 1 }', operation_id="op"))
    assert isinstance(first, Appended)
    assert again == AlreadyAppended("run-1", first.event.cursor, None)
    assert len(view.changes.events) == 1


def test_the_same_operation_id_with_other_content_is_a_conflict() -> None:
    """Records and transitions share one namespace; state saves have their own."""
    view = View(NOON)
    decide_record(view, record(b"1", operation_id="op"))
    for ask, decide in (
        (record(b"2", operation_id="op"), decide_record),
        (transition(operation_id="op"), decide_transition),
    ):
        answer = decide(view, ask)  # type: ignore[operator]
        assert isinstance(answer, Refused)
        assert isinstance(answer.error, IdempotencyConflictError)
    assert isinstance(decide_save_state(view, save_state(operation_id="op")), Saved)


def test_a_repetition_comes_before_its_own_guard() -> None:
    """A retry repeats a guard that its own first attempt invalidated."""
    view = View(NOON)
    ask = transition(operation_id="op", expected_version=0)
    first = decide_transition(view, ask)
    assert isinstance(first, Appended)
    assert decide_transition(view, ask) == AlreadyAppended("run-1", 1, 1)
    save = save_state(operation_id="op", expected_version=1)
    saved = decide_save_state(view, save)
    assert isinstance(saved, Saved)
    repeated = decide_save_state(view, save)
    assert isinstance(repeated, Saved)
    assert (repeated.version, repeated.replayed) == (saved.version, True)


GUARDS = [
    # latest version and cursor of the channel, expectations, whether they hold
    ((0, None), {"expected_version": 0}, True),
    ((0, None), {"expected_version": 1}, False),
    ((0, None), {"expected_cursor": 0}, True),
    ((0, None), {"expected_cursor": 1}, False),
    ((3, 5), {"expected_version": 3}, True),
    ((3, 5), {"expected_version": 2}, False),
    ((3, 5), {"expected_cursor": 5}, True),
    ((3, 5), {"expected_cursor": 4}, False),
    ((3, 5), {"expected_version": 3, "expected_cursor": 4}, False),
    ((3, 5), {"expected_version": 3, "expected_cursor": 5}, True),
    ((3, 0), {"expected_cursor": 0}, True),
    ((3, 5), {}, True),
]


@pytest.mark.parametrize(("latest", "expected", "holds"), GUARDS)
def test_guards_compare_with_the_latest_snapshot(
    latest: tuple[int, int | None], expected: dict[str, int], holds: bool
) -> None:
    """Both routes alike, and a refusal changes nothing."""
    for ask, decide in (
        (transition(**expected), decide_transition),
        (save_state(**expected), decide_save_state),
    ):
        head = Head(
            "run-1",
            revision=9,
            cursor=7,
            version=8,
            latest_version=latest[0],
            latest_version_cursor=latest[1],
        )
        view = View(NOON, [head])
        answer: Any = decide(view, ask)  # type: ignore[operator]
        assert isinstance(answer, Refused) is not holds
        if not holds:
            assert isinstance(answer.error, VersionConflictError)
            assert answer.error.details == {"current_version": latest[0], "current_cursor": latest[1] or 0}
            assert not view.changes


def test_versions_are_never_given_out_twice() -> None:
    """Also when the newest snapshot was deleted."""
    view = View(NOON, [Head("run-1", revision=9, version=8, latest_version=5, latest_version_cursor=2)])
    saved = decide_save_state(view, save_state())
    assert isinstance(saved, Saved)
    assert saved.version == 9


def test_a_repetition_on_a_closed_channel_still_gets_its_answer() -> None:
    """It was written before the end; new content is refused."""
    view = View(NOON)
    decide_record(view, record(operation_id="op"))
    view.head("run-1").lifecycle = "closed"
    assert isinstance(decide_record(view, record(operation_id="op")), AlreadyAppended)
    for ask, decide in (
        (record(), decide_record),
        (transition(), decide_transition),
        (save_state(), decide_save_state),
    ):
        answer = decide(view, ask)  # type: ignore[operator]
        assert isinstance(answer, Refused)
        assert isinstance(answer.error, ChannelClosedError)


def test_the_most_recent_event_of_a_step_number_wins() -> None:
    """Recording a step again is legal; it belongs to the run that goes on."""
    view = View(NOON)
    decide_record(view, record(step_number=3))
    decide_record(view, record(step_number=3))
    assert [(step.cursor, step.latest_step) for step in view.changes.steps] == [(1, 3), (2, 3)]
    assert view.head("run-1").latest_step == 3
