"""What somebody should look at: the most urgent first, and nothing when all is well."""

import pytest

from actae.operations.attention import Situation, list_attention
from actae.store.census import (
    AmbiguousExecutions,
    Counts,
    Freezes,
    OpenExecutions,
    PendingApprovals,
    PendingWakeups,
    UnconsumedEvents,
)
from actae.store.retention import LastSweep

WELL = Situation(
    Counts(
        OpenExecutions(5, 0, 60.0),
        AmbiguousExecutions(0, 0.0),
        UnconsumedEvents(2, 100, 80, 0),
        PendingWakeups(3, 1, 2.0),
        PendingApprovals(0, 0.0),
        LastSweep(0, 0.0),
    ),
    Freezes(0, 0.0),
    databases_lost=0,
    writes_waiting=3,
    writes_waiting_max=1_000,
)


def with_counts(**counts: object) -> Situation:
    """All is well but for this."""
    return WELL._replace(counts=WELL.counts._replace(**counts))


CELLS: list[tuple[Situation, list[tuple[str, int, str]]]] = [
    (WELL, []),
    (
        with_counts(
            ambiguous_executions=AmbiguousExecutions(3, 90.0), open_executions=OpenExecutions(5, 1, 9.0)
        ),
        [
            ("ambiguous", 3, "3 operations have an outcome that nobody knows"),
            ("lapsed", 1, "1 operation was left by a worker and not taken over"),
        ],
    ),
    (
        with_counts(open_executions=OpenExecutions(5, 1, 9000.0)),
        [("lapsed", 1, "1 operation was left by a worker and not taken over")],
    ),
    (
        with_counts(open_executions=OpenExecutions(5, 0, 7300.0)),
        [("open_long", 1, "An operation has been open for 2 hours, and its worker still holds it")],
    ),
    (
        with_counts(pending_approvals=PendingApprovals(1, 30.0)),
        [("approvals_pending", 1, "1 operation waits for somebody's approval")],
    ),
    (
        with_counts(pending_wakeups=PendingWakeups(0, 2, 61.0)),
        [("wakeups_due", 2, "2 wake-ups should have fired, the oldest 1 minute ago")],
    ),
    (
        with_counts(unconsumed_events=UnconsumedEvents(1, 9, 9, 4)),
        [("consumer_lag", 4, "4 events are in the hands of consumers that are gone")],
    ),
    (
        with_counts(unconsumed_events=UnconsumedEvents(1, 10_001, 10_001, 0)),
        [("consumer_lag", 10_001, "A consumer group is 10001 events behind")],
    ),
    (
        WELL._replace(freezes=Freezes(1, 5.0)),
        [("frozen_tools", 1, "1 freeze keeps operations from being started")],
    ),
    (
        WELL._replace(databases_lost=1),
        [("database_lost", 1, "The database was lost once within the last hour")],
    ),
    (
        WELL._replace(writes_waiting=500),
        [("writer_queue", 500, "500 writes wait for the database; at 1000 they are refused")],
    ),
    (
        with_counts(open_executions=None, pending_approvals=None)._replace(freezes=None),
        [("uncounted", 3, "The database did not answer 3 questions about this page in time")],
    ),
]


@pytest.mark.parametrize(
    ("found", "expected"), CELLS, ids=[cell[1][0][0] if cell[1] else "well" for cell in CELLS]
)
def test_each_trouble_is_said_in_a_sentence(found: Situation, expected: list[tuple[str, int, str]]) -> None:
    """With how many there are."""
    assert [(each.kind, each.count, each.text) for each in list_attention(found)] == expected


def test_the_most_urgent_comes_first() -> None:
    """The server itself, what waits for a person, what no worker goes on with."""
    found = with_counts(
        open_executions=OpenExecutions(9, 4, 9.0),
        ambiguous_executions=AmbiguousExecutions(3, 1.0),
        pending_approvals=PendingApprovals(1, 1.0),
        pending_wakeups=PendingWakeups(0, 1, 99.0),
        unconsumed_events=UnconsumedEvents(1, 1, 1, 1),
    )._replace(freezes=Freezes(1, 1.0), databases_lost=2, writes_waiting=999)
    listed = list_attention(found)
    assert [each.kind for each in listed] == [
        "database_lost",
        "writer_queue",
        "ambiguous",
        "approvals_pending",
        "lapsed",
        "wakeups_due",
        "consumer_lag",
        "frozen_tools",
    ]
    assert {each.kind: each.href for each in listed}["ambiguous"] == "/ledger?status=ambiguous"
