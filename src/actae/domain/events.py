"""Events: the records, the asks that append them, and the decisions."""

from datetime import datetime
from typing import NamedTuple

import msgspec

from actae.domain.answers import Refused
from actae.domain.approval_decisions import keep_news, refuse_news
from actae.domain.approvals import Answer, Request
from actae.domain.errors import ActaeError, IdempotencyConflictError
from actae.domain.identity import Identity
from actae.domain.states import guard_refusal
from actae.domain.view import EventRow, View


class Event(msgspec.Struct, frozen=True):
    """One event as callers see it."""

    id: str
    channel_id: str
    type: str
    payload: msgspec.Raw
    actor: str
    cursor: int
    channel_cursor: int
    timestamp: datetime
    agent_id: str | None
    user_id: str | None
    metadata: msgspec.Raw | None
    depends_on: str | None


class Authorship(NamedTuple):
    """Who appends, and what the caller says about it."""

    actor: str
    agent_id: str | None = None
    user_id: str | None = None
    metadata: bytes | None = None


class Record(msgspec.Struct, frozen=True):
    """Append one event."""

    channel_id: str
    event_type: str
    payload: bytes
    author: Authorship
    size: int
    identity: Identity | None = None
    step_number: int | None = None
    depends_on: str | None = None
    dependencies: bytes | None = None
    approval: Request | Answer | None = None

    @property
    def key_digest(self) -> str | None:
        """The key that somebody is asked about, if somebody is."""
        return self.approval.key_digest if isinstance(self.approval, Request) else None

    @property
    def operation_digest(self) -> str | None:
        """What the batch looks up to recognise a repetition."""
        return self.identity.operation_digest if self.identity else None


class Transition(msgspec.Struct, frozen=True):
    """Append one event and save the state that results from it, together or not at all."""

    channel_id: str
    event_type: str
    payload: bytes
    state: bytes
    author: Authorship
    size: int
    identity: Identity | None = None
    expected_version: int | None = None
    expected_cursor: int | None = None
    depends_on: str | None = None
    dependencies: bytes | None = None
    approval: Request | Answer | None = None

    @property
    def key_digest(self) -> str | None:
        """The key that somebody is asked about, if somebody is."""
        return self.approval.key_digest if isinstance(self.approval, Request) else None

    @property
    def operation_digest(self) -> str | None:
        """What the batch looks up to recognise a repetition."""
        return self.identity.operation_digest if self.identity else None


class Appended(NamedTuple):
    """The event was written; with a transition, the snapshot's version too."""

    event: Event
    state_version: int | None = None
    is_repetition: bool = False  # of an earlier call: then this is what that one wrote


class AlreadyAppended(NamedTuple):
    """The operation id named an earlier write with the same content; this is where it stands."""

    channel_id: str
    cursor: int
    state_version: int | None


def decide_record(view: View, ask: Record) -> Appended | AlreadyAppended | Refused:
    """Append, unless the operation id says that it was done before."""
    head = view.head(ask.channel_id)
    earlier = _earlier(view, ask.channel_id, ask.identity)
    if earlier is not None:
        return earlier
    refusal = head.refusal() or _refuse(view, ask)
    if refusal is not None:
        return Refused(refusal)
    event = _append(view, ask)
    if ask.step_number is not None:
        view.put_step(head, ask.step_number, event)
    if ask.identity is not None:
        view.put_operation(ask.channel_id, ask.identity, cursor=event.cursor, version=None)
    return Appended(event)


def decide_transition(view: View, ask: Transition) -> Appended | AlreadyAppended | Refused:
    """Repetition first, guards second: a retry repeats a guard that its own first attempt invalidated."""
    head = view.head(ask.channel_id)
    earlier = _earlier(view, ask.channel_id, ask.identity)
    if earlier is not None:
        return earlier
    refusal = (
        head.refusal() or guard_refusal(head, ask.expected_version, ask.expected_cursor) or _refuse(view, ask)
    )
    if refusal is not None:
        return Refused(refusal)
    event = _append(view, ask)
    version = view.put_state(head, cursor=event.cursor, state=ask.state, dependencies=None)
    if ask.identity is not None:
        view.put_operation(ask.channel_id, ask.identity, cursor=event.cursor, version=version)
    return Appended(event, version)


def _earlier(view: View, channel_id: str, identity: Identity | None) -> AlreadyAppended | Refused | None:
    if identity is None:
        return None
    known = view.operation(channel_id, identity.operation_digest)
    if known is None:
        return None
    if known.content_digest != identity.content_digest or known.cursor is None:
        return Refused(IdempotencyConflictError(identity.operation_id))
    return AlreadyAppended(channel_id, known.cursor, known.version)


def _refuse(view: View, ask: Record | Transition) -> ActaeError | None:
    return None if ask.approval is None else refuse_news(view, ask.channel_id, ask.approval)


def _append(view: View, ask: Record | Transition) -> Event:
    author = ask.author
    head = view.head(ask.channel_id)
    row = view.append_event(
        head,
        ask.event_type,
        author.actor,
        ask.payload,
        agent_id=author.agent_id,
        user_id=author.user_id,
        metadata=author.metadata,
        depends_on=ask.depends_on,
        dependencies=ask.dependencies,
    )
    if ask.approval is not None:
        keep_news(view, head, ask.approval, row)
    return to_event(row, view.now)


def to_event(row: EventRow, recorded_at: datetime) -> Event:
    """A row that is written at this time, as callers see it."""
    return Event(
        id=row.event_id,
        channel_id=row.channel_id,
        type=row.event_type,
        payload=msgspec.Raw(row.payload),
        actor=row.actor,
        cursor=row.cursor,
        channel_cursor=row.cursor,
        timestamp=recorded_at,
        agent_id=row.agent_id,
        user_id=row.user_id,
        metadata=None if row.metadata is None else msgspec.Raw(row.metadata),
        depends_on=row.depends_on,
    )
