"""Append to a channel, read it back, prove it untampered, and walk what caused what."""

from collections.abc import Callable, Sequence
from typing import cast

import msgspec

from actae.domain.answers import Refused
from actae.domain.chain import link
from actae.domain.errors import EventNotFoundError, InternalError, InvalidRequestError
from actae.domain.event_ids import microseconds
from actae.domain.events import AlreadyAppended, Appended, Event, Record, Transition
from actae.domain.identity import Identity
from actae.operations.writer import Writer
from actae.store import channels as channels_store
from actae.store import events as store
from actae.store.database import Database, Row
from actae.store.events import EventFilter

_CHAIN_PAGE = 2_000


class Dependency(msgspec.Struct, frozen=True):
    """One causal parent."""

    event_id: str
    dependency_type: str = "causal"


class Edge(msgspec.Struct, frozen=True):
    """One arrow of the causal graph, from an event to what it depends on."""

    event_id: str
    depends_on_event_id: str
    dependency_type: str


class CausalGraph(msgspec.Struct, frozen=True):
    """The ancestry of an event, breadth first, the event itself first."""

    root_event_id: str
    events: list[Event]
    dependencies: list[Edge]
    truncated: bool


class ChainReport(msgspec.Struct, frozen=True):
    """Whether the log of a channel is what was written."""

    channel_id: str
    valid: bool
    event_count: int
    head_cursor: int
    head_hash: str | None
    first_invalid_cursor: int | None


async def append(db: Database, writer: Writer, ask: Record | Transition) -> Appended:
    """Append an event, with its state if there is one; a repetition gets the first event back.

    Raises:
        IdempotencyConflictError, VersionConflictError, ChannelClosedError, ChannelDeletedError
    """
    answer = await writer.submit(ask)
    if isinstance(answer, Appended):
        return answer
    if isinstance(answer, Refused):
        raise answer.error
    earlier = cast(AlreadyAppended, answer)
    event = await store.get_event_at(db, earlier.channel_id, earlier.cursor)
    if event is None:
        raise InternalError("The first event of this operation id is gone.")
    return Appended(event, earlier.state_version, is_repetition=True)


async def find_unknown_dependency(
    db: Database, dependencies: Sequence[Dependency], *, knows_of: Callable[[str], bool]
) -> InvalidRequestError | None:
    """The refusal, if one names an event that is unknown, or on a channel that the caller knows not of."""
    known = await store.list_known_event_ids(db, [each.event_id for each in dependencies])
    for place, each in enumerate(dependencies):
        if each.event_id not in known or not knows_of(known[each.event_id]):
            return InvalidRequestError(
                f"No event has the id {each.event_id!r}.", field=f"dependencies[{place}].event_id"
            )
    return None


async def is_repetition(db: Database, channel_id: str, identity: Identity) -> bool:
    """Whether this operation id has written to the channel before, whatever its content was."""
    return await store.is_operation_known(db, channel_id, identity.operation_digest)


async def replay(
    db: Database, channel_id: str, *, after: int, most: int, event_type: str | None
) -> list[Event]:
    """Events above a cursor, ascending; an unknown channel has none."""
    if most <= 0:
        return []
    return await store.replay_events(db, channel_id, after=after, most=most, event_type=event_type)


async def query(db: Database, wanted: EventFilter) -> tuple[list[Event], bool]:
    """Newest first over all channels, and whether there are more."""
    if wanted.channel_ids == [] or wanted.most <= 0:
        return [], False
    page = await store.query_events(db, msgspec.structs.replace(wanted, most=wanted.most + 1))
    return page.rows[: wanted.most], page.was_cut or len(page.rows) > wanted.most


async def get_cursor(db: Database, channel_id: str) -> int | None:
    """The newest cursor; None for a channel without events."""
    head = await channels_store.get_head(db, channel_id)
    return head.cursor if head is not None and head.cursor > 0 else None


async def verify_chain(db: Database, channel_id: str) -> ChainReport:
    """Recompute every chain hash, and compare the last one with the head's."""
    head = await channels_store.get_head(db, channel_id)
    head_cursor, head_hash = (head.cursor, head.chain_hash) if head is not None else (0, None)
    before: bytes | None = None
    count = 0
    invalid: int | None = None
    while invalid is None and count < head_cursor:
        page = await store.read_chain(db, channel_id, after=count, most=_CHAIN_PAGE)
        if not page:
            invalid = count + 1
        for row in page:
            if count == head_cursor:
                break
            if row["cursor"] != count + 1 or _hash(channel_id, before, row) != row["chain_hash"]:
                invalid = count + 1
                break
            before = row["chain_hash"]
            count += 1
    if invalid is None and head_cursor > 0 and (before is None or before.hex() != head_hash):
        invalid = head_cursor
    return ChainReport(channel_id, invalid is None, count, head_cursor, head_hash, invalid)


def _hash(channel_id: str, before: bytes | None, row: Row) -> bytes:
    return link(
        before,
        channel_id=channel_id,
        cursor=row["cursor"],
        event_id=row["event_id"],
        event_type=row["event_type"],
        actor=row["actor"],
        agent_id=row["agent_id"],
        user_id=row["user_id"],
        payload=row["payload"],
        metadata=row["metadata"],
        depends_on=row["depends_on"],
        dependencies=row["dependencies"],
        recorded_at_us=microseconds(row["recorded_at"]),
    )


async def get_event(db: Database, event_id: str) -> Event:
    """One event by its id.

    Raises:
        EventNotFoundError
    """
    found = await store.get_events_by_id(db, [event_id])
    if not found:
        raise EventNotFoundError(event_id)
    return found[0][0]


async def causal_graph(
    db: Database, root: Event, *, most: int, may_see: Callable[[str], bool]
) -> CausalGraph:
    """Everything that an event depends on, level by level, as far as it may be seen."""
    events: list[Event] = []
    edges: list[Edge] = []
    seen = {root.id}
    frontier = [root.id]
    truncated = False
    while frontier:
        found = await store.get_events_by_id(db, frontier)
        found.sort(key=lambda pair: frontier.index(pair[0].id))
        frontier = []
        for event, dependencies in found:
            if not may_see(event.channel_id):
                continue
            if len(events) == most:
                truncated = True
                break
            events.append(event)
            for each in _parents(event, dependencies):
                edges.append(Edge(event.id, each.event_id, each.dependency_type))
                if each.event_id not in seen:
                    seen.add(each.event_id)
                    frontier.append(each.event_id)
    return CausalGraph(root.id, events, edges, truncated)


def _parents(event: Event, dependencies: bytes | None) -> list[Dependency]:
    if dependencies is not None:
        return msgspec.json.decode(dependencies, type=list[Dependency])
    return [] if event.depends_on is None else [Dependency(event.depends_on)]
