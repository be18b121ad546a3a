"""Channels: their metadata and their closing."""

from datetime import datetime

import msgspec

from actae.domain.channels import ChannelMetadata
from actae.domain.errors import ChannelDeletedError, ChannelNotFoundError, CounterfactualBlockedError
from actae.store import channels as store
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
        ChannelNotFoundError, ChannelDeletedError, CounterfactualBlockedError
    """
    if not await store.lock_heads(tx, channel_id):
        raise ChannelNotFoundError(channel_id)
    head = await store.get_head(tx, channel_id)
    if head is not None and head.lifecycle == "deleted":
        raise ChannelDeletedError(channel_id)
    if head is not None and head.lifecycle == "frozen":
        raise CounterfactualBlockedError.of_frozen(channel_id)
    return await store.close_channel(tx, channel_id)


async def set_outcome(
    db: Database, channel_id: str, outcome: str | None, score: float | None
) -> tuple[str | None, float | None]:
    """Record how a run ended; without a score the old one stays. Outcome and score afterwards.

    None takes back `crashed`, of a run that got through after all, and nothing else. What was promoted does
    not become `crashed`.

    Raises:
        ChannelNotFoundError, ChannelDeletedError
    """
    recorded = await store.set_outcome(db, channel_id, outcome, score)
    if recorded is not None:
        return recorded
    metadata = await store.get_channel_metadata(db, channel_id)
    if metadata is not None and metadata.deleted_at is not None:
        raise ChannelDeletedError(channel_id)
    raise ChannelNotFoundError(channel_id)


async def list_newest(db: Database, *, readable: list[str] | None, skip: int, most: int) -> list[str]:
    """Ids, most recent activity first. `readable` are LIKE patterns; None stands for all."""
    return await store.list_channels(db, readable=readable, skip=skip, most=most)
