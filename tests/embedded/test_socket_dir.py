"""Where the socket is, when it cannot be in the data directory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from actae.embedded import EmbeddedPostgres, attach
from actae.embedded.identity import OURSELVES
from actae.embedded.socket_dir import PATH_BYTES_MAX, make_private
from tests.embedded.supervised import ask


@pytest.fixture(params=["a-long-name-" * 10, "with, comma"])
def awkward_dir(request: pytest.FixtureRequest, data_dir: Path) -> Iterator[Path]:
    """A data directory whose path no socket can live under."""
    awkward = data_dir.with_name(request.param)
    data_dir.rename(awkward)
    yield awkward
    awkward.rename(data_dir)


def test_an_awkward_path_gets_a_short_private_socket_directory(awkward_dir: Path) -> None:
    """The server works as anywhere else, others find it, and the directory goes away with it."""
    with EmbeddedPostgres(awkward_dir) as postgres:
        socket_dir = postgres.socket_dir
        assert awkward_dir not in socket_dir.parents
        assert len(bytes(socket_dir / ".s.PGSQL.5432")) <= PATH_BYTES_MAX
        assert ask(postgres.dsn, "select 1") == 1
        assert attach(awkward_dir) == postgres.dsn
    assert not socket_dir.exists()


def test_the_short_directory_is_the_same_after_a_restart(awkward_dir: Path) -> None:
    """A server that is killed again and again does not fill /tmp."""
    with EmbeddedPostgres(awkward_dir) as postgres:
        first = postgres.socket_dir
    with EmbeddedPostgres(awkward_dir) as postgres:
        assert postgres.socket_dir == first


@pytest.mark.parametrize("squat", ["open", "link"])
def test_a_directory_that_others_can_enter_is_not_used(squat: str, tmp_path: Path) -> None:
    """Whoever was there first with our name must not read along; it is left as it is."""
    taken = tmp_path / "taken"
    if squat == "open":
        taken.mkdir(mode=0o755)
    else:
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        taken.symlink_to(tmp_path / "elsewhere")
    assert not make_private(taken, OURSELVES)
    assert make_private(tmp_path / "free", OURSELVES)
