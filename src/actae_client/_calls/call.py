"""What a call is, before anybody sends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode
from uuid import uuid4

from actae_client._calls.encoding import encode
from actae_client._types.json import Json
from actae_client.retry import Repeat

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One call of the API.

    `target` is the percent-encoded path with its query, `body` the JSON text that is sent, and
    `decode` makes the answer of the reply's JSON. `values` names statuses that are answers, not
    errors, and what they mean; `values_repeated`, what they mean once an earlier attempt may have
    arrived. `boundary` is the verb and the subject under which a crash test knows it.
    For `waits_seconds` the server is asked to wait before it answers. `arguments` are the caller's names for
    fields that are sent under others.
    """

    method: str
    target: str
    decode: Callable[[Any], T]
    body: bytes | None = None
    repeat: Repeat = Repeat.NEVER
    values: Mapping[int, T] | None = None
    values_repeated: Mapping[int, T] | None = None
    bearer_token: str | None = None
    is_text: bool = False
    boundary: tuple[str, str] | None = None
    waits_seconds: float = 0.0
    arguments: Mapping[str, str] | None = None

    def repeated(self) -> Call[T]:
        """The same call, of which an earlier attempt may have arrived."""
        return self if self.values_repeated is None else replace(self, values=self.values_repeated)

    def __str__(self) -> str:
        return f"{self.method} {self.target.partition('?')[0]}"

    def __repr__(self) -> str:
        # The body and the token may be secret, and a repr is soon in a log.
        return f"<Call {self}>"


def read(path: str, decode: Callable[[Any], T], query: Mapping[str, Any] | None = None) -> Call[T]:
    """A GET. Parameters that are None are left out."""
    return Call("GET", with_query(path, query), decode, repeat=Repeat.SAFE)


def write(
    path: str,
    decode: Callable[[Any], T],
    body: Mapping[str, Json],
    *,
    method: str = "POST",
    repeat: Repeat = Repeat.NEVER,
    boundary: tuple[str, str] | None = None,
    waits_seconds: float = 0.0,
    arguments: Mapping[str, str] | None = None,
) -> Call[T]:
    """A call with a JSON body. Whatever cannot be JSON is refused here, before anything is sent."""
    return Call(
        method,
        path,
        decode,
        encode(body),
        repeat,
        boundary=boundary,
        waits_seconds=waits_seconds,
        arguments=arguments,
    )


def with_query(path: str, query: Mapping[str, Any] | None) -> str:
    """The path with its query; parameters that are None are left out.

    Raises ValueError that names a parameter with a lone surrogate: addresses have no escape for it.
    """
    present = {name: value for name, value in (query or {}).items() if value is not None}
    for name, value in present.items():
        _refuse_half_pairs(name, value)
    return f"{path}?{urlencode(present)}" if present else path


def identity(given: str | None) -> str:
    """The caller's identity of a write, or a new one, made once and sent again with each attempt."""
    return str(uuid4()) if given is None else given


def in_path(name: str, value: str) -> str:
    """An id as one segment of a path.

    Raises TypeError for anything but a str, and ValueError for an id that cannot be a segment:
    the empty one, `.` and `..`, which would reach another route, and one with a lone surrogate.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    if value in ("", ".", ".."):
        raise ValueError(f"{name} is {value!r}, which cannot be addressed")
    _refuse_half_pairs(name, value)
    return quote(value, safe=":~")


def _refuse_half_pairs(name: str, value: object) -> None:
    try:
        str(value).encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{name} is {value!r}, which holds half of a surrogate pair: that cannot be sent"
        ) from error
