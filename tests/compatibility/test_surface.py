"""Nothing of the published client is forgotten: each public name is driven here, or has no route yet."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from actae.transport.routes.all import ROUTES
from tests.compatibility.conftest import Run
from tests.compatibility.support.programs import PROGRAMS

# Methods that wait for a route, by the route's operation. The day it is served, the method must be driven.
WITHOUT_ROUTE = {}

# Members of the other classes, with the client methods that they wait for.
RESTING = {
    "AgentSession": {},
    "StateManager": {},
    "GroupSession": {},
    "GroupMemberSession": {},
    "Capabilities": {},
    "ActaeScope": {},
    "ActaeCarrier": {},
    "ActaeToolExecutor": {},
    # Bindings to frameworks, none of which is installed here.
    "Actae": dict.fromkeys(
        ("claude", "codex", "crewai", "langchain", "langgraph", "openai"), "create_execution_group"
    ),
}

ERRORS_WITHOUT_ROUTE = {}

# The base of all, and what only a framework can bring about.
ERRORS_OF_NO_ROUTE = {"ActaeError", "ActaeLangGraphError", "ActaeLangGraphSyncError"}


@cache
def driven() -> frozenset[str]:
    """Every name that a program uses as an attribute."""
    return frozenset(name for text in texts() for name in re.findall(r"\.(\w+)", text))


def texts() -> Iterator[str]:
    """The programs, without the one that only lists names."""
    for program in PROGRAMS.glob("*.py"):
        if program.stem != "surface":
            yield program.read_text("utf-8")


@pytest.fixture
def surface(run: Run) -> dict[str, Any]:
    """The public names of the published client, by class."""
    names: dict[str, Any] = run("surface")
    return names


def test_each_method_is_driven_or_has_no_route_yet(surface: dict[str, Any]) -> None:
    """A method that is neither was forgotten; one that is both need not rest any more."""
    methods = set(surface["ActaeClient"])
    assert methods - WITHOUT_ROUTE.keys() <= driven()
    assert WITHOUT_ROUTE.keys() <= methods


@pytest.mark.parametrize("name", RESTING)
def test_each_member_of_the_other_classes_is_too(surface: dict[str, Any], name: str) -> None:
    """The same for what is built on the client."""
    members = set(surface[name])
    assert members - RESTING[name].keys() <= driven()
    assert RESTING[name].keys() <= members
    assert set(RESTING[name].values()) <= WITHOUT_ROUTE.keys()


def test_each_error_is_brought_about_or_has_no_route_yet(surface: dict[str, Any]) -> None:
    """Those that can happen are asserted by name in this folder."""
    asserted = "\n".join(
        test.read_text("utf-8") for test in PROGRAMS.parent.glob("test_*.py") if test.stem != "test_surface"
    )
    can_happen = set(surface["errors"]) - ERRORS_WITHOUT_ROUTE.keys() - ERRORS_OF_NO_ROUTE
    assert {name for name in can_happen if name not in asserted} == set()


@pytest.mark.parametrize("resting", [WITHOUT_ROUTE, ERRORS_WITHOUT_ROUTE], ids=["methods", "errors"])
def test_what_rests_has_no_route(resting: dict[str, str]) -> None:
    """A route that is served ends the excuse."""
    served = {route.operation for route in ROUTES}
    assert {name: operation for name, operation in resting.items() if operation in served} == {}
