"""The events of a channel for as long as somebody watches, whatever happens to the server."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar

import click

from actae.cli.output import tell

if TYPE_CHECKING:
    from actae_client import Event, SyncActaeClient

T = TypeVar("T")

_PAUSE_SECONDS: Final = 5.0


def answered(ask: "Callable[[], T]") -> T:
    """The answer, as soon as there is a server that gives one; that it is waited for is said once.

    Raises:
        ActaeError: the server refuses, and will go on doing so.
    """
    from actae_client.errors import ActaeConnectionError, RateLimitError, ServerError

    is_told = False
    with _one_line_only():
        while True:
            try:
                return ask()
            except (ActaeConnectionError, RateLimitError, ServerError) as error:
                if not is_told:
                    click.echo(f"{_sentence(error)} Waiting for the server.", err=True)
                is_told = True
                time.sleep(_PAUSE_SECONDS)


@contextmanager
def _one_line_only() -> Iterator[None]:
    """In the block the client does not tell of each attempt."""
    logger = logging.getLogger("actae_client")
    usual = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(usual)


def _sentence(error: Exception) -> str:
    return f"{str(error).rstrip('.')}."


def following(client: "SyncActaeClient", channel: str, after: int) -> "Iterator[Event]":
    """Each event above a cursor once and in order, without an end.

    A stream gives a server that is away some minutes; whoever watches has more patience.

    Raises:
        ActaeError: the server refuses, and will go on doing so.
    """
    from actae_client.errors import ActaeConnectionError, RateLimitError, ServerError

    while True:
        try:
            with client.stream(channel, cursor=after) as stream:
                for event in stream:
                    yield event
                    after = event.cursor
        except (ActaeConnectionError, RateLimitError, ServerError) as error:
            tell(f"{_sentence(error)} Going on after event {after} when it is back.")
            time.sleep(_PAUSE_SECONDS)
