"""Serves one route: credential, body, handler, reply. A bare ASGI callable, because each request counts."""

import asyncio
import secrets
from collections.abc import MutableMapping
from contextlib import suppress
from itertools import count
from typing import Any, Protocol, cast
from urllib.parse import parse_qsl

import msgspec

from actae.domain.access import Caller, Permissions
from actae.domain.access_errors import CrossSiteRequestError
from actae.domain.errors import ActaeError, InternalError, InvalidRequestError, PayloadTooLargeError
from actae.observations import RequestFailed
from actae.transport.asgi import Receive, Scope, Send
from actae.transport.bodies import decode_body, decode_query
from actae.transport.error_replies import error_body, error_headers, error_status
from actae.transport.route import Asked, Route
from actae.transport.services import Services
from actae.transport.session_cookie import admit_session, require_own_origin

ANONYMOUS = Caller(Permissions(), "none")

# The largest body takes a second or two to check and decode if it is made for it, and other callers must
# not wait for it.
ASIDE_BYTES = 65_536

_JSON = (b"content-type", b"application/json")
_encode = msgspec.json.Encoder().encode
_request_numbers = count(1)
_PROCESS = secrets.token_hex(4)


class Text(msgspec.Struct, frozen=True):
    """A reply whose bytes are made: not JSON, or JSON with headers beside it (`json_with_headers`)."""

    content: bytes
    content_type: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()
    status: int = 200


def json_with_headers(reply: object, *headers: tuple[bytes, bytes]) -> Text:
    """A reply in JSON that says something in its headers, too."""
    return Text(_encode(reply), _JSON[1], headers)


class Live(Protocol):
    """A reply that goes on: it sends itself."""

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Begin, send, and end. Raises nothing once it has begun."""
        ...


class Endpoint:
    """One route, bound to the services. Never raises into the server."""

    def __init__(self, route: Route, services: Services) -> None:
        self.route = route
        self._services = services
        self._handler = route.handler
        self._needs_key = route.auth == "key"
        self._bearer_only = route.auth == "bearer"
        self._own_origin_only = route.own_origin_only
        self._is_live = route.is_live
        self._decoder: msgspec.json.Decoder[Any] | None = (
            None if route.body is None else msgspec.json.Decoder(route.body)
        )
        self._body_max = services.settings.body_bytes_max
        self._depth_max = services.settings.body_depth_max

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self.serve(scope, receive, send, scope.get("path_params", {}))

    async def serve(self, scope: Scope, receive: Receive, send: Send, path: dict[str, str]) -> None:
        """Answer one request whose path was already taken apart."""
        try:
            reply = await self._answer(scope, receive, path)
            if type(reply) is Text:
                kind = (b"content-type", reply.content_type)
                await _send(send, reply.status, reply.content, kind, *reply.headers)
            elif self._is_live:
                await cast(Live, reply).serve(scope, receive, send)
            else:
                await _send(send, 200, _encode(reply), _JSON)
        except InternalError as error:  # met deeper down, and answered there
            await send_error(send, error, self._log(scope, error))
        except ActaeError as error:
            await send_error(send, error)
        except Exception as error:  # a defect is answered like any other trouble
            trouble = InternalError("The server met a defect; its log has the details under this request id.")
            await send_error(send, trouble, self._log(scope, error))

    def _log(self, scope: Scope, error: Exception) -> str:
        """The request id under which the log has it."""
        request_id = new_request_id()
        self._services.observe(RequestFailed(request_id, scope["method"], scope["path"], error))
        return request_id

    async def _answer(self, scope: Scope, receive: Receive, path: dict[str, str]) -> object:
        headers = scope["headers"]
        raw = await read_body(receive, headers, self._body_max)
        caller = ANONYMOUS
        if self._needs_key:
            caller = await self._identify(scope, headers)
        elif self._bearer_only:
            caller = await self._services.authenticator.identify(headers, bearer_only=True)
        else:
            self._admit_anybody(scope)
        body: Any = None
        if self._decoder is not None and (raw or not self.route.body_optional):
            if len(raw) < ASIDE_BYTES:
                body = decode_body(raw, self._decoder, depth_max=self._depth_max)
            else:
                body = await asyncio.to_thread(decode_body, raw, self._decoder, depth_max=self._depth_max)
        query: Any = None
        if self.route.query is not None:
            query = decode_query(_query_values(scope["query_string"]), self.route.query)
        peer = scope.get("client")
        client = "" if peer is None else peer[0]
        return await self._handler(self._services, Asked(caller, path, query, body, headers, client, receive))

    async def _identify(self, scope: Scope, headers: list[tuple[bytes, bytes]]) -> Caller:
        authenticator = self._services.authenticator
        api_key = None
        for name, value in headers:
            if name == b"x-api-key":
                api_key = value
            elif name == b"authorization":
                api_key = None
                break
        caller = None if api_key is None else authenticator.known(api_key)
        if caller is None:
            admit_session(scope)
            caller = await authenticator.identify(headers)
        if self._services.rate_limiter is not None:
            self._services.rate_limiter.check(caller)
        return caller

    def _admit_anybody(self, scope: Scope) -> None:
        """A handler that asks for no credential may look at one; a session from elsewhere is none."""
        if self._own_origin_only:
            require_own_origin(scope)
        with suppress(CrossSiteRequestError):
            admit_session(scope)


async def read_body(receive: Receive, headers: list[tuple[bytes, bytes]], most: int) -> bytes:
    """The whole body. One that is too large is drained, within reason, so that the connection stays usable.

    Raises:
        PayloadTooLargeError, InvalidRequestError (the client went away in the middle)
    """
    message = await _next_piece(receive)
    body: bytes = message.get("body", b"")
    if not message.get("more_body", False):
        if len(body) > most:
            raise PayloadTooLargeError(most)
        return body
    pieces = [body]
    size = len(body)
    while message.get("more_body", False):
        message = await _next_piece(receive)
        size += len(message.get("body", b""))
        if size <= most:
            pieces.append(message.get("body", b""))
        elif size > 8 * most:
            break
        else:
            pieces.clear()
    if size > most:
        raise PayloadTooLargeError(most)
    return b"".join(pieces)


async def _next_piece(receive: Receive) -> MutableMapping[str, Any]:
    """What comes next of a body. One that did not come is not an empty one, which may mean something else."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise InvalidRequestError("The connection ended before the whole request had come.")
    return message


def _query_values(query_string: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(query_string.decode("ascii"), keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise InvalidRequestError("The query string is not percent-encoded UTF-8.") from None
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(name for name in values if [each for each, _ in pairs].count(name) > 1)
        raise InvalidRequestError(f"{twice!r} stands in the query more than once.", field=twice)
    return values


def new_request_id() -> str:
    """Names one request in an error and in the log."""
    return f"req_{_PROCESS}{next(_request_numbers):08x}"


async def send_error(send: Send, error: ActaeError, request_id: str | None = None) -> None:
    """Answer with an error in its one shape."""
    request_id = request_id or new_request_id()
    body = error_body(error, request_id)
    await _send(
        send, error_status(error), body, _JSON, *error_headers(error), (b"x-request-id", request_id.encode())
    )


async def _send(send: Send, status: int, body: bytes, *headers: tuple[bytes, bytes]) -> None:
    if status != 304:  # which would say the length of what it leaves out
        headers = ((b"content-length", b"%d" % len(body)), *headers)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
