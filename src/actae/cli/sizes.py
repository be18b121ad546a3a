"""`actae sizes`: what takes room."""

from dataclasses import asdict

import click

from actae.cli.output import json_option, print_json, print_table, shown_moment
from actae.cli.remote import Server, connected, server_options

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@click.command()
@click.option(
    "--limit",
    type=click.IntRange(0, 1000),
    default=20,
    show_default=True,
    help="At most so many of the largest channels.",
)
@server_options
@json_option
def sizes(limit: int, server: Server, as_json: bool) -> None:
    """The sizes of the tables and of the largest channels.

    Where there is much, the channels are found from a sample, and their bytes are an estimate.
    """
    with connected(server) as client:
        found = client.storage(limit=limit)
    if as_json:
        print_json(asdict(found))
        return
    click.echo(f"The database takes {shown_bytes(found.database_bytes)}.\n")
    print_table(
        ("table", "rows", "size", "indexes"),
        [
            (
                each.name,
                "-" if each.rows_estimate is None else f"~{each.rows_estimate}",
                shown_bytes(each.table_bytes),
                shown_bytes(each.index_bytes),
            )
            for each in found.tables
        ],
        empty="There are no tables.",
    )
    click.echo()
    print_table(
        ("channel", "size", "events", "states", "lifecycle", "active at"),
        [
            (
                each.channel_id,
                f"~{shown_bytes(each.bytes_estimate)}",
                each.event_count,
                each.state_count,
                each.lifecycle,
                shown_moment(each.active_at),
            )
            for each in found.channels
        ],
        empty="No channel holds anything.",
        cut=("channel",),
    )


def shown_bytes(count: int) -> str:
    """In the largest unit of which there is one, with a place behind the point where that says something."""
    size, unit = float(count), 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.0f} {_UNITS[unit]}" if unit == 0 or size >= 100 else f"{size:.1f} {_UNITS[unit]}"
