"""`actae executions`: the ledger of a channel."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from actae.cli.output import json_option, print_json, print_record, print_table, shown_moment
from actae.cli.remote import Server, channel_argument, checked_channel, connected, server_options

if TYPE_CHECKING:
    from actae_client import ExecutionInfo, SyncActaeClient

_PAGE = 100  # the most that a server gives at once
_STATUSES = ("running", "lapsed", "completed", "failed", "cancelled")
_SHOWN_AS_JSON = frozenset({"params", "result", "error"})
_MOMENTS = frozenset({"lease_until", "created_at", "updated_at", "completed_at"})


@click.group()
def executions() -> None:
    """Look at operations through a running server."""


@executions.command("list")
@channel_argument
@click.option(
    "--status",
    type=click.Choice(_STATUSES),
    help="Only these; lapsed are the running ones whose lease has ended.",
)
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="At most so many.")
@server_options
@json_option
def list_(channel: str, status: str | None, limit: int, server: Server, as_json: bool) -> None:
    """The operations of a channel, newest first."""
    with connected(server) as client:
        found, has_more = _read(client, channel, status, limit)
    if as_json:
        print_json([asdict(each) for each in found])
        return
    columns = ("status", "attempts", "updated", "tool", "key")
    rows = [
        (each.status, each.attempts, shown_moment(each.updated_at), each.tool_name, each.key_name)
        for each in found
    ]
    wanted = f"{status} operations" if status else "operations"
    print_table(columns, rows, empty=f"Channel {channel} has no {wanted}.", cut=("tool", "key"))
    if has_more:
        click.echo(f"These are the newest {len(found)}; there are more: --limit.", err=True)


def _read(
    client: "SyncActaeClient", channel: str, status: str | None, limit: int
) -> "tuple[list[ExecutionInfo], bool]":
    """The newest operations, and whether there are more."""
    found: list[ExecutionInfo] = []
    has_more = True
    while has_more and len(found) < limit:
        most = min(_PAGE, limit - len(found))
        page, has_more = _read_page(client, channel, status, len(found), most)
        found += page
    return found, has_more


def _read_page(
    client: "SyncActaeClient", channel: str, status: str | None, offset: int, most: int
) -> "tuple[list[ExecutionInfo], bool]":
    # The client's own method knows neither pages nor a status.
    from actae_client import ExecutionInfo
    from actae_client._calls.call import read

    query = {"channel_id": channel, "status": status, "offset": offset, "limit": most}
    reply = client._send(read("/api/v1/executions", dict, query))
    return [ExecutionInfo.from_dict(each) for each in reply["executions"]], reply["has_more"]


@executions.command()
@click.argument("place", metavar="ID|CHANNEL")
@click.argument("key_name", metavar="[KEY]", required=False)
@server_options
@json_option
def show(place: str, key_name: str | None, server: Server, as_json: bool) -> None:
    """One operation, with what went in and what came out.

    Named by its id, or by its channel and its key.
    """
    execution_id = _execution_id(place, key_name)
    with connected(server) as client:
        found = asdict(client.get_execution(execution_id))
    if as_json:
        print_json(found)
    else:
        print_record({name: _readable(name, value) for name, value in found.items()})


def _execution_id(place: str, key_name: str | None) -> str:
    from actae.domain.executions import digest_key, execution_id
    from actae.transport.fields import split_execution_id

    if key_name is not None:
        return execution_id(checked_channel(place), digest_key(key_name))
    split_execution_id(place)
    return place


def _readable(name: str, value: object) -> object:
    if name in _SHOWN_AS_JSON:
        return json.dumps(value, ensure_ascii=False)
    return shown_moment(value) if name in _MOMENTS and isinstance(value, str) else value
