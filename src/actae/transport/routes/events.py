"""Events: append, replay, query, verify, and the causal graph."""

from datetime import datetime
from functools import partial
from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta, Raw

from actae.domain import errors
from actae.domain.access import Caller
from actae.domain.events import Authorship, Event, Record, Transition
from actae.domain.fingerprint import content_digest
from actae.domain.identity import EVENT_NAMESPACE, Identity, identify
from actae.domain.redaction import all_shown
from actae.operations import events as operations
from actae.operations.events import CausalGraph, ChainReport, Dependency
from actae.store.events import EventFilter
from actae.transport.approval_events import approval_of
from actae.transport.digests import digest_aside
from actae.transport.fields import (
    NULL,
    ChannelId,
    Cursor,
    EventType,
    Name,
    OperationId,
    StepNumber,
    check_channel_id,
    check_uuid,
    optional_object,
)
from actae.transport.moments import parse_moment
from actae.transport.operation_ids import operation_id_of
from actae.transport.route import Asked, Route
from actae.transport.services import Services

_WRITE_ERRORS = (
    errors.InvalidRequestError,
    errors.InvalidJsonError,
    errors.PayloadTooLargeError,
    errors.IdempotencyConflictError,
    errors.ChannelClosedError,
    errors.CounterfactualBlockedError,
    errors.ChannelDeletedError,
    errors.OverloadedError,
    errors.UnavailableError,
)


class Metadata(msgspec.Struct):
    """Who appends, and an object of the caller's own."""

    actor: Name
    agent_id: Name | None = None
    user_id: Name | None = None
    metadata: Raw = NULL


class RecordBody(msgspec.Struct):
    """An event to append. Its type stands under either of the two names."""

    ONE_REQUIRED: ClassVar = ("event_type", "type")

    channel_id: ChannelId
    payload: Raw
    metadata: Metadata
    event_type: EventType | None = None
    type: EventType | None = None
    operation_id: OperationId | None = None
    step_number: StepNumber | None = None
    dependencies: list[Dependency] | None = None


class TransitionBody(msgspec.Struct):
    """An event to append, and the state that results from it. The type stands under either of two names."""

    ONE_REQUIRED: ClassVar = ("type", "event_type")

    channel_id: ChannelId
    payload: Raw
    state: Raw
    metadata: Metadata
    type: EventType | None = None
    event_type: EventType | None = None
    operation_id: OperationId | None = None
    expected_version: Cursor | None = None
    expected_cursor: Cursor | None = None
    dependencies: list[Dependency] | None = None


class EventReply(msgspec.Struct):
    """The event as it was stored."""

    event: Event


class TransitionReply(msgspec.Struct):
    """The event and the version of the snapshot."""

    event: Event
    state_version: int


class EventsReply(msgspec.Struct):
    """Events in cursor order."""

    events: list[Event]


class QueryReply(msgspec.Struct):
    """Events, newest first."""

    events: list[Event]
    count: int
    has_more: bool


class CursorReply(msgspec.Struct):
    """The newest cursor, or null."""

    latest_cursor: int | None


async def record(services: Services, asked: Asked) -> EventReply:
    """Append one event. The operation id may stand in the header `Idempotency-Key` instead."""
    body: RecordBody = asked.body
    channel_id = check_channel_id(body.channel_id)
    asked.caller.require("write", channel_id)
    event_type = _event_type(body.event_type, body.type, "event_type")
    payload = bytes(body.payload)
    identity = None
    if (operation_id := operation_id_of(body.operation_id, asked.headers)) is not None:
        identity = await identity_of(operation_id, event_type, payload)
    depends_on, dependencies = await dependencies_of(
        services, asked.caller, channel_id, body.dependencies, identity
    )
    ask = Record(
        channel_id,
        event_type,
        payload,
        _author(body.metadata),
        len(payload) + 512,
        identity,
        body.step_number,
        depends_on,
        dependencies,
        await approval_of(event_type, payload),
    )
    appended = await operations.append(services.db, services.writer, ask)
    return EventReply(appended.event)


