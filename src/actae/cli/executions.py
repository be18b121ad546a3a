"""`actae executions`: the ledger of a channel."""

import json
from dataclasses import asdict

import click

from actae.cli.output import json_option, print_json, print_table
from actae.cli.remote import Server, connected, server_options

_SHOWN_AS_JSON = frozenset({"params", "result", "error"})


@click.group()
def executions() -> None:
    """Look at operations through a running server."""


@executions.command("list")
@click.argument("channel")
@click.option("--limit", type=click.IntRange(1, 100), default=50, show_default=True, help="At most so many.")
@server_options
@json_option
def list_(channel: str, limit: int, server: Server, as_json: bool) -> None:
    """The operations of a channel, newest first."""
    with connected(server) as client:
        found = client.list_executions(channel, limit=limit)
    if as_json:
        print_json([asdict(each) for each in found])
        return
    rows = [
        (
            each.key_name,
            each.tool_name,
            each.status,
            each.attempts,
            each.lease_until,
            each.created_at,
            each.id,
        )
        for each in found
    ]
    columns = ("key", "tool", "status", "attempts", "lease until", "created", "id")
    print_table(columns, rows, empty=f"Channel {channel} has no operations.")


@executions.command()
@click.argument("execution_id", metavar="ID")
@server_options
@json_option
def show(execution_id: str, server: Server, as_json: bool) -> None:
    """One operation, with what went in and what came out."""
    with connected(server) as client:
        found = asdict(client.get_execution(execution_id))
    if as_json:
        print_json(found)
        return
    rows = [
        (name, json.dumps(value, ensure_ascii=False) if name in _SHOWN_AS_JSON else value)
        for name, value in found.items()
    ]
    print_table(("field", "value"), rows, empty="")
