"""The published client in an environment of its own, against the server of this tree."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.compatibility.support.environment import published_python
from tests.compatibility.support.programs import Interpreter
from tests.support.server import RunningServer

Run = Callable[..., Any]


@pytest.fixture(scope="session")
def published() -> Interpreter:
    """The published client."""
    return Interpreter(published_python())


@pytest.fixture
def run(published: Interpreter, server: RunningServer, channel: str) -> Run:
    """Runs a program with the published client, on a channel of this test's own; gives what it told."""

    def run(program: str, *arguments: str) -> Any:
        return published.run(program, server, channel, *arguments)

    return run
