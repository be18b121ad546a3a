"""`actae groups`: the consumer groups that a server knows, and how far they are."""

from dataclasses import asdict

import click

from actae.cli.output import json_option, print_json, print_table, shown_moment
from actae.cli.remote import Server, checked_channel, connected, server_options


@click.group()
def groups() -> None:
    """Look at consumer groups through a running server."""


@groups.command("list")
@click.option(
    "--channel",
    callback=lambda _ctx, _param, value: None if value is None else checked_channel(value),
    metavar="ID",
    help="Only the groups that consume this channel.",
)
@server_options
@json_option
def list_(channel: str | None, server: Server, as_json: bool) -> None:
    """The groups whose channels the key may read, and how many events each is behind."""
    with connected(server) as client:
        found = client.list_groups(channel_id=channel)
    if as_json:
        print_json([asdict(each) for each in found])
        return
    rows = [
        (each.group_id, each.channel_id, each.watermark, (each.latest_cursor or 0) - (each.watermark or 0))
        for each in found
    ]
    columns = ("group", "channel", "done up to", "behind")
    print_table(columns, rows, empty="There are no consumer groups.", cut=("channel", "group"))


@groups.command()
@click.argument("group")
@server_options
@json_option
def offsets(group: str, server: Server, as_json: bool) -> None:
    """Where each consumer of a group stands.

    What it acknowledged, what is in its hands above that, and until when its lease lasts.
    """
    with connected(server) as client:
        found = client.group_offsets(group)
    if as_json:
        print_json([asdict(each) for each in found])
        return
    rows = [
        (
            each.consumer_id,
            each.last_cursor,
            each.claimed_cursor if each.claimed_cursor != each.last_cursor else None,
            shown_moment(each.lease_until),
            shown_moment(each.updated_at),
        )
        for each in found
    ]
    columns = ("consumer", "acknowledged", "in hand up to", "lease until", "updated")
    print_table(columns, rows, empty=f"Nobody has joined group {group}.", cut=("consumer",))
