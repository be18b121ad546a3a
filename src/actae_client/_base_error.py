"""The base of all errors of this client."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class ActaeError(Exception):
    """Base of all errors of this client.

    `code` is the server's stable word for what happened, `status_code` the HTTP status, `hint`
    what to do next, `retryable` whether the same call may be sent again, `request_id` the name
    under which the server's log knows the call. Each is None where the server did not say.
    `details` holds what else it said: `field`, `limit`, `current_version` and the like.
    """

    code: str | None = None
    status_code: int | None = None
    hint: str | None = None
    retryable: bool | None = None
    request_id: str | None = None
    details: Mapping[str, Any] = _NOTHING

    def __reduce__(self) -> tuple[Any, ...]:
        # The constructors take more than `args` keeps; errors still have to cross processes.
        return _rebuild, (type(self), self.args, dict(self.__dict__, details=dict(self.details)))


def _rebuild(kind: type[ActaeError], args: tuple[Any, ...], attributes: dict[str, Any]) -> ActaeError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error
