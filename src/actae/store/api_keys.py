"""API keys: rows to records."""

from datetime import datetime
from typing import NamedTuple

from actae.domain.access import Permissions
from actae.domain.api_keys import KeyInfo
from actae.store.database import Row, Session
from actae.store.permissions import from_columns, to_columns
from actae.store.queries import query

_CREATE = query("create_api_key")
_CREATE_FIRST = query("create_first_api_key")
_FIND = query("find_api_key")
_GET = query("get_api_key")
_LIST = query("list_api_keys")
_LIST_NEWEST = query("list_newest_api_keys")
_REVOKE = query("revoke_api_key")


class KeyStanding(NamedTuple):
    """A key, and the moment at which it was looked at."""

    key: KeyInfo
    now: datetime


async def create_api_key(
    session: Session,
    key_id: str,
    key_digest: bytes,
    name: str,
    permissions: Permissions,
    expires_in_seconds: float | None,
) -> KeyInfo:
    """A new key, which expires that long from now."""
    row = await session.fetch_one(
        _CREATE,
        key_id=key_id,
        key_digest=key_digest,
        name=name,
        expires_in_seconds=expires_in_seconds,
        **to_columns(permissions),
    )
    assert row is not None, "an insert without a conflict clause returns its row"
    return _key(row)


async def create_first_api_key(
    session: Session, key_id: str, key_digest: bytes, name: str, permissions: Permissions
) -> KeyInfo | None:
    """The first key, or None where there has been a key before."""
    row = await session.fetch_one(
        _CREATE_FIRST, key_id=key_id, key_digest=key_digest, name=name, **to_columns(permissions)
    )
    return None if row is None else _key(row)


async def find_api_key(session: Session, key_digest: bytes) -> KeyStanding | None:
    """The key with this secret."""
    row = await session.fetch_one(_FIND, key_digest=key_digest)
    return None if row is None else KeyStanding(_key(row), row["now"])


async def get_api_key(session: Session, key_id: str) -> KeyStanding | None:
    """The key with this id."""
    row = await session.fetch_one(_GET, key_id=key_id)
    return None if row is None else KeyStanding(_key(row), row["now"])


async def list_api_keys(session: Session) -> list[KeyInfo]:
    """All keys, oldest first."""
    return [_key(row) for row in await session.fetch(_LIST)]


async def list_newest_api_keys(session: Session, *, after: str | None, most: int) -> list[KeyInfo]:
    """So many keys, newest first, of those behind the one with this id."""
    return [_key(row) for row in await session.fetch(_LIST_NEWEST, after_key_id=after, most=most)]


async def revoke_api_key(session: Session, key_id: str) -> KeyInfo | None:
    """The key, revoked now or before; None for an unknown id."""
    row = await session.fetch_one(_REVOKE, key_id=key_id)
    return None if row is None else _key(row)


def _key(row: Row) -> KeyInfo:
    return KeyInfo(
        key_id=row["key_id"],
        name=row["name"],
        permissions=from_columns(row),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
    )
