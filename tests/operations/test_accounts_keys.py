"""API keys: shown once, kept as a digest, refused when their time is over."""

import asyncio
from contextlib import AsyncExitStack

import asyncpg
import pytest

from actae.domain.access import EVERYTHING, Permissions
from actae.domain.errors import InvalidRequestError, UnauthorizedError
from actae.operations.api_keys import (
    create_key,
    ensure_first_key,
    get_key,
    identify_key,
    identify_key_id,
    list_keys,
    revoke_key,
)
from actae.store.database import Database
from tests.support.postgres import Clock

READER = Permissions(read=("run-*",))


async def test_a_new_key_names_its_caller(db: Database) -> None:
    """The secret leads to the key's id, its permissions and its expiry."""
    key, secret = await create_key(db, "ci", READER, 60)
    caller = await identify_key(db, secret.encode())
    assert (caller.key_id, caller.permissions, caller.auth_method) == (key.key_id, READER, "api_key")
    assert caller.expires_at == key.expires_at
    assert not caller.writes_all


@pytest.mark.parametrize("permissions", [EVERYTHING, Permissions(write=("*",)), Permissions(admin=("*",))])
async def test_a_key_that_may_write_everywhere_is_known_to(db: Database, permissions: Permissions) -> None:
    """Whether all channels may be written is found out once."""
    _, secret = await create_key(db, "agents", permissions)
    assert (await identify_key(db, secret.encode())).writes_all


async def test_a_secret_is_kept_nowhere(db: Database) -> None:
    """Neither the key's row nor what is shown of it holds the secret."""
    key, secret = await create_key(db, "ci", READER)
    connection = await asyncpg.connect(db.dsn)
    row = await connection.fetchval("select api_keys::text from api_keys")
    await connection.close()
    for shown in (row, repr(key), repr(await list_keys(db))):
        assert secret not in shown
        assert secret.removeprefix("sk-") not in shown
        assert secret.encode().hex() not in shown


@pytest.mark.parametrize(
    "secret", [b"", b"sk-", b"sk-" + b"0" * 32, b"sk-" + b"z" * 32, b"\xff\x00", b"x" * 9999]
)
async def test_an_unknown_secret_is_refused_without_being_repeated(db: Database, secret: bytes) -> None:
    """The refusal does not echo what was sent."""
    with pytest.raises(UnauthorizedError, match=r"^This API key is not known here\.$"):
        await identify_key(db, secret)


async def test_a_revoked_key_is_refused_and_says_so(db: Database) -> None:
    """Its secret and its id both stop working; revoking again keeps the first moment."""
    key, secret = await create_key(db, "ci", READER)
    revoked = await revoke_key(db, key.key_id)
    again = await revoke_key(db, key.key_id)
    assert revoked is not None
    assert revoked.revoked_at is not None
    assert revoked == again == await get_key(db, key.key_id)
    with pytest.raises(UnauthorizedError, match=f"{key.key_id} was revoked"):
        await identify_key(db, secret.encode())
    with pytest.raises(UnauthorizedError, match=f"{key.key_id} was revoked"):
        await identify_key_id(db, key.key_id)


async def test_a_key_expires_by_the_clock_of_the_database(db: Database, clock: Clock) -> None:
    """One second before its end it is good, one second after it is not."""
    key, secret = await create_key(db, "short", READER, 100)
    clock.advance(99)
    await identify_key(db, secret.encode())
    clock.advance(2)
    with pytest.raises(UnauthorizedError, match=f"{key.key_id} expired at"):
        await identify_key(db, secret.encode())


async def test_an_unknown_id_cannot_be_revoked(db: Database) -> None:
    """There is nothing to return, and nothing changes."""
    assert await revoke_key(db, "key_0000000000") is None
    assert await get_key(db, "key_0000000000") is None
    with pytest.raises(UnauthorizedError):
        await identify_key_id(db, "key_0000000000")


async def test_of_servers_that_start_at_once_one_gets_the_first_key(db: Database, database_url: str) -> None:
    """Whoever does not get it is told so; there is one key, and it may do everything."""
    async with AsyncExitStack() as stack:
        servers = [db]
        for _ in range(3):
            other = await Database.connect(database_url, connections_max=4, read_timeout_seconds=15)
            stack.push_async_callback(other.close)
            servers.append(other)
        secrets = await asyncio.gather(*(ensure_first_key(server) for server in servers * 4))
    (first,) = [secret for secret in secrets if secret is not None]
    assert len(await list_keys(db)) == 1
    assert (await identify_key(db, first.encode())).permissions == EVERYTHING


async def test_no_first_key_comes_after_the_last_one_was_revoked(db: Database) -> None:
    """An operator who revoked everything does not find a new key after a restart."""
    key, _ = await create_key(db, "only", EVERYTHING)
    await revoke_key(db, key.key_id)
    assert await ensure_first_key(db) is None
    assert [each.key_id for each in await list_keys(db)] == [key.key_id]


async def test_keys_are_listed_oldest_first(db: Database) -> None:
    """Also those that are good no more."""
    made = [(await create_key(db, name, READER))[0].key_id for name in ("a", "b", "c")]
    await revoke_key(db, made[1])
    assert [key.key_id for key in await list_keys(db)] == made


@pytest.mark.parametrize(
    ("name", "permissions", "expires_in_seconds", "field"),
    [
        ("", READER, None, "name"),
        ("  ", READER, None, "name"),
        ("x" * 201, READER, None, "name"),
        ("nul\0", READER, None, "name"),
        ("half \ud800", READER, None, "name"),
        ("ci", Permissions(read=("",)), None, "permissions.read[0]"),
        ("ci", Permissions(write=("*-run",)), None, "permissions.write[0]"),
        ("ci", Permissions(delete=("a*b*",)), None, "permissions.delete[0]"),
        ("ci", Permissions(admin=("nul\0*",)), None, "permissions.admin[0]"),
        ("ci", READER, 0, "expires_in_seconds"),
        ("ci", READER, -1, "expires_in_seconds"),
        ("ci", READER, 1e12, "expires_in_seconds"),
        ("ci", READER, float("nan"), "expires_in_seconds"),
    ],
)
async def test_a_key_that_would_make_no_sense_is_refused(
    db: Database, name: str, permissions: Permissions, expires_in_seconds: float | None, field: str
) -> None:
    """The refusal names the value; nothing was made."""
    with pytest.raises(InvalidRequestError) as refused:
        await create_key(db, name, permissions, expires_in_seconds)
    assert refused.value.details["field"] == field
    assert await list_keys(db) == []
