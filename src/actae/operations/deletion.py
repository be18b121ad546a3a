"""The end of a channel, alone or with everything that was forked from it."""

from actae.domain.access import Permissions
from actae.domain.errors import ChannelHasForksError, ChannelNotFoundError, ForbiddenError
from actae.store import channels as channels_store
from actae.store import forks as forks_store
from actae.store.database import Transaction, story


@story
async def delete(tx: Transaction, channel_id: str, *, recursive: bool, permissions: Permissions) -> list[str]:
    """Remove what channels hold and keep their tombstones; the ids that are deleted now, this one first.

    Forks read inherited steps and effects through their ancestors, so a channel with live forks goes only
    together with them, and only where all of them may be deleted.

    Raises:
        ChannelNotFoundError, ChannelHasForksError, ForbiddenError
    """
    if not await channels_store.lock_heads(tx, channel_id):
        raise ChannelNotFoundError(channel_id)
    doomed = [channel_id]
    for each in doomed:  # Grows while it is walked: a tree, level by level.
        children = await forks_store.list_forks(tx, each)
        if children and not recursive:
            raise ChannelHasForksError(channel_id, permissions.observed_of(children))
        # A locked head takes no new forks, so the children that were read are all there will be.
        await channels_store.lock_heads(tx, *children)
        doomed += children
    if spared := [each for each in doomed[1:] if not permissions.allows("delete", each)]:
        raise ForbiddenError(
            f"Channel {channel_id!r} has forks that this credential may not delete; nothing was deleted.",
            channel_id=channel_id,
            forks=permissions.observed_of(spared),
        )
    for each in doomed:
        await channels_store.delete_channel(tx, each)
    return doomed
