"""The published client does behind a pooler what it does without one."""

from collections.abc import Callable
from functools import cache

import pytest

from tests.compatibility.support.environment import published_python
from tests.compatibility.support.programs import Interpreter
from tests.support.server import RunningServer, new_channel

PROGRAMS = ("channels", "events", "executions", "consumer_groups", "forks", "sessions", "states", "accounts")


@pytest.fixture(scope="module")
def published() -> Interpreter:
    """The published client."""
    return Interpreter(published_python())


@pytest.fixture(scope="module")
def without_pooler(published: Interpreter, server: RunningServer) -> Callable[[str], object]:
    """What a program tells of a server on PostgreSQL itself; it is asked once."""
    return cache(lambda program: published.run(program, server, new_channel()))


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_tells_the_same(
    published: Interpreter, pooled: RunningServer, without_pooler: Callable[[str], object], program: str
) -> None:
    """The same shape of everything: what differs are names, ids and times."""
    assert shape(published.run(program, pooled, new_channel())) == shape(without_pooler(program))


def shape(value: object) -> object:
    """A value without its texts: its fields, its numbers, the lengths of its lists."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    if isinstance(value, list):
        return [shape(each) for each in value]
    return type(value).__name__ if isinstance(value, str) else value