async def transition(services: Services, asked: Asked) -> TransitionReply:
    """Append one event and save its state, together or not at all.

    The operation id may stand in the header `Idempotency-Key` instead.
    """
    body: TransitionBody = asked.body
    channel_id = check_channel_id(body.channel_id)
    asked.caller.require("write", channel_id)
    event_type = _event_type(body.type, body.event_type, "type")
    payload, state = bytes(body.payload), bytes(body.state)
    identity = None
    if (operation_id := operation_id_of(body.operation_id, asked.headers)) is not None:
        identity = await identity_of(operation_id, event_type, payload, state)
    depends_on, dependencies = await dependencies_of(
        services, asked.caller, channel_id, body.dependencies, identity
    )
    ask = Transition(
        channel_id,
        event_type,
        payload,
        state,
        _author(body.metadata),
        len(payload) + len(state) + 512,
        identity,
        body.expected_version,
        body.expected_cursor,
        depends_on,
        dependencies,
        await approval_of(event_type, payload),
    )
    appended = await operations.append(services.db, services.writer, ask)
    return TransitionReply(appended.event, appended.state_version or 0)


def _event_type(own: str | None, alias: str | None, field: str) -> str:
    """The type under either of its two names; this route's own is `field`."""
    value = own if own is not None else alias
    if own is not None and alias is not None and own != alias:
        raise errors.InvalidRequestError("`type` and `event_type` differ.", field=field)
    if value is None:
        raise errors.InvalidRequestError(
            f"Object missing required field `{field}`, at {field!r}.", field=field
        )
    return value


async def identity_of(
    operation_id: str, event_type: str, payload: bytes, state: bytes | None = None
) -> Identity:
    """What a record or a transition with this operation id is recognised by."""
    kind = "record" if state is None else "transition"
    size = len(payload) + len(state or b"")
    content = await digest_aside(size, content_digest, kind, event_type, payload, state)
    return identify(EVENT_NAMESPACE, operation_id, content)


def _author(metadata: Metadata) -> Authorship:
    own = optional_object(metadata.metadata, "metadata.metadata")
    return Authorship(metadata.actor, metadata.agent_id, metadata.user_id, own)


async def dependencies_of(
    services: Services,
    caller: Caller,
    channel_id: str,
    dependencies: list[Dependency] | None,
    identity: Identity | None,
) -> tuple[str | None, bytes | None]:
    """The first parent's id, and all of them as they are stored; they must exist.

    A repetition needs none: its event is there, and the parents may have been deleted since.
    """
    if not dependencies:
        return None, None
    checked = [
        Dependency(check_uuid(each.event_id, f"dependencies[{place}].event_id"), each.dependency_type)
        for place, each in enumerate(dependencies)
    ]

    def knows_of(other: str) -> bool:
        return other == channel_id or caller.permissions.allows("read", other)

    unknown = await operations.find_unknown_dependency(services.db, checked, knows_of=knows_of)
    if unknown is None:
        return checked[0].event_id, msgspec.json.encode(checked)
    if identity is not None and await operations.is_repetition(services.db, channel_id, identity):
        return None, None
    raise unknown


class ReplayQuery(msgspec.Struct):
    """Which piece of the log."""

    limit: Annotated[
        int, Meta(description="At most 10,000; larger values are clamped. With 0, and below, there are none.")
    ] = 100
    cursor: Annotated[int, Meta(ge=0, description="Exclusive: events above it.")] | None = None
    channel_cursor: Annotated[int, Meta(ge=0, description="Alias of `cursor`.")] | None = None
    event_type: str | None = None


