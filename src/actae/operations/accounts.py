"""Users: make, admit, change and remove them, and keep their preferences."""

from uuid import uuid4

from actae.domain.access import Caller, Permissions, may_write_all
from actae.domain.accounts import (
    User,
    check_email,
    check_name,
    check_new_password,
    check_permissions,
    fold_email,
)
from actae.domain.errors import EmailTakenError, InvalidCredentialsError, UnauthorizedError
from actae.operations.passwords import hash_password, is_password
from actae.store import accounts as store
from actae.store.accounts import get_user, list_users
from actae.store.accounts import put_preferences as replace_preferences
from actae.store.database import Database, Transaction, story
from actae.store.hints import tell_access_changed

__all__ = [
    "create_user",
    "delete_user",
    "get_preferences",
    "get_user",
    "identify_user",
    "list_users",
    "log_in",
    "replace_preferences",
    "set_user_permissions",
]


async def create_user(
    db: Database, email: str, password: str, permissions: Permissions, name: str | None = None
) -> User:
    """A new account. What it may do is the caller's to decide; see `routes/accounts.py` for sign-up.

    Raises:
        InvalidRequestError: email, password, name or a pattern cannot be accepted.
        EmailTakenError
    """
    email = fold_email(email)
    check_email(email)
    check_new_password(password)
    check_permissions(permissions)
    if name is not None:
        check_name(name)
    password_hash = await hash_password(password)
    user = await store.create_user(db, str(uuid4()), email, password_hash, name, permissions)
    if user is None:
        raise EmailTakenError
    return user


async def log_in(db: Database, email: str, password: str) -> User:
    """The user with this email, if this is the password.

    Raises:
        InvalidCredentialsError: it is not, or there is no such user; both take the same time.
        InvalidRequestError: the password is too long to be anybody's.
    """
    found = await store.find_user(db, fold_email(email))
    if not await is_password(password, None if found is None else found.password_hash) or found is None:
        raise InvalidCredentialsError
    return found.user


@story
async def set_user_permissions(tx: Transaction, email: str, permissions: Permissions) -> User | None:
    """Replace what a user may do; None for an unknown email. Tokens that are out follow within a second.

    Raises:
        InvalidRequestError: a pattern cannot be accepted.
    """
    check_permissions(permissions)
    user = await store.set_user_permissions(tx, fold_email(email), permissions)
    await tell_access_changed(tx)
    return user


@story
async def delete_user(tx: Transaction, email: str) -> bool:
    """Remove a user with their preferences; whether there was one. Their tokens end within a second."""
    user_id = await store.delete_user(tx, fold_email(email))
    if user_id is None:
        return False
    await store.delete_preferences(tx, f"user:{user_id}")
    await tell_access_changed(tx)
    return True


async def identify_user(db: Database, user_id: str) -> Caller:
    """Who calls with a token that this user was given.

    Raises:
        UnauthorizedError: the user was removed.
    """
    user = await get_user(db, user_id)
    if user is None:
        raise UnauthorizedError("This account does not exist any more.")
    return Caller(user.permissions, "jwt", user_id=user_id, writes_all=may_write_all(user.permissions))


async def get_preferences(db: Database, owner: str) -> bytes:
    """A free JSON object; an empty one where nothing was put."""
    return await store.get_preferences(db, owner) or b"{}"
