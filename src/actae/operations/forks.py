"""Fork a channel: a child that starts with its real state and its real effects, up to a boundary."""

from typing import NamedTuple

import asyncpg
import msgspec

from actae.domain.channels import Head
from actae.domain.errors import (
    ChannelConflictError,
    ChannelDeletedError,
    ChannelNotFoundError,
    IdempotencyConflictError,
    InvalidRequestError,
    NotAForkError,
    ReceiptNotFoundError,
    SnapshotBoundaryError,
)
from actae.domain.forks import (
    FORKED_AT_STEP,
    Fork,
    ForkChannel,
    Receipt,
    extend_lineage,
    found_no_state,
    grade,
    show_receipt,
    state_digest,
    steps_max,
)
from actae.domain.states import guard_refusal_of
from actae.domain.view import EventRow, View
from actae.operations.aside import aside
from actae.store import channels as channels_store
from actae.store import forks as store
from actae.store.database import Database, Transaction, story
from actae.store.forks import ForkSource
from actae.store.instance import ping

_RACES_MAX = 5


async def fork(db: Database, ask: ForkChannel) -> Receipt:
    """Make the child, or return the receipt of the same fork made before.

    Raises:
        IdempotencyConflictError, ChannelConflictError, ChannelNotFoundError, ChannelDeletedError,
        VersionConflictError, SnapshotBoundaryError, InvalidRequestError
    """
    for _ in range(_RACES_MAX):
        try:
            return await _fork(db, ask)
        except asyncpg.UniqueViolationError:
            continue  # Somebody made the same child, or used the same id, meanwhile; now it can be seen.
    raise ChannelConflictError(ask.new_channel_id)


@story
async def _fork(tx: Transaction, ask: ForkChannel) -> Receipt:
    known = await store.get_fork_operation(tx, ask.identity.operation_digest)
    if known is not None and known != ask.identity.content_digest:
        raise IdempotencyConflictError(ask.identity.operation_id)
    earlier = await _earlier(tx, ask, is_repetition=known is not None)
    if earlier is not None:
        if known is None:
            await store.add_fork_operation(tx, ask.identity.operation_digest, ask.identity.content_digest)
        return show_receipt(earlier, replayed=True)
    source = await store.read_fork_source(
        tx,
        ask.source_channel_id,
        ask.at_cursor or None,
        boundary=ask.at_cursor or ask.forked_at_cursor or None,
        with_state=ask.copy_state,
    )
    if source is None or source.lifecycle == "deleted" or (source.cursor == 0 and source.latest_version == 0):
        raise ChannelNotFoundError(ask.source_channel_id)
    refusal = guard_refusal_of(
        source.latest_version, source.latest_version_cursor, ask.expected_version, ask.expected_cursor
    )
    if refusal is not None:
        raise refusal
    if ask.at_cursor > 0 and ask.copy_state and source.state is None:
        raise SnapshotBoundaryError(ask.source_channel_id, ask.at_cursor)
    made = await draft(tx, ask, source, boundary=_boundary(ask, source))
    await store.add_fork(
        tx,
        made.fork,
        started=made.started,
        state=source.state,
        display_name=ask.display_name,
        reason=ask.reason,
        experiment_metadata=ask.experiment_metadata,
    )
    return show_receipt(made.fork, replayed=False)


async def _earlier(tx: Transaction, ask: ForkChannel, *, is_repetition: bool) -> Fork | None:
    """The same fork, made before; a repetition under one name changes nothing."""
    head = await channels_store.get_head(tx, ask.new_channel_id)
    if head is None:
        return None
    made = await store.get_fork(tx, ask.new_channel_id)
    if made is not None and is_repetition:
        return made
    if head.lifecycle == "deleted":
        raise ChannelDeletedError(ask.new_channel_id)
    if made is None:
        raise ChannelConflictError(ask.new_channel_id)
    same = (
        made.source_channel_id == ask.source_channel_id
        and made.requested_cursor == ask.at_cursor
        and _copies_alike(ask, made)
    )
    # Ignoring a stricter side-effect policy would be unsafe.
    if not same or (ask.tool_policies is not None and not _agree(ask.tool_policies, made.tool_policies)):
        raise ChannelConflictError(ask.new_channel_id)
    return made


def _copies_alike(ask: ForkChannel, made: Fork) -> bool:
    """Whether the state was copied, or left, as it is asked now; at 0 there may have been none to copy."""
    if ask.copy_state:
        return made.restorable or found_no_state(made)
    return not made.restorable


