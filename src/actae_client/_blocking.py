"""The methods of `ActaeClient` that block, for code without an event loop."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from actae_client import _background
from actae_client._async.methods import Methods
from actae_client.live.methods import LiveMethods

P = ParamSpec("P")
T = TypeVar("T")


class Blocking(Generic[P, T]):
    """A method that takes the arguments of another one, and returns its result when it is there."""

    def __init__(self, method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]) -> None:
        self._method = method
        self.__doc__ = f"`{method.__name__}`, blocking. {method.__doc__}"

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...

    @overload
    def __get__(self, client: object, owner: type) -> Callable[P, T]: ...

    def __get__(self, client: object, owner: type) -> Self | Callable[P, T]:
        if client is None:
            return self

        @functools.wraps(self._method)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            return _background.run(self._method(client, *args, **kwargs))

        return call


def blocking(
    method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]],
) -> Callable[[Callable[..., None]], Blocking[P, T]]:
    """Replace what is decorated, of which only the name counts, by the blocking variant of `method`."""
    return lambda _named: Blocking(method)


class BlockingMethods(LiveMethods, Methods):
    """Each runs its namesake on a background loop of the calling thread, and waits."""

    @blocking(Methods.record)
    def record_sync(self) -> None: ...

    @blocking(Methods.transition)
    def transition_sync(self) -> None: ...

    @blocking(Methods.replay)
    def replay_sync(self) -> None: ...

    @blocking(Methods.query)
    def query_sync(self) -> None: ...

    @blocking(Methods.get_cursor)
    def get_cursor_sync(self) -> None: ...

    @blocking(Methods.save_state)
    def save_state_sync(self) -> None: ...

    @blocking(Methods.latest_state)
    def latest_state_sync(self) -> None: ...

    @blocking(Methods.fork)
    def fork_sync(self) -> None: ...

    @blocking(Methods.diff_states)
    def diff_states_sync(self) -> None: ...

    @blocking(Methods.decision_trail)
    def decision_trail_sync(self) -> None: ...

    @blocking(LiveMethods.disconnect)
    def disconnect_sync(self) -> None: ...
