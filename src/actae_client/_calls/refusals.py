"""The one table from a refusal on the wire to the error that the caller meets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from actae_client import errors
from actae_client.errors import ActaeError, APIError
from actae_client.transport import Reply

_RETRY_AFTER_SECONDS = 60
_SOON_SECONDS = "1"
_OF_A_FRAME = frozenset({"type", "event", "topic", "payload", "request_id", "status", "message", "error"})


def error_class(code: str | None, status_code: int) -> type[ActaeError]:
    """The class of a refusal: by its code where that has a class, else by its status."""
    if status_code == 401:
        return errors.AuthError
    if status_code == 429:
        return errors.OverloadedError if code == "overloaded" else errors.RateLimitError
    if code is not None and code in _BY_CODE:
        return _BY_CODE[code]
    if status_code >= 500:
        return errors.ServerError
    return _BY_STATUS.get(status_code, APIError)


def error_of(reply: Reply, fields: Mapping[str, Any] | None) -> ActaeError:
    """The error that a reply of status 300 or above stands for.

    `fields` is the body, None when it is not a JSON object: proxies answer in HTML.
    """
    said = dict(fields or {})
    code = _text(said.pop("status", None))
    error, message = said.pop("error", None), said.pop("message", None)
    sentence = _text(error) or _text(message) or f"the server answered with status {reply.status}"
    if reply.status == 404 and "execution_not_found" in sentence:
        code = "execution_not_found"
    refusal = _build(error_class(code, reply.status), reply, said, sentence)
    refusal.code = code or refusal.code
    refusal.status_code = reply.status
    refusal.hint = _text(said.pop("hint", None))
    refusal.request_id = _text(said.pop("request_id", None))
    refusal.retryable = _flag(said.pop("retryable", None))
    refusal.details = said
    _annotate(refusal)
    return refusal


def refusal_of(said: Mapping[str, Any]) -> ActaeError:
    """The error of a refusal that came without an HTTP status, as those over a WebSocket do."""
    code, sentence = _text(said.get("status")), _text(said.get("message")) or _text(said.get("error"))
    helpful = {name: value for name, value in said.items() if name not in _OF_A_FRAME}
    fields = {**helpful, "status": code, "error": sentence or "the server refused and did not say why"}
    return error_of(Reply(_status_of(code or ""), "application/json", b"", _SOON_SECONDS), fields)


def _status_of(code: str) -> int:
    """What the status of a refusal would have been over HTTP."""
    if code in _STATUS_OF:
        return _STATUS_OF[code]
    if code.endswith("not_found"):
        return 404
    return 409 if code in _BY_CODE else 500


def _build(kind: type[ActaeError], reply: Reply, said: Mapping[str, Any], sentence: str) -> ActaeError:
    if issubclass(kind, errors.RateLimitError):
        return kind(_retry_after(said.get("retry_after_seconds"), reply.retry_after), sentence)
    if issubclass(kind, APIError):
        return kind(reply.status, sentence)
    return kind(sentence)


def _retry_after(in_body: Any, in_header: str | None) -> float:
    for given in (in_body, in_header):
        try:
            seconds = float(given)  # type: ignore[arg-type]  # whatever it is, it came from outside
        except (TypeError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return int(seconds) if seconds.is_integer() else seconds
    return _RETRY_AFTER_SECONDS


def _annotate(refusal: ActaeError) -> None:
    # Notes show up in tracebacks and leave the sentence, which programs may compare, alone.
    if refusal.hint:
        refusal.add_note(refusal.hint)
    if refusal.request_id:
        refusal.add_note(f"request id: {refusal.request_id}")


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


_BY_CODE: Mapping[str, type[ActaeError]] = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, ActaeError) and kind.code is not None
}

_BY_STATUS: Mapping[int, type[APIError]] = {
    400: errors.InvalidRequestError,
    403: errors.PermissionDeniedError,
    404: errors.NotFoundError,
    405: errors.NotFoundError,
    409: errors.ConflictError,
    413: errors.PayloadTooLargeError,
    422: errors.InvalidRequestError,
}

# The other known codes are conflicts.
_STATUS_OF: Mapping[str, int] = {
    "consumer_not_found": 409,
    "invalid_request": 400,
    "invalid_json": 400,
    "unauthorized": 401,
    "invalid_credentials": 401,
    "forbidden": 403,
    "cross_site_request": 403,
    "method_not_allowed": 405,
    "payload_too_large": 413,
    "rate_limited": 429,
    "overloaded": 429,
    "too_many_readers": 429,
    "internal": 500,
    "unavailable": 503,
}
