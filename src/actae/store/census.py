"""How many there are of something: rows to numbers."""

from typing import NamedTuple

from actae.store.database import Session
from actae.store.queries import query
from actae.store.retention import LastSweep

_COUNT_OPEN_EXECUTIONS = query("count_open_executions")
_COUNT_AMBIGUOUS_EXECUTIONS = query("count_ambiguous_executions")
_COUNT_UNCONSUMED_EVENTS = query("count_unconsumed_events")
_COUNT_PENDING_WAKEUPS = query("count_pending_wakeups")
_COUNT_PENDING_APPROVALS = query("count_pending_approvals")
_COUNT_FREEZES = query("count_freezes")


class OpenExecutions(NamedTuple):
    """Operations that were claimed and have not ended; of some the lease has lapsed. None is ambiguous.

    `oldest_seconds` is the time since the first claim of the oldest one, sessions' own left out; 0 of none.
    """

    open: int
    lapsed: int
    oldest_seconds: float


class AmbiguousExecutions(NamedTuple):
    """Operations whose outcome nobody knows, and since when in the case of the oldest; 0 of none."""

    waiting: int
    oldest_seconds: float


class UnconsumedEvents(NamedTuple):
    """How far consumer groups are behind their channels, all together and the one that is furthest.

    Stranded events are in the hands of consumers whose lease has lapsed, and that nobody else has taken over.
    """

    groups: int
    behind: int
    furthest_behind: int
    stranded: int


class PendingWakeups(NamedTuple):
    """Wake-ups that have not fired: whose time is still to come, whose time has come, and how long ago."""

    ahead: int
    due: int
    oldest_due_seconds: float


class PendingApprovals(NamedTuple):
    """Operations that wait for somebody's approval, and for how long the oldest has; 0 of none."""

    waiting: int
    oldest_seconds: float


class Freezes(NamedTuple):
    """Guards that let nothing start, and for how long the oldest has; 0 of none."""

    standing: int
    oldest_seconds: float


class Counts(NamedTuple):
    """What was counted; None where the database could not tell in time."""

    open_executions: OpenExecutions | None
    ambiguous_executions: AmbiguousExecutions | None
    unconsumed_events: UnconsumedEvents | None
    pending_wakeups: PendingWakeups | None
    pending_approvals: PendingApprovals | None
    last_retention_sweep: LastSweep | None


async def count_open_executions(session: Session) -> OpenExecutions:
    """Reads the whole ledger, and takes its time."""
    row = await session.fetch_one(_COUNT_OPEN_EXECUTIONS)
    assert row is not None, "a count has a row"
    return OpenExecutions(*row)


async def count_ambiguous_executions(session: Session) -> AmbiguousExecutions:
    """Reads all that may become ambiguous."""
    row = await session.fetch_one(_COUNT_AMBIGUOUS_EXECUTIONS)
    assert row is not None, "a count has a row"
    return AmbiguousExecutions(*row)


async def count_unconsumed_events(session: Session) -> UnconsumedEvents:
    """Reads all groups, which are few."""
    row = await session.fetch_one(_COUNT_UNCONSUMED_EVENTS)
    assert row is not None, "a count has a row"
    return UnconsumedEvents(*row)


async def count_pending_wakeups(session: Session) -> PendingWakeups:
    """Reads all that are pending."""
    row = await session.fetch_one(_COUNT_PENDING_WAKEUPS)
    assert row is not None, "a count has a row"
    return PendingWakeups(*row)


async def count_pending_approvals(session: Session) -> PendingApprovals:
    """Reads all that are pending."""
    row = await session.fetch_one(_COUNT_PENDING_APPROVALS)
    assert row is not None, "a count has a row"
    return PendingApprovals(*row)


async def count_freezes(session: Session) -> Freezes:
    """Reads all guards, which are few."""
    row = await session.fetch_one(_COUNT_FREEZES)
    assert row is not None, "a count has a row"
    return Freezes(*row)
