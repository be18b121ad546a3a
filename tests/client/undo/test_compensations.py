"""What undoes a tool is said once, and never for another tool of the same name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from actae_client import Actae
from actae_client.tools.call import EffectTerms
from actae_client.undo import Compensation
from actae_client.undo.compensations import Compensations


def refund(params: Any, result: Any) -> None:
    """A compensation."""


def release(params: Any, result: Any) -> None:
    """Another one."""


class NoClient:
    """What makes it a client."""

    def record(self) -> None:
        """Nothing is."""


@pytest.fixture
def actae() -> Actae:
    """A facade that nobody calls anything with."""
    return Actae(NoClient())


def name_of(found: Any) -> str:
    """Of a compensation."""
    assert isinstance(found, Compensation)
    return found.name


def define_charge(actae: Actae, compensate: Any) -> None:
    """As a module does, or a cell of a notebook."""

    @actae.effect("charge:{n}", compensate=compensate)
    def charge(n: int) -> None:
        """Nothing is charged."""


def define_another(actae: Actae, compensate: Any) -> None:
    """Another function of the same name."""

    @actae.effect("charge:{n}", name="charge", compensate=compensate)
    def charge_account(n: int) -> None:
        """Nothing is charged."""


def test_a_tool_is_found_by_its_name(actae: Actae) -> None:
    """By the one that it has in the ledger."""

    @actae.effect("k", name="pay", compensate=refund)
    def charge() -> None:
        """Nothing is charged."""

    assert name_of(actae.compensations.find("pay")) == "refund"
    assert actae.compensations.find("charge") is None


def test_the_latest_definition_of_a_function_counts(actae: Actae) -> None:
    """Also when it takes its compensation away."""
    for compensate in (refund, release):
        define_charge(actae, compensate)
        assert name_of(actae.compensations.find("charge")) == compensate.__name__
    define_charge(actae, None)
    assert actae.compensations.find("charge") is None


@pytest.mark.parametrize(
    ("first", "second"), [(refund, release), (refund, None), (None, refund), (False, refund)]
)
def test_two_tools_of_one_name_cannot_be_undone(actae: Actae, first: Any, second: Any) -> None:
    """What undoes one must not be run for the other."""
    define_charge(actae, first)
    with pytest.raises(ValueError, match="two effects are called 'charge'"):
        define_another(actae, second)


def test_two_tools_of_one_name_may_be_if_neither_is_undone(actae: Actae) -> None:
    """As before there were compensations."""
    define_charge(actae, None)
    define_another(actae, None)
    assert actae.compensations.find("charge") is None


def test_a_compensation_by_name(actae: Actae) -> None:
    """For a tool that is decorated without one, or not at all; but there is only one."""
    actae.compensation("charge")(refund)
    define_charge(actae, None)
    assert name_of(actae.compensations.find("charge")) == "refund"
    with pytest.raises(ValueError, match="already"):
        actae.compensation("charge")(release)
    with pytest.raises(ValueError, match="already"):
        define_charge(actae, release)
    assert name_of(actae.compensations.find("charge")) == "refund"


def test_the_terms_of_the_effect_are_those_of_its_compensation() -> None:
    """But for what is about this one operation: its identity, its life, and whom to ask about it."""
    compensations = Compensations()
    terms: EffectTerms = {
        "lease_seconds": 30,
        "on_lapse": "ambiguous",
        "ambiguous_on": (TimeoutError,),
        "dedup_fields": ["n"],
        "ttl_seconds": 60,
        "reconcile": lambda operation: None,
    }
    compensations.declare("charge", refund, terms, effect=release)
    found = compensations.find("charge")
    assert isinstance(found, Compensation)
    assert found.terms == {
        "lease_seconds": 30,
        "on_lapse": "ambiguous",
        "ambiguous_on": (TimeoutError,),
    }


def generate(params: Any, result: Any) -> Iterator[None]:
    """Does nothing when it is called."""
    yield


@pytest.mark.parametrize("compensate", ["refund", True, 7, generate])
def test_what_is_no_compensation_is_refused(actae: Actae, compensate: Any) -> None:
    """Where it is defined, not when it is needed."""
    with pytest.raises(TypeError, match="compensate"):
        define_charge(actae, compensate)


def test_terms_that_cannot_be_are_refused(actae: Actae) -> None:
    """Of a compensation by name."""
    with pytest.raises(ValueError, match="lease_seconds"):
        actae.compensation("pay", lease_seconds=0)(refund)
