"""The pytest plugin: the fixture `crash_matrix`, and tables where an assertion about a matrix fails.

pytest loads it wherever Actae is installed, so it loads nothing itself before it is used.
"""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from actae_client.testing import Matrix


@pytest.fixture(scope="session")
def crash_matrix(tmp_path_factory: pytest.TempPathFactory) -> "Callable[..., Matrix]":
    """Runs a crash test: `crash_matrix([sys.executable, "agent.py"], policies=["ledger"])`.

    Takes what `actae_client.testing.crashtest` takes. The tests of one session share a database.
    """
    from actae_client.testing import crashtest

    folder = tmp_path_factory.mktemp("crashtest")

    def run(command: Any, **options: Any) -> "Matrix":
        return crashtest(command, **{"data_dir": folder, **options})

    return run


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """`assert matrix.duplicates == ()` shows the cells as people read them."""
    matrices = sys.modules.get("actae_client.testing.matrix")
    if op != "==" or matrices is None or not isinstance(left, matrices.Cells):
        return None
    return [f"{len(left)} cells == {right!r}", *str(left).splitlines()]
