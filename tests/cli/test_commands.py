"""The command line as a whole: its help, its exit codes, and how little it loads."""

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from actae import __version__
from actae.cli import COMMANDS, main
from tests.support.command import Command, environment

Found = tuple[tuple[str, ...], click.Command]


def every_command(command: click.Command = main, *path: str) -> Iterator[Found]:
    """Groups and commands with their paths."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from every_command(found, *path, name)


COMMANDS_BY_PATH = {" ".join(path): command for path, command in every_command()}
SHOWN = {path: command for path, command in COMMANDS_BY_PATH.items() if not command.hidden}
WORKING = [path for path, command in SHOWN.items() if not isinstance(command, click.Group)]


@pytest.mark.parametrize("path", SHOWN)
def test_every_command_explains_itself(path: str) -> None:
    """In a sentence, and so does each of its options."""
    command = SHOWN[path]
    assert command.help
    assert command.help.splitlines()[0].endswith(".")
    for option in command.params:
        assert not isinstance(option, click.Option) or option.help, option.name


@pytest.mark.parametrize("path", [path for path in WORKING if path not in {"serve", "bench"}])
def test_every_command_can_answer_programs(path: str) -> None:
    """The server writes a ready file instead; the benchmarks have their own --json."""
    assert any("--json" in option.opts for option in SHOWN[path].params)


def test_the_help_lists_the_commands(actae: Command) -> None:
    """Each with a sentence that fits; nothing that is not for people."""
    told = actae("--help")
    assert told.code == 0
    listed = told.out.partition("Commands:")[2]
    assert "..." not in listed
    assert "serve-worker" not in told.out
    assert [line.split()[0] for line in listed.splitlines() if line] == list(COMMANDS)[:-1]


def test_the_version_is_told(actae: Command) -> None:
    """In one line."""
    assert actae("--version").out == f"actae {__version__}\n"


def test_an_unknown_command_is_wrong_usage(actae: Command) -> None:
    """With 2."""
    refused = actae("serv")
    assert refused.code == 2
    assert "No such command" in refused.err


@pytest.mark.parametrize("arguments", [("settings",), ("channels", "list")])
def test_no_colour_and_no_drawing_where_nobody_looks(actae: Command, arguments: tuple[str, ...]) -> None:
    """A pipe gets plain text."""
    told = actae(*arguments, ACTAE_API_KEY="sk-x", ACTAE_URL="http://127.0.0.1:1", FORCE_COLOR="")
    assert "\x1b" not in told.out + told.err


LIGHT = ("actae.cli.serve", "actae.cli.serving", "actae.cli.announcement", "actae.cli.logs")
DATABASE_AND_WEB = ("asyncpg", "starlette", "uvicorn", "uvloop")
LATER = ("rich", "structlog", "aiohttp", "argon2", "jwt", "prometheus_client", "cryptography")


def loaded_by(*modules: str) -> set[str]:
    """The packages that a fresh interpreter has loaded after importing these modules."""
    program = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in told.stdout.split()}


def test_the_way_to_the_database_loads_nothing_that_a_server_needs() -> None:
    """Those who wait for PostgreSQL to start can load the rest meanwhile."""
    assert loaded_by(*LIGHT).isdisjoint({*DATABASE_AND_WEB, *LATER})


def test_a_server_loads_nothing_that_it_may_never_need() -> None:
    """Hashing passwords, signing, drawing tables and writing metrics wait for their first use."""
    assert loaded_by("actae.cli.one_process").isdisjoint(LATER)


def test_benchmarks_are_run_from_the_source_tree(actae: Command) -> None:
    """With their own options, and their own exit code."""
    told = actae("bench", "--help")
    assert told.code == 0
    assert "--quick" in told.out
    assert actae("bench", "--nonsense").code == 2
