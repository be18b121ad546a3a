"""The command line and the pages know the same commands."""

import re
import shlex
import tomllib
from collections.abc import Iterator

import click
import pytest

from actae.cli import main
from tests.support.pages import ROOT, blocks, commands, pages

REFERENCE = (ROOT / "docs/reference/cli.md").read_text()
SHOWN = sorted(
    {
        command
        for page in pages()
        for language in ("console", "sh")
        for block in blocks(page, language)
        for command in (block.text.splitlines() if language == "sh" else commands(block))
    }
)
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def every_command(
    group: click.Group = main, context: click.Context | None = None
) -> Iterator[tuple[str, click.Command]]:
    """Each command that people may use, by its full name."""
    context = context or click.Context(group, info_name="actae")
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, f"{name} is listed"
        if not command.hidden:
            child = click.Context(command, info_name=name, parent=context)
            yield child.command_path, command
            if isinstance(command, click.Group):
                yield from every_command(command, child)


EVERY_COMMAND = dict(every_command())


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_every_command_is_on_the_page(name: str) -> None:
    """Under a heading of its own, with its options; those that many share are explained once."""
    _, _, section = REFERENCE.partition(f"# {name}\n")
    section = section.partition("\n#")[0]
    assert section.strip(), f"no heading for {name}"
    for parameter in EVERY_COMMAND[name].params:
        if isinstance(parameter, click.Option):
            assert f"`{parameter.opts[0]}" in section, f"{name} {parameter.opts[0]}"


@pytest.mark.parametrize("shown", [each for each in SHOWN if each.startswith("actae ")])
def test_every_actae_command_shown_would_be_understood(shown: str) -> None:
    """Its name, its options, and as many arguments as it needs."""
    words = shlex.split(shown)
    path = max(
        (name for name in EVERY_COMMAND if words[: len(name.split())] == name.split()), default=None, key=len
    )
    assert path is not None, f"there is no such command: {shown}"
    command = EVERY_COMMAND[path]
    assert not isinstance(command, click.Group), f"{path} needs the name of a command"
    given = [word for word in words[len(path.split()) :] if word not in ("…", "&")]
    options, rest, _ = command.make_parser(click.Context(command)).parse_args(given)
    assert not rest, f"too many arguments: {rest}"
    missing = [each.name for each in command.params if each.required and options.get(str(each.name)) is None]
    assert not missing, f"{path} needs {', '.join(map(str, missing))}"


@pytest.mark.parametrize("shown", [each for each in SHOWN if re.match(r"(make|python|pip install)\b", each)])
def test_every_other_command_shown_exists(shown: str) -> None:
    """Make targets, programs in this tree, extras of the package."""
    verb, *words = shlex.split(shown)
    if verb == "make":
        assert set(words) <= TARGETS
    elif verb == "pip":
        extras = re.findall(r"actae\[([a-z,]+)\]", shown)
        assert {extra for each in extras for extra in each.split(",")} <= EXTRAS.keys()
    elif words[0] != "-m" and "/" in words[0]:
        assert (ROOT / words[0]).is_file()