def _agree(asked: bytes, stored: bytes | None) -> bool:
    return stored is not None and msgspec.json.decode(asked) == msgspec.json.decode(stored)


def _boundary(ask: ForkChannel, source: ForkSource) -> int:
    """Up to where effects are inherited.

    A client that wanted a cursor without a snapshot falls back to the latest state and says where it
    wanted to fork; what was done after that is not the child's.
    """
    if ask.at_cursor > 0:
        # What the source does from now on is not the child's, however far ahead the cursor was.
        return min(ask.at_cursor, source.cursor)
    wanted = ask.forked_at_cursor
    return wanted if wanted is not None and 1 <= wanted <= source.cursor else source.cursor


class Draft(NamedTuple):
    """A fork that is decided and not yet written, with its first event."""

    fork: Fork
    started: EventRow


async def draft(tx: Transaction, ask: ForkChannel, source: ForkSource, *, boundary: int) -> Draft:
    """The fork of this source. Steps and effects are inherited up to the boundary."""
    now = await ping(tx)
    parent = await store.get_fork(tx, ask.source_channel_id)
    lineage = extend_lineage(ask.source_channel_id, boundary, parent)
    copied = source.state is not None
    resolved = source.state_cursor if source.state_cursor is not None else 0
    if not ask.copy_state:
        resolved = boundary
    inherited_steps = _inherited_steps(ask, source, parent, boundary)
    made = Fork(
        channel_id=ask.new_channel_id,
        source_channel_id=ask.source_channel_id,
        origin_run_id=ask.source_channel_id if parent is None else parent.origin_run_id,
        requested_cursor=ask.at_cursor,
        resolved_cursor=resolved,
        resolved_event_id=source.event_id,
        source_state_version=source.state_version or 0,
        source_state_sha256=(
            None if source.state is None else await aside(len(source.state), state_digest, source.state)
        ),
        restorable=copied,
        reproducibility=grade(
            copied=copied,
            requested=ask.at_cursor or ask.forked_at_cursor or 0,
            resolved=resolved,
            manifest=ask.manifest,
            inherits_effects=not copied and await store.has_inherited_effects(tx, lineage),
        ),
        inherited_steps=inherited_steps,
        lineage=lineage,
        manifest=ask.manifest,
        tool_policies=ask.tool_policies,
        content_digest=ask.identity.content_digest,
        operation_digest=ask.identity.operation_digest,
        forked_at=now,
        fork_group_id=ask.fork_group_id,
    )
    payload = msgspec.json.encode(
        {
            "source_channel_id": made.source_channel_id,
            "requested_cursor": made.requested_cursor,
            "resolved_cursor": made.resolved_cursor,
            "resolved_event_id": made.resolved_event_id,
            "source_state_version": made.source_state_version,
            "restorable": made.restorable,
            "reason": ask.reason,
        }
    )
    child = Head(ask.new_channel_id)
    started = View(now).append_event(
        child, "fork.started", "system", payload, depends_on=made.resolved_event_id
    )
    return Draft(made, started)


def _inherited_steps(ask: ForkChannel, source: ForkSource, parent: Fork | None, boundary: int) -> int:
    """The steps that the child has behind it: as many as it was told, if the source has them."""
    most = steps_max(parent, latest_step=source.latest_step, cursor=boundary)
    if ask.forked_at_step is None:
        return max(source.latest_step, 0 if parent is None else parent.inherited_steps)
    if ask.forked_at_step > most:
        raise InvalidRequestError(
            f"{FORKED_AT_STEP!r} is {ask.forked_at_step}; at cursor {boundary} "
            f"{ask.source_channel_id!r} has no more than {most} steps.",
            field=FORKED_AT_STEP,
            limit=most,
        )
    return ask.forked_at_step


async def get_receipt(db: Database, channel_id: str) -> Receipt:
    """The stored receipt of a fork.

    Raises:
        ChannelNotFoundError, ReceiptNotFoundError
    """
    made = await store.get_fork(db, channel_id)
    if made is not None:
        return show_receipt(made, replayed=False)
    if await channels_store.get_head(db, channel_id) is None:
        raise ChannelNotFoundError(channel_id)
    raise ReceiptNotFoundError(channel_id)


async def get_parent(db: Database, channel_id: str) -> str:
    """The channel that a fork was made from.

    Raises:
        ChannelNotFoundError, NotAForkError
    """
    made = await store.get_fork(db, channel_id)
    if made is not None:
        return made.source_channel_id
    if await channels_store.get_head(db, channel_id) is None:
        raise ChannelNotFoundError(channel_id)
    raise NotAForkError(channel_id)
