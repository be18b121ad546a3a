"""API keys: what they look like, and what is kept of them."""

import re
import secrets
from datetime import datetime
from hashlib import sha256
from typing import Final

import msgspec

from actae.domain.access import Caller, Permissions, may_write_all
from actae.domain.errors import InvalidRequestError, UnauthorizedError

# The id of the key that the first server makes for itself: one name, so that only one can win.
FIRST_KEY_ID: Final = "key_first"

EXPIRY_SECONDS_MAX: Final = 10 * 366 * 86_400

_SECRET_FORM = re.compile(rb"sk-[0-9a-f]{32}")


class KeyInfo(msgspec.Struct, frozen=True):
    """What is shown of an API key. The secret is not part of it."""

    key_id: str
    name: str
    permissions: Permissions
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


def new_key_id() -> str:
    """A short public name for a key."""
    return "key_" + secrets.token_hex(5)


def new_key_secret() -> str:
    """`sk-` and 128 bits in hex."""
    return "sk-" + secrets.token_hex(16)


def digest_key_secret(secret: bytes) -> bytes:
    """What is kept of a key's secret."""
    return sha256(secret).digest()


def may_be_key_secret(text: bytes) -> bool:
    """Whether it has the form of a secret; nothing else is worth a question to the database."""
    return _SECRET_FORM.fullmatch(text) is not None


def check_expiry(expires_in_seconds: float | None) -> None:
    """Raise InvalidRequestError unless a key may live so long; None is for ever."""
    if expires_in_seconds is not None and not 0 < expires_in_seconds <= EXPIRY_SECONDS_MAX:
        raise InvalidRequestError(
            f"A key expires after more than 0 and at most {EXPIRY_SECONDS_MAX} seconds, or never.",
            field="expires_in_seconds",
        )


def caller_with(key: KeyInfo, *, now: datetime) -> Caller:
    """Who calls with this key.

    Raises:
        UnauthorizedError: it was revoked, or has expired.
    """
    if key.revoked_at is not None:
        raise UnauthorizedError(f"API key {key.key_id} was revoked.")
    if key.expires_at is not None and key.expires_at <= now:
        raise UnauthorizedError(f"API key {key.key_id} expired at {key.expires_at:%Y-%m-%dT%H:%M:%SZ}.")
    return Caller(
        key.permissions,
        "api_key",
        key_id=key.key_id,
        expires_at=key.expires_at,
        writes_all=may_write_all(key.permissions),
    )
