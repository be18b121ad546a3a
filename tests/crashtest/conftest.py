"""A stage for all tests, and a way to play one policy of the test's agent on it."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actae.crashtest.kinds import Behaviour, Kind
from actae.crashtest.perform import perform
from actae.crashtest.plan import Plan
from actae.crashtest.stage import Stage, set_up
from actae_client.testing import Cell, Matrix

AGENT = Path(__file__).with_name("agent.py")

Perform = Callable[..., Matrix]


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with set_up(tmp_path_factory.mktemp("crashtest")) as stage:
        yield stage


@pytest.fixture
def play(stage: Stage) -> Perform:
    """Plays one policy of the test's agent."""

    def play(policy: str, *kinds: Kind, **options: Any) -> Matrix:
        told: list[Cell] = []
        asked = {
            "command": (sys.executable, str(AGENT)),
            "behaviours": (Behaviour.NORMAL,),
            "kill_at": (),
            "starts_max": 3,
            "start_seconds": 60.0,
            "jobs": 2,
            **options,
        }
        matrix = perform(stage, Plan(kinds=kinds, policies=(policy,), **asked), told.append)
        assert tuple(told) == matrix.cells, "each cell is told once, in order"
        return matrix

    return play
