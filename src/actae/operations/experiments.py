"""Experiments: start one, add channels to it, look at it, rank its members.

Who may see none of an experiment's members does not learn of it; who may see some sees those.
"""

from collections.abc import Callable

import msgspec

from actae.domain.errors import (
    ChannelDeletedError,
    ChannelNotFoundError,
    ExperimentNotFoundError,
    IdempotencyConflictError,
)
from actae.domain.event_ids import EventIds
from actae.domain.experiments import BASELINE, Experiment, show_visible
from actae.domain.identity import Identity
from actae.store import experiments as store
from actae.store.channels import get_head
from actae.store.database import Database, Session, Transaction, story
from actae.store.instance import ping

MaySee = Callable[[str], bool]


class CreateExperiment(msgspec.Struct, frozen=True, kw_only=True):
    """Start an experiment, with its baseline if there is one."""

    name: str
    description: str | None = None
    baseline_channel_id: str | None = None
    identity: Identity | None = None


class AddMember(msgspec.Struct, frozen=True, kw_only=True):
    """Put a channel into an experiment, or change what is said of it there; an UNSET delta stays."""

    group_id: str
    channel_id: str
    role: str
    declared_delta: bytes | msgspec.UnsetType | None
    identity: Identity | None = None


@story
async def create(tx: Transaction, ask: CreateExperiment, *, may_see: MaySee) -> Experiment:
    """The new experiment; a repetition gets the first one as it stands now.

    Raises:
        IdempotencyConflictError, ChannelNotFoundError, ChannelDeletedError
    """
    now = await ping(tx)
    group_id = EventIds(now).next()
    earlier = await _earlier(tx, ask.identity, group_id)
    if earlier is not None:
        return await _get(tx, earlier, may_see)
    await store.add_experiment(tx, group_id, ask.name, ask.description, now)
    if ask.baseline_channel_id is not None:
        await _check_channel(tx, ask.baseline_channel_id)
        await store.put_member(tx, group_id, ask.baseline_channel_id, BASELINE, None)
    return await _get(tx, group_id, may_see)


@story
async def add_member(tx: Transaction, ask: AddMember, *, may_see: MaySee) -> Experiment:
    """The experiment with the channel in it. A repetition changes nothing.

    Raises:
        IdempotencyConflictError, ExperimentNotFoundError, ChannelNotFoundError, ChannelDeletedError
    """
    await _get(tx, ask.group_id, may_see)
    if await _earlier(tx, ask.identity, ask.group_id) is None:
        await _check_channel(tx, ask.channel_id)
        await store.touch_experiment(tx, ask.group_id)
        await store.put_member(tx, ask.group_id, ask.channel_id, ask.role, ask.declared_delta)
    return await _get(tx, ask.group_id, may_see)


async def get(db: Database, group_id: str, *, may_see: MaySee) -> Experiment:
    """One experiment.

    Raises:
        ExperimentNotFoundError
    """
    return await _get(db, group_id, may_see)


async def list_newest(
    db: Database, *, may_see: MaySee, readable: list[str] | None, skip: int, most: int
) -> list[Experiment]:
    """Newest first. `readable` are the LIKE patterns of what `may_see` allows; None stands for all."""
    found = await store.list_experiments(db, readable=readable, skip=skip, most=most)
    shown = (show_visible(each, may_see) for each in found)
    return [each for each in shown if each is not None]


async def _earlier(tx: Transaction, identity: Identity | None, group_id: str) -> str | None:
    """The experiment of the same call made before; from now on the id names this one."""
    known = None if identity is None else await store.add_operation(tx, identity, group_id)
    if identity is None or known is None:
        return None
    content_digest, earlier = known
    if content_digest != identity.content_digest:
        raise IdempotencyConflictError(identity.operation_id)
    return earlier


async def _get(session: Session, group_id: str, may_see: MaySee) -> Experiment:
    experiment = await store.get_experiment(session, group_id)
    shown = None if experiment is None else show_visible(experiment, may_see)
    if shown is None:
        raise ExperimentNotFoundError(group_id)
    return shown


async def _check_channel(tx: Transaction, channel_id: str) -> None:
    head = await get_head(tx, channel_id)
    if head is None:
        raise ChannelNotFoundError(channel_id)
    if head.lifecycle == "deleted":
        raise ChannelDeletedError(channel_id)
