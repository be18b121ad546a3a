"""Users, and the rules for emails, passwords, names and permissions."""

import re
import unicodedata
from datetime import datetime
from typing import Final

import msgspec

from actae.domain.access import Action, Permissions, bad_patterns
from actae.domain.errors import InvalidRequestError

EMAIL_CHARACTERS_MAX: Final = 254
NAME_CHARACTERS_MAX: Final = 200
PASSWORD_CHARACTERS_MIN: Final = 8
PASSWORD_BYTES_MAX: Final = 1024  # what hashing costs must not depend on who asks

_EMAIL_FORM = re.compile(r"[^@\s]+@[^@\s]+")
_ACTIONS: tuple[Action, ...] = ("read", "write", "delete", "admin", "observe")


class User(msgspec.Struct, frozen=True):
    """A person's account. The password is not part of it."""

    user_id: str
    email: str
    name: str | None
    permissions: Permissions
    created_at: datetime


def fold_email(email: str) -> str:
    """The email as it is stored and compared: trimmed, lower case."""
    return email.strip().lower()


def check_email(email: str) -> None:
    """Raise InvalidRequestError unless an account may have this email, already folded."""
    if len(email) > EMAIL_CHARACTERS_MAX or not email.isprintable() or not _EMAIL_FORM.fullmatch(email):
        raise InvalidRequestError("The email must look like name@example.com.", field="email")


def normal_password(password: str) -> bytes:
    """The bytes to hash: one form for what is typed alike on different keyboards.

    Raises:
        InvalidRequestError: it is too long to be hashed.
    """
    encoded = unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
    if len(encoded) > PASSWORD_BYTES_MAX:
        raise InvalidRequestError(
            f"The password must not exceed {PASSWORD_BYTES_MAX} bytes.", field="password"
        )
    return encoded


def check_new_password(password: str) -> None:
    """Raise InvalidRequestError unless an account may have this password."""
    normal_password(password)
    if len(password) < PASSWORD_CHARACTERS_MIN:
        raise InvalidRequestError(
            f"The password must have at least {PASSWORD_CHARACTERS_MIN} characters.", field="password"
        )


def check_name(name: str) -> None:
    """Raise InvalidRequestError unless a key or a user may be called so."""
    unprintable = any(unicodedata.category(character) in {"Cc", "Cs"} for character in name)
    if not name.strip() or len(name) > NAME_CHARACTERS_MAX or unprintable:
        raise InvalidRequestError(
            f"A name has 1 to {NAME_CHARACTERS_MAX} characters, and no control characters.", field="name"
        )


def check_permissions(permissions: Permissions) -> None:
    """Raise InvalidRequestError for a pattern that could match no channel."""
    for action in _ACTIONS:
        own: tuple[str, ...] = getattr(permissions, action)
        for place, pattern in enumerate(own):
            if bad_patterns([pattern]):
                raise InvalidRequestError(
                    f"{pattern[:300]!r} matches no channel. A pattern is `*`, `prefix*`, or a channel id.",
                    field=f"permissions.{action}[{place}]",
                )
