"""Two channels side by side: the states they are in, and where they went separate ways."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from msgspec import Raw

from actae.domain.diff import Difference, Entry, diff
from actae.domain.forks import Fork


class ChannelState(msgspec.Struct, frozen=True):
    """A channel at a snapshot of it; null where it has none."""

    channel_id: str
    cursor: int | None
    state: Raw | None


class Branch(NamedTuple):
    """One of the two channels: its latest snapshot, and its receipt if it is a fork."""

    channel_id: str
    cursor: int | None
    state: bytes | None
    fork: Fork | None

    @property
    def path(self) -> list[str]:
        """The ids from this channel up to the root of its tree."""
        return [self.channel_id, *(each.channel_id for each in (self.fork.lineage if self.fork else ()))]


class Parting(NamedTuple):
    """The lowest channel that two have in common, and the forks by which each side left it.

    `left_hop` is the left channel itself or an ancestor of it; None if the left channel is the ancestor.
    """

    ancestor_id: str
    left_hop: str | None
    right_hop: str | None


class Kinship(NamedTuple):
    """Where two channels parted; all None if they share no tree."""

    common: ChannelState | None = None
    left_diverged_at_cursor: int | None = None
    right_diverged_at_cursor: int | None = None


class StateDiff(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between the latest states of two channels.

    `common` is the state that both come from: the ancestor's at the earlier of the two points at which they
    left it. These points are in the ancestor's numbering, and null for the ancestor itself.
    """

    left_channel_id: str
    right_channel_id: str
    left: ChannelState
    right: ChannelState
    common: ChannelState | None
    left_diverged_at_cursor: int | None
    right_diverged_at_cursor: int | None
    entries: list[Entry]
    truncated: bool
    entry_count_total: int
    max_entries: int


def find_parting(left: Sequence[str], right: Sequence[str]) -> Parting | None:
    """Where two paths up to a root meet first; None if they never do."""
    places = {channel_id: place for place, channel_id in enumerate(right)}
    for place, channel_id in enumerate(left):
        other = places.get(channel_id)
        if other is not None:
            return Parting(channel_id, _before(left, place), _before(right, other))
    return None


def _before(path: Sequence[str], place: int) -> str | None:
    return path[place - 1] if place > 0 else None


def earlier_hop(left: Fork | None, right: Fork | None) -> Fork | None:
    """The fork that left the common ancestor first; None if neither side did."""
    hops = [hop for hop in (left, right) if hop is not None]
    return min(hops, key=lambda hop: (hop.resolved_cursor, hop.source_state_version), default=None)


def diff_branches(left: Branch, right: Branch, kinship: Kinship) -> StateDiff:
    """The two states, what they come from, and where they differ."""
    difference: Difference = diff(left.state, right.state)
    return StateDiff(
        left_channel_id=left.channel_id,
        right_channel_id=right.channel_id,
        left=_show(left),
        right=_show(right),
        **kinship._asdict(),
        **msgspec.structs.asdict(difference),
    )


def _show(branch: Branch) -> ChannelState:
    state = None if branch.state is None else Raw(branch.state)
    return ChannelState(branch.channel_id, branch.cursor, state)
