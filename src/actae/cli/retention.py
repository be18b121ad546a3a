"""`actae retention`: how long channels are kept after their end."""

import math
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

import click

from actae.cli.durations import Duration, shown_duration
from actae.cli.output import json_option, print_json, print_table, shown_moment
from actae.cli.remote import Server, connected, server_options

if TYPE_CHECKING:
    from actae_client import RetentionRun, SyncActaeClient
    from actae_client.types import RemovedChannel

_RUN_MOST: Final = 1_000  # the most that a server takes on at once
_FOR_EVER: Final = "forever"
_COLUMNS: Final = ("pattern", "keep for", "set by", "set at")
_WHY_KEPT: Final = {
    "fork": "because a fork needs them",
    "operation": "because an operation is under way or ambiguous",
    "wakeup": "because a wake-up is pending",
    "question": "because a question waits for an answer",
    "owner": "because a member or a consumer is at work",
    "busy": "because somebody else was at them",
    "failed": "because they could not be removed in time: the server tries again by itself",
}


class _KeepFor(Duration):
    """A duration, or for ever, which is without end."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds."""
        return math.inf if value == _FOR_EVER else super().convert(value, param, ctx)


@click.group()
def retention() -> None:
    """Say how long ended channels are kept; remove others."""


@retention.command("list")
@server_options
@json_option
def list_(server: Server, as_json: bool) -> None:
    """The policies that the key may change. Of several that match a channel the narrowest counts."""
    with connected(server) as client:
        found = client.list_retention_policies()
    if as_json:
        print_json([asdict(each) for each in found])
        return
    rows = [
        (each.pattern, _shown(each.keep_for_seconds), each.set_by, shown_moment(each.set_at))
        for each in found
    ]
    print_table(_COLUMNS, rows, empty="There are no policies: every channel is kept.")


@retention.command("set")
@click.argument("pattern")
@click.option(
    "--keep-for",
    type=_KeepFor(least="1s", most="3660d"),
    required=True,
    help="Such as 12h or 30d, or forever.",
)
@server_options
@json_option
def set_(pattern: str, keep_for: float, server: Server, as_json: bool) -> None:
    """Keep the channels of a pattern for so long after their end.

    PATTERN is a channel id, or the beginning of some and `*`: quote it.
    """
    seconds = None if math.isinf(keep_for) else int(keep_for)
    with connected(server) as client:
        policy = client.set_retention_policy(pattern, seconds)
    if as_json:
        print_json(asdict(policy))
    elif seconds is None:
        click.echo(f"Channels of {policy.pattern} are kept for ever.")
    else:
        click.echo(f"Channels of {policy.pattern} go {_shown(seconds)} after their end.")


@retention.command()
@click.argument("pattern")
@server_options
@json_option
def remove(pattern: str, server: Server, as_json: bool) -> None:
    """Remove the policy of exactly this pattern. A wider one counts then; without one channels stay."""
    with connected(server) as client:
        client.remove_retention_policy(pattern)
    if as_json:
        print_json({"pattern": pattern, "status": "removed"})
    else:
        click.echo(f"There is no policy for {pattern} any more.")


@retention.command()
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many channels; all, if absent.")
@server_options
@json_option
def run(dry_run: bool, limit: int | None, server: Server, as_json: bool) -> None:
    """Remove what is past its policy now, instead of waiting for the server to do it.

    A dry run names the first 1,000.
    """
    with connected(server) as client:
        ran = _try(client, limit) if dry_run else _run(client, limit)
    if as_json:
        print_json(asdict(ran))
        return
    rows = [
        (each.channel_id, each.pattern, shown_moment(each.ended_at), each.event_count) for each in ran.removed
    ]
    print_table(("channel", "policy", "ended", "events"), rows, empty="Nothing is past its policy.")
    if dry_run and rows:
        click.echo("Nothing was removed: this was a dry run.", err=True)
    for hold, count in ran.kept.items():
        channels = "1 channel is" if count == 1 else f"{count} channels are"
        click.echo(f"{channels} kept longer {_WHY_KEPT.get(hold, hold)}.", err=True)
    if ran.has_more:
        click.echo("There are more.", err=True)


def _try(client: "SyncActaeClient", limit: int | None) -> "RetentionRun":
    return client.run_retention(dry_run=True, limit=min(limit or _RUN_MOST, _RUN_MOST))


def _run(client: "SyncActaeClient", limit: int | None) -> "RetentionRun":
    """Run after run, until nothing is left or the limit is reached."""
    went: list[RemovedChannel] = []
    while True:
        left = _RUN_MOST if limit is None else limit - len(went)
        ran = client.run_retention(limit=min(left, _RUN_MOST))
        went += ran.removed
        if not ran.has_more or not ran.removed or len(went) == limit:
            return replace(ran, removed=went)


def _shown(seconds: int | None) -> str:
    return _FOR_EVER if seconds is None else shown_duration(seconds)
