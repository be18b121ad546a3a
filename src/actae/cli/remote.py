"""Commands that ask a running server, through the client."""

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from actae.cli.failures import CommandFailed

if TYPE_CHECKING:
    from actae_client import SyncActaeClient

_URL = "http://127.0.0.1:8002"


class Server(NamedTuple):
    """Which server, and with which key."""

    url: str
    api_key: str | None


def server_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --url and --api-key; the command gets them as `server`."""

    @click.option("--url", help=f"The server.  [ACTAE_URL, {_URL}]")
    @click.option("--api-key", help="Better in ACTAE_API_KEY: other users of this machine see options.")
    @wraps(command)
    def with_server(*args: Any, url: str | None, api_key: str | None, **options: Any) -> Any:
        chosen = url or os.environ.get("ACTAE_URL") or _URL
        return command(*args, server=Server(chosen, api_key or os.environ.get("ACTAE_API_KEY")), **options)

    return with_server


def channel_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds CHANNEL; the command gets it as `channel`, and runs only if it can be one."""

    def checked(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
        return checked_channel(value)

    return click.argument("channel", callback=checked)(command)


def checked_channel(value: str, name: str = "CHANNEL") -> str:
    """The channel id, if it is one.

    Raises:
        InvalidRequestError
    """
    from actae.transport.fields import check_channel_id

    return check_channel_id(value, name)


@contextmanager
def connected(server: Server) -> "Iterator[SyncActaeClient]":
    """A client of the server.

    Raises:
        CommandFailed: there is no key, or the URL is none.
    """
    if not server.api_key:
        raise CommandFailed("No API key. Set ACTAE_API_KEY; `actae keys create` makes one.")
    from actae_client import SyncActaeClient

    if not sys.stderr.isatty():  # a person wants to know what takes so long; a program, how it ended
        logging.getLogger("actae_client").addHandler(logging.NullHandler())
    try:
        client = SyncActaeClient(endpoint=server.url, api_key=server.api_key)
    except ValueError as error:
        raise CommandFailed(f"{error}.") from None
    with client:
        yield client
