"""Which events are done, in somebody's hands, and free: tables, and sets of cursors beside them."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actae.domain.consumer_progress import Progress, Span

A, B = "a", "b"
MIXED = Progress(3, (Span(5, 6, A), Span(7, 8), Span(10, 12, B), Span(14, 14, A)))


@pytest.mark.parametrize(
    ("progress", "up_to", "most", "free"),
    [
        (Progress(), 0, 10, []),
        (Progress(), 3, 10, [1, 2, 3]),
        (Progress(), 10**15, 2, [1, 2]),
        (Progress(3), 3, 10, []),
        (Progress(3), 2, 10, []),
        (MIXED, 20, 100, [4, 9, 13, 15, 16, 17, 18, 19, 20]),
        (MIXED, 20, 3, [4, 9, 13]),
        (MIXED, 9, 100, [4, 9]),
        (MIXED, 11, 100, [4, 9]),
        (MIXED, 4, 100, [4]),
        (MIXED, 20, 0, []),
    ],
)
def test_the_lowest_free_cursors(progress: Progress, up_to: int, most: int, free: list[int]) -> None:
    """Neither done nor in anybody's hands, and never beyond the channel's end."""
    assert progress.free(up_to, most) == free


@pytest.mark.parametrize(
    ("consumer_id", "most", "held", "highest"),
    [(A, 100, [5, 6, 14], 14), (A, 2, [5, 6], 14), (B, 100, [10, 11, 12], 12), ("c", 100, [], None)],
)
def test_what_a_consumer_has_in_its_hands(
    consumer_id: str, most: int, held: list[int], highest: int | None
) -> None:
    """Ascending; the highest counts however few are asked for."""
    assert MIXED.held_by(consumer_id, most) == held
    assert MIXED.highest_held_by(consumer_id) == highest


@pytest.mark.parametrize(
    ("change", "after"),
    [
        (lambda p: p.reserved(A, [4]), Progress(3, (Span(4, 6, A), *MIXED.spans[1:]))),
        (lambda p: p.reserved(B, [9, 13]), Progress(3, (*MIXED.spans[:2], Span(9, 13, B), MIXED.spans[3]))),
        (lambda p: p.reserved(B, []), MIXED),
        (lambda p: p.done_by(A, 4), MIXED),
        (lambda p: p.done_by(A, 5), Progress(3, (Span(5, 5), Span(6, 6, A), *MIXED.spans[1:]))),
        (lambda p: p.done_by(A, 13), Progress(3, (Span(5, 8), *MIXED.spans[2:]))),
        (lambda p: p.done_by(A, 99), Progress(3, (Span(5, 8), MIXED.spans[2], Span(14, 14)))),
        (lambda p: p.done_by("c", 99), MIXED),
        (lambda p: p.reserved(A, [4]).done_by(A, 5), Progress(5, (Span(6, 6, A), *MIXED.spans[1:]))),
        (lambda p: p.reserved(A, [4]).done_by(A, 6), Progress(8, MIXED.spans[2:])),
        (lambda p: p.released(A.__eq__), Progress(3, (Span(7, 8), Span(10, 12, B)))),
        (lambda p: p.released(lambda _: True), Progress(3, (Span(7, 8),))),
        (lambda p: p.released(lambda _: False), MIXED),
    ],
)
def test_each_change_leaves_the_one_way_to_write_it_down(
    change: Callable[[Progress], Progress], after: Progress
) -> None:
    """Neighbours of one kind are one span, and the watermark takes in what reaches it."""
    assert change(MIXED) == after


CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("reserve"), st.sampled_from("abc"), st.integers(0, 6)),
        st.tuples(st.just("done"), st.sampled_from("abc"), st.integers(0, 40)),
        st.tuples(st.just("release"), st.sampled_from("abc"), st.just(0)),
    ),
    max_size=40,
)
HEAD = 40


@given(CHANGES)
def test_spans_say_what_sets_of_cursors_say(changes: list[tuple[str, str, int]]) -> None:
    """Whatever happens in whichever order; and what is written down is as short as it can be."""
    progress = Progress()
    done: set[int] = set()
    held: dict[int, str] = {}
    for what, who, number in changes:
        if what == "reserve":
            free = [each for each in range(1, HEAD + 1) if each not in done and each not in held][:number]
            assert progress.free(HEAD, number) == free
            progress = progress.reserved(who, free)
            held.update(dict.fromkeys(free, who))
        elif what == "done":
            progress = progress.done_by(who, number)
            finished = {each for each, holder in held.items() if holder == who and each <= number}
            done |= finished
            held = {each: holder for each, holder in held.items() if each not in finished}
        else:
            progress = progress.released(who.__eq__)
            held = {each: holder for each, holder in held.items() if holder != who}
        assert spelt_out(progress) == (done, held)
        assert is_shortest(progress)


def spelt_out(progress: Progress) -> tuple[set[int], dict[int, str]]:
    """What is done, and what is in whose hands, cursor by cursor."""
    done = set(range(1, progress.watermark + 1))
    held: dict[int, str] = {}
    for span in progress.spans:
        cursors = range(span.first, span.last + 1)
        if span.consumer_id is None:
            done.update(cursors)
        else:
            held.update(dict.fromkeys(cursors, span.consumer_id))
    return done, held


def is_shortest(progress: Progress) -> bool:
    """Nothing that could be joined stands apart."""
    before = Span(0, progress.watermark)
    for span in progress.spans:
        touches = before.last + 1 == span.first
        if span.first <= before.last or (touches and span.consumer_id == before.consumer_id):
            return False
        before = span
    return True
