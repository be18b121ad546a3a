"""From a reply to the answer of a call, or to its error."""

from __future__ import annotations

from typing import Any, TypeVar

from actae_client._calls.argument_names import by_argument
from actae_client._calls.call import Call
from actae_client._calls.decoding import decode
from actae_client._calls.refusals import error_of
from actae_client.errors import InvalidReplyError
from actae_client.transport import Reply

T = TypeVar("T")


def read_reply(call: Call[T], reply: Reply) -> T:
    """The answer to the call; raises the error that the reply stands for."""
    if reply.status >= 300:
        return _read_refusal(call, reply)
    if call.is_text:
        return call.decode(reply.body.decode(errors="replace"))
    try:
        said = decode(reply.body)
    except (ValueError, RecursionError) as error:
        # Damaged on its way, or the page of a proxy: another try may fare better.
        raise _unreadable(call, reply, error) from error
    try:
        return call.decode(said)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        unexpected = _unreadable(call, reply, error)
        unexpected.retryable = False
        raise unexpected from error


def _read_refusal(call: Call[T], reply: Reply) -> T:
    fields = _fields_of(reply)
    if call.values is not None and reply.status in call.values and fields is not None:
        return call.values[reply.status]
    if call.arguments is not None and fields is not None:
        raise error_of(reply, by_argument(fields, call.arguments))
    raise error_of(reply, fields)


def _fields_of(reply: Reply) -> dict[str, Any] | None:
    """The body of a refusal, or None when it is not the object that Actae sends."""
    try:
        fields = decode(reply.body)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def _unreadable(call: Call[Any], reply: Reply, error: Exception) -> InvalidReplyError:
    shown = reply.body[:100].decode(errors="replace")
    return InvalidReplyError(
        f"{call} was answered with status {reply.status} and "
        f"{reply.content_type or 'no content type'}, which is not an answer of Actae "
        f"({type(error).__name__}: {error}). It begins {shown!r}."
    )
