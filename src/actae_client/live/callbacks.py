"""What the program wants to be called with. A callback that fails is logged, and disturbs nothing."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from actae_client._types.events import Event

C = TypeVar("C", bound=Callable[..., object])

logger: logging.Logger = logging.getLogger("actae_client")


def plain(callback: C) -> C:
    """The callback. Raises TypeError for a coroutine function, which nobody would await."""
    if inspect.iscoroutinefunction(callback):
        raise TypeError(
            f"{callback!r} is a coroutine function; callbacks are plain functions. Use stream() to await."
        )
    return callback


class Callbacks:
    """Who is called when."""

    def __init__(self) -> None:
        self.on_message: list[Callable[[str, Event], object]] = []
        self.on_error: Callable[[str], object] | None = None
        self.on_subscribed: Callable[[str, int], object] | None = None
        self.on_disconnected: Callable[[], object] | None = None
        self.on_reconnect: Callable[[], object] | None = None

    def message(self, topic: str, event: Event) -> None:
        """An event of a subscribed topic."""
        for callback in tuple(self.on_message):
            _call(callback, topic, event)

    def error(self, sentence: str) -> None:
        """Something went wrong that no call raises."""
        logger.warning("%s", sentence)
        _call(self.on_error, sentence)

    def subscribed(self, topic: str, cursor: int) -> None:
        """A subscription was confirmed."""
        _call(self.on_subscribed, topic, cursor)

    def disconnected(self) -> None:
        """The connection was lost."""
        _call(self.on_disconnected)

    def reconnected(self) -> None:
        """It is there again, and so are all subscriptions."""
        _call(self.on_reconnect)


def _call(callback: Callable[..., object] | None, *arguments: Any) -> None:
    if callback is None:
        return
    try:
        callback(*arguments)
    except Exception:
        logger.exception("the callback %r failed", callback)
