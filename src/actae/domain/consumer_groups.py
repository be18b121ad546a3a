"""Consumer groups: several workers share the events of one channel, each event in the hands of one of them.

Nobody cleans up behind a consumer that is gone: whoever comes next finds that its lease has lapsed, and then
nothing is reserved for it any more.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from actae.domain.answers import Refused
from actae.domain.consumer_progress import Progress
from actae.domain.errors import InvalidRequestError
from actae.domain.events import Event
from actae.domain.group_errors import ConsumerNotFoundError


class Group(msgspec.Struct, frozen=True):
    """A consumer group, and how far it is.

    Every event up to `watermark` is done, and `latest_cursor` is the channel's newest event; 0 is none.
    """

    group_id: str
    channel_id: str
    created_at: datetime
    metadata: msgspec.Raw | None
    watermark: int
    latest_cursor: int


class Offset(msgspec.Struct, frozen=True):
    """Where a consumer stands: the highest cursor that it acknowledged, and the highest reserved for it.

    The two are the same when nothing is reserved. A lease that has lapsed reserves nothing.
    """

    group_id: str
    consumer_id: str
    last_cursor: int
    claimed_cursor: int
    updated_at: datetime
    lease_until: datetime


class Joined(Offset, frozen=True):
    """Where a consumer stands that joins, and in which group of this name: another one has another moment."""

    group_created_at: datetime


class Work(msgspec.Struct, frozen=True):
    """Events in a consumer's hands until its lease ends, ascending.

    With `is_finished` there are none and will be none: all is done, and the channel is closed. Only a
    resolution, or a worker that reports after its lease, can still bring an event.
    """

    group_id: str
    consumer_id: str
    lease_until: datetime
    events: list[Event]
    is_finished: bool


class Consumer(NamedTuple):
    """One consumer. Without a lease it never joined."""

    consumer_id: str
    last_cursor: int = 0
    highest_reserved: int = 0
    lease_until: datetime | None = None

    @property
    def leased_until(self) -> datetime:
        """The end of the lease, of a consumer that has one."""
        assert self.lease_until is not None, "only who has joined gets so far"
        return self.lease_until


class GroupView(NamedTuple):
    """What a decision knows of a group, all of one moment and behind the group's lock."""

    group_id: str
    now: datetime
    latest_cursor: int
    stored: Progress
    consumer: Consumer  # who asks
    leases: Mapping[str, datetime]  # of those that have something in their hands
    created_at: datetime

    @property
    def progress(self) -> Progress:
        """What is stored, with nothing in the hands of consumers whose leases have ended."""
        return self.stored.released(lambda consumer_id: self.leases[consumer_id] <= self.now)

    @property
    def is_all_done(self) -> bool:
        """Whether the channel's newest event is done, and with it every other."""
        return self.stored.watermark >= self.latest_cursor

    def refusal(self) -> Refused | None:
        """Why the consumer may not work, if it may not."""
        lease_until = self.consumer.lease_until
        if lease_until is not None and self.now < lease_until:
            return None
        why = "it never joined" if lease_until is None else "its lease has lapsed"
        return Refused(ConsumerNotFoundError(self.group_id, self.consumer.consumer_id, why))


class Changed(NamedTuple):
    """How things stand afterwards."""

    progress: Progress
    consumer: Consumer


class Acked(NamedTuple):
    """How things stand afterwards, and how many events became done by it; 0 for a repetition."""

    changed: Changed
    acked_count: int


class Delivery(NamedTuple):
    """Which events to hand out. Those that are handed out again are reserved already."""

    cursors: list[int]
    is_again: bool


def decide_join(view: GroupView, lease_seconds: int) -> Changed:
    """Begin, or begin anew. Who still had a lease keeps what is in its hands; its place it keeps always."""
    return Changed(view.progress, _with_lease(view, lease_seconds))


def decide_heartbeat(view: GroupView, lease_seconds: int) -> Changed | Refused:
    """A lease that is live lasts so long from now on; one that has lapsed is not revived."""
    return view.refusal() or Changed(view.progress, _with_lease(view, lease_seconds))


def decide_work(view: GroupView, most: int) -> Delivery | Refused:
    """What the consumer has in its hands comes first: the reply that handed it out may be lost."""
    refusal = view.refusal()
    if refusal is not None:
        return refusal
    progress = view.progress
    held = progress.held_by(view.consumer.consumer_id, most)
    return Delivery(held, True) if held else Delivery(progress.free(view.latest_cursor, most), False)


def reserve(view: GroupView, cursors: list[int]) -> Changed:
    """What was free is in the consumer's hands."""
    consumer = view.consumer
    return Changed(
        view.progress.reserved(consumer.consumer_id, cursors),
        consumer._replace(highest_reserved=max([consumer.highest_reserved, *cursors])),
    )


def decide_ack(view: GroupView, cursor: int) -> Acked | Refused:
    """What is in the consumer's hands, up to the cursor, is done; repeating that changes nothing.

    A cursor that it was never handed is a mistake, and would hide events from everybody.
    """
    consumer = view.consumer
    refusal = view.refusal()
    if refusal is not None:
        return refusal
    if cursor > consumer.highest_reserved:
        return Refused(
            InvalidRequestError(
                f"'cursor' is {cursor}, and the highest that consumer {consumer.consumer_id!r} was ever "
                f"handed is {consumer.highest_reserved}.",
                field="cursor",
            )
        )
    before = view.progress
    after = before.done_by(consumer.consumer_id, cursor)
    moved = consumer._replace(last_cursor=max(consumer.last_cursor, cursor))
    acked_count = before.count_held_by(consumer.consumer_id) - after.count_held_by(consumer.consumer_id)
    return Acked(Changed(after, moved), acked_count)


def show_offset(view: GroupView, changed: Changed) -> Offset:
    """Where the consumer stands afterwards."""
    progress, consumer = changed
    highest = progress.highest_held_by(consumer.consumer_id)
    return Offset(
        group_id=view.group_id,
        consumer_id=consumer.consumer_id,
        last_cursor=consumer.last_cursor,
        claimed_cursor=consumer.last_cursor if highest is None else highest,
        updated_at=view.now,
        lease_until=consumer.leased_until,
    )


def show_joined(view: GroupView, changed: Changed) -> Joined:
    """The same, for one that joins."""
    return Joined(**msgspec.structs.asdict(show_offset(view, changed)), group_created_at=view.created_at)


def _with_lease(view: GroupView, lease_seconds: int) -> Consumer:
    return view.consumer._replace(lease_until=view.now + timedelta(seconds=lease_seconds))
