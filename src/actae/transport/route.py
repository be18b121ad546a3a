"""One route, described once: the dispatcher, the checks and the published description read it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from actae.domain.access import Caller
from actae.domain.errors import ActaeError
from actae.transport.asgi import Receive
from actae.transport.services import Services


class Asked(NamedTuple):
    """A decoded request."""

    caller: Caller  # with `auth="none"` an anonymous one without permissions
    path: dict[str, str]
    query: Any  # an instance of the route's `query`, or None
    body: Any  # an instance of the route's `body`, or None
    headers: list[tuple[bytes, bytes]]
    client: str  # the address that it came from
    receive: Receive  # what comes after the body: that the client has gone


Handler = Callable[[Services, Asked], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """What a route takes, what it answers, and who may call it.

    The handler checks permissions on the channel that it touches; `auth` only says whether a valid
    credential is needed at all. The reply is a msgspec Struct or dict, encoded as JSON with status 200.
    """

    method: str
    path: str
    operation: str  # the manifest id without its prefix, such as `events.record`
    summary: str
    handler: Handler
    body: type | None = None
    body_optional: bool = False
    query: type | None = None
    reply: Any = dict
    errors: tuple[type[ActaeError], ...] = ()
    auth: str = "key"  # `key`, `none`, or `bearer`: the token names the caller, the key does not
    prefix: str = "/api/v1"
    own_origin_only: bool = False  # with `auth="none"`: pages of other origins may not ask
    is_live: bool = False  # the reply sends itself, see `endpoint.Live`
    tags: tuple[str, ...] = field(default=())

    @property
    def full_path(self) -> str:
        """The path below the server's root."""
        return self.prefix + self.path
