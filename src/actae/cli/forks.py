"""`actae forks`: what was forked from a run, and what differs between two."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import click

from actae.cli.output import json_option, print_json
from actae.cli.remote import Server, channel_argument, checked_channel, connected, server_options


@click.group()
def forks() -> None:
    """Look at forks, compare them, and bring one back."""


def _side(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.argument(name, callback=lambda _ctx, _param, value: checked_channel(value, name.upper()))


@forks.command()
@channel_argument
@server_options
@json_option
def tree(channel: str, server: Server, as_json: bool) -> None:
    """A channel and everything that was forked from it."""
    with connected(server) as client:
        found = client.get_fork_tree(channel)
    if as_json:
        print_json(asdict(found))
        return
    from actae.cli.fork_tree import print_fork_tree

    print_fork_tree(found)


@forks.command()
@_side("left")
@_side("right")
@server_options
@json_option
def diff(left: str, right: str, server: Server, as_json: bool) -> None:
    """Where the latest states of two channels differ."""
    with connected(server) as client:
        found = client.diff_states(left, right)
    if as_json:
        print_json(found)
        return
    from actae.cli.differences import print_differences, print_sides

    print_sides(found)
    click.echo()
    print_differences("state", found)


@forks.command()
@_side("left")
@_side("right")
@server_options
@json_option
def compare(left: str, right: str, server: Server, as_json: bool) -> None:
    """What two channels did, and what they did not pay for again.

    Effects and what was spent, operations by key, states, manifests and last outputs.
    """
    with connected(server) as client:
        found = client.compare_channels(left, right)
    if as_json:
        print_json(found)
        return
    from actae.cli.comparison import print_comparison

    print_comparison(found)


@forks.command()
@channel_argument
@server_options
@json_option
def promote(channel: str, server: Server, as_json: bool) -> None:
    """Bring a fork's state back into its parent, by appending only."""
    with connected(server) as client:
        found = client.promote_channel(channel)
    if as_json:
        print_json(found)
        return
    verb = "was promoted before" if found["replayed"] else "is promoted"
    version = found["state_version"]
    state = "it had no state" if version is None else f"its state is version {version} there"
    click.echo(f"{channel} {verb}: event {found['cursor']} of {found['parent_channel_id']}; {state}.")
