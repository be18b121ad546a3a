"""Some of a client's methods under one name: `client.events.record`."""

from __future__ import annotations

from typing import Any, TypeVar, cast

M = TypeVar("M")


class Facade:
    """Shows the public methods that a class and its mixins gave to a client, and nothing else."""

    __slots__ = ("_client", "_group")

    def __init__(self, client: object, group: type) -> None:
        self._client = client
        self._group = group

    def __getattr__(self, name: str) -> Any:
        if name in self.__dir__():
            return getattr(self._client, name)
        raise AttributeError(f"{self._group.__name__} has no {name!r}; it has {', '.join(self.__dir__())}")

    def __dir__(self) -> list[str]:
        # The class that all groups stand on is no part of any of them, unless a group has its own word.
        root, own = self._group.__mro__[-2], vars(self._group)
        return [
            name
            for name in dir(self._group)
            if not name.startswith("_") and (name in own or not hasattr(root, name))
        ]


def facade(client: M, group: type[M]) -> M:
    """The methods of `group`, bound to the client. To a type checker it is the group itself."""
    return cast("M", Facade(client, group))
