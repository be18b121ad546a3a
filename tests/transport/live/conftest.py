"""Two servers on one database, for all tests of this directory; use channels of your own (`channel`)."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.support.postgres import TestPostgres
from tests.support.server import RunningServer


class Pair(NamedTuple):
    """Both accept the same key."""

    left: RunningServer
    right: RunningServer


@pytest.fixture(scope="session")
def pair(postgres: TestPostgres) -> Iterator[Pair]:
    """Two development servers."""
    dsn = postgres.fresh_database()
    left, right = RunningServer(dsn), RunningServer(dsn)
    yield Pair(left, right)
    assert (left.stop(), right.stop()) == (0, 0)
    postgres.drop_database(dsn)
