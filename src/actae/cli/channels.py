"""`actae channels`: the runs that a server knows."""

import click

from actae.cli.output import json_option, print_json, print_table
from actae.cli.remote import Server, connected, server_options


@click.group()
def channels() -> None:
    """Look at channels through a running server."""


@channels.command("list")
@server_options
@json_option
def list_(server: Server, as_json: bool) -> None:
    """The channels that the key may read, the most recently used first."""
    with connected(server) as client:
        found = client.list_channels()
    if as_json:
        print_json(found)
    else:
        print_table(("channel",), [(each,) for each in found], empty="There are no channels.")
