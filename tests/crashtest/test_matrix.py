"""What a matrix says of itself."""

import json
from dataclasses import replace

import pytest

from actae.pytest_plugin import pytest_assertrepr_compare
from actae_client.testing import Boundary, Cell, Cells, EffectCount, Matrix

AT = Boundary(index=3, start=1, name="tool.returned", subject="charge:1", occurrence=1)


def cell(provider: str = "queryable", *, applied: int = 1, **other: object) -> Cell:
    plain = Cell(
        provider=provider,
        behaviour="normal",
        policy=None,
        boundary=AT,
        effects=(EffectCount(reference="charges/1", calls=2, applied=applied, expected=1),),
        stuck=0,
        exit_codes=(-9, 0),
        is_finished=True,
        is_killed=True,
        run_id="crash-1",
    )
    return replace(plain, **other)  # type: ignore[arg-type]


GOOD = cell()
TWICE = cell(applied=2)
LOST = cell(applied=0)
STUCK = cell(stuck=1, is_finished=False, exit_codes=(-9, 1, None))
MISSED = cell(is_killed=False)


def matrix(*cells: Cell) -> Matrix:
    return Matrix(Cells(cells))


def test_each_property_finds_its_cells() -> None:
    """And no other."""
    all_of_them = matrix(GOOD, TWICE, LOST, STUCK, MISSED)
    assert all_of_them.duplicates == (TWICE,)
    assert all_of_them.losses == (LOST,)
    assert all_of_them.stuck == (STUCK,)
    assert all_of_them.missed == (MISSED,)


def test_a_reference_that_nobody_expected_is_a_duplicate() -> None:
    """Whatever was applied under a name that an untouched run does not use."""
    strange = EffectCount(reference="charges/2", calls=1, applied=1, expected=0)
    assert cell(effects=(strange,)).duplicates == 1


@pytest.mark.parametrize(
    ("broken", "expectation"),
    [(TWICE, "no-duplicates"), (LOST, "no-losses"), (STUCK, "no-stuck"), (MISSED, "no-stuck")],
)
def test_what_does_not_hold_is_shown(broken: Cell, expectation: str) -> None:
    """In the sentence that the assertion fails with; the other expectations still hold."""
    with pytest.raises(AssertionError, match="does not hold in 1 of 2 runs") as failed:
        matrix(GOOD, broken).expect(expectation)
    assert str(broken.boundary) in str(failed.value)
    assert "queryable" in str(failed.value)


def test_only_providers_that_can_be_asked_are_judged_unless_others_are_named() -> None:
    """With a blind one nothing can be promised."""
    blind = matrix(GOOD, replace(TWICE, provider="blind"))
    blind.expect()
    with pytest.raises(AssertionError, match="1 too many"):
        blind.expect("no-duplicates", providers="blind")


def test_what_was_never_tried_does_not_hold() -> None:
    """An empty matrix proves nothing, and an unknown expectation is a mistake."""
    with pytest.raises(AssertionError, match="no cell of honours_key, queryable"):
        matrix().expect()
    with pytest.raises(ValueError, match="no-dups"):
        matrix(GOOD).expect("no-dups")


def test_it_is_the_same_after_a_journey_as_json() -> None:
    """With its sums for programs that do not know them."""
    before = matrix(GOOD, TWICE, replace(STUCK, boundary=None, policy="ledger"))
    document = json.loads(json.dumps(before.to_dict()))
    assert Matrix.from_dict(document) == before
    assert [each["duplicates"] for each in document["cells"]] == [0, 1, 0]


def test_it_can_be_read() -> None:
    """A line for each place, a column for each kind, a table for each policy."""
    second = replace(AT, start=2, occurrence=3)
    shown = matrix(
        replace(GOOD, boundary=None),
        replace(TWICE, provider="blind"),
        replace(GOOD, boundary=second),
        replace(LOST, policy="checkpoint", behaviour="drops_reply"),
    )
    assert str(shown) == (
        "as written, the provider answers:\n"
        "killed at                            queryable    blind\n"
        "─────────────────────────────────────────────────────────────────────\n"
        "(not killed)                         2 calls, ok\n"
        "tool.returned charge:1                            2 calls, 1 too many\n"
        "tool.returned charge:1 #3 (start 2)  2 calls, ok\n"
        "\n"
        "checkpoint, the provider loses its first reply:\n"
        "killed at               queryable\n"
        "───────────────────────────────────────\n"
        "tool.returned charge:1  2 calls, 1 lost"
    )
    assert str(STUCK) == (
        "queryable, killed at tool.returned charge:1: 1 stuck, gave up"
        " (run crash-1, ended with -9, 1, too late)"
    )
    assert str(replace(STUCK, policy="ledger")).startswith("ledger, queryable, killed at tool.returned")
    assert "charges/1 2 instead of 1" in str(TWICE)


def test_pytest_shows_the_table() -> None:
    """Of a comparison that fails; of nothing else."""
    told = pytest_assertrepr_compare("==", Cells([TWICE]), ())
    assert told is not None
    assert "1 too many" in "\n".join(told)
    assert pytest_assertrepr_compare("!=", Cells([TWICE]), ()) is None
    assert pytest_assertrepr_compare("==", (TWICE,), ()) is None
