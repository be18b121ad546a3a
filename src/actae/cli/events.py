"""`actae events`: the log of a channel."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from actae.cli.following import answered, following
from actae.cli.output import as_json_text, json_option, readable_json, shown_moment
from actae.cli.printable import printable
from actae.cli.remote import Server, channel_argument, connected, server_options

if TYPE_CHECKING:
    from actae_client import Event, SyncActaeClient

_PAGE = 1000
_LAST = 10
_PAYLOAD_CHARACTERS = 200


@click.group()
def events() -> None:
    """Read a channel through a running server."""


def _type_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--type", "event_type", help="Only events of this type.")(command)


@events.command()
@channel_argument
@click.option("--from", "first", type=click.IntRange(min=1), default=1, help="The first cursor.  [1]")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many events.")
@_type_option
@server_options
@json_option
def replay(
    channel: str, first: int, limit: int | None, event_type: str | None, server: Server, as_json: bool
) -> None:
    """Print what has happened in a channel. With --json, one event a line, whole."""
    number = 0
    with connected(server) as client:
        for number, event in enumerate(_read(client, channel, first - 1, event_type), 1):
            _print(event, as_json)
            if number == limit:
                return
    if number == 0 and not as_json:
        such = " such" if first > 1 or event_type is not None else ""
        click.echo(f"Channel {channel} has no{such} events.", err=True)


@events.command()
@channel_argument
@click.option(
    "--cursor",
    type=click.IntRange(min=0),
    help=f"Begin after this one; 0 is everything.  [the last {_LAST} events]",
)
@_type_option
@server_options
@json_option
def tail(channel: str, cursor: int | None, event_type: str | None, server: Server, as_json: bool) -> None:
    """Print the last events of a channel, then each one that comes, until Ctrl-C.

    It waits for a server that is away, at the start too, and goes on where it was. With --json, one event a
    line, whole.
    """
    with connected(server) as client:
        if cursor is None:
            cursor, newest = answered(lambda: _newest(client, channel, event_type))
            for event in reversed(newest):
                _print(event, as_json)
        else:
            answered(lambda: client.get_cursor(channel))
        for event in following(client, channel, cursor):
            if event_type is None or event.event_type == event_type:
                _print(event, as_json)


def _newest(client: "SyncActaeClient", channel: str, event_type: str | None) -> "tuple[int, list[Event]]":
    """How far the channel reaches, and what is there of the last, newest first."""
    head = client.get_cursor(channel) or 0
    return head, client.query(channel_ids=[channel], event_type=event_type, cursor_end=head, limit=_LAST)


def _read(client: "SyncActaeClient", channel: str, after: int, event_type: str | None) -> "Iterator[Event]":
    while page := client.replay(channel, cursor=after, limit=_PAGE, event_type=event_type):
        yield from page
        after = page[-1].cursor


def _print(event: "Event", as_json: bool) -> None:
    if as_json:
        click.echo(as_json_text(asdict(event)))
        return
    payload = readable_json(event.payload)
    if len(payload) > _PAYLOAD_CHARACTERS:
        payload = f"{payload[:_PAYLOAD_CHARACTERS]}… ({len(payload):,} characters)"
    place = click.style(f"{event.cursor:>6}", dim=True)
    kind = click.style(printable(event.event_type), bold=True)
    moment, actor = shown_moment(event.timestamp), printable(event.actor)
    click.echo(f"{place}  {moment}  {kind}  {actor}  {printable(payload)}")
