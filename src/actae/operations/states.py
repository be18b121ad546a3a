"""Save and load state snapshots."""

from typing import cast

from actae.domain.answers import Refused
from actae.domain.states import Saved, SaveState
from actae.operations.writer import Writer
from actae.store import channels as channels_store
from actae.store import states as store
from actae.store.database import Database, Transaction, story
from actae.store.states import load_latest_state, load_state_version

__all__ = ["delete_version", "load_latest_state", "load_state_version", "save"]


async def save(db: Database, writer: Writer, ask: SaveState) -> Saved:
    """Save a new version; a repetition gets the first answer back.

    Raises:
        IdempotencyConflictError, VersionConflictError, ChannelClosedError, ChannelDeletedError
    """
    answer = await writer.submit(ask)
    if isinstance(answer, Refused):
        raise answer.error
    saved = cast(Saved, answer)
    if not saved.replayed:
        return saved
    return saved._replace(timestamp=await store.get_saved_at(db, saved.channel_id, saved.version))


@story
async def delete_version(tx: Transaction, channel_id: str, version: int) -> bool:
    """Delete one snapshot; whether there was one."""
    await channels_store.lock_heads(tx, channel_id)
    return await store.delete_state_version(tx, channel_id, version)
