"""Data directories for the tests of the embedded PostgreSQL: empty ones, and ones with a cluster in them."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from actae.embedded import EmbeddedPostgres, find_binaries


@pytest.fixture(scope="session")
def made_cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory as the first start leaves it, to be copied; making one takes most of a second."""
    data_dir = tmp_path_factory.mktemp("made") / "data"
    with EmbeddedPostgres(data_dir):
        pass
    return data_dir


@pytest.fixture
def data_dir(tmp_path: Path, made_cluster: Path) -> Path:
    """A data directory with a cluster that is shut down."""
    directory = tmp_path / "data"
    subprocess.run(["cp", "-a", made_cluster, directory], check=True)
    return directory


@pytest.fixture
def empty_dir(tmp_path: Path) -> Path:
    """A data directory that is not there yet."""
    return tmp_path / "new"


@pytest.fixture
def bin_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """ACTAE_PG_BIN: links to the real programs, which a test may replace."""
    directory = tmp_path / "bin"
    directory.mkdir()
    for program in find_binaries().bin_dir.iterdir():
        (directory / program.name).symlink_to(program)
    monkeypatch.setenv("ACTAE_PG_BIN", str(directory))
    return directory


@pytest.fixture
def unrelated() -> Iterator[subprocess.Popen[bytes]]:
    """A living process that has nothing to do with PostgreSQL."""
    process = subprocess.Popen(["sleep", "600"])
    yield process
    process.kill()
    process.wait()
