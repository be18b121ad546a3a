"""The boundaries of a group fork: what cannot have been caused by anything behind the intervention."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actae.domain.causal_cuts import find_cuts, find_undelivered
from actae.domain.group_messages import MessagePlace

HEADS = {"a": 10, "b": 10, "c": 10}


def sent(route: str) -> MessagePlace:
    """`a5 b3`: sent at cursor 5 of a, arrived at cursor 3 of b."""
    source, target = route.split()
    return MessagePlace(source[0], int(source[1:]), target[0], int(target[1:]), "crew", target[0])


@pytest.mark.parametrize(
    ("messages", "cut", "expected"),
    [
        ([], 4, {"a": 4, "b": 10, "c": 10}),
        (["a4 b2"], 4, {"a": 4, "b": 10, "c": 10}),  # sent at the cut itself: it stays
        (["a5 b2"], 4, {"a": 4, "b": 1, "c": 10}),
        (["a5 b7", "a6 b2"], 4, {"a": 4, "b": 1, "c": 10}),  # whichever arrived first
        (["a5 b2", "b3 c8"], 4, {"a": 4, "b": 1, "c": 7}),  # onwards
        (["a5 b2", "b1 c8"], 4, {"a": 4, "b": 1, "c": 10}),  # b had sent that before it heard of a
        (["b3 c8", "a5 b2"], 4, {"a": 4, "b": 1, "c": 7}),  # in any order of telling
        (["a5 b2", "b3 a3"], 4, {"a": 2, "b": 1, "c": 10}),  # back, in front of the cut: impossible in time
        (["a5 b9", "b10 c4", "c5 b2"], 4, {"a": 4, "b": 1, "c": 3}),  # a cycle pulls both further
        (["a5 b2", "b2 b3", "b3 c1"], 4, {"a": 4, "b": 1, "c": 0}),  # a member that writes to itself
        (["a1 b1", "b2 c2"], 0, {"a": 0, "b": 0, "c": 1}),  # nothing of a is kept
        (["a10 b2"], 10, {"a": 10, "b": 10, "c": 10}),
        (["a10 b2"], 99, {"a": 10, "b": 10, "c": 10}),  # beyond the head there is nothing
        (["a5 z1", "z1 b2"], 4, {"a": 4, "b": 10, "c": 10}),  # by way of somebody outside of the group
    ],
)
def test_the_cuts(messages: list[str], cut: int, expected: dict[str, int]) -> None:
    """Each channel keeps all that it can."""
    assert find_cuts(HEADS, map(sent, messages), "a", cut) == expected


def test_what_was_on_its_way() -> None:
    """Its sender remembers it, its recipient does not."""
    messages = [sent(each) for each in ("a4 b9", "a5 b2", "c1 b5", "c3 b1", "z1 b9")]
    cuts = find_cuts(HEADS, messages, "a", 4)
    assert cuts == {"a": 4, "b": 1, "c": 10}
    assert [each.message_id for each in find_undelivered(cuts, messages)] == ["b~9", "b~5"]


HISTORIES = st.lists(
    st.builds(
        MessagePlace,
        st.sampled_from("abc"),
        st.integers(1, 4),
        st.sampled_from("abc"),
        st.integers(1, 4),
        st.just("crew"),
        st.just("m"),
    ),
    max_size=8,
)


@given(HISTORIES, st.integers(0, 4))
def test_the_cuts_are_the_largest_that_fit_together(messages: list[MessagePlace], cut: int) -> None:
    """Of all ways to cut, tried one by one."""
    heads = dict.fromkeys("abc", 4)
    found = find_cuts(heads, messages, "a", cut)
    fitting = [
        cuts
        for cuts in (
            dict(zip("abc", each, strict=True)) for each in product(range(cut + 1), range(5), range(5))
        )
        if not any(
            m.source_cursor > cuts[m.source_channel_id] and m.cursor <= cuts[m.channel_id] for m in messages
        )
    ]
    assert found in fitting
    assert all(cuts[each] <= found[each] for cuts in fitting for each in "abc")
