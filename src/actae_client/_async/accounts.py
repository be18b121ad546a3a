"""Methods about users, keys and the server itself."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from actae_client._async.sender import Sender
from actae_client._calls import accounts
from actae_client._types.accounts import AuthResult, Capabilities, UserInfo
from actae_client._types.json import Json


class AccountMethods(Sender):
    """Signing in, and what the caller may do."""

    def signup(self, email: str, password: str, name: str | None = None) -> Coroutine[Any, Any, AuthResult]:
        """Open an account and sign in. Raises EmailTakenError, PermissionDeniedError where sign-up is off."""
        return self._send(accounts.signup(email, password, name))

    def login(self, email: str, password: str) -> Coroutine[Any, Any, AuthResult]:
        """Sign in with a password. Raises AuthError, RateLimitError."""
        return self._send(accounts.login(email, password))

    def api_key_login(self, api_key: str) -> Coroutine[Any, Any, AuthResult]:
        """Sign in with an API key. Raises AuthError, RateLimitError."""
        return self._send(accounts.api_key_login(api_key))

    def logout(self, jwt_token: str) -> Coroutine[Any, Any, None]:
        """Revoke a token. Raises AuthError when it is not one."""
        return self._send(accounts.logout(jwt_token))

    def get_me(self, jwt_token: str) -> Coroutine[Any, Any, UserInfo]:
        """Whose token this is. Raises AuthError when it is invalid, revoked or expired."""
        return self._send(accounts.get_me(jwt_token))

    def capabilities(self) -> Coroutine[Any, Any, Capabilities]:
        """What the client's API key may do."""
        return self._send(accounts.capabilities())

    def auth_config(self) -> Coroutine[Any, Any, dict[str, Any]]:
        """Which ways to sign in there are: `signup_enabled` and `methods`."""
        return self._send(accounts.auth_config())

    def preferences(self) -> Coroutine[Any, Any, dict[str, Json]]:
        """The preferences of the caller, a free object."""
        return self._send(accounts.preferences())

    def update_preferences(self, values: dict[str, Json]) -> Coroutine[Any, Any, dict[str, Json]]:
        """Replace the preferences of the caller, and return them."""
        return self._send(accounts.update_preferences(values))

    def instance(self) -> Coroutine[Any, Any, dict[str, Any]]:
        """Which server this is: `instance_id`, `name`, `version`, `started_at` and so on."""
        return self._send(accounts.instance())
