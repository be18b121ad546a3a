"""The published client in an environment of its own, against the server of this tree."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.compatibility.support.environment import published_python
from tests.compatibility.support.partner import Partner, partner
from tests.compatibility.support.programs import OURS, Interpreter
from tests.support.server import RunningServer, new_channel

Run = Callable[..., Any]

BOTH_ORDERS = ("the published client first", "ours first")


@pytest.fixture(scope="session")
def published() -> Interpreter:
    """The published client."""
    return Interpreter(published_python())


@pytest.fixture(scope="session")
def run(published: Interpreter, server: RunningServer) -> Run:
    """Runs a program with the published client, on a channel of its own; gives what it told."""

    def run(program: str, *arguments: str) -> Any:
        return published.run(program, server, new_channel(), *arguments)

    return run


@pytest.fixture(params=BOTH_ORDERS)
def interpreters(request: pytest.FixtureRequest, published: Interpreter) -> tuple[Interpreter, Interpreter]:
    """The two clients, in either order."""
    return (published, OURS) if request.param == BOTH_ORDERS[0] else (OURS, published)


@pytest.fixture(scope="session")
def partners(published: Interpreter, server: RunningServer) -> Iterator[tuple[Partner, Partner]]:
    """The published client and ours, each in a process that does what it is told."""
    with partner(published, server) as theirs, partner(OURS, server) as ours:
        yield theirs, ours


@pytest.fixture(params=BOTH_ORDERS)
def pair(request: pytest.FixtureRequest, partners: tuple[Partner, Partner]) -> tuple[Partner, Partner]:
    """The same two, in either order."""
    return partners if request.param == BOTH_ORDERS[0] else (partners[1], partners[0])
