"""Calls about users, keys and the server itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from actae_client._calls.call import Call, read, write
from actae_client._types.accounts import AuthResult, Capabilities, UserInfo
from actae_client._types.json import Json
from actae_client.retry import Repeat


def signup(email: str, password: str, name: str | None) -> Call[AuthResult]:
    """Open an account."""
    body = {"email": email, "password": password}
    if name:
        body["name"] = name
    return write("/api/v1/auth/signup", _signed_in, body)


def login(email: str, password: str) -> Call[AuthResult]:
    """Exchange a password for a token."""
    return write("/api/v1/auth/login", _signed_in, {"email": email, "password": password})


def api_key_login(api_key: str) -> Call[AuthResult]:
    """Exchange an API key for a token."""
    return write("/api/v1/auth/api-key-login", _signed_in, {"api_key": api_key})


def logout(jwt_token: str) -> Call[None]:
    """Revoke a token. A revoked one stays revoked, so this may be repeated."""
    return Call("POST", "/api/v1/auth/logout", _nothing, repeat=Repeat.SAFE, bearer_token=jwt_token)


def get_me(jwt_token: str) -> Call[UserInfo]:
    """Ask whose token this is."""
    return replace(read("/api/v1/auth/me", _me_of), bearer_token=jwt_token)


def capabilities() -> Call[Capabilities]:
    """Ask what the key may do."""
    return read("/api/v1/auth/capabilities", _capabilities_of)


def auth_config() -> Call[dict[str, Any]]:
    """Ask which ways to sign in there are."""
    return read("/api/v1/auth/config", dict)


def preferences() -> Call[dict[str, Json]]:
    """Read the caller's preferences."""
    return read("/api/v1/user/preferences", dict)


def update_preferences(values: dict[str, Json]) -> Call[dict[str, Json]]:
    """Replace the caller's preferences."""
    return write("/api/v1/user/preferences", dict, values, method="PUT")


def instance() -> Call[dict[str, Any]]:
    """Ask which server this is."""
    return read("/api/v1/instance", dict)


def _signed_in(reply: Any) -> AuthResult:
    return AuthResult(_user(reply["user"]), reply["token"])


def _me_of(reply: Any) -> UserInfo:
    return _user(reply["user"])


def _user(data: Mapping[str, Any]) -> UserInfo:
    return UserInfo(
        id=data["id"],
        email=data["email"],
        email_verified=data.get("email_verified", False),
        name=data.get("name"),
        image=data.get("image"),
        created_at=data.get("created_at"),
    )


def _capabilities_of(reply: Any) -> Capabilities:
    granted = reply.get("permissions") or {}
    return Capabilities(
        read=list(granted.get("read") or ()),
        write=list(granted.get("write") or ()),
        delete=list(granted.get("delete") or ()),
        admin=list(granted.get("admin") or ()),
        auth_method=reply.get("auth_method"),
        key_id=reply.get("key_id"),
        key_source=reply.get("key_source"),
        expires_at=reply.get("expires_at"),
        observe=list(granted.get("observe") or ()),
    )


def _nothing(_reply: Any) -> None:
    return None
