"""Everything there is, in the order of its keys and in pages: what a verification reads."""

from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import Final, NamedTuple, TypeVar
from uuid import UUID

from msgspec.structs import replace

from actae.domain.approval_invariants import ApprovalPlace
from actae.domain.channels import Head
from actae.domain.consumer_invariants import GroupPlace
from actae.domain.consumer_progress import Progress, Span
from actae.domain.executions import ExecutionRow
from actae.domain.guard_invariants import StartedOperation
from actae.domain.invariants import LoggedEvent, OperationPlace, SnapshotPlace, StepPlace, WakeupPlace
from actae.domain.ledger_invariants import EvidencePlace
from actae.domain.message_invariants import StoredMessage
from actae.store.database import Row, Session, Transaction
from actae.store.queries import Query, query

T = TypeVar("T")

PAGE_ROWS: Final = 500
PAGE_BYTES: Final = 8 * 2**20
LAST_CHANNEL_ID: Final = "\U0010ffff"  # sorts behind every other

Key = int | UUID | str

_BEFORE_NUMBERS: Final = -1
_BEFORE_DIGESTS: Final = UUID(int=0)
_BEFORE_NAMES: Final = ""

_HOLD_ONE_SNAPSHOT = query("hold_one_snapshot")
_COUNT_CHANNELS = query("count_channels")
_LIST_HEADS = query("list_heads_in_order")
_LIST_UNLIKE_HEADS = query("list_channels_unlike_their_head")
_READ_LOG = query("read_log_in_order")
_READ_STARTED = query("read_started_in_order")
_LIST_SNAPSHOTS = query("list_snapshots_in_order")
_LIST_OPERATIONS = query("list_operations_in_order")
_LIST_STEPS = query("list_steps_in_order")
_LIST_EXECUTIONS = query("list_executions_in_order")
_LIST_LATE_EVIDENCE = query("list_late_evidence_in_order")
_LIST_DONE_WAKEUPS = query("list_done_wakeups_in_order")
_LIST_APPROVALS = query("list_approvals_in_order")
_LIST_CONSUMER_GROUPS = query("list_consumer_groups_in_order")
_LIST_GROUPLESS = query("list_consumers_without_group")
_LIST_MESSAGES = query("list_messages_in_order")
_LIST_IDS_USED_TWICE = query("list_event_ids_used_twice")


class Range(NamedTuple):
    """All channels from one id to another, both included, whether or not they exist."""

    since: str = ""
    until: str = LAST_CHANNEL_ID

    def up_to(self, channel_id: str) -> "Range":
        """The part of the range that ends with an id."""
        return self._replace(until=channel_id)

    def after(self, channel_id: str) -> "Range":
        """The part behind an id. Text holds no NUL: nothing sorts between an id and itself with a byte 1."""
        return self._replace(since=f"{channel_id}\x01")


class UnlikeChannel(NamedTuple):
    """A channel and a head that do not belong to each other."""

    channel_id: str
    lacks_channel: bool
    lacks_head: bool
    lifecycle: str | None
    is_closed: bool
    is_deleted: bool


async def hold_one_snapshot(tx: Transaction) -> None:
    """Read everything as of one moment from here on; nothing may have been read before."""
    await tx.execute(_HOLD_ONE_SNAPSHOT)


async def count_channels(session: Session) -> int:
    """How many channels there are, deleted ones too."""
    row = await session.fetch_one(_COUNT_CHANNELS)
    assert row is not None, "a count has a row"
    return int(row["channels"])


async def list_heads(session: Session, channels: Range, *, most: int) -> list[Head]:
    """The first heads of a range."""
    rows = await session.fetch(
        _LIST_HEADS, since_channel_id=channels.since, until_channel_id=channels.until, most=most
    )
    return [Head(*row) for row in rows]


async def list_channels_unlike_their_head(session: Session, channels: Range) -> list[UnlikeChannel]:
    """Channels without a head, heads without a channel, and pairs that disagree."""
    rows = await session.fetch(
        _LIST_UNLIKE_HEADS, since_channel_id=channels.since, until_channel_id=channels.until
    )
    return [UnlikeChannel(*row) for row in rows]


async def list_event_ids_used_twice(session: Session, *, most: int) -> list[tuple[str, int, str]]:
    """Event ids, how often each is used, and one of its channels. Reads a whole index."""
    return [tuple(row) for row in await session.fetch(_LIST_IDS_USED_TWICE, most=most)]


async def list_consumers_without_group(session: Session, channels: Range) -> list[tuple[str, str]]:
    """Channels and groups of which something is left, and not the group."""
    rows = await session.fetch(
        _LIST_GROUPLESS, since_channel_id=channels.since, until_channel_id=channels.until
    )
    return [(row["channel_id"], row["group_id"]) for row in rows]


def read_log(session: Session, channels: Range) -> AsyncIterator[list[LoggedEvent]]:
    """All events of a range by channel and cursor; a page has some hundred events, or some megabytes."""
    return _pages(session, _READ_LOG, channels, _BEFORE_NUMBERS, _event, bytes_max=PAGE_BYTES)


