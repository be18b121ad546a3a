"""What a consumer group decides: who may work, what is handed out, what an acknowledgement does."""

from datetime import datetime

import pytest

from actae.domain.answers import Refused
from actae.domain.consumer_groups import (
    Acked,
    Changed,
    Consumer,
    Delivery,
    GroupView,
    decide_ack,
    decide_heartbeat,
    decide_join,
    decide_work,
    reserve,
    show_offset,
)
from actae.domain.consumer_progress import Progress, Span
from tests.support.asks import NOON, later

LIVE, LAPSED = later(1), NOON  # a lease ends with its last moment, not after it


def view(
    *spans: Span,
    watermark: int = 0,
    head: int = 10,
    consumer: Consumer | None = None,
    **leases: datetime,
) -> GroupView:
    """A group at noon; consumer `a` asks, with a live lease unless told otherwise."""
    asking = consumer or Consumer("a", lease_until=LIVE)
    known = {asking.consumer_id: asking.lease_until or LAPSED, **leases}
    return GroupView("g", NOON, head, Progress(watermark, spans), asking, known, NOON)


HELD_BY_A, HELD_BY_B = Span(1, 3, "a"), Span(4, 5, "b")


@pytest.mark.parametrize("lease_until", [None, LAPSED, later(-1)], ids=["never", "just now", "long ago"])
def test_nobody_works_without_a_lease(lease_until: datetime | None) -> None:
    """One that never joined and one whose lease has lapsed are told apart."""
    asked = view(consumer=Consumer("a", 2, 3, lease_until))
    for decided in (decide_work(asked, 5), decide_ack(asked, 1), decide_heartbeat(asked, 60)):
        assert isinstance(decided, Refused)
        assert decided.error.code == "consumer_not_found"
        assert ("never joined" in decided.error.message) == (lease_until is None)


@pytest.mark.parametrize(
    ("asked", "delivery"),
    [
        (view(), Delivery([1, 2, 3, 4], False)),
        (view(head=2), Delivery([1, 2], False)),
        (view(head=0), Delivery([], False)),
        (view(HELD_BY_A), Delivery([1, 2, 3], True)),
        (view(Span(1, 6, "a")), Delivery([1, 2, 3, 4], True)),
        (view(HELD_BY_B, b=LIVE), Delivery([1, 2, 3, 6], False)),
        (view(HELD_BY_B, b=LAPSED), Delivery([1, 2, 3, 4], False)),
        (view(HELD_BY_A, HELD_BY_B, b=LAPSED), Delivery([1, 2, 3], True)),
        (view(Span(2, 9), watermark=0), Delivery([1, 10], False)),
        (view(watermark=10), Delivery([], False)),
    ],
)
def test_what_is_handed_out(asked: GroupView, delivery: Delivery) -> None:
    """What the consumer has already, or else the lowest free ones; nothing that a live one has."""
    assert decide_work(asked, 4) == delivery


def test_what_is_handed_out_is_in_the_hands_of_the_consumer() -> None:
    """Exactly that, in place of what lapsed there; the highest ever is remembered."""
    asked = view(HELD_BY_B, consumer=Consumer("a", 1, 8, LIVE), b=LAPSED)
    assert reserve(asked, [1, 2, 3, 4]) == Changed(Progress(0, (Span(1, 4, "a"),)), asked.consumer)
    fresh = view(HELD_BY_B, b=LIVE)
    changed = reserve(fresh, [1, 2, 3, 6])
    assert changed.progress.spans == (Span(1, 3, "a"), HELD_BY_B, Span(6, 6, "a"))
    assert changed.consumer == fresh.consumer._replace(highest_reserved=6)


