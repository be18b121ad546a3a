"""What must always hold of a channel. Each function says, sentence by sentence, what is broken.

The random runs, the crash tests and `actae verify` on a live database ask the same functions; those about
the ledger are in `ledger_invariants.py`.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from actae.domain.chain import link
from actae.domain.channels import Head
from actae.domain.event_ids import microseconds
from actae.domain.wakeups import WAKEUP_EVENT_TYPE, event_metadata, public_id


class LoggedEvent(NamedTuple):
    """One event with everything that its chain hash covers."""

    channel_id: str
    cursor: int
    event_id: str
    event_type: str
    actor: str
    agent_id: str | None
    user_id: str | None
    payload: bytes
    metadata: bytes | None
    depends_on: str | None
    dependencies: bytes | None
    chain_hash: bytes
    recorded_at: datetime


class SnapshotPlace(NamedTuple):
    """A snapshot without its state."""

    channel_id: str
    version: int
    cursor: int


class OperationPlace(NamedTuple):
    """What an operation id wrote."""

    channel_id: str
    operation_digest: str
    cursor: int | None
    version: int | None


class StepPlace(NamedTuple):
    """Where a step stands, and the id of the event that is really there."""

    channel_id: str
    cursor: int
    step_number: int
    event_id: str
    latest_step: int
    event_id_there: str | None


class WakeupPlace(NamedTuple):
    """A wake-up that has fired, and what is really at the cursor of its event."""

    channel_id: str
    wakeup_id: str
    event_cursor: int
    event_type_there: str | None
    metadata_there: bytes | None


def cursors_have_no_gap(before: int, page: Sequence[LoggedEvent]) -> Iterator[str]:
    """A page of the log goes on where the one before it ended."""
    for event in page:
        if event.cursor != before + 1:
            yield f"the event after cursor {before} has cursor {event.cursor}"
        before = event.cursor


def chain_is_whole(before: bytes | None, page: Sequence[LoggedEvent]) -> Iterator[str]:
    """Each event's hash is made of its predecessor's and its own content."""
    for event in page:
        fitting = link(
            before,
            channel_id=event.channel_id,
            cursor=event.cursor,
            event_id=event.event_id,
            event_type=event.event_type,
            actor=event.actor,
            agent_id=event.agent_id,
            user_id=event.user_id,
            payload=event.payload,
            metadata=event.metadata,
            depends_on=event.depends_on,
            dependencies=event.dependencies,
            recorded_at_us=microseconds(event.recorded_at),
        )
        if fitting != event.chain_hash:
            yield f"the hash at cursor {event.cursor} does not fit the event and its predecessor"
        before = event.chain_hash


def head_is_where_the_log_ends(head: Head, cursor: int, chain_hash: bytes | None) -> Iterator[str]:
    """The head names the last event, which is at `cursor`; 0 is an empty log."""
    if head.cursor != cursor:
        yield f"the head is at cursor {head.cursor}, and the log ends at {cursor}"
    elif head.chain_hash != chain_hash:
        yield "the head's hash is not that of the last event"


def snapshots_were_numbered_by_the_head(head: Head, page: Iterable[SnapshotPlace]) -> Iterator[str]:
    """No snapshot has a number that was not given out."""
    for snapshot in page:
        if not 1 <= snapshot.version <= head.version:
            yield f"snapshot {snapshot.version} exists, and {head.version} is the last number given out"


def head_names_the_latest_snapshot(head: Head, latest: SnapshotPlace | None) -> Iterator[str]:
    """The latest is the highest version that still exists, with the cursor that it was saved at."""
    named = (head.latest_version, head.latest_version_cursor)
    there = (0, None) if latest is None else (latest.version, latest.cursor)
    if named != there:
        yield f"the head names snapshot {named[0]} (cursor {named[1]}); the latest is {there[0]} ({there[1]})"


def operations_name_what_they_wrote(head: Head, page: Iterable[OperationPlace]) -> Iterator[str]:
    """An operation id leads to an event of the log, or to a snapshot number that was given out."""
    for operation in page:
        name, cursor, version = operation.operation_digest, operation.cursor, operation.version
        if cursor is None and version is None:
            yield f"operation {name} wrote nothing"
        if cursor is not None and not 1 <= cursor <= head.cursor:
            yield f"operation {name} names cursor {cursor}, which is not in the log"
        if version is not None and not 1 <= version <= head.version:
            yield f"operation {name} names snapshot {version}, which was never given out"


def steps_point_at_their_events(page: Iterable[StepPlace]) -> Iterator[str]:
    """A step leads to an event of the log by cursor and by id."""
    for step in page:
        if step.event_id != step.event_id_there:
            there = step.event_id_there or "nothing"
            yield f"step {step.step_number} names {step.event_id} at cursor {step.cursor}; there is {there}"


def steps_know_the_highest_before_them(highest: int, page: Iterable[StepPlace]) -> Iterator[str]:
    """Each step says what the highest number was up to it; forks find their share by it."""
    for step in page:
        highest = max(highest, step.step_number)
        if step.latest_step != highest:
            yield f"the step at cursor {step.cursor} says {step.latest_step} was the highest, not {highest}"


def head_names_the_highest_step(head: Head, highest: int) -> Iterator[str]:
    """0 is no step."""
    if head.latest_step != highest:
        yield f"the head names step {head.latest_step}, and the highest is {highest}"


def wakeups_are_the_events_that_they_name(page: Iterable[WakeupPlace]) -> Iterator[str]:
    """One that has fired leads to an event of the log, and to no other's."""
    for wakeup in page:
        wakeup_id = public_id(wakeup.channel_id, wakeup.wakeup_id.replace("-", ""))
        expected = (WAKEUP_EVENT_TYPE, event_metadata(wakeup_id))
        if (wakeup.event_type_there, wakeup.metadata_there) != expected:
            yield f"wake-up {wakeup_id} names cursor {wakeup.event_cursor}, where its event is not"
