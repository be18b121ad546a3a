"""Where two paths up to a root meet."""

import pytest

from actae.domain.branches import Parting, find_parting

CASES = [
    # left path, right path, ancestor, hops
    ("a", "a", Parting("a", None, None)),
    ("b a", "a", Parting("a", "b", None)),
    ("a", "b a", Parting("a", None, "b")),
    ("b a", "c a", Parting("a", "b", "c")),
    ("d c b a", "e b a", Parting("b", "c", "e")),
    ("d c b a", "b a", Parting("b", "c", None)),
    ("a", "z", None),
    ("b a", "y z", None),
]


@pytest.mark.parametrize(("left", "right", "expected"), CASES)
def test_two_channels_part_at_their_lowest_common_ancestor(
    left: str, right: str, expected: Parting | None
) -> None:
    """With the forks by which each side left it."""
    assert find_parting(left.split(), right.split()) == expected
