"""`actae guards`: what may start, how much of it, and what happens to near-duplicates."""

from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from actae.cli.durations import Duration
from actae.cli.failures import CommandFailed
from actae.cli.output import json_option, print_json, print_table, shown_moment
from actae.cli.remote import Server, connected, server_options

if TYPE_CHECKING:
    from actae_client import Guard

_WINDOW = Duration(least="1s", most="366d")


@click.group()
def guards() -> None:
    """Freeze tools, set budgets, catch near-duplicates."""


def _added(command: "Callable[..., Callable[[Any], Guard]]") -> Callable[..., Any]:
    """Options of every guard; the command describes the call, which is sent, and the guard is shown."""

    @click.option("--channels", "channel_pattern", metavar="PATTERN", help="Such as run-7f2a or run-*.")
    @click.option("--id", "guard_id", metavar="ID", help="Its name, so that repeating the command is safe.")
    @server_options
    @json_option
    @wraps(command)
    def run(*args: Any, server: Server, as_json: bool, **options: Any) -> None:
        call = command(*args, **options)
        with connected(server) as client:
            guard = call(client)
        if as_json:
            print_json(asdict(guard))
        else:
            click.echo(f"Guard {guard.guard_id}: {_described(guard)}, {_where(guard)}.")

    return run


@guards.command()
@click.argument("tool")
@click.option("--reason", help="Why; who claims is told.")
@_added
def freeze(tool: str, **options: Any) -> "Callable[[Any], Guard]":
    """Let no attempt of TOOL start; what has begun may finish. When this returns, every server obeys."""
    return lambda client: client.freeze_tool(tool, **options)


class _OfLimit(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if not error.option_name[1:2].isdigit():
                raise
            raise click.BadParameter("must not be below 0", ctx=ctx, param_hint="LIMIT") from None


@guards.command(cls=_OfLimit)
@click.argument("limit")
@click.option("--tool", "tool_name", metavar="TOOL", help="Only of this tool.")
@click.option(
    "--field", metavar="NAME", help="Add up this field of the params; without it, count operations."
)
@click.option("--per", "window", type=_WINDOW, help="In each window, such as 1h or 1d; absent: altogether.")
@click.option("--per-channel", is_flag=True, help="Each channel has as much; otherwise all share it.")
@_added
def budget(limit: str, window: float | None, **options: Any) -> "Callable[[Any], Guard]":
    """Let at most LIMIT new operations start, or so much as a field of them adds up to."""
    from decimal import Decimal, InvalidOperation

    try:
        exact = Decimal(limit)
    except InvalidOperation:
        raise click.BadParameter("must be a number", param_hint="LIMIT") from None
    if options["field"] is None and exact.is_finite() and exact != exact.to_integral_value():
        raise click.BadParameter("must be whole: without --field it counts operations", param_hint="LIMIT")
    seconds = None if window is None else int(window)
    return lambda client: client.add_budget(exact, window_seconds=seconds, **options)


@guards.command("near-duplicates")
@click.option("--tool", "tool_name", metavar="TOOL", help="Only of this tool.")
@click.option("--within", type=_WINDOW, required=True, help="How long a call is remembered, such as 10m.")
@click.option(
    "--action",
    type=click.Choice(("warn", "block", "ask")),
    default="block",
    show_default=True,
    help="Say so, refuse, or refuse until somebody approves.",
)
@click.option("--across-channels", is_flag=True, help="Compare with all channels of the pattern.")
@_added
def near_duplicates(within: float, **options: Any) -> "Callable[[Any], Guard]":
    """Look out for the same call under another key."""
    return lambda client: client.guard_near_duplicates(int(within), **options)


@guards.command()
@click.argument("tool")
@server_options
@json_option
def unfreeze(tool: str, server: Server, as_json: bool) -> None:
    """Remove every freeze of TOOL that the key may look after, whatever its channels."""
    with connected(server) as client:
        removed = client.unfreeze_tool(tool)
    if not removed:
        raise CommandFailed(f"Tool {tool} is not frozen. `actae guards list` shows what is.")
    if as_json:
        print_json({"removed": removed})
    else:
        click.echo(f"Tool {tool} is not frozen any more.")


@guards.command()
@click.argument("guard_id", metavar="ID")
@server_options
@json_option
def remove(guard_id: str, server: Server, as_json: bool) -> None:
    """Let claims go on without a guard; what a budget has counted goes with it."""
    with connected(server) as client:
        is_removed = client.remove_guard(guard_id)
    if not is_removed:
        raise CommandFailed(f"There is no guard {guard_id}. `actae guards list` shows them.")
    if as_json:
        print_json({"guard_id": guard_id})
    else:
        click.echo(f"Guard {guard_id} is removed.")


@guards.command("list")
@server_options
@json_option
def list_(server: Server, as_json: bool) -> None:
    """The guards that the key may look after, the oldest first, and what is used of budgets."""
    with connected(server) as client:
        found = client.list_guards()
    if as_json:
        print_json([asdict(each) for each in found])
        return
    columns = ("id", "what", "where", "used now", "since", "by")
    rows = [
        (
            each.guard_id,
            _described(each),
            _where(each),
            _used(each),
            shown_moment(each.created_at),
            each.created_by,
        )
        for each in found
    ]
    print_table(columns, rows, empty="There are no guards.", wrapped="what")


def _described(guard: "Guard") -> str:
    match guard.kind:
        case "freeze":
            return "frozen" + (f": {guard.reason}" if guard.reason else "")
        case "budget":
            of_what = f"of {guard.field}" if guard.field else "operations"
            per = f" every {guard.window_seconds:,} s" if guard.window_seconds else ""
            return f"at most {guard.limit} {of_what}{per}{' per channel' if guard.per_channel else ''}"
        case _:
            across = " on any channel" if guard.across_channels else ""
            return f"{guard.action} near-duplicates within {guard.window_seconds:,} s{across}"


def _where(guard: "Guard") -> str:
    tool = f"tool {guard.tool_name}" if guard.tool_name else "all tools"
    return f"{tool} on {guard.channel_pattern or 'all channels'}"


def _used(guard: "Guard") -> str:
    if guard.kind != "budget":
        return ""
    most = guard.uses[:1]
    if not most:
        return "0"
    channel = f" ({most[0].channel_id})" if most[0].channel_id else ""
    return f"{most[0].used}{channel}"
