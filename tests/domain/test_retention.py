"""When the time of a channel is over, and what keeps it nevertheless."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from actae.domain.retention import Branch, Standing, prune
from tests.support.asks import NOON

OVER = Standing(
    channel_id="run",
    event_count=1,
    pattern="*",
    keep_for_seconds=60,
    ended_at=NOON - timedelta(seconds=60),
    idle_since=NOON - timedelta(seconds=60),
    lifecycle="closed",
    is_fork=False,
    has_operations=False,
    has_wakeups=False,
    has_questions=False,
    has_owners=False,
    has_forks=False,
    now=NOON,
)


def standing(**fields: Any) -> Standing:
    """A channel whose time is over, but for this."""
    return msgspec.structs.replace(OVER, **fields)


@pytest.mark.parametrize(
    ("fields", "is_over"),
    [
        ({}, True),
        ({"lifecycle": "open"}, True),  # it has an outcome
        ({"lifecycle": "frozen"}, False),
        ({"lifecycle": "deleted"}, False),
        ({"ended_at": None}, False),
        ({"pattern": None, "keep_for_seconds": None}, False),
        ({"keep_for_seconds": None}, False),
        ({"keep_for_seconds": 61}, False),
        ({"idle_since": NOON - timedelta(seconds=59)}, False),
        ({"now": NOON - timedelta(microseconds=1)}, False),
        ({"now": NOON - timedelta(days=1)}, False),
        ({"has_forks": True}, True),
    ],
)
def test_when_the_time_of_a_channel_is_over(fields: dict[str, Any], is_over: bool) -> None:
    """It has ended, it has a policy, and nobody has touched it for that long."""
    assert standing(**fields).is_over is is_over
    assert standing(**fields).may_go is is_over


@pytest.mark.parametrize(
    ("fields", "hold"),
    [
        ({}, None),
        ({"has_operations": True}, "operation"),
        ({"has_wakeups": True}, "wakeup"),
        ({"has_questions": True, "lifecycle": "open"}, "question"),
        ({"has_questions": True}, None),  # closed: nobody can answer it any more
        ({"has_owners": True}, "owner"),
        ({"has_operations": True, "has_owners": True}, "operation"),
    ],
)
def test_what_keeps_a_channel_beyond_its_time(fields: dict[str, Any], hold: str | None) -> None:
    """Whatever may still be of use to somebody who is alive."""
    assert standing(**fields).own_hold == hold
    assert standing(**fields).may_go is (hold is None)


def tree(shape: str, *, young: str = "") -> list[Branch]:
    """Such as `a ab ac abd`: each name is its parent's and one letter more."""
    ages = {name: {"idle_since": NOON} for name in young.split()}
    return [
        Branch(standing(channel_id=name, **ages.get(name, {})), name[:-1] or None) for name in shape.split()
    ]


@pytest.mark.parametrize(
    ("shape", "staying", "going"),
    [
        ("a", "", "a"),
        ("a", "a", ""),
        ("a ab ac abd", "", "abd ac ab a"),
        ("a ab ac abd", "abd", "ac"),
        ("a ab ac abd", "ac", "abd ab"),
        ("a ab ac abd", "a", "abd ac ab"),
        ("a ab ac abd", "ab", "abd ac"),
        ("a ab abc abcd", "abcd", ""),
    ],
)
def test_what_stays_keeps_its_ancestors(shape: str, staying: str, going: str) -> None:
    """And forks go before what they were forked from."""
    assert [each.channel_id for each in prune(tree(shape, young=staying))] == going.split()
    assert [each.channel_id for each in prune(tree(shape), staying=staying.split())] == going.split()
