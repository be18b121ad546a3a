"""What must hold of a channel: each invariant lets the sound pass and names what is broken."""

from collections.abc import Iterator
from typing import Any

import pytest

from actae.domain import invariants
from actae.domain.chain import link
from actae.domain.channels import Head
from actae.domain.event_ids import microseconds
from actae.domain.invariants import LoggedEvent, OperationPlace, SnapshotPlace, StepPlace
from tests.support.asks import NOON

HEAD = Head("run-1", cursor=3, version=2, latest_version=2, latest_version_cursor=3, latest_step=2)


def log(length: int) -> list[LoggedEvent]:
    """A sound log."""
    events: list[LoggedEvent] = []
    before = None
    for cursor in range(1, length + 1):
        content: dict[str, Any] = {
            "channel_id": "run-1",
            "cursor": cursor,
            "event_id": f"00000000-0000-7000-8000-{cursor:012}",
            "event_type": "note",
            "actor": "me",
            "agent_id": None,
            "user_id": None,
            "payload": b"1",
            "metadata": None,
            "depends_on": None,
            "dependencies": None,
        }
        before = link(before, **content, recorded_at_us=microseconds(NOON))
        events.append(LoggedEvent(**content, chain_hash=before, recorded_at=NOON))
    return events


def broken(found: Iterator[str]) -> int:
    """How many things were said to be broken."""
    return len(list(found))


def test_cursors_ascend_by_one_from_where_the_last_page_ended() -> None:
    """A gap, a double and a wrong beginning are seen; a page that goes on is fine."""
    events = log(6)
    assert broken(invariants.cursors_have_no_gap(0, events[:3])) == 0
    assert broken(invariants.cursors_have_no_gap(3, events[3:])) == 0
    assert broken(invariants.cursors_have_no_gap(0, events[:2] + events[3:])) == 1
    assert broken(invariants.cursors_have_no_gap(0, [events[0], events[0], events[1]])) == 1
    assert broken(invariants.cursors_have_no_gap(0, events[1:])) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"payload": b"2"},
        {"metadata": b"{}"},
        {"actor": "you"},
        {"event_type": "other"},
        {"agent_id": ""},
        {"user_id": "u"},
        {"depends_on": "00000000-0000-7000-8000-000000000001"},
        {"dependencies": b"[]"},
        {"event_id": "00000000-0000-7000-8000-000000000009"},
        {"recorded_at": NOON.replace(microsecond=1)},
        {"channel_id": "run-2"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_chain_covers_every_part_of_an_event(change: dict[str, Any]) -> None:
    """Whatever was changed afterwards, its own link does not fit any more."""
    events = log(3)
    events[1] = events[1]._replace(**change)
    assert broken(invariants.chain_is_whole(None, events)) == 1


def test_the_chain_goes_on_over_pages() -> None:
    """With the last hash of the page before, and with nothing else."""
    events = log(4)
    assert broken(invariants.chain_is_whole(None, events[:2])) == 0
    assert broken(invariants.chain_is_whole(events[1].chain_hash, events[2:])) == 0
    assert broken(invariants.chain_is_whole(events[0].chain_hash, events[2:])) == 1


def test_the_head_is_where_the_log_ends() -> None:
    """By cursor and by hash."""
    head = Head("run-1", cursor=2, chain_hash=b"h")
    assert broken(invariants.head_is_where_the_log_ends(head, 2, b"h")) == 0
    assert broken(invariants.head_is_where_the_log_ends(head, 1, b"h")) == 1
    assert broken(invariants.head_is_where_the_log_ends(head, 2, b"other")) == 1
    assert broken(invariants.head_is_where_the_log_ends(Head("new"), 0, None)) == 0


def test_snapshots_have_numbers_that_were_given_out() -> None:
    """From 1 to the last one; which of them still exist is another question."""
    sound = [SnapshotPlace("run-1", 2, 0)]
    wrong = [SnapshotPlace("run-1", 0, 0), SnapshotPlace("run-1", 3, 0)]
    assert broken(invariants.snapshots_were_numbered_by_the_head(HEAD, sound)) == 0
    assert broken(invariants.snapshots_were_numbered_by_the_head(HEAD, wrong)) == 2


def test_the_head_names_the_latest_snapshot() -> None:
    """With its cursor; and none where there is none."""
    check = invariants.head_names_the_latest_snapshot
    assert broken(check(HEAD, SnapshotPlace("run-1", 2, 3))) == 0
    assert broken(check(HEAD, SnapshotPlace("run-1", 2, 1))) == 1
    assert broken(check(HEAD, SnapshotPlace("run-1", 1, 3))) == 1
    assert broken(check(HEAD, None)) == 1
    assert broken(check(Head("run-1", version=5), None)) == 0


@pytest.mark.parametrize(
    ("cursor", "version", "count"),
    [
        (1, None, 0),
        (3, 2, 0),
        (None, 1, 0),
        (None, None, 1),
        (0, None, 1),
        (4, None, 1),
        (None, 3, 1),
        (9, 9, 2),
    ],
)
def test_operation_ids_lead_to_what_was_written(cursor: int | None, version: int | None, count: int) -> None:
    """To an event of the log, or to a snapshot's number, even if that snapshot was deleted."""
    place = OperationPlace("run-1", "d", cursor, version)
    assert broken(invariants.operations_name_what_they_wrote(HEAD, [place])) == count


def test_steps_lead_to_their_events() -> None:
    """To the very event; nothing there is broken too."""
    check = invariants.steps_point_at_their_events
    assert broken(check([StepPlace("run-1", 1, 1, "a", 1, "a")])) == 0
    assert broken(check([StepPlace("run-1", 1, 1, "a", 1, "b"), StepPlace("run-1", 9, 2, "a", 2, None)])) == 2


def test_steps_know_the_highest_number_before_them() -> None:
    """A step that is recorded again stays below it; forks find their share by it."""
    check = invariants.steps_know_the_highest_before_them
    again = [StepPlace("run-1", 4, 2, "a", 3, "a"), StepPlace("run-1", 5, 4, "b", 4, "b")]
    assert broken(check(3, again)) == 0
    assert broken(check(1, again)) == 1


def test_the_head_names_the_highest_step() -> None:
    """0 is none."""
    assert broken(invariants.head_names_the_highest_step(HEAD, 2)) == 0
    assert broken(invariants.head_names_the_highest_step(HEAD, 0)) == 1
    assert broken(invariants.head_names_the_highest_step(Head("new"), 0)) == 0
