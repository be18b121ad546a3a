"""Wake-ups: rows to records."""

from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from msgspec import Raw

from actae.domain.wakeups import DueWakeup, Wakeup, public_id
from actae.store.database import Row, Session, Transaction
from actae.store.pages import Page, read_page
from actae.store.queries import query

_ADD = query("add_wakeup")
_GET = query("get_wakeup")
_LIST = query("list_wakeups")
_LIST_OF_CHANNEL = query("list_channel_wakeups")
_LIST_DUE = query("list_due_wakeups")
_LIMIT_LOCK_WAIT = query("limit_lock_wait")
_HOLD = query("hold_wakeup")
_FINISH = query("finish_wakeup")
_RECORD_FAILED_TRY = query("record_failed_try")
_DEFER_DUE = query("defer_due_wakeups")
_CANCEL = query("cancel_wakeup")

_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)


class Place(NamedTuple):
    """Where a wake-up stands in a list; the default is before all of them."""

    run_at: datetime = _BEFORE_ALL
    channel_id: str = ""
    wakeup_id: UUID = UUID(int=0)


class Held(NamedTuple):
    """What the event of a wake-up is made of."""

    run_at: datetime
    payload: bytes | None


async def add_wakeup(
    tx: Transaction,
    channel_id: str,
    wakeup_id: str,
    *,
    run_at: datetime,
    payload: bytes | None,
    content_digest: bytes | None,
    now: datetime,
) -> bool:
    """Schedule one; False if its id is taken."""
    row = await tx.fetch_one(
        _ADD,
        channel_id=channel_id,
        wakeup_id=UUID(wakeup_id),
        run_at=run_at,
        payload=payload,
        content_digest=content_digest,
        now=now,
    )
    return row is not None


async def get_wakeup(session: Session, channel_id: str, wakeup_id: str) -> tuple[Wakeup, bytes | None] | None:
    """A wake-up, and the digest of what it was scheduled with."""
    row = await session.fetch_one(_GET, channel_id=channel_id, wakeup_id=UUID(wakeup_id))
    return None if row is None else (_wakeup(row), row["content_digest"])


async def list_wakeups(
    session: Session,
    channel_id: str | None,
    *,
    readable: list[str] | None,
    status: str | None,
    after: Place,
    most: int,
) -> Page[Wakeup]:
    """Those of a channel, or of all that match the patterns, by their times; fewer where they are large."""

    async def read(last: Wakeup | None, count: int) -> list[Wakeup]:
        place = after if last is None else place_of(last)
        bounds = {"after_run_at": place.run_at, "after_wakeup_id": place.wakeup_id, "most": count}
        if channel_id is not None:
            rows = await session.fetch(_LIST_OF_CHANNEL, channel_id=channel_id, status=status, **bounds)
        else:
            rows = await session.fetch(
                _LIST, readable=readable, status=status, after_channel_id=place.channel_id, **bounds
            )
        return [_wakeup(row) for row in rows]

    return await read_page(read, most=most, size=_size)


def place_of(wakeup: Wakeup) -> Place:
    """Where it stands in a list."""
    return Place(wakeup.run_at, wakeup.channel_id, UUID(wakeup.id.rpartition("~")[2]))


async def list_due_wakeups(session: Session, *, lag_seconds: float, most: int) -> list[DueWakeup]:
    """The pending ones that have been due for so long, the longest due first."""
    rows = await session.fetch(_LIST_DUE, lag_seconds=lag_seconds, most=most)
    return [DueWakeup(*row) for row in rows]


async def limit_lock_wait(tx: Transaction, milliseconds: int) -> None:
    """From here on in this transaction, whoever has to wait longer for a lock gets LockNotAvailableError."""
    await tx.fetch_one(_LIMIT_LOCK_WAIT, milliseconds=str(milliseconds))


async def hold_wakeup(tx: Transaction, due: DueWakeup) -> Held | None:
    """Lock it, if it is as it was found."""
    row = await tx.fetch_one(_HOLD, **_try(due))
    return None if row is None else Held(_moment(row["run_at"]), row["payload"])


async def finish_wakeup(tx: Transaction, due: DueWakeup, *, event_cursor: int, now: datetime) -> None:
    """One that is held has become an event."""
    await tx.execute(
        _FINISH,
        channel_id=due.channel_id,
        wakeup_id=UUID(due.wakeup_id),
        event_cursor=event_cursor,
        now=now,
    )


async def record_failed_try(
    session: Session, due: DueWakeup, *, error: str, delay_seconds: float | None
) -> bool:
    """Count a try, and put off the next one; without a delay there is none. False if it was not ours."""
    row = await session.fetch_one(_RECORD_FAILED_TRY, **_try(due), error=error, delay_seconds=delay_seconds)
    return row is not None


async def defer_due_wakeups(session: Session, tried: DueWakeup, delay_seconds: float) -> None:
    """Put off all that a channel has due, and twice as long the one that was tried; no try is counted."""
    await session.execute(
        _DEFER_DUE,
        channel_id=tried.channel_id,
        wakeup_id=UUID(tried.wakeup_id),
        delay_seconds=delay_seconds,
    )


async def cancel_wakeup(session: Session, channel_id: str, wakeup_id: str) -> bool:
    """Cancel one that is pending; False if there is no such one."""
    return await session.fetch_one(_CANCEL, channel_id=channel_id, wakeup_id=UUID(wakeup_id)) is not None


def _moment(value: datetime) -> datetime:
    """The first and the last moment that Python knows come back without their zone."""
    return value.replace(tzinfo=UTC)


def _try(due: DueWakeup) -> dict[str, object]:
    return {"channel_id": due.channel_id, "wakeup_id": UUID(due.wakeup_id), "attempts": due.attempts}


def _size(wakeup: Wakeup) -> int:
    return len(bytes(wakeup.payload)) if wakeup.payload is not None else 0


def _wakeup(row: Row) -> Wakeup:
    payload = row["payload"]
    return Wakeup(
        id=public_id(row["channel_id"], row["wakeup_id"]),
        channel_id=row["channel_id"],
        run_at=_moment(row["run_at"]),
        status=row["status"],
        payload=None if payload is None else Raw(payload),
        created_at=row["created_at"],
        executed_at=row["executed_at"],
        attempts=row["attempts"],
        error=row["error"],
    )
