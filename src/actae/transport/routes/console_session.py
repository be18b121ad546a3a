"""The console's session: sign in once, with a key or a password, for as long as the browser keeps a cookie.

The cookie holds the same token that `auth.login` gives out. No script can read it, and it counts only for
requests of the server's own pages; see `transport/session_cookie.py`.
"""

from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

import actae
from actae.domain import errors
from actae.domain.access import Caller, Permissions
from actae.domain.access_errors import CrossSiteRequestError
from actae.domain.accounts import PASSWORD_BYTES_MAX, fold_email
from actae.domain.sign_in_tokens import TOKEN_SECONDS
from actae.operations import accounts, api_keys
from actae.transport.auth import DEV_CALLER
from actae.transport.endpoint import Text, json_with_headers
from actae.transport.route import Asked, Route
from actae.transport.routes.accounts import Email, Password, SecretBody
from actae.transport.services import Services
from actae.transport.session_cookie import bearer, session_cookie, session_token

_UNKEPT: Final = (b"cache-control", b"no-store")


class OpenSessionBody(SecretBody):
    """An API key, or an email and a password."""

    api_key: Annotated[str, Meta(max_length=PASSWORD_BYTES_MAX)] | None = None
    email: Email | None = None
    password: Password | None = None


class SessionReply(msgspec.Struct):
    """Who looks at the console, what they may do, and which server this is."""

    name: Annotated[str, Meta(description="A user's name or email, or the name of a key.")]
    kind: Literal["user", "key", "dev"]
    permissions: Permissions
    expires_at: datetime | None
    version: str
    instance_id: str
    is_dev: bool


class SessionClosedReply(msgspec.Struct):
    """The token is good no more, and the browser is told to forget it."""

    status: Literal["signed_out"] = "signed_out"


async def open_session(services: Services, asked: Asked) -> Text:
    """Sign in for as long as the browser keeps the cookie that comes with the reply, 12 hours at most.

    With an API key, or with an email and a password. Only pages of this server may ask.

    Raises:
        InvalidRequestError: neither of both, or both.
    """
    body: OpenSessionBody = asked.body
    subject = await _subject(services, asked, body)
    token = await services.authenticator.sign_in(subject)
    caller = await services.authenticator.identify([bearer(token.encode())])
    cookie = session_cookie(token, asked.headers, seconds=TOKEN_SECONDS)
    return json_with_headers(await _view(services, caller), cookie, _UNKEPT)


async def get_session(services: Services, asked: Asked) -> Text:
    """Who looks at the console; by whatever credential the request carries."""
    return json_with_headers(await _view(services, asked.caller), _UNKEPT)


async def close_session(services: Services, asked: Asked) -> Text:
    """Refuse the session's token, and have the browser forget it. Where there is no session it is fine."""
    token = session_token(asked.headers)
    for header in {*asked.headers, *([bearer(token)] if token else [])}:
        if header[0] == b"authorization":
            with suppress(errors.UnauthorizedError):  # it is no token of this server, so it is good nowhere
                await services.authenticator.sign_out([header])
    forgotten = session_cookie("", asked.headers, seconds=0)
    return json_with_headers(SessionClosedReply(), forgotten, _UNKEPT)


async def _subject(services: Services, asked: Asked, body: OpenSessionBody) -> str:
    """The id of the user or the key that this is."""
    if body.api_key is not None and body.email is None and body.password is None:
        caller = await services.authenticator.identify([(b"x-api-key", body.api_key.encode())])
        if caller.auth_method != "api_key" or caller.key_id is None:
            raise errors.UnauthorizedError("A token opens no session. Send an API key.")
        return caller.key_id
    if body.api_key is None and body.email is not None and body.password is not None:
        services.authenticator.sign_in_limits.check(fold_email(body.email), asked.client)
        return (await accounts.log_in(services.db, body.email, body.password)).user_id
    raise errors.InvalidRequestError("Send an api_key, or an email and a password.", field=_missing(body))


def _missing(body: OpenSessionBody) -> str:
    if body.api_key is not None or (body.email is None and body.password is None):
        return "api_key"
    return "password" if body.password is None else "email"


async def _view(services: Services, caller: Caller) -> SessionReply:
    name, kind = await _name(services, caller)
    return SessionReply(
        name,
        kind,
        caller.permissions,
        caller.expires_at,
        actae.__version__,
        services.instance_id,
        services.settings.dev,
    )


async def _name(services: Services, caller: Caller) -> tuple[str, Any]:
    if caller.user_id is not None:
        user = await accounts.get_user(services.db, caller.user_id)
        if user is None:
            raise errors.UnauthorizedError("This account does not exist any more.")
        return user.name or user.email, "user"
    if caller.key_id == DEV_CALLER.key_id:
        return "Development key", "dev"
    assert caller.key_id is not None, "who is no user has a key"
    key = await api_keys.get_key(services.db, caller.key_id)
    assert key is not None, "keys are revoked, never removed"
    return key.name, "key"


_OWN_ERRORS = (CrossSiteRequestError, errors.UnauthorizedError)

ROUTES = (
    Route(
        method="POST",
        path="/console/session",
        operation="console.session.open",
        summary="Sign in to the console",
        handler=open_session,
        body=OpenSessionBody,
        reply=SessionReply,
        errors=(
            *_OWN_ERRORS,
            errors.InvalidCredentialsError,
            errors.RateLimitedError,
            errors.UnavailableError,
        ),
        auth="none",
        own_origin_only=True,
    ),
    Route(
        method="GET",
        path="/console/session",
        operation="console.session.get",
        summary="Who looks at the console",
        handler=get_session,
        reply=SessionReply,
    ),
    Route(
        method="DELETE",
        path="/console/session",
        operation="console.session.close",
        summary="Sign out of the console",
        handler=close_session,
        reply=SessionClosedReply,
        errors=(CrossSiteRequestError, errors.UnavailableError),
        auth="none",
        own_origin_only=True,
    ),
)
