"""Channels whose time is over: found, and removed, one at a time.

Each goes in a transaction of its own that looks again, under the lock of its head, whether it may. So any
number of servers may do this at once, and each may be killed at any moment: a channel is there or it is gone.
"""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Final

import asyncpg

from actae import crash_points
from actae.crash_points import CrashPoint
from actae.domain.retention import Branch, Hold, Standing, prune
from actae.store import channels as channels_store
from actae.store import forks as forks_store
from actae.store import retention as store
from actae.store.database import Database, Transaction, story
from actae.store.instance import ping
from actae.store.retention import BEGINNING
from actae.store.wakeups import limit_lock_wait

PAGE: Final = 200
LOCK_WAIT_MILLISECONDS: Final = 2_000

May = Callable[[str], bool]


class Search:
    """One walk over all channels that ended, from the first to end. It counts those that something keeps."""

    def __init__(self, db: Database, may: May) -> None:
        self.kept: Counter[Hold] = Counter()
        self._db = db
        self._may = may
        self._goes: dict[str, bool] = {}  # what was found of channels in trees of forks

    async def find(self) -> AsyncIterator[Standing]:
        """What may go as it stands now. In a tree of forks, forks first, and nothing above what stays."""
        keeps = [each.keep_for_seconds for each in await store.list_policies(self._db)]
        shortest = min((each for each in keeps if each is not None), default=None)
        if shortest is None:
            return
        before = await ping(self._db) - timedelta(seconds=shortest)
        page = [BEGINNING]
        while page:
            page = await store.list_ended(self._db, before=before, after=page[-1], most=PAGE)
            standings = await store.judge(self._db, [each.channel_id for each in page])
            for place in page:
                standing = standings.get(place.channel_id)
                if standing is not None and not self._is_settled(place.channel_id):
                    for each in await self._look_at(standing):
                        yield each

    async def _look_at(self, standing: Standing) -> list[Standing]:
        """The channel and its forks, as far as they may go."""
        tree = [Branch(standing, None)]
        if standing.has_forks and standing.may_go:
            await self._add_forks(tree)
        going = prune(
            tree, staying={each.channel_id for each, _ in tree if self._is_settled(each.channel_id)}
        )
        for each, _ in tree:
            if not self._is_settled(each.channel_id):
                self._settle(each, goes=each in going)
        return going

    async def _add_forks(self, tree: list[Branch]) -> None:
        """From the root down, level by level. What goes already is as good as gone; what stays keeps all its
        ancestors, so nobody need look below it.
        """
        level = [tree[0].standing.channel_id]
        while level:
            nodes = await forks_store.list_fork_nodes(self._db, level)
            parents = {each.channel_id: each.source_channel_id for each in nodes}
            found = (await store.judge(self._db, list(parents))).values()
            left = [each for each in found if not self._goes.get(each.channel_id, False)]
            tree += [Branch(each, parents[each.channel_id]) for each in left]
            level = [each.channel_id for each in left if not self._is_settled(each.channel_id)]

    def _is_settled(self, channel_id: str) -> bool:
        """Whether nothing more is to be found out: it was looked at, or it is not the caller's."""
        return channel_id in self._goes or not self._may(channel_id)

    def _settle(self, standing: Standing, *, goes: bool) -> None:
        if standing.is_fork or standing.has_forks:
            self._goes[standing.channel_id] = goes
        if standing.is_over and not goes:
            self.kept[standing.own_hold or "fork"] += 1


async def remove(db: Database, channel_id: str, *, patience_seconds: float | None = None) -> Standing | None:
    """Remove a channel, if it may go; None if something keeps it now, or somebody was faster.

    Raises:
        UnavailableError: the database cannot be had, or a statement takes longer than `patience_seconds` or,
            without any, than a read may.
    """
    try:
        return await _remove(db, channel_id, patience_seconds)
    except asyncpg.LockNotAvailableError:
        return None  # Somebody writes there, so it is not idle.


@story
async def _remove(tx: Transaction, channel_id: str, patience_seconds: float | None) -> Standing | None:
    await limit_lock_wait(tx, LOCK_WAIT_MILLISECONDS)
    await channels_store.lock_heads(tx, channel_id)
    standing = (await store.judge(tx, [channel_id])).get(channel_id)
    # A locked head takes no new forks.
    if standing is None or not standing.may_go or standing.has_forks:
        return None
    if patience_seconds is not None:
        await store.allow_time(tx, patience_seconds)
    await channels_store.delete_channel(tx, channel_id)
    crash_points.reach(CrashPoint.REMOVAL_WRITTEN_NOT_COMMITTED)
    return standing