def read_started_operations(session: Session, *, since: datetime) -> AsyncIterator[list[StartedOperation]]:
    """The starts of operations on all channels, by channel and cursor."""
    return _pages(
        session, _READ_STARTED, Range(), _BEFORE_NUMBERS, _started, bytes_max=PAGE_BYTES, since=since
    )


def read_snapshots(session: Session, channels: Range) -> AsyncIterator[list[SnapshotPlace]]:
    """All snapshots by channel and version, without their states."""
    return _pages(session, _LIST_SNAPSHOTS, channels, _BEFORE_NUMBERS, _snapshot)


def read_operations(session: Session, channels: Range) -> AsyncIterator[list[OperationPlace]]:
    """All operation ids by channel and digest."""
    return _pages(session, _LIST_OPERATIONS, channels, _BEFORE_DIGESTS, _operation)


def read_steps(session: Session, channels: Range) -> AsyncIterator[list[StepPlace]]:
    """All steps by channel and cursor, with the events that they point at."""
    return _pages(session, _LIST_STEPS, channels, _BEFORE_NUMBERS, _step)


def read_executions(session: Session, channels: Range) -> AsyncIterator[list[ExecutionRow]]:
    """All rows of the ledger by channel and key digest, without what is in their events."""
    return _pages(session, _LIST_EXECUTIONS, channels, _BEFORE_DIGESTS, _execution)


def read_late_evidence(session: Session, channels: Range) -> AsyncIterator[list[EvidencePlace]]:
    """All reports that came too late, by channel and cursor, with what is there."""
    return _pages(session, _LIST_LATE_EVIDENCE, channels, _BEFORE_NUMBERS, _evidence)


def read_done_wakeups(session: Session, channels: Range) -> AsyncIterator[list[WakeupPlace]]:
    """All wake-ups that have fired, by channel and id, with the events that they name."""
    return _pages(session, _LIST_DONE_WAKEUPS, channels, _BEFORE_DIGESTS, _wakeup)


def read_approvals(session: Session, channels: Range) -> AsyncIterator[list[ApprovalPlace]]:
    """All requests for approval by channel and digest, with what is at their cursors."""
    return _pages(session, _LIST_APPROVALS, channels, _BEFORE_DIGESTS, _approval)


def read_consumer_groups(session: Session, channels: Range) -> AsyncIterator[list[GroupPlace]]:
    """All consumer groups by channel and name, each with what is in whose hands."""
    return _pages(session, _LIST_CONSUMER_GROUPS, channels, _BEFORE_NAMES, _consumer_group)


def read_messages(session: Session, channels: Range) -> AsyncIterator[list[StoredMessage]]:
    """All messages by their recipient's channel and cursor, with the events that they name."""
    return _pages(session, _LIST_MESSAGES, channels, _BEFORE_NUMBERS, _message)


async def _pages(
    session: Session,
    statement: Query,
    channels: Range,
    before: Key,
    record: Callable[[Row], T],
    **more: object,
) -> AsyncIterator[list[T]]:
    """Page after page, each from where the last one ended; the key is the channel and the second column."""
    channel_id, key = channels.since, before
    while True:
        rows = await session.fetch(
            statement,
            after_channel_id=channel_id,
            after_key=key,
            until_channel_id=channels.until,
            most=PAGE_ROWS,
            **more,
        )
        if not rows:
            return
        yield [record(row) for row in rows]
        channel_id, key = rows[-1][0], rows[-1][1]


def _event(row: Row) -> LoggedEvent:
    return LoggedEvent(*row)


def _started(row: Row) -> StartedOperation:
    return StartedOperation(*row)


def _snapshot(row: Row) -> SnapshotPlace:
    return SnapshotPlace(*row)


def _operation(row: Row) -> OperationPlace:
    return OperationPlace(*row)


def _step(row: Row) -> StepPlace:
    return StepPlace(*row)


def _wakeup(row: Row) -> WakeupPlace:
    return WakeupPlace(*row)


def _message(row: Row) -> StoredMessage:
    return StoredMessage(*row)


def _execution(row: Row) -> ExecutionRow:
    channel_id, key_digest, *rest, on_lapse, expires_at = row
    execution = ExecutionRow(channel_id, key_digest.replace("-", ""), *rest)  # but for what its events hold
    return replace(execution, on_lapse=on_lapse, expires_at=expires_at)


def _evidence(row: Row) -> EvidencePlace:
    channel_id, cursor, key_digest, *rest = row
    return EvidencePlace(channel_id, cursor, key_digest.replace("-", ""), *rest)


def _approval(row: Row) -> ApprovalPlace:
    channel_id, request_digest, *rest = row
    return ApprovalPlace(channel_id, request_digest.replace("-", ""), *rest)


def _consumer_group(row: Row) -> GroupPlace:
    channel_id, group_id, named_channel_id, latest_cursor, watermark, *columns = row
    held = list(zip(*columns, strict=True))
    return GroupPlace(
        channel_id,
        group_id,
        named_channel_id,
        latest_cursor,
        Progress(watermark, tuple(Span(first, last, consumer_id) for first, last, consumer_id, _ in held)),
        {consumer_id: highest for _, _, consumer_id, highest in held if highest is not None},
    )
