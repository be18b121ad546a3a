"""Passwords: argon2id with the memory and time that RFC 9106 recommends, away from the event loop."""

import asyncio
import secrets
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

from actae.domain.accounts import normal_password

if TYPE_CHECKING:
    from argon2 import PasswordHasher

# Each hash takes 64 MiB for its time. Two at once are enough for people; the others wait.
_threads = ThreadPoolExecutor(2, thread_name_prefix="actae-passwords")


async def hash_password(password: str) -> str:
    """What is kept of a password.

    Raises:
        InvalidRequestError: it is too long.
    """
    return await asyncio.get_running_loop().run_in_executor(_threads, _hash, normal_password(password))


async def is_password(password: str, password_hash: str | None) -> bool:
    """Whether the hash is this password's.

    None stands for an account that does not exist: the answer is no, and takes as long as any other.

    Raises:
        InvalidRequestError: the password is too long.
    """
    encoded = normal_password(password)
    return await asyncio.get_running_loop().run_in_executor(_threads, _verify, encoded, password_hash)


def _hash(password: bytes) -> str:
    return _hasher().hash(password)


def _verify(password: bytes, password_hash: str | None) -> bool:
    from argon2.exceptions import VerificationError

    nobodys = _nobodys_hash()
    try:
        return _hasher().verify(password_hash or nobodys, password) and password_hash is not None
    except VerificationError:
        return False


@cache
def _hasher() -> "PasswordHasher":
    from argon2 import PasswordHasher

    return PasswordHasher(parallelism=1)  # the cores belong to the ledger


@cache
def _nobodys_hash() -> str:
    """Made with today's parameters, so that verifying it costs what verifying any other does."""
    return _hasher().hash(secrets.token_bytes(16))
