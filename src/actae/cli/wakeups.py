"""`actae wakeups`: timers that a server keeps."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from actae.cli.failures import CommandFailed
from actae.cli.output import json_option, print_json, print_table, shown_moment
from actae.cli.remote import Server, checked_channel, connected, server_options

if TYPE_CHECKING:
    from actae_client import SyncActaeClient, Wakeup

_PAGE = 1_000  # the most that a server gives at once
_STATUSES = ("pending", "done", "failed", "cancelled")


@click.group()
def wakeups() -> None:
    """Look at wake-ups through a running server, and cancel them."""


@wakeups.command("list")
@click.argument("channel", required=False)
@click.option("--status", type=click.Choice(_STATUSES), help="Only these.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="At most so many.")
@server_options
@json_option
def list_(channel: str | None, status: str | None, limit: int, server: Server, as_json: bool) -> None:
    """Wake-ups of a channel, or of all that the key may read, the earliest first."""
    if channel is not None:
        checked_channel(channel)
    with connected(server) as client:
        found = _read(client, channel, status, limit + 1)
    shown = found[:limit]
    if as_json:
        print_json([asdict(each) for each in shown])
        return
    columns = ("status", "run at", "attempts", "id", "error")
    rows = [(each.status, shown_moment(each.run_at), each.attempts, each.id, each.error) for each in shown]
    wanted = f"{status} wake-ups" if status else "wake-ups"
    where = "There are no" if channel is None else f"Channel {channel} has no"
    print_table(columns, rows, empty=f"{where} {wanted}.", wrapped="error")
    if len(found) > limit:
        click.echo(f"These are the earliest {limit}; there are more: --limit.", err=True)


def _read(client: "SyncActaeClient", channel: str | None, status: str | None, limit: int) -> "list[Wakeup]":
    """Page after page; a page may be short where payloads are large."""
    found: list[Wakeup] = []
    while len(found) < limit:
        page = client.list_wakeups(
            channel_id=channel,
            status=status,
            after=found[-1].id if found else None,
            limit=min(_PAGE, limit - len(found)),
        )
        if not page:
            break
        found += page
    return found


@wakeups.command()
@click.argument("wakeup_id", metavar="ID")
@server_options
@json_option
def cancel(wakeup_id: str, server: Server, as_json: bool) -> None:
    """Keep a pending wake-up from firing."""
    from actae.transport.fields import split_wakeup_id

    split_wakeup_id(wakeup_id)
    with connected(server) as client:
        is_cancelled = client.cancel_wakeup(wakeup_id)
    if not is_cancelled:
        raise CommandFailed(f"Wake-up {wakeup_id} is not pending any more. `actae wakeups list` shows it.")
    if as_json:
        print_json({"id": wakeup_id, "status": "cancelled"})
    else:
        click.echo(f"Wake-up {wakeup_id} is cancelled.")
