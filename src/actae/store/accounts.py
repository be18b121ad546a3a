"""Users, signed-out tokens and preferences: rows to records."""

from datetime import datetime
from typing import NamedTuple

from actae.domain.access import Permissions
from actae.domain.accounts import User
from actae.store.database import Row, Session
from actae.store.permissions import from_columns, to_columns
from actae.store.queries import query

_CREATE_USER = query("create_user")
_GET_USER = query("get_user")
_FIND_USER = query("find_user")
_LIST_USERS = query("list_users")
_SET_USER_PERMISSIONS = query("set_user_permissions")
_DELETE_USER = query("delete_user")
_REVOKE_TOKEN = query("revoke_token")
_FORGET_EXPIRED_TOKENS = query("forget_expired_tokens")
_GET_TOKEN_STANDING = query("get_token_standing")
_GET_PREFERENCES = query("get_preferences")
_PUT_PREFERENCES = query("put_preferences")
_DELETE_PREFERENCES = query("delete_preferences")


class TokenStanding(NamedTuple):
    """Whether a token was signed out, and the moment at which that was looked at."""

    is_revoked: bool
    now: datetime


class UserWithPassword(NamedTuple):
    """A user, and the hash to compare with."""

    user: User
    password_hash: str


async def create_user(
    session: Session, user_id: str, email: str, password_hash: str, name: str | None, permissions: Permissions
) -> User | None:
    """A new user, or None where the email is taken."""
    row = await session.fetch_one(
        _CREATE_USER,
        user_id=user_id,
        email=email,
        password_hash=password_hash,
        name=name,
        **to_columns(permissions),
    )
    return None if row is None else _user(row)


async def get_user(session: Session, user_id: str) -> User | None:
    """The user with this id."""
    row = await session.fetch_one(_GET_USER, user_id=user_id)
    return None if row is None else _user(row)


async def find_user(session: Session, email: str) -> UserWithPassword | None:
    """The user with this email."""
    row = await session.fetch_one(_FIND_USER, email=email)
    return None if row is None else UserWithPassword(_user(row), row["password_hash"])


async def list_users(session: Session) -> list[User]:
    """All users, by email."""
    return [_user(row) for row in await session.fetch(_LIST_USERS)]


async def set_user_permissions(session: Session, email: str, permissions: Permissions) -> User | None:
    """Replace what a user may do; None for an unknown email."""
    row = await session.fetch_one(_SET_USER_PERMISSIONS, email=email, **to_columns(permissions))
    return None if row is None else _user(row)


async def delete_user(session: Session, email: str) -> str | None:
    """Remove a user; the id, or None for an unknown email."""
    row = await session.fetch_one(_DELETE_USER, email=email)
    return None if row is None else str(row["user_id"])


async def revoke_token(session: Session, token_id: str, expires_at: datetime) -> None:
    """Refuse this token from now on."""
    await session.execute(_REVOKE_TOKEN, token_id=token_id, expires_at=expires_at)


async def forget_expired_tokens(session: Session) -> None:
    """Drop what no longer makes a difference."""
    await session.execute(_FORGET_EXPIRED_TOKENS)


async def get_token_standing(session: Session, token_id: str) -> TokenStanding:
    """Whether the token was signed out."""
    row = await session.fetch_one(_GET_TOKEN_STANDING, token_id=token_id)
    assert row is not None, "a select without a from has a row"
    return TokenStanding(*row)


async def get_preferences(session: Session, owner: str) -> bytes | None:
    """A JSON object, if there is one."""
    row = await session.fetch_one(_GET_PREFERENCES, owner=owner)
    return None if row is None else bytes(row["preferences"])


async def put_preferences(session: Session, owner: str, preferences: bytes) -> None:
    """Replace the JSON object."""
    await session.execute(_PUT_PREFERENCES, owner=owner, preferences=preferences)


async def delete_preferences(session: Session, owner: str) -> None:
    """Remove the JSON object."""
    await session.execute(_DELETE_PREFERENCES, owner=owner)


def _user(row: Row) -> User:
    return User(
        user_id=row["user_id"],
        email=row["email"],
        name=row["name"],
        permissions=from_columns(row),
        created_at=row["created_at"],
    )