@pytest.mark.parametrize(
    ("asked", "cursor", "watermark", "spans", "last_cursor", "acked_count"),
    [
        (view(HELD_BY_A, HELD_BY_B, b=LIVE), 3, 3, (HELD_BY_B,), 3, 3),
        (view(HELD_BY_A, HELD_BY_B, b=LIVE), 2, 2, (Span(3, 3, "a"), HELD_BY_B), 2, 2),
        (view(HELD_BY_A, HELD_BY_B, b=LIVE), 0, 0, (HELD_BY_A, HELD_BY_B), 0, 0),
        # Above what it holds, and below what it once held: as far as its own events go.
        (view(HELD_BY_A, HELD_BY_B, b=LIVE), 5, 3, (HELD_BY_B,), 5, 3),
        (view(HELD_BY_B, Span(7, 9, "a"), b=LIVE), 8, 0, (HELD_BY_B, Span(7, 8), Span(9, 9, "a")), 8, 2),
        (view(HELD_BY_B, Span(6, 9, "a"), b=LAPSED), 9, 0, (Span(6, 9),), 9, 4),
        (view(Span(1, 2, "a"), Span(3, 5), Span(6, 6, "a")), 2, 5, (Span(6, 6, "a"),), 2, 2),
        (view(watermark=4), 4, 4, (), 4, 0),
    ],
)
def test_what_an_acknowledgement_does(
    asked: GroupView, cursor: int, watermark: int, spans: tuple[Span, ...], last_cursor: int, acked_count: int
) -> None:
    """The consumer's own events up to the cursor are done; those of others are not its business."""
    consumer = asked.consumer._replace(highest_reserved=9)
    acked = decide_ack(asked._replace(consumer=consumer), cursor)
    moved = consumer._replace(last_cursor=last_cursor)
    assert acked == Acked(Changed(Progress(watermark, spans), moved), acked_count)


def test_a_repeated_acknowledgement_changes_nothing() -> None:
    """Nor does one that arrives behind a later one."""
    asked = view(watermark=5, consumer=Consumer("a", 5, 5, LIVE))
    for cursor in (5, 3, 0):
        assert decide_ack(asked, cursor) == Acked(Changed(asked.progress, asked.consumer), 0)


def test_a_cursor_that_was_never_handed_to_the_consumer_is_a_mistake() -> None:
    """It would hide events from everybody."""
    refused = decide_ack(view(HELD_BY_A, consumer=Consumer("a", 0, 3, LIVE)), 4)
    assert isinstance(refused, Refused)
    assert (refused.error.code, refused.error.details["field"]) == ("invalid_request", "cursor")


@pytest.mark.parametrize(("lease_until", "keeps"), [(LIVE, True), (LAPSED, False)])
def test_who_joins_again_keeps_its_place_and_what_a_live_lease_covered(
    lease_until: datetime, keeps: bool
) -> None:
    """A lapsed lease covers nothing any more."""
    asked = view(HELD_BY_A, consumer=Consumer("a", 2, 3, lease_until))
    changed = decide_join(asked, 60)
    assert changed.consumer == Consumer("a", 2, 3, later(60))
    assert changed.progress.spans == ((HELD_BY_A,) if keeps else ())


def test_who_joins_first_begins_at_nothing() -> None:
    """With a lease, and nothing in its hands."""
    asked = view(consumer=Consumer("a"))
    changed = decide_join(asked, 60)
    offset = show_offset(asked, changed)
    assert (offset.last_cursor, offset.claimed_cursor, offset.lease_until) == (0, 0, later(60))


def test_a_heartbeat_moves_the_end_of_a_live_lease() -> None:
    """To so many seconds from now, and nothing else."""
    asked = view(HELD_BY_A)
    changed = decide_heartbeat(asked, 30)
    assert changed == Changed(asked.progress, asked.consumer._replace(lease_until=later(30)))


@pytest.mark.parametrize(("spans", "claimed_cursor"), [((HELD_BY_A,), 3), ((HELD_BY_B,), 2), ((), 2)])
def test_the_claimed_cursor_is_the_highest_in_hand(spans: tuple[Span, ...], claimed_cursor: int) -> None:
    """Or the last acknowledged, if there is nothing in hand."""
    asked = view(*spans, consumer=Consumer("a", 2, 3, LIVE), b=LIVE)
    assert show_offset(asked, decide_join(asked, 60)).claimed_cursor == claimed_cursor
