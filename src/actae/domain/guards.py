"""Guards: what may start at all, how much of it, and what happens when it looks like something done before.

A guard looks at claims that are about to start an attempt, and at no others: what was completed is replayed,
and what has begun may finish.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final, Literal, NamedTuple, cast

import msgspec

from actae.domain.access import matches

Kind = Literal["freeze", "budget", "near_duplicate"]
Action = Literal["warn", "block", "ask"]

SHARED: Final = ""  # stands for a channel where all channels of a guard share; no channel is called so
KEEP_SECONDS: Final = 3_600.0  # so long after its end a window can still be looked at, and verified
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Freeze(msgspec.Struct, frozen=True, tag_field="kind", tag="freeze"):
    """No attempt starts."""

    reason: str | None = None


class Budget(msgspec.Struct, frozen=True, tag_field="kind", tag="budget"):
    """At most so many new operations, or so much of what a field of their params adds up to."""

    limit: Decimal
    field: str | None = None  # a top-level field of the params; None counts operations
    window_seconds: int | None = None  # aligned to 1970; None: once and for all
    per_channel: bool = False  # each channel has as much, or all of them together


class NearDuplicate(msgspec.Struct, frozen=True, tag_field="kind", tag="near_duplicate"):
    """The same call was claimed under another key not long ago."""

    window_seconds: int
    action: Action = "block"
    across_channels: bool = False


Rule = Freeze | Budget | NearDuplicate


class Guard(msgspec.Struct, frozen=True):
    """One guard, and whom it is for: both a pattern and a tool may be left open."""

    guard_id: str
    channel_pattern: str | None
    tool_name: str | None
    rule: Rule
    created_by: str
    created_at: datetime
    obeyed_at: datetime | None = None  # since when no claim is decided without it

    @property
    def kind(self) -> Kind:
        """What it does, as the tag of its rule."""
        return cast(Kind, self.rule.__struct_config__.tag)

    def looks_at(self, channel_id: str, tool_name: str) -> bool:
        """Whether it is for claims of this tool on this channel."""
        return (self.tool_name is None or self.tool_name == tool_name) and (
            self.channel_pattern is None or matches(self.channel_pattern, channel_id)
        )


class Guards:
    """All guards as of one revision, the oldest first."""

    __slots__ = ("_of_any_tool", "_of_tools", "every", "revision")

    def __init__(self, revision: int, guards: Iterable[Guard]) -> None:
        self.revision = revision
        self.every = every = list(guards)
        self._of_any_tool = [each for each in every if each.tool_name is None]
        tools = {each.tool_name for each in every if each.tool_name is not None}
        self._of_tools = {tool: [each for each in every if each.tool_name in (None, tool)] for tool in tools}

    def __bool__(self) -> bool:
        return bool(self.every)

    def find(self, guard_id: str) -> Guard | None:
        """The guard with this id."""
        return next((each for each in self.every if each.guard_id == guard_id), None)

    def on(self, channel_id: str, tool_name: str) -> Sequence[Guard]:
        """Those that look at claims of this tool on this channel."""
        candidates = self._of_tools.get(tool_name, self._of_any_tool)
        return [each for each in candidates if each.looks_at(channel_id, tool_name)]


class Window(NamedTuple):
    """A stretch of time that a budget is for; None is without end."""

    start: datetime
    end: datetime | None


LIFETIME: Final = Window(EPOCH, None)


def window_of(budget: Budget, moment: datetime) -> Window:
    """The window that a moment lies in. Windows are aligned to 1970, so all servers and channels agree."""
    if budget.window_seconds is None:
        return LIFETIME
    length = timedelta(seconds=budget.window_seconds)
    start = EPOCH + (moment - EPOCH) // length * length
    return Window(start, start + length)


class UseKey(NamedTuple):
    """What is counted together: one window of a guard, on one channel or on all that share."""

    channel_id: str
    guard_id: str
    window_start: datetime


class Use(NamedTuple):
    """How much of a budget a batch takes, and how much there may be altogether."""

    taken: Decimal
    limit: Decimal
    window_end: datetime | None


class CallKey(NamedTuple):
    """What near-duplicates have in common."""

    channel_id: str
    guard_id: str
    fingerprint: bytes


class RecentCall(NamedTuple):
    """The last operation that was started with a fingerprint. Without a status, its key was freed."""

    channel_id: str
    key_digest: str
    key_name: str | None
    status: str | None
    claimed_at: datetime
    repeats: bool = False  # one before it that may have had an effect, so its own failure proves nothing


class Recall(NamedTuple):
    """A recent call that takes the place of another, which was read; None was not there."""

    before: tuple[str, str] | None
    call: RecentCall
    forgotten_at: datetime


def use_key(guard: Guard, budget: Budget, channel_id: str, now: datetime) -> UseKey:
    """Where a claim of this channel is counted."""
    scope = channel_id if budget.per_channel else SHARED
    return UseKey(scope, guard.guard_id, window_of(budget, now).start)


def call_key(guard: Guard, rule: NearDuplicate, channel_id: str, fingerprint: bytes) -> CallKey:
    """Where a claim of this channel is remembered."""
    return CallKey(SHARED if rule.across_channels else channel_id, guard.guard_id, fingerprint)
