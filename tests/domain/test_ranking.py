"""The members of an experiment by their scores."""

import msgspec

from actae.domain.experiments import Experiment, Member, rank, show_visible
from tests.support.asks import NOON, later


def experiment(**scores: float | None) -> Experiment:
    """Members in the order of their addition; the first is the baseline."""
    members = [
        Member(name, "variant" if place else "baseline", None, later(place), None, score)
        for place, (name, score) in enumerate(scores.items())
    ]
    return Experiment("e", "e", "trial", None, next(iter(scores)), NOON, NOON, members)


def test_the_best_score_is_first_and_no_score_is_last() -> None:
    """Of equal scores, who was added first; the ranks are 1, 2, 3 …"""
    found = rank(experiment(a=None, b=0.5, c=2, d=-1, e=2.0, f=None, g=0))
    assert [each.channel_id for each in found.ranking] == ["c", "e", "b", "g", "d", "a", "f"]
    assert [each.rank for each in found.ranking] == [1, 2, 3, 4, 5, 6, 7]


def test_a_channel_that_was_deleted_has_no_rank() -> None:
    """Those behind it move up."""
    whole = experiment(a=1, b=2, c=3)
    whole.members[2] = msgspec.structs.replace(whole.members[2], deleted_at=NOON)
    assert [(each.rank, each.channel_id) for each in rank(whole).ranking] == [(1, "b"), (2, "a")]


def test_members_that_may_not_be_read_are_left_out() -> None:
    """With them the baseline, if it is one of them; who may read none sees no experiment."""
    whole = experiment(a=1, b=2, c=3)
    some = show_visible(whole, {"b", "c"}.__contains__)
    assert some is not None
    assert [member.channel_id for member in some.members] == ["b", "c"]
    assert some.baseline_channel_id is None
    assert show_visible(whole, {"z"}.__contains__) is None


def test_an_experiment_without_members_shows_to_everybody() -> None:
    """There is nothing in it to hide."""
    empty = Experiment("e", "e", "trial", None, None, NOON, NOON, [])
    assert show_visible(empty, set[str]().__contains__) == empty
