"""`actae verify`: puts every invariant to a live database."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from actae.cli.database import Place, database_options, run_on_database
from actae.cli.failures import CommandFailed
from actae.cli.output import json_option, print_json, print_table, progress

if TYPE_CHECKING:
    from actae.operations.verification import Report
    from actae.store.database import Database

BROKEN = 3  # the exit code


@click.command()
@click.option(
    "--channel", "channels", multiple=True, metavar="ID", help="Look at this channel only; repeatable."
)
@database_options
@json_option
def verify(channels: tuple[str, ...], place: Place, as_json: bool) -> None:
    """Check that what is stored is what was promised.

    Cursors, hashes, snapshots, operation ids, steps, the ledger, wake-ups, consumer groups and messages;
    servers may go on writing meanwhile.
    Exits with 3 when something is broken.
    """
    report = run_on_database(place, lambda db: _verify(db, channels))
    if as_json:
        print_json(report)
    else:
        _show(report)
    sys.exit(0 if report.is_whole else BROKEN)


async def _verify(db: "Database", channels: tuple[str, ...]) -> "Report":
    from actae.operations.verification import count_channels, verify
    from actae.store.verification import Range, list_heads

    for each in channels:
        if not await list_heads(db, Range(each, each), most=1):
            raise CommandFailed(f"There is no channel {each!r} in this database.")
    total = len(channels) or await count_channels(db)
    with progress("Channels", total=total) as done:
        return await verify(db, channels or None, on_progress=_to(done))


def _to(done: Callable[[int], Any]) -> "Callable[[Report], Any]":
    return lambda report: done(report.looked_at.channels)


def _show(report: "Report") -> None:
    seen = report.looked_at
    approvals = f", requests for approval {seen.approvals:,}" if seen.approvals else ""
    messages = f", messages {seen.messages:,}" if seen.messages else ""
    click.echo(
        f"Channels {seen.channels:,}, events {seen.events:,}, ledger rows {seen.executions:,}, "
        f"snapshots {seen.snapshots:,}, operation ids {seen.operations:,}, steps {seen.steps:,}, "
        f"wake-ups {seen.wakeups:,}, consumer groups {seen.consumer_groups:,}{approvals}{messages}."
    )
    if report.is_whole:
        click.secho("Everything holds.", fg="green")
        return
    print_table(
        ("channel", "invariant", "what was found"),
        [(each.channel_id, each.invariant, each.what) for each in report.broken],
        empty="",
        wrapped="what was found",
    )
    more = report.broken_count - len(report.broken)
    unseen = f", {more:,} of them not shown" if more else ""
    click.secho(f"{report.broken_count:,} times something is broken{unseen}.", fg="red", bold=True)
