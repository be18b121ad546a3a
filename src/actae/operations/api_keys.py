"""API keys: make, show, revoke, and find out who calls with one."""

from collections.abc import Callable
from typing import Final

from actae.domain.access import EVERYTHING, Caller, Permissions
from actae.domain.accounts import check_name, check_permissions
from actae.domain.api_keys import (
    FIRST_KEY_ID,
    KeyInfo,
    caller_with,
    check_expiry,
    digest_key_secret,
    may_be_key_secret,
    new_key_id,
    new_key_secret,
)
from actae.domain.errors import UnauthorizedError
from actae.store import api_keys as store
from actae.store.database import Database, Transaction, story
from actae.store.hints import tell_access_changed

_FEW: Final = 500


async def create_key(
    db: Database, name: str, permissions: Permissions, expires_in_seconds: float | None = None
) -> tuple[KeyInfo, str]:
    """A new key and its secret, which is kept nowhere: this is the only time it is seen.

    Raises:
        InvalidRequestError: the name, a pattern or the expiry cannot be accepted.
    """
    check_name(name)
    check_permissions(permissions)
    check_expiry(expires_in_seconds)
    secret = new_key_secret()
    digest = digest_key_secret(secret.encode())
    key = await store.create_api_key(db, new_key_id(), digest, name, permissions, expires_in_seconds)
    return key, secret


async def ensure_first_key(db: Database) -> str | None:
    """Make a key that may do everything where there has never been a key; its secret, or else None.

    Of several servers that start at once, one gets the secret. A database whose keys were all revoked
    gets no new one by itself.
    """
    secret = new_key_secret()
    digest = digest_key_secret(secret.encode())
    key = await store.create_first_api_key(db, FIRST_KEY_ID, digest, "first key", EVERYTHING)
    return None if key is None else secret


async def list_keys(db: Database) -> list[KeyInfo]:
    """All keys, oldest first, the revoked and the expired ones too."""
    return await store.list_api_keys(db)


async def list_newest_keys(
    db: Database, *, looks_after: Callable[[KeyInfo], bool], after: str | None, most: int
) -> tuple[list[KeyInfo], bool]:
    """So many keys, newest first, of those that the caller looks after; and whether there are more."""
    found: list[KeyInfo] = []
    while True:
        keys = await store.list_newest_api_keys(db, after=after, most=_FEW)
        found += filter(looks_after, keys)
        if len(found) > most or len(keys) < _FEW:
            return found[:most], len(found) > most
        after = keys[-1].key_id


async def get_key(db: Database, key_id: str) -> KeyInfo | None:
    """The key with this id, whether or not it is still good."""
    found = await store.get_api_key(db, key_id)
    return None if found is None else found.key


@story
async def revoke_key(tx: Transaction, key_id: str) -> KeyInfo | None:
    """Refuse this key from now on; None for an unknown id. Again is fine, and the first moment stands.

    Every server refuses it within a second, and so the tokens that were signed in with it, and ends what
    reads with either.
    """
    key = await store.revoke_api_key(tx, key_id)
    await tell_access_changed(tx)
    return key


async def identify_key(db: Database, secret: bytes) -> Caller:
    """Who calls with this secret.

    Raises:
        UnauthorizedError: unknown, revoked or expired.
    """
    found = await store.find_api_key(db, digest_key_secret(secret)) if may_be_key_secret(secret) else None
    return _caller(found)


async def identify_key_id(db: Database, key_id: str) -> Caller:
    """Who calls with a token that was signed in with this key.

    Raises:
        UnauthorizedError: unknown, revoked or expired.
    """
    return _caller(await store.get_api_key(db, key_id))


def _caller(found: store.KeyStanding | None) -> Caller:
    if found is None:
        raise UnauthorizedError("This API key is not known here.")
    return caller_with(found.key, now=found.now)
