"""`actae fork`: a new run that starts at a step of another one."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from actae.cli.failures import CommandFailed
from actae.cli.output import json_option, print_json
from actae.cli.remote import Server, channel_argument, checked_channel, connected, server_options
from actae.domain.forks import POLICIES, Policy

if TYPE_CHECKING:
    from actae_client import ForkReceipt, SyncActaeClient


class _Place(NamedTuple):
    """Which channel is forked, where, and which step of the run stands there."""

    channel_id: str
    cursor: int
    step_number: int | None


def _read_policies(
    _ctx: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> Mapping[str, Policy] | None:
    policies: dict[str, Policy] = {}
    for each in given:
        tool, _, policy = each.rpartition("=")
        known = next((word for word in POLICIES if word == policy), None)
        if not tool or known is None:
            listed = ", ".join(POLICIES)
            raise click.BadParameter(f"{each!r} is not TOOL=POLICY; the policies are {listed}.", param=param)
        if tool in policies:
            raise click.BadParameter(f"{tool!r} has two policies.", param=param)
        policies[tool] = known
    return policies or None


@click.command()
@channel_argument
@click.option("--at-step", type=click.IntRange(min=1), help="Go on after this step.")
@click.option(
    "--at-cursor", type=click.IntRange(min=0), help="Go on after this event; 0: from the latest state."
)
@click.option(
    "--name",
    required=True,
    metavar="CHILD",
    callback=lambda _ctx, _param, value: checked_channel(value, "--name"),
    help="The new channel.",
)
@click.option("--display-name", help="What people call it.")
@click.option("--reason", help="Why it was made.")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="TOOL=POLICY",
    callback=_read_policies,
    help="auto, replay, block or live for a tool, or for all as *; repeatable.",
)
@click.option("--without-state", is_flag=True, help="Inherit steps and effects, but no state.")
@server_options
@json_option
def fork(
    channel: str,
    at_step: int | None,
    at_cursor: int | None,
    name: str,
    display_name: str | None,
    reason: str | None,
    policies: Mapping[str, Policy] | None,
    *,
    without_state: bool,
    server: Server,
    as_json: bool,
) -> None:
    """Start a new channel at a step of another one.

    It begins with the state and the effects that CHANNEL had there. A fork that is made again under the
    same name is the same fork.
    """
    if (at_step is None) == (at_cursor is None):
        raise click.UsageError("Say where: --at-step, or --at-cursor, which may be 0 for the latest state.")
    with connected(server) as client, _advice():
        place = _find_step(client, channel, at_step) if at_step else _Place(channel, at_cursor or 0, None)
        receipt = client.fork(
            place.channel_id,
            name,
            place.cursor,
            display_name=display_name,
            reason=reason,
            experiment_metadata=_described(place),
            tool_policies=policies,
            copy_state=not without_state,
        )
    if as_json:
        print_json(asdict(receipt))
    else:
        _show(receipt, place)


@contextmanager
def _advice() -> Iterator[None]:
    """Says what this command can do about a missing snapshot."""
    from actae_client import SnapshotBoundaryError

    try:
        yield
    except SnapshotBoundaryError as error:
        told = "Fork at a later step, or pass --without-state to inherit steps and effects alone."
        raise CommandFailed(f"{error} {told}") from None


def _find_step(client: "SyncActaeClient", channel: str, step_number: int) -> _Place:
    """The first steps of a fork are its ancestors', and forks at them are forks of the ancestor."""
    step = client.resolve_step(channel, step_number)
    if step is not None:
        return _Place(step.channel_id, step.cursor, step_number)
    latest = client.latest_step_number(channel)
    if latest is None:
        raise CommandFailed(f"There is no channel {channel}.")
    raise CommandFailed(f"Channel {channel} has no step {step_number}; the last one is {latest}.")


def _described(place: _Place) -> dict[str, Any] | None:
    """What sessions and the server read: how many steps the fork has behind it."""
    return None if place.step_number is None else {"forked_at_step": place.step_number}


def _show(receipt: "ForkReceipt", place: _Place) -> None:
    verb = "was forked before" if receipt.replayed else "is forked"
    where = f"after cursor {place.cursor}" if place.cursor else "at its latest state"
    if place.step_number is not None:
        where = f"after step {place.step_number}, which is at cursor {place.cursor}"
    click.echo(f"{receipt.child_channel_id} {verb} from {receipt.source_channel_id} {where}.")
    if not receipt.restorable:
        click.echo("It starts without a state.")
        return
    is_older = receipt.requested_cursor > receipt.resolved_cursor
    newest = f", the newest by then, saved at cursor {receipt.resolved_cursor}" if is_older else ""
    click.echo(f"Its state is version {receipt.source_state_version}{newest}.")
