"""`actae executions`: the ledger of a channel, or of all."""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import click

from actae.cli.durations import Duration
from actae.cli.operation_names import naming
from actae.cli.output import json_option, print_json, print_record, print_table, readable_json, shown_moment
from actae.cli.remote import Server, checked_channel, connected, server_options
from actae.cli.resolving import resolve

if TYPE_CHECKING:
    from actae_client import Event, ExecutionInfo, SyncActaeClient

_PAGE: Final = 100  # the most that a server gives at once
_HISTORY: Final = 1_000  # events of a kind that a history looks at
_STATUSES: Final = ("running", "lapsed", "ambiguous", "completed", "failed", "cancelled")
_SHOWN_AS_JSON: Final = frozenset({"params", "result", "error"})
_MOMENTS: Final = frozenset({"lease_until", "created_at", "updated_at", "completed_at", "expires_at"})


@click.group()
def executions() -> None:
    """Look at operations, and say what became of one."""


executions.add_command(resolve)


@executions.command("list")
@click.argument("channel", required=False)
@click.option(
    "--status",
    type=click.Choice(_STATUSES),
    help="Only these; lapsed are the running ones whose lease has ended, ambiguous those of them that nobody "
    "gets before they are resolved.",
)
@click.option("--tool", "tool_name", metavar="NAME", help="Only of this tool.")
@click.option("--key-prefix", metavar="TEXT", help="Only keys that begin so.")
@click.option(
    "--field",
    metavar="NAME=VALUE",
    help="Across channels: with this at the top level of the params, as text: order_id=4471, amount=42.5.",
)
@click.option(
    "--text",
    metavar="TEXT",
    help="Across channels: with this in the key, the tool, the channel's id, the params' JSON; case counts.",
)
@click.option(
    "--older-than", type=Duration(most="36600d"), help="Across channels: first claimed longer ago, as 1h."
)
@click.option(
    "--limit", type=click.IntRange(1, 1_000_000), default=50, show_default=True, help="At most so many."
)
@server_options
@json_option
def list_(
    channel: str | None,
    status: str | None,
    tool_name: str | None,
    key_prefix: str | None,
    limit: int,
    server: Server,
    as_json: bool,
    **search: Any,
) -> None:
    """The operations of a channel, newest first; without CHANNEL, of all that the key may read."""
    wanted: dict[str, Any] = {"status": status, "tool_name": tool_name, "key_prefix": key_prefix}
    narrowed = [f"--{name.replace('_', '-')}" for name, value in search.items() if value is not None]
    if channel is not None and narrowed:
        raise click.UsageError(f"{', '.join(narrowed)} goes through all channels. Leave CHANNEL out.")
    with connected(server) as client:
        if channel is None:
            walk = client.search_executions(**wanted, **_conditions(**search))
        else:
            walk = _of_channel(client, checked_channel(channel), wanted)
        found = list(islice(walk, limit + 1))
    has_more, found = len(found) > limit, found[:limit]
    if as_json:
        print_json([asdict(each) for each in found])
        return
    is_open = status in {"running", "lapsed", "ambiguous"}
    columns = {
        "status": [status if status == "lapsed" else each.status for each in found],
        "attempts": [each.attempts for each in found],
        "lease until" if is_open else "updated": [
            shown_moment(each.lease_until if is_open else each.updated_at) for each in found
        ],
        "tool": [each.tool_name for each in found],
        "key": [each.key_name for each in found],
        "id": [each.id for each in found],
    }
    if channel is not None:
        del columns["id"]
    which = f"{status} operations" if status else "operations"
    such = "such " if tool_name or key_prefix else ""
    empty = f"There are no such {which}." if channel is None else f"Channel {channel} has no {such}{which}."
    print_table(tuple(columns), zip(*columns.values(), strict=True), empty=empty, cut=("tool", "key"))
    if has_more:
        click.echo(f"These are the newest {len(found)}; there are more: --limit.", err=True)


def _conditions(field: str | None, text: str | None, older_than: float | None) -> dict[str, Any]:
    name, mark, value = (field or "").partition("=")
    if field is not None and not (name and mark):
        raise click.BadParameter(f"{field!r} is no NAME=VALUE.", param_hint="--field")
    return {
        "field": name or None,
        "value": value if field is not None else None,
        "text": text,
        "older_than_seconds": None if older_than is None else int(older_than),
    }


def _of_channel(client: "SyncActaeClient", channel: str, wanted: dict[str, Any]) -> "Iterator[ExecutionInfo]":
    # The client's own method gives single pages, and by a status alone.
    from actae_client import ExecutionInfo
    from actae_client._calls.call import read

    offset, has_more = 0, True
    while has_more:
        query = {"channel_id": channel, **wanted, "offset": offset, "limit": _PAGE}
        reply = client._send(read("/api/v1/executions", dict, query))
        yield from map(ExecutionInfo.from_dict, reply["executions"])
        offset, has_more = offset + len(reply["executions"]), reply["has_more"]


@executions.command()
@click.argument("place", metavar="ID|CHANNEL")
@click.argument("key_name", metavar="[KEY]", required=False)
@server_options
@json_option
def show(place: str, key_name: str | None, server: Server, as_json: bool) -> None:
    """One operation, with what went in and what came out.

    Named by its id, or by its channel and its key. Where nobody knew its outcome: with what people said, and
    with what was reported too late.
    """
    with connected(server) as client, naming(place, key_name) as identity:
        execution = client.get_execution(identity)
        told = _told(client, execution)
    found = asdict(execution) | {"told": [asdict(each) for each in told]}
    if as_json:
        print_json(found)
        return
    lines = {name: _readable(name, value) for name, value in found.items() if name not in _LISTS}
    print_record({name: line for name, line in lines.items() if name not in _TERMS or line is not None})
    if told or execution.late_evidence:
        click.echo()
        print_table(
            ("cursor", "at", "what", "by", "says"), _history(execution, told), empty="", wrapped="says"
        )


_TERMS: Final = frozenset({"on_lapse", "expires_at"})
_LISTS: Final = frozenset({"late_evidence", "told"})


def _told(client: "SyncActaeClient", execution: "ExecutionInfo") -> "list[Event]":
    """What its owner and people said of an outcome that nobody knew."""
    return [
        event
        for event_type in ("tool.ambiguous", "tool.resolved")
        for event in client.query(channel_ids=[execution.channel_id], event_type=event_type, limit=_HISTORY)
        if isinstance(event.payload, dict) and event.payload.get("execution_id") == execution.id
    ]


def _history(execution: "ExecutionInfo", told: "list[Event]") -> list[tuple[Any, ...]]:
    said = ("outcome", "reason", "evidence", "error")
    rows: list[tuple[Any, ...]] = [
        (
            event.cursor,
            shown_moment(event.timestamp),
            event.event_type.removeprefix("tool."),
            event.actor,
            readable_json(
                {name: event.payload[name] for name in said if event.payload.get(name) is not None}
            ),
        )
        for event in told
    ]
    rows += [
        (
            each.cursor,
            shown_moment(each.recorded_at),
            f"too late: {each.says}",
            None,
            readable_json(each.value),
        )
        for each in execution.late_evidence
    ]
    return sorted(rows, key=lambda row: row[0])


def _readable(name: str, value: object) -> object:
    if name in _SHOWN_AS_JSON:
        return readable_json(value)
    return shown_moment(value) if name in _MOMENTS and isinstance(value, str) else value
