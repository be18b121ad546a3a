"""`actae verify`: says whether everything that was promised holds, with an exit code for each answer."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import Command
from tests.support.damage import damage
from tests.support.everything import fill
from tests.support.server import RunningServer
from tests.support.writers import writing


async def test_a_sound_database_passes_while_it_is_served(
    actae: Command, start_server: Callable[..., RunningServer], database_url: str
) -> None:
    """With 0, and with what was looked at."""
    start_server()
    async with writing(database_url) as (writer, _):
        await fill(writer)
    report = actae("verify", "--json", "--database-url", database_url).json()
    assert (report["looked_at"]["channels"], report["looked_at"]["events"]) == (1, 11)
    assert (report["broken"], report["broken_count"]) == ([], 0)
    told = actae("verify", "--database-url", database_url)
    assert told.code == 0
    assert "Everything holds." in told.out


async def test_a_damaged_database_is_told_with_3(actae: Command, database_url: str) -> None:
    """Which channel, which invariant, and what was found."""
    async with writing(database_url) as (writer, _):
        await fill(writer, "run-1")
        await fill(writer, "run-2")
    await damage(database_url, "update events set payload = '2' where channel_id = 'run-2' and cursor = 1")
    told = actae("verify", "--database-url", database_url)
    assert told.code == 3
    assert "run-2" in told.out
    assert "chain_is_whole" in told.out
    assert "cursor 1" in told.out
    assert actae("verify", "--channel", "run-1", "--database-url", database_url).code == 0
    assert (
        actae("verify", "--channel", "run-1", "--channel", "run-2", "--database-url", database_url).code == 3
    )


def test_an_embedded_database_is_found_whether_or_not_it_is_served(
    actae: Command, start_server: Callable[..., RunningServer], data_dir: Path
) -> None:
    """Through the server's own PostgreSQL, or by starting it for the moment."""
    server = start_server(data_dir=data_dir)
    assert server.record("run-1").status == 200
    assert actae("verify", "--json", "--data-dir", data_dir).json()["looked_at"]["events"] == 1
    server.stop()
    assert actae("verify", "--json", ACTAE_DATA_DIR=str(data_dir)).json()["looked_at"]["events"] == 1


def test_a_named_directory_goes_before_a_url_from_the_environment(
    actae: Command, database_url: str, tmp_path: Path
) -> None:
    """What was typed last is meant."""
    failed = actae("verify", "--data-dir", tmp_path / "nothing", ACTAE_DATABASE_URL=database_url)
    assert failed.code == 1
    assert "There is no database in" in failed.err
    both = actae("verify", "--data-dir", tmp_path, "--database-url", database_url)
    assert both.code == 2


def test_what_is_no_database_of_ours_is_told_in_one_line(
    actae: Command, postgres: object, tmp_path: Path
) -> None:
    """Nothing there, nobody there, no tables there."""
    empty = postgres.fresh_database(empty=True)  # type: ignore[attr-defined]
    for place, said in (
        (("--data-dir", str(tmp_path)), "There is no database in"),
        (("--database-url", "postgresql://nobody@127.0.0.1:1/x"), "cannot be reached"),
        (("--database-url", empty), "actae migrate"),
    ):
        failed = actae("verify", *place)
        assert (failed.code, failed.out) == (1, ""), failed
        assert said in failed.err
        assert failed.err.count("\n") == 1
    assert not (tmp_path / "actae-data").exists()


@pytest.mark.parametrize(("no_color", "is_coloured"), [("", True), ("1", False)])
def test_a_terminal_gets_colour_unless_refused(
    actae_on_a_terminal: Command, database_url: str, no_color: str, is_coloured: bool
) -> None:
    """NO_COLOR, as everywhere."""
    told = actae_on_a_terminal("verify", "--database-url", database_url, NO_COLOR=no_color)
    assert told.code == 0
    assert "Everything holds." in told.out
    assert ("\x1b[32m" in told.out) is is_coloured


def test_an_unknown_channel_is_not_called_whole(actae: Command, database_url: str) -> None:
    """With 1: who misspells a channel must not read that everything holds."""
    failed = actae("verify", "--channel", "nope", "--database-url", database_url)
    assert (failed.code, failed.out) == (1, "")
    assert failed.err == "actae: There is no channel 'nope' in this database.\n"
