"""Where a channel comes from, and what came from it."""

import msgspec

from actae.domain.branches import ChannelState
from actae.domain.executions import Execution


class TreeNode(msgspec.Struct):
    """One channel of the tree, and what was forked from it."""

    channel_id: str
    display_name: str | None
    reason: str | None
    forked_at_cursor: int
    event_count: int
    latest_cursor: int | None
    children: list["TreeNode"]


class Ancestor(msgspec.Struct, frozen=True):
    """One channel on the way up; its name and reason are null where they may not be seen."""

    channel_id: str
    parent_channel_id: str | None
    forked_at_cursor: int
    display_name: str | None
    reason: str | None


class Trail(msgspec.Struct, frozen=True):
    """The decisions behind a channel.

    `ancestry` begins with the channel and ends with the root. `boundary` is the parent's snapshot as it was
    copied, null if none was; its `state` is null if the copy was deleted since. `executions` are the
    channel's own operations, oldest first, without the session fence. One that is `truncated` ends after
    the first thousand of them, or after about 32 MiB; `GET /executions` has them all.
    """

    channel_id: str
    origin_run_id: str
    ancestry: list[Ancestor]
    boundary: ChannelState | None
    executions: list[Execution]
    truncated: bool