async def replay(services: Services, asked: Asked) -> EventsReply:
    """The log from a cursor on."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("observe", channel_id)
    query: ReplayQuery = asked.query
    after = query.cursor if query.cursor is not None else query.channel_cursor or 0
    found = await operations.replay(
        services.db,
        channel_id,
        after=clamp(after, 0, 2**63 - 1),
        most=clamp(query.limit, 0, 10_000),
        event_type=query.event_type,
    )
    return EventsReply(all_shown(found, asked.caller.permissions))


def clamp(value: int, low: int, high: int) -> int:
    """The nearest value within the bounds."""
    return max(low, min(high, value))


class QueryBody(msgspec.Struct, rename={"from_": "from"}):
    """What to look for across channels; what is absent is no condition."""

    limit: int = 100
    channel_ids: list[str] | None = None
    event_type: str | None = None
    actor: str | None = None
    cursor_start: int | None = None
    cursor_end: int | None = None
    channel_cursor_start: int | None = None
    channel_cursor_end: int | None = None
    from_: Annotated[str | None, Meta(description="RFC 3339, inclusive.")] = None
    to: Annotated[str | None, Meta(description="RFC 3339, inclusive.")] = None
    offset: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0


async def query(services: Services, asked: Asked) -> QueryReply:
    """Events of all channels that may be observed, newest first."""
    asked.caller.require_any("observe")
    body: QueryBody = asked.body
    start = body.cursor_start if body.cursor_start is not None else body.channel_cursor_start
    end = body.cursor_end if body.cursor_end is not None else body.channel_cursor_end
    wanted = EventFilter(
        channel_ids=body.channel_ids,
        readable=asked.caller.permissions.observable_like(),
        event_type=body.event_type,
        actor=body.actor,
        cursor_start=None if start is None else clamp(start, -1, 2**63 - 1),
        cursor_end=None if end is None else clamp(end, -1, 2**63 - 1),
        from_time=_moment(body.from_, "from"),
        to_time=_moment(body.to, "to"),
        skip=body.offset,
        most=clamp(body.limit, 0, 1_000),
    )
    found, has_more = await operations.query(services.db, wanted)
    return QueryReply(all_shown(found, asked.caller.permissions), len(found), has_more)


def _moment(value: str | None, field: str) -> datetime | None:
    return None if value is None else parse_moment(value, field)


async def get_cursor(services: Services, asked: Asked) -> CursorReply:
    """The newest cursor; null for a channel without events."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("observe", channel_id)
    return CursorReply(await operations.get_cursor(services.db, channel_id))


async def verify_chain(services: Services, asked: Asked) -> ChainReport:
    """Recompute the chain hashes of a channel."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("read", channel_id)
    return await operations.verify_chain(services.db, channel_id)


class GraphQuery(msgspec.Struct):
    """How much of the ancestry."""

    max_nodes: Annotated[int, Meta(ge=1)] = 1_000


async def causal_graph(services: Services, asked: Asked) -> CausalGraph:
    """Everything that an event depends on, across channels."""
    asked.caller.require_any("observe")
    event_id = check_uuid(asked.path["event_id"], "event_id")
    permissions = asked.caller.permissions
    may_see = partial(permissions.allows, "observe")

    root = await operations.get_event(services.db, event_id)
    if not may_see(root.channel_id):
        raise errors.EventNotFoundError(event_id)  # its channel's name is not this caller's to know

    most = clamp(asked.query.max_nodes, 1, 10_000)
    graph = await operations.causal_graph(services.db, root, most=most, may_see=may_see)
    return msgspec.structs.replace(graph, events=all_shown(graph.events, permissions))


ROUTES = (
    Route(
        method="POST",
        path="/events/record",
        operation="events.record",
        summary="Append one event",
        handler=record,
        body=RecordBody,
        reply=EventReply,
        errors=_WRITE_ERRORS,
    ),
    Route(
        method="POST",
        path="/events/transition",
        operation="events.transition",
        summary="Append one event and save its state atomically",
        handler=transition,
        body=TransitionBody,
        reply=TransitionReply,
        errors=(*_WRITE_ERRORS, errors.VersionConflictError),
    ),
    Route(
        method="GET",
        path="/events/replay/{channel_id}",
        operation="events.replay",
        summary="Read a channel's log from a cursor on",
        handler=replay,
        query=ReplayQuery,
        reply=EventsReply,
        errors=(errors.InvalidRequestError,),
    ),
    Route(
        method="POST",
        path="/events/query",
        operation="events.query",
        summary="Find events across channels, newest first",
        handler=query,
        body=QueryBody,
        reply=QueryReply,
        errors=(errors.InvalidRequestError, errors.InvalidJsonError),
    ),
    Route(
        method="GET",
        path="/events/cursor/{channel_id}",
        operation="events.cursor.get",
        summary="The newest cursor of a channel",
        handler=get_cursor,
        reply=CursorReply,
        errors=(errors.InvalidRequestError,),
    ),
    Route(
        method="GET",
        path="/events/verify/{channel_id}",
        operation="events.verify_chain",
        summary="Recompute a channel's chain hashes",
        handler=verify_chain,
        reply=ChainReport,
        errors=(errors.InvalidRequestError,),
    ),
    Route(
        method="GET",
        path="/events/{event_id}/causal-graph",
        operation="events.causal_graph.get",
        summary="What an event depends on, across channels",
        handler=causal_graph,
        query=GraphQuery,
        reply=CausalGraph,
        errors=(errors.InvalidRequestError, errors.EventNotFoundError),
    ),
)
