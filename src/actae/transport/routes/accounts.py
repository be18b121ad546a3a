"""Signing up, in and out, and who somebody is.

Sign-up is for a laptop: it is open in dev mode, where every account may do everything, as the well-known
key may. Elsewhere it is closed unless the operator opens it (`signup_enabled`), and then a new account may
do nothing until the operator grants it something: whoever can reach the server could otherwise read what
every agent did, and being the first to sign up proves nothing. Operators make accounts with permissions
on the command line.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from actae.domain import errors
from actae.domain.access import EVERYTHING, Caller, Permissions
from actae.domain.accounts import (
    EMAIL_CHARACTERS_MAX,
    NAME_CHARACTERS_MAX,
    PASSWORD_BYTES_MAX,
    User,
    fold_email,
)
from actae.operations import accounts, api_keys
from actae.transport.route import Asked, Route
from actae.transport.services import Services

Email = Annotated[str, Meta(max_length=EMAIL_CHARACTERS_MAX, examples=["ada@example.com"])]
Password = Annotated[str, Meta(max_length=PASSWORD_BYTES_MAX)]


class SecretBody(msgspec.Struct):
    """A body that holds a secret, and so is never shown."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []


class SignUpBody(SecretBody):
    """A new account."""

    email: Email
    password: Annotated[Password, Meta(description="At least 8 characters.")]
    name: Annotated[str, Meta(max_length=NAME_CHARACTERS_MAX)] | None = None


class LogInBody(SecretBody):
    """Email and password."""

    email: Email
    password: Password


class KeyLogInBody(SecretBody):
    """An API key to exchange for a token."""

    api_key: Annotated[str, Meta(max_length=PASSWORD_BYTES_MAX)]


class UserView(msgspec.Struct):
    """Somebody, as others see them."""

    id: str
    email: str
    email_verified: bool = False
    name: str | None = None
    image: str | None = None
    created_at: datetime | None = None


class SignedInReply(SecretBody):
    """Who signed in, and the token to go on with."""

    user: UserView
    token: str


class UserReply(msgspec.Struct):
    """Whose credential it is."""

    user: UserView


class SignedOutReply(msgspec.Struct):
    """The token is good no more."""

    status: Literal["ok"] = "ok"


class ConfigReply(msgspec.Struct):
    """Which ways to sign in there are."""

    signup_enabled: bool
    methods: list[str]


async def sign_up(services: Services, asked: Asked) -> SignedInReply:
    """Open an account and sign in."""
    body: SignUpBody = asked.body
    if not services.settings.signup_allowed:
        raise errors.ForbiddenError("Sign-up is closed on this server; its operator can make an account.")
    _limit(services, asked, body.email)
    permissions = EVERYTHING if services.settings.dev else Permissions()
    user = await accounts.create_user(services.db, body.email, body.password, permissions, body.name or None)
    return SignedInReply(_user_view(user), await services.authenticator.sign_in(user.user_id))


async def log_in(services: Services, asked: Asked) -> SignedInReply:
    """Exchange email and password for a token."""
    body: LogInBody = asked.body
    _limit(services, asked, body.email)
    user = await accounts.log_in(services.db, body.email, body.password)
    return SignedInReply(_user_view(user), await services.authenticator.sign_in(user.user_id))


async def log_in_with_key(services: Services, asked: Asked) -> SignedInReply:
    """Exchange an API key for a token that may do the same, until the key is revoked or expires."""
    body: KeyLogInBody = asked.body
    caller = await services.authenticator.identify([(b"x-api-key", body.api_key.encode())])
    if caller.auth_method != "api_key" or caller.key_id is None:
        raise errors.UnauthorizedError("A token cannot be exchanged for another one. Send an API key.")
    return SignedInReply(await _view(services, caller), await services.authenticator.sign_in(caller.key_id))


async def log_out(services: Services, asked: Asked) -> SignedOutReply:
    """Refuse the bearer token from now on. One that has ended already is fine."""
    await services.authenticator.sign_out(asked.headers)
    return SignedOutReply()


async def get_me(services: Services, asked: Asked) -> UserReply:
    """Whose bearer token this is; without one, a stand-in for the API key."""
    return UserReply(await _view(services, asked.caller))


async def get_config(services: Services, _asked: Asked) -> ConfigReply:
    """Which ways to sign in there are."""
    return ConfigReply(services.settings.signup_allowed, ["password", "api_key"])


def _limit(services: Services, asked: Asked, email: str) -> None:
    services.authenticator.sign_in_limits.check(fold_email(email), asked.client)


async def _view(services: Services, caller: Caller) -> UserView:
    if caller.user_id is not None:
        user = await accounts.get_user(services.db, caller.user_id)
        if user is None:
            raise errors.UnauthorizedError("This account does not exist any more.")
        return _user_view(user)
    assert caller.key_id is not None, "who is no user has a key"
    key = await api_keys.get_key(services.db, caller.key_id)
    name, created_at = ("Development key", None) if key is None else (key.name, key.created_at)
    return UserView(caller.key_id, f"{caller.key_id}@keys.actae.invalid", name=name, created_at=created_at)


def _user_view(user: User) -> UserView:
    return UserView(user.user_id, user.email, name=user.name, created_at=user.created_at)


_BODY_ERRORS = (errors.InvalidRequestError, errors.InvalidJsonError, errors.PayloadTooLargeError)

ROUTES = (
    Route(
        method="POST",
        path="/auth/signup",
        operation="auth.signup",
        summary="Open an account",
        handler=sign_up,
        body=SignUpBody,
        reply=SignedInReply,
        errors=(*_BODY_ERRORS, errors.ForbiddenError, errors.EmailTakenError, errors.RateLimitedError),
        auth="none",
    ),
    Route(
        method="POST",
        path="/auth/login",
        operation="auth.login",
        summary="Exchange email and password for a token",
        handler=log_in,
        body=LogInBody,
        reply=SignedInReply,
        errors=(*_BODY_ERRORS, errors.InvalidCredentialsError, errors.RateLimitedError),
        auth="none",
    ),
    Route(
        method="POST",
        path="/auth/api-key-login",
        operation="auth.api_key_login",
        summary="Exchange an API key for a token",
        handler=log_in_with_key,
        body=KeyLogInBody,
        reply=SignedInReply,
        errors=(*_BODY_ERRORS, errors.UnauthorizedError),
        auth="none",
    ),
    Route(
        method="POST",
        path="/auth/logout",
        operation="auth.logout",
        summary="Sign a bearer token out",
        handler=log_out,
        reply=SignedOutReply,
        errors=(errors.UnauthorizedError,),
        auth="none",  # a token that has ended may still be signed out, so the handler looks at it itself
    ),
    Route(
        method="GET",
        path="/auth/me",
        operation="auth.me.get",
        summary="Whose credential this is",
        handler=get_me,
        reply=UserReply,
    ),
    Route(
        method="GET",
        path="/auth/config",
        operation="auth.config.get",
        summary="Which ways to sign in there are",
        handler=get_config,
        reply=ConfigReply,
        auth="none",
    ),
)
