"""The tree of forks below a channel."""

from actae.domain.channels import ChannelMetadata
from actae.domain.errors import ChannelNotFoundError
from actae.domain.lineage import TreeNode
from actae.store import channels as channels_store
from actae.store import forks as forks_store
from actae.store.database import Database

DEPTH_MAX = 200  # levels; a reply that nests deeper is more than some JSON readers take


async def list_children(db: Database, channel_id: str) -> list[ChannelMetadata]:
    """The direct children, oldest first; an unknown channel has none."""
    children = await forks_store.list_forks(db, channel_id)
    found = [await channels_store.get_channel_metadata(db, child) for child in children]
    return [metadata for metadata in found if metadata is not None]


async def get_tree(db: Database, channel_id: str) -> TreeNode:
    """The channel and everything below it, one query a level.

    Raises:
        ChannelNotFoundError: it was never written, or is deleted.
    """
    head = await channels_store.get_head(db, channel_id)
    metadata = await channels_store.get_channel_metadata(db, channel_id)
    if head is None or metadata is None or metadata.deleted_at is not None:
        raise ChannelNotFoundError(channel_id)
    root = TreeNode(
        channel_id, metadata.display_name, metadata.reason, metadata.forked_at_cursor, head.cursor,
        head.cursor or None, [],
    )  # fmt: skip
    level = {channel_id: root}
    for _ in range(DEPTH_MAX):
        below: dict[str, TreeNode] = {}
        for node in await forks_store.list_fork_nodes(db, list(level)):
            below[node.channel_id] = TreeNode(
                node.channel_id, node.display_name, node.reason, node.forked_at_cursor, node.cursor,
                node.cursor or None, [],
            )  # fmt: skip
            level[node.source_channel_id].children.append(below[node.channel_id])
        if not below:
            break
        level = below
    return root
