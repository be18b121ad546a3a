"""One real performance, with real kills, that many tests look at; and providers to talk to."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from actae.demo.cast import Keys
from actae.demo.performance import Performance, perform
from actae.demo.provider_client import ProviderClient
from actae.demo.stage import Stage, set_up, start_provider
from actae.demo.story import Outcome


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with set_up(tmp_path_factory.mktemp("demo")) as stage:
        yield stage


@pytest.fixture(scope="session")
def performance(stage: Stage) -> Performance:
    outcomes: list[Outcome] = []
    performance = perform(stage, on_outcome=outcomes.append)
    assert outcomes == list(performance.outcomes), "each outcome is told once, in order"
    return performance


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[Keys], ProviderClient]]:
    """Starts a provider, on the same durable record each time."""
    with ExitStack() as running:
        yield lambda keys: ProviderClient(start_provider(tmp_path, keys, running).url)
