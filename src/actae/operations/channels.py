"""Channels: their metadata, their steps, and their end."""

from datetime import datetime

import msgspec

from actae.domain.channels import ChannelMetadata
from actae.domain.errors import ChannelDeletedError, ChannelNotFoundError, StepNotFoundError
from actae.store import channels as store
from actae.store.channels import Step
from actae.store.database import Database, Transaction, story


async def get_metadata(db: Database, channel_id: str) -> ChannelMetadata:
    """What is known of a channel; of a deleted one its tombstone.

    Raises:
        ChannelNotFoundError: it was never written.
    """
    metadata = await store.get_channel_metadata(db, channel_id)
    if metadata is None:
        raise ChannelNotFoundError(channel_id)
    return metadata


@story
async def update_metadata(
    tx: Transaction,
    channel_id: str,
    *,
    display_name: str | msgspec.UnsetType | None,
    reason: str | msgspec.UnsetType | None,
    experiment_metadata: bytes | msgspec.UnsetType | None,
) -> ChannelMetadata:
    """Overwrite what is given. An object is replaced, not merged; no event is appended.

    Raises:
        ChannelNotFoundError, ChannelDeletedError
    """
    await store.lock_heads(tx, channel_id)
    metadata = await store.update_channel_metadata(
        tx, channel_id, display_name=display_name, reason=reason, experiment_metadata=experiment_metadata
    )
    if metadata is None:
        raise ChannelNotFoundError(channel_id)
    if metadata.deleted_at is not None:
        raise ChannelDeletedError(channel_id)
    return metadata


@story
async def close(tx: Transaction, channel_id: str) -> datetime:
    """Take no more appends, saves and claims; what is under way may still report its outcome.

    Raises:
        ChannelNotFoundError, ChannelDeletedError
    """
    if not await store.lock_heads(tx, channel_id):
        raise ChannelNotFoundError(channel_id)
    head = await store.get_head(tx, channel_id)
    if head is not None and head.lifecycle == "deleted":
        raise ChannelDeletedError(channel_id)
    return await store.close_channel(tx, channel_id)


@story
async def delete(tx: Transaction, channel_id: str) -> list[str]:
    """Remove a channel's content and keep its tombstone; the ids that were deleted by this or before.

    Raises:
        ChannelNotFoundError
    """
    if not await store.lock_heads(tx, channel_id):
        raise ChannelNotFoundError(channel_id)
    await store.delete_channel(tx, channel_id)
    return [channel_id]


async def latest_step(db: Database, channel_id: str) -> int:
    """The highest step number; 0 if there is none.

    Raises:
        ChannelNotFoundError
    """
    head = await store.get_head(db, channel_id)
    if head is None:
        raise ChannelNotFoundError(channel_id)
    return head.latest_step


async def resolve_step(db: Database, channel_id: str, step_number: int) -> Step:
    """Where a step stands.

    Raises:
        StepNotFoundError: the channel or the step is unknown; nothing is guessed.
    """
    step = await store.get_step(db, channel_id, step_number)
    if step is None:
        raise StepNotFoundError(channel_id, step_number)
    return step


async def list_newest(db: Database, *, readable: list[str] | None, skip: int, most: int) -> list[str]:
    """Ids, most recent activity first. `readable` are LIKE patterns; None stands for all."""
    return await store.list_channels(db, readable=readable, skip=skip, most=most)
