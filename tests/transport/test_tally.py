"""The block of numbers that the workers of a server share."""

import os
from collections.abc import Iterator

import pytest

from actae.observations import BatchCommitted, StaleOwnerRefused
from actae.transport.counting import counting_facts
from actae.transport.tally import BATCH_ASKS, BATCH_MICROSECONDS, SETTLING_CALLS, Share, Tally

OPERATIONS = ("executions.claim", "events.record")


@pytest.fixture
def memory() -> Iterator[int]:
    """A file in memory."""
    descriptor = os.memfd_create("numbers")
    yield descriptor
    os.close(descriptor)


def test_each_worker_counts_in_its_row_and_any_of_them_knows_the_sum(memory: int) -> None:
    """At once, with nobody asking anybody."""
    workers = [Tally(OPERATIONS, Share(memory, row, 3)) for row in range(3)]
    for row, worker in enumerate(workers):
        worker.add("races_lost", row + 1)
        worker.put("pid", 100 + row)
    for worker in workers:
        assert worker.total("races_lost") == 6
        assert worker.each("pid") == [100, 101, 102]


def test_a_successor_goes_on_counting_where_its_predecessor_ended(memory: int) -> None:
    """Counters never go back, whoever dies."""
    Tally(OPERATIONS, Share(memory, 1, 2)).add("races_lost", 5)
    successor = Tally(OPERATIONS, Share(memory, 1, 2))
    successor.add("races_lost")
    assert successor.total("races_lost") == 6


def test_a_process_alone_has_numbers_of_its_own() -> None:
    """Two of them have nothing in common."""
    one, other = Tally(OPERATIONS), Tally(OPERATIONS)
    one.add("requests.events.record")
    assert (one.total("requests.events.record"), other.total("requests.events.record")) == (1, 0)


@pytest.mark.parametrize(
    ("asks", "bucket"), [(1, 0), (2, 1), (3, 2), (256, len(BATCH_ASKS) - 1), (257, len(BATCH_ASKS))]
)
def test_a_batch_falls_into_the_bucket_that_holds_it(asks: int, bucket: int) -> None:
    """Bounds belong to their bucket; what is above the last has one of its own."""
    tally = Tally(OPERATIONS)
    counting_facts(tally)(BatchCommitted(asks=asks, events=7, seconds=0.0004, waiting=3))
    assert tally.total(f"batch_asks.{bucket}") == 1
    assert tally.total("batch_microseconds.0") == 1
    assert (tally.total("batch_asks"), tally.total("batch_events"), tally.total("writer_waiting")) == (
        asks,
        7,
        3,
    )


def test_the_slowest_batch_has_a_bucket_too() -> None:
    """Even one that took a minute."""
    tally = Tally(OPERATIONS)
    counting_facts(tally)(BatchCommitted(asks=1, events=1, seconds=60.0, waiting=0))
    assert tally.total(f"batch_microseconds.{len(BATCH_MICROSECONDS)}") == 1


@pytest.mark.parametrize("call", SETTLING_CALLS)
def test_stale_owners_are_counted_by_what_they_tried(call: str) -> None:
    """One number for each call that a token opens."""
    tally = Tally(OPERATIONS)
    counting_facts(tally)(StaleOwnerRefused("run-1~x", call))
    assert tally.total(f"stale_owners_refused.{call}") == 1
