"""API keys: make one, list them, revoke one.

A key is looked after by who has admin permission on every pattern of it; nobody else learns of it here.
"""

from datetime import datetime
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from actae.domain import errors
from actae.domain.access import Caller, Permissions
from actae.domain.access_errors import KeyNotFoundError
from actae.domain.accounts import NAME_CHARACTERS_MAX, check_permissions
from actae.domain.api_keys import EXPIRY_SECONDS_MAX, KeyInfo
from actae.operations import api_keys as operations
from actae.transport.route import Asked, Route
from actae.transport.routes.accounts import SecretBody
from actae.transport.routes.events import clamp
from actae.transport.routes.guards import Pattern
from actae.transport.services import Services

_LIST_MOST: Final = 1_000

Patterns = Annotated[tuple[Pattern, ...], Meta(max_length=1_000)]


class GrantedBody(msgspec.Struct):
    """What a key may do: channel ids, prefixes with `*`, or `*`. What is absent is not granted."""

    read: Patterns = ()
    write: Patterns = ()
    delete: Patterns = ()
    admin: Patterns = ()
    observe: Patterns = ()


class KeyBody(msgspec.Struct):
    """A key to make."""

    name: Annotated[str, Meta(max_length=NAME_CHARACTERS_MAX)]
    permissions: GrantedBody
    expires_in_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=EXPIRY_SECONDS_MAX)] | None, Meta(description="null: never.")
    ] = None


class KeyView(msgspec.Struct):
    """An API key. Its secret is not part of it."""

    key_id: str
    name: str
    permissions: Permissions
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


class KeyReply(msgspec.Struct):
    """The key as it is now."""

    key: KeyView


class NewKeyReply(SecretBody):
    """The key, and its secret, which is kept nowhere: this is the only time it is seen."""

    key: KeyView
    api_key: str


class ListQuery(msgspec.Struct):
    """Which page."""

    after: Annotated[str | None, Meta(description="`key_id` of the last key of a page.")] = None
    limit: Annotated[int, Meta(description="1 to 1,000 keys; other values are clamped.")] = 100


class KeysReply(msgspec.Struct):
    """Newest first, the revoked and the expired ones too."""

    keys: list[KeyView]
    has_more: bool


async def list_(services: Services, asked: Asked) -> KeysReply:
    """The keys that the caller looks after."""
    asked.caller.require_any("admin")
    query: ListQuery = asked.query
    if query.after is not None and await _find(services, asked.caller, query.after) is None:
        raise errors.InvalidRequestError("'after' is no key of a page.", field="after")
    found, has_more = await operations.list_newest_keys(
        services.db,
        looks_after=lambda key: asked.caller.permissions.grants_all(key.permissions),
        after=query.after,
        most=clamp(query.limit, 1, _LIST_MOST),
    )
    return KeysReply([_view(key) for key in found], has_more)


async def create(services: Services, asked: Asked) -> NewKeyReply:
    """Make a key, and show its secret this once.

    Only with permissions that the caller's `admin` patterns cover. Where the reply is lost, so is the secret:
    make another key, and revoke the one that nobody holds.
    """
    body: KeyBody = asked.body
    permissions = Permissions(**msgspec.structs.asdict(body.permissions))
    check_permissions(permissions)
    asked.caller.require_any("admin")
    if not asked.caller.permissions.grants_all(permissions):
        raise errors.ForbiddenError("This credential may only make keys within its own admin patterns.")
    key, secret = await operations.create_key(
        services.db, body.name, permissions, expires_in_seconds=body.expires_in_seconds
    )
    return NewKeyReply(_view(key), secret)


async def revoke(services: Services, asked: Asked) -> KeyReply:
    """Refuse a key from now on: here at once, on every server within a second.

    Again is fine; the first moment stands.
    """
    asked.caller.require_any("admin")
    key_id = asked.path["key_id"]
    if await _find(services, asked.caller, key_id) is None:
        raise KeyNotFoundError(key_id)
    key = await operations.revoke_key(services.db, key_id)
    assert key is not None, "keys are revoked, never removed"
    services.authenticator.forget()
    return KeyReply(_view(key))


async def _find(services: Services, caller: Caller, key_id: str) -> KeyInfo | None:
    """A key that the caller looks after. What a key may do never changes."""
    if not (key_id.isascii() and key_id.isprintable()):
        return None
    key = await operations.get_key(services.db, key_id)
    return key if key is not None and caller.permissions.grants_all(key.permissions) else None


def _view(key: KeyInfo) -> KeyView:
    fields: dict[str, Any] = msgspec.structs.asdict(key)
    return KeyView(**fields)


ROUTES = (
    Route(
        method="GET",
        path="/keys",
        operation="keys.list",
        summary="API keys, newest first",
        handler=list_,
        query=ListQuery,
        reply=KeysReply,
        errors=(errors.InvalidRequestError,),
    ),
    Route(
        method="POST",
        path="/keys",
        operation="keys.create",
        summary="Make an API key",
        handler=create,
        body=KeyBody,
        reply=NewKeyReply,
        errors=(errors.InvalidRequestError, errors.InvalidJsonError),
    ),
    Route(
        method="DELETE",
        path="/keys/{key_id}",
        operation="keys.revoke",
        summary="Refuse an API key from now on",
        handler=revoke,
        reply=KeyReply,
        errors=(KeyNotFoundError,),
    ),
)
