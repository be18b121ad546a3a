"""Reads a range of channels table by table, and hands each channel what is its own."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Protocol, TypeVar

import msgspec

from actae.domain.audit import Broken, ChannelAudit
from actae.domain.channels import Head
from actae.domain.consumer_invariants import consumer_group_is_sound
from actae.store import verification as store
from actae.store.database import Transaction
from actae.store.verification import Range, UnlikeChannel


class LookedAt(msgspec.Struct):
    """How much was looked at."""

    channels: int = 0
    events: int = 0
    snapshots: int = 0
    operations: int = 0
    steps: int = 0
    executions: int = 0
    late_evidence: int = 0
    approvals: int = 0
    wakeups: int = 0
    consumer_groups: int = 0
    messages: int = 0

    def add(self, more: "LookedAt") -> None:
        """Add what was looked at elsewhere."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(more, name))


class _OfAChannel(Protocol):
    @property
    def channel_id(self) -> str: ...


R = TypeVar("R", bound=_OfAChannel)


class RangeAudit:
    """The audits of all channels in a range, and of rows there that belong to no channel."""

    def __init__(self, channels: Range, heads: Sequence[Head], *, keys_were_freed: bool) -> None:
        """`heads` are all that the range has."""
        self.looked_at = LookedAt(channels=len(heads))
        self.broken: list[Broken] = []
        self._range = channels
        self._audits = {
            head.channel_id: ChannelAudit(head, keys_were_freed=keys_were_freed) for head in heads
        }
        self._strays: set[tuple[str, str]] = set()

    async def read(self, tx: Transaction) -> None:
        """Read everything, as of one moment; then `broken` is complete."""
        channels, looked_at = self._range, self.looked_at
        read = self._read
        looked_at.events = await read("event", store.read_log(tx, channels), ChannelAudit.read_events)
        looked_at.snapshots = await read(
            "snapshot", store.read_snapshots(tx, channels), ChannelAudit.read_snapshots
        )
        looked_at.operations = await read(
            "operation id", store.read_operations(tx, channels), ChannelAudit.read_operations
        )
        looked_at.steps = await read("step", store.read_steps(tx, channels), ChannelAudit.read_steps)
        looked_at.executions = await read(
            "ledger row", store.read_executions(tx, channels), ChannelAudit.read_executions
        )
        looked_at.late_evidence = await read(
            "late report", store.read_late_evidence(tx, channels), ChannelAudit.read_late_evidence
        )
        looked_at.wakeups = await read(
            "wake-up", store.read_done_wakeups(tx, channels), ChannelAudit.read_wakeups
        )
        looked_at.approvals = await read(
            "request for approval", store.read_approvals(tx, channels), ChannelAudit.read_approvals
        )
        await self._read_consumer_groups(tx)
        looked_at.messages = await read(
            "message", store.read_messages(tx, channels), ChannelAudit.read_messages
        )
        self.broken.extend(map(_unlike, await store.list_channels_unlike_their_head(tx, channels)))
        for audit in self._audits.values():
            audit.finish()
            self.broken.extend(audit.broken)

    async def _read(
        self, what: str, pages: AsyncIterator[list[R]], feed: Callable[[ChannelAudit, list[R]], None]
    ) -> int:
        """Feed each channel its rows; how many there were."""
        count = 0
        async for page in pages:
            count += len(page)
            for channel_id, rows in _by_channel(page):
                audit = self._audits.get(channel_id)
                if audit is None:
                    self._report_stray(what, channel_id)
                else:
                    feed(audit, rows)
        return count

    async def _read_consumer_groups(self, tx: Transaction) -> None:
        """A group may wait for a channel that does not exist yet."""
        async for page in store.read_consumer_groups(tx, self._range):
            self.looked_at.consumer_groups += len(page)
            self.broken.extend(
                Broken(
                    consumer_group_is_sound.__name__, group.channel_id, f"group {group.group_id!r}: {what}"
                )
                for group in page
                for what in consumer_group_is_sound(group)
            )
        self.broken.extend(
            Broken("consumers_belong_to_a_group", channel_id, f"something is left of group {group_id!r}")
            for channel_id, group_id in await store.list_consumers_without_group(tx, self._range)
        )

    def _report_stray(self, what: str, channel_id: str) -> None:
        if (what, channel_id) not in self._strays:
            self._strays.add((what, channel_id))
            self.broken.append(
                Broken("rows_belong_to_a_channel", channel_id, f"there is a {what} without a head")
            )


def _by_channel(page: list[R]) -> Iterator[tuple[str, list[R]]]:
    for channel_id, rows in groupby(page, key=attrgetter("channel_id")):
        yield channel_id, list(rows)


def _unlike(pair: UnlikeChannel) -> Broken:
    if pair.lacks_channel:
        what = "there is a head without its channel"
    elif pair.lacks_head:
        what = "there is a channel without its head"
    else:
        marks = f"{'' if pair.is_closed else 'not '}closed and {'' if pair.is_deleted else 'not '}deleted"
        what = f"the head is {pair.lifecycle}, and the channel is marked as {marks}"
    return Broken("channels_agree_with_their_heads", pair.channel_id, what)
