"""Experiments: channels that try the same thing in different ways, ranked by their scores."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

import msgspec
from msgspec import Raw

BASELINE: Final = "baseline"
VARIANT: Final = "variant"


class Member(msgspec.Struct, frozen=True):
    """A channel in an experiment, with the outcome and the score that its channel has now.

    One that was deleted since is still a member, and has no rank.
    """

    channel_id: str
    role: str
    declared_delta: Raw | None
    added_at: datetime
    outcome: str | None
    result_score: float | None
    deleted_at: datetime | None = None


class Experiment(msgspec.Struct, frozen=True):
    """An experiment and those of its members that the caller may observe, in the order of their addition.

    The baseline is the first member with the role `baseline`.
    """

    id: str
    group_id: str
    name: str
    description: str | None
    baseline_channel_id: str | None
    created_at: datetime
    updated_at: datetime
    members: list[Member]


class Ranked(msgspec.Struct, frozen=True):
    """A member and its place, from 1."""

    rank: int
    channel_id: str
    role: str
    result_score: float | None
    outcome: str | None
    declared_delta: Raw | None


class Ranking(msgspec.Struct, frozen=True):
    """The best score first; members without one are last, and of equal ones who was added first.

    Channels that were deleted are left out.
    """

    group_id: str
    ranking: list[Ranked]


def find_baseline(members: Iterable[Member]) -> str | None:
    """The channel that the others are measured against."""
    return next((member.channel_id for member in members if member.role == BASELINE), None)


def show_visible(experiment: Experiment, may_see: Callable[[str], bool]) -> Experiment | None:
    """The experiment as somebody sees it; None if it has members and none of them may be seen."""
    members = [member for member in experiment.members if may_see(member.channel_id)]
    if experiment.members and not members:
        return None
    return msgspec.structs.replace(experiment, members=members, baseline_channel_id=find_baseline(members))


def rank(experiment: Experiment) -> Ranking:
    """The members by their scores."""
    ordered = sorted((each for each in experiment.members if each.deleted_at is None), key=_place)
    return Ranking(
        experiment.group_id,
        [
            Ranked(
                place,
                member.channel_id,
                member.role,
                member.result_score,
                member.outcome,
                member.declared_delta,
            )
            for place, member in enumerate(ordered, 1)
        ],
    )


def _place(member: Member) -> tuple[bool, float, datetime, str]:
    score = member.result_score
    return score is None, -(score or 0.0), member.added_at, member.channel_id
