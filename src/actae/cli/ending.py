"""`actae channels close`, `delete` and `outcome`: how a run ends."""

import math
from typing import TYPE_CHECKING, Any, Final

import click

from actae.cli.effects import shown_effects
from actae.cli.failures import CommandFailed
from actae.cli.output import json_option, print_json, shown_moment
from actae.cli.people import ask_to_go_on
from actae.cli.remote import Server, channel_argument, connected, server_options

if TYPE_CHECKING:
    from actae_client import SyncActaeClient

_NONE: Final = "none"


@click.command()
@channel_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@server_options
@json_option
def close(channel: str, yes: bool, server: Server, as_json: bool) -> None:
    """Take no more writes on a channel.

    It can still be read, and who owns an operation may complete it. Every claim is refused from then on,
    also of what is completed, and nothing opens the channel again.
    """
    if not yes:
        ask_to_go_on(f"Close {channel}? Every claim in it is refused then, and nothing opens it again.")
    with connected(server) as client:
        found = client.close_channel(channel)
    if as_json:
        print_json(found)
    else:
        click.echo(f"{channel} is closed since {shown_moment(found['closed_at'])}.")


@click.command()
@channel_argument
@click.option("--recursive", is_flag=True, help="With its forks, and theirs.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@server_options
@json_option
def delete(channel: str, recursive: bool, yes: bool, server: Server, as_json: bool) -> None:
    """Remove all that a channel holds, its ledger too.

    Its id is not used again, so a late retry is refused and runs nothing.
    """
    with connected(server) as client:
        if not yes:
            what = f"{_described(client, channel)}{' with all its forks' if recursive else ''}"
            ask_to_go_on(f"Delete {what}? It is gone for good, and the id is not used again.")
        deleted = _delete(client, channel, recursive=recursive)
    if as_json:
        print_json(deleted)
        return
    for each in deleted["deleted"]:
        click.echo(f"{each} is deleted.")


def _described(client: "SyncActaeClient", channel: str) -> str:
    run = next(iter(client.list_runs(prefix=channel, page_size=1)), None)
    if run is None or run.channel_id != channel:
        raise CommandFailed(f"There is no channel {channel} that this key may see.")
    effects = shown_effects(run.effects) or "no effects"
    forks = f"; forks: {run.forks}" if run.forks else ""
    return f"{channel} (events: {run.cursor}; {effects}{forks})"


def _delete(client: "SyncActaeClient", channel: str, *, recursive: bool) -> dict[str, Any]:
    from actae_client.errors import ChannelHasForksError

    try:
        return client.delete_channel(channel, recursive=recursive)
    except ChannelHasForksError as error:
        raise CommandFailed(f"{error} Delete them first, or add --recursive.") from error


@click.command()
@channel_argument
@click.argument("outcome", type=click.Choice(["promoted", "rejected", "inconclusive", "crashed", _NONE]))
@click.option("--score", type=float, help="How well it went; what is stored stays, if absent.")
@server_options
@json_option
def outcome(channel: str, outcome: str, score: float | None, server: Server, as_json: bool) -> None:
    """Say how a run ended.

    A remark that can be changed: it closes nothing, and appends no event. `none` takes back `crashed`, and
    nothing else; what was promoted does not become `crashed`. `actae forks promote` says `promoted` itself.
    """
    if score is not None and not math.isfinite(score):
        raise click.BadParameter("must be a number", param_hint="--score")
    wanted = None if outcome == _NONE else outcome
    with connected(server) as client:
        found = client.set_outcome(channel, wanted, score=score)
    if as_json:
        print_json(found)
    else:
        click.echo(_sentence(channel, wanted, found))


def _sentence(channel: str, wanted: str | None, found: dict[str, Any]) -> str:
    stands, score = found["outcome"], found["result_score"]
    has = "has" if stands == wanted else "still has"
    what = "no outcome" if stands is None else f"the outcome {stands}"
    return f"{channel} {has} {what}{'' if score is None else f', score {score}'}."
