"""Sign-in tokens: good for half a day, for one installation, and until they are signed out."""

import base64
import json

import asyncpg
import pytest

from actae.domain.errors import UnauthorizedError
from actae.domain.sign_in_tokens import TOKEN_SECONDS, TokenSigner
from actae.operations.sign_in import check_token, sign_in, sign_out
from actae.store.database import Database
from tests.support.postgres import Clock

SIGNER = TokenSigner(b"s" * 32)


async def test_a_token_names_whom_it_was_given_to(db: Database) -> None:
    """Two tokens of one subject differ, so that one can be signed out without the other."""
    first, second = [(await sign_in(db, SIGNER, "key_1")).encode() for _ in range(2)]
    assert (await check_token(db, SIGNER, first)).subject == "key_1"
    await sign_out(db, SIGNER.read(first))
    await check_token(db, SIGNER, second)
    with pytest.raises(UnauthorizedError, match="signed out"):
        await check_token(db, SIGNER, first)


async def test_a_token_expires_by_the_clock_of_the_database(db: Database, clock: Clock) -> None:
    """It is good until shortly before its end; afterwards it may still be signed out."""
    token = (await sign_in(db, SIGNER, "key_1")).encode()
    clock.advance(TOKEN_SECONDS - 2)
    await check_token(db, SIGNER, token)
    clock.advance(3)
    with pytest.raises(UnauthorizedError, match="expired at"):
        await check_token(db, SIGNER, token)
    await sign_out(db, SIGNER.read(token))


async def test_tokens_that_have_expired_are_forgotten(db: Database, clock: Clock) -> None:
    """The list of signed-out tokens does not grow for ever."""
    for _ in range(3):
        await sign_out(db, SIGNER.read((await sign_in(db, SIGNER, "key_1")).encode()))
    clock.advance(TOKEN_SECONDS + 1)
    await sign_out(db, SIGNER.read((await sign_in(db, SIGNER, "key_1")).encode()))
    connection = await asyncpg.connect(db.dsn)
    assert await connection.fetchval("select count(*) from revoked_tokens") == 1
    await connection.close()


async def test_a_token_that_was_not_signed_here_is_refused(db: Database) -> None:
    """Another secret, no signature, another text, other claims: all the same."""
    good = await sign_in(db, SIGNER, "key_1")
    header, claims, signature = good.split(".")
    other_claims = json.loads(base64.urlsafe_b64decode(claims + "==")) | {"sub": "key_2"}
    forged = [
        await sign_in(db, TokenSigner(b"t" * 32), "key_1"),
        f"{encoded({'alg': 'none', 'typ': 'JWT'})}.{claims}.",
        f"{header}.{encoded(other_claims)}.{signature}",
        f"{header}.{claims}.",
        f"{header}.{claims}",
        "a.b.c",
        "...",
        ".\udcff.",
    ]
    for token in forged:
        with pytest.raises(UnauthorizedError, match=r"^The token was not signed by this server\.$"):
            await check_token(db, SIGNER, token.encode("utf-8", "surrogateescape"))


def encoded(part: object) -> str:
    """A part of a JWT."""
    return base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
