"""Retention: how long what a channel holds is kept after the channel has ended, and what keeps it longer."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta

KEEP_SECONDS_MAX: Final = 316_224_000  # ten years

# Why a channel stays although its time is over.
Hold = Literal["fork", "operation", "wakeup", "question", "owner", "busy", "failed"]


class Policy(msgspec.Struct, frozen=True):
    """How long channels of a pattern are kept after their end; None is for ever."""

    pattern: str
    keep_for_seconds: int | None
    set_by: str
    set_at: datetime


class Standing(msgspec.Struct, frozen=True):
    """All that decides whether a channel may be removed, at one moment.

    `pattern` is that of the policy that counts, None if there is none. `idle_since` is the later of its end
    and its last write.
    """

    channel_id: str
    event_count: int
    pattern: str | None
    keep_for_seconds: int | None
    ended_at: datetime | None
    idle_since: datetime
    lifecycle: str
    is_fork: bool
    has_operations: bool  # under a live lease, or waiting for somebody who says what happened
    has_wakeups: bool
    has_questions: bool
    has_owners: bool  # a member or a consumer with a live lease
    has_forks: bool
    now: datetime

    @property
    def is_over(self) -> bool:
        """Whether it has ended, and has been left alone for as long as its policy says."""
        if self.ended_at is None or self.keep_for_seconds is None:
            return False
        if self.lifecycle not in ("open", "closed"):  # a frozen member stands still, and has not ended
            return False
        return self.idle_since + timedelta(seconds=self.keep_for_seconds) <= self.now

    @property
    def own_hold(self) -> Hold | None:
        """What keeps it, its forks left aside. Nobody can answer a question on a closed channel."""
        if self.has_operations:
            return "operation"
        if self.has_wakeups:
            return "wakeup"
        if self.has_questions and self.lifecycle == "open":
            return "question"
        return "owner" if self.has_owners else None

    @property
    def may_go(self) -> bool:
        """Whether nothing but forks can keep it."""
        return self.is_over and self.own_hold is None


class Branch(NamedTuple):
    """A channel in a tree of forks; the root has no parent here."""

    standing: Standing
    parent_channel_id: str | None


def prune(tree: Sequence[Branch], *, staying: Collection[str] = ()) -> list[Standing]:
    """What may go of a tree, listed from its root down: all below which everything goes, forks first.

    A fork reads its inherited steps and effects through its ancestors, so what stays keeps all of them.
    """
    keepers: set[str | None] = set()
    going: list[Standing] = []
    for standing, parent_channel_id in reversed(tree):
        if standing.may_go and standing.channel_id not in keepers and standing.channel_id not in staying:
            going.append(standing)
        else:
            keepers.add(parent_channel_id)
    return going


class Removed(msgspec.Struct, frozen=True):
    """A channel that went, or would go, and the policy that says so."""

    channel_id: str
    pattern: str
    ended_at: datetime
    idle_since: datetime
    event_count: int


class Run(msgspec.Struct, frozen=True):
    """What a run removed or, if it is a dry one, would remove, in this order."""

    is_dry: bool
    removed: list[Removed]
    kept: Annotated[
        dict[str, int],
        Meta(
            description="Channels that it passed although their time is over, counted by what keeps them "
            "whole: a `fork` that is still there, an `operation` under a live lease or ambiguous, a pending "
            "`wakeup`, an open `question`, an `owner` or consumer with a live lease; or it was `busy`, or "
            "`failed`."
        ),
    ]
    has_more: bool


def removed(standing: Standing) -> Removed:
    """The record of a channel that may go."""
    assert standing.pattern is not None, "a channel that may go has a policy"
    assert standing.ended_at is not None, "and an end"
    return Removed(
        standing.channel_id, standing.pattern, standing.ended_at, standing.idle_since, standing.event_count
    )
