"""Who calls: found out once a second, shared by all who ask, and never taken from the wrong header."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from actae.domain.access import EVERYTHING, Caller, Permissions
from actae.domain.errors import UnauthorizedError
from actae.operations.accounts import create_user, delete_user, set_user_permissions
from actae.operations.api_keys import create_key, revoke_key
from actae.settings import DEV_API_KEY, Settings
from actae.store.database import Database, Row
from actae.store.queries import Query
from actae.transport import auth
from actae.transport.auth import DEV_CALLER, Authenticator

SECRET = b"s" * 32
READER = Permissions(read=("run-*",))
WRITER = Permissions(write=("run-*",))


class CountingDatabase(Database):
    """The real one; counts what it is asked."""

    def __init__(self, db: Database) -> None:
        super().__init__(db.dsn, db._pool, db._sessions)
        self.asked = 0

    async def fetch_one(self, query: Query, **values: object) -> Row | None:
        self.asked += 1
        return await super().fetch_one(query, **values)


@pytest.fixture
def counting(db: Database) -> CountingDatabase:
    """The store, and how often it was asked."""
    return CountingDatabase(db)


@pytest.fixture
def authenticator(counting: CountingDatabase) -> Authenticator:
    """As a server outside of dev mode has it."""
    return Authenticator(counting, Settings(), SECRET)


def key_header(secret: str) -> list[tuple[bytes, bytes]]:
    """As ASGI servers hand it over."""
    return [(b"host", b"localhost"), (b"x-api-key", secret.encode())]


def bearer_header(token: str) -> list[tuple[bytes, bytes]]:
    """As ASGI servers hand it over."""
    return [(b"authorization", b"Bearer " + token.encode())]


async def test_a_key_is_known_once_the_database_was_asked(
    authenticator: Authenticator, counting: CountingDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then the answer is None, which means: ask."""
    monkeypatch.setattr(auth, "REMEMBERED_SECONDS", 600)
    key, secret = await create_key(counting, "ci", READER)
    assert authenticator.known(secret.encode()) is None
    caller = await authenticator.identify(key_header(secret))
    assert caller == Caller(READER, "api_key", key_id=key.key_id)
    assert authenticator.known(secret.encode()) is caller


async def test_those_who_ask_at_once_share_one_question(
    authenticator: Authenticator, counting: CountingDatabase
) -> None:
    """A hundred requests with one key cost one query."""
    _, secret = await create_key(counting, "ci", READER)
    counting.asked = 0
    callers = await asyncio.gather(*(authenticator.identify(key_header(secret)) for _ in range(100)))
    assert counting.asked == 1
    assert all(caller is callers[0] for caller in callers)


async def test_a_caller_who_goes_away_does_not_take_the_answer_along(
    authenticator: Authenticator, counting: CountingDatabase
) -> None:
    """The one who asked first hangs up; the second still gets the answer of the same question."""
    _, secret = await create_key(counting, "ci", READER)
    counting.asked = 0
    first, second = [asyncio.create_task(authenticator.identify(key_header(secret))) for _ in range(2)]
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).permissions == READER
    assert counting.asked == 1
    assert first.cancelled()


async def test_a_refusal_is_not_remembered(authenticator: Authenticator, counting: CountingDatabase) -> None:
    """Keys that nobody has made leave no trace, and those who share the question share the refusal."""
    header = key_header("sk-" + "0" * 32)
    questions = [authenticator.identify(header) for _ in range(3)]
    refusals = await asyncio.gather(*questions, return_exceptions=True)
    assert all(isinstance(refusal, UnauthorizedError) for refusal in refusals)
    assert counting.asked == 1
    with pytest.raises(UnauthorizedError):
        await authenticator.identify(header)
    assert counting.asked == 2


async def test_only_so_many_keys_are_remembered(
    authenticator: Authenticator, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Past the bound the one that was asked for longest ago is forgotten."""
    monkeypatch.setattr(auth, "REMEMBERED_MAX", 2)
    monkeypatch.setattr(auth, "REMEMBERED_SECONDS", 600)
    secrets = [(await create_key(db, f"key {number}", READER))[1] for number in range(3)]
    for secret in secrets:
        await authenticator.identify(key_header(secret))
    known = [authenticator.known(secret.encode()) is not None for secret in secrets]
    assert known == [False, True, True]


async def test_a_revoked_key_is_refused_soon(authenticator: Authenticator, db: Database) -> None:
    """Although it was just known; and so is a token that was signed in with it."""
    key, secret = await create_key(db, "ci", READER)
    token = await authenticator.sign_in(key.key_id)
    headers = [key_header(secret), bearer_header(token)]
    for header in headers:
        assert (await authenticator.identify(header)).key_id == key.key_id
    await revoke_key(db, key.key_id)
    for header in headers:
        with pytest.raises(UnauthorizedError, match="was revoked"):
            await forever(lambda header=header: authenticator.identify(header))


async def test_a_token_does_what_its_user_may_do_now(authenticator: Authenticator, db: Database) -> None:
    """A change reaches tokens that are out already, and so does the end of the account."""
    user = await create_user(db, "ada@example.com", "correct horse", READER)
    header = bearer_header(await authenticator.sign_in(user.user_id))
    caller = await authenticator.identify(header)
    assert (caller.user_id, caller.key_id, caller.auth_method) == (user.user_id, None, "jwt")
    assert caller.permissions == READER
    assert caller.expires_at is not None
    await set_user_permissions(db, "ada@example.com", WRITER)
    await until_identified(authenticator, header, WRITER)
    await delete_user(db, "ada@example.com")
    with pytest.raises(UnauthorizedError, match="does not exist any more"):
        await forever(lambda: authenticator.identify(header))


async def test_a_bearer_token_goes_before_a_key(authenticator: Authenticator, db: Database) -> None:
    """Whatever their order; and a bad token is not made up for by a good key."""
    _, secret = await create_key(db, "ci", READER)
    user = await create_user(db, "ada@example.com", "correct horse", WRITER)
    both = key_header(secret) + bearer_header(await authenticator.sign_in(user.user_id))
    for header in (both, both[::-1]):
        assert (await authenticator.identify(header)).user_id == user.user_id
    for header in (key_header(secret) + bearer_header("a.b.c"), bearer_header("a.b.c") + key_header(secret)):
        with pytest.raises(UnauthorizedError, match="not signed by this server"):
            await authenticator.identify(header)


async def test_a_key_does_not_count_where_a_bearer_token_is_asked_for(
    authenticator: Authenticator, db: Database
) -> None:
    """With it alone, the request counts as one without a credential."""
    _, secret = await create_key(db, "ci", READER)
    with pytest.raises(UnauthorizedError, match="carries no bearer token"):
        await authenticator.identify(key_header(secret), bearer_only=True)


async def test_a_key_may_come_as_a_bearer_token(authenticator: Authenticator, db: Database) -> None:
    """Many tools can send nothing else."""
    key, secret = await create_key(db, "ci", READER)
    assert (await authenticator.identify(bearer_header(secret))).key_id == key.key_id


@pytest.mark.parametrize("headers", [[], [(b"x-api-key", b"")], [(b"authorization", b"Basic YTpi")]])
async def test_a_request_without_a_credential_is_told_so(
    authenticator: Authenticator, headers: list[tuple[bytes, bytes]]
) -> None:
    """No header, an empty one, or one of another kind."""
    with pytest.raises(UnauthorizedError, match="carries no API key"):
        await authenticator.identify(headers)


async def test_a_password_for_a_proxy_does_not_hide_the_key(
    authenticator: Authenticator, db: Database
) -> None:
    """Authorization of another kind is somebody else's."""
    key, secret = await create_key(db, "ci", READER)
    headers = [(b"authorization", b"Basic YTpi"), *key_header(secret)]
    assert (await authenticator.identify(headers)).key_id == key.key_id


async def test_a_signed_out_token_is_refused_at_once(authenticator: Authenticator, db: Database) -> None:
    """Where it was signed out; it may be signed out again, but nothing else may."""
    user = await create_user(db, "ada@example.com", "correct horse", READER)
    header = bearer_header(await authenticator.sign_in(user.user_id))
    await authenticator.identify(header)
    await authenticator.sign_out(header)
    with pytest.raises(UnauthorizedError, match="signed out"):
        await authenticator.identify(header)
    await authenticator.sign_out(header)
    with pytest.raises(UnauthorizedError):
        await authenticator.sign_out(bearer_header("a.b.c"))


async def test_the_development_key_is_good_in_dev_mode_only(db: Database) -> None:
    """There it may do everything; elsewhere neither it nor a token made with it is good."""
    dev, other = [Authenticator(db, Settings(dev=dev), SECRET) for dev in (True, False)]
    assert (await dev.identify(key_header(DEV_API_KEY))).permissions == EVERYTHING
    assert DEV_CALLER.key_id is not None
    token_header = bearer_header(await dev.sign_in(DEV_CALLER.key_id))
    assert (await dev.identify(token_header)).auth_method == "jwt"
    for header in (key_header(DEV_API_KEY), token_header):
        with pytest.raises(UnauthorizedError):
            await other.identify(header)


async def forever(ask: Callable[[], Awaitable[object]]) -> None:
    """Ask until the answer is an exception."""
    while True:
        await ask()
        await asyncio.sleep(0.01)


async def until_identified(
    authenticator: Authenticator, header: list[tuple[bytes, bytes]], permissions: Permissions
) -> None:
    """Return when the caller may do just this."""
    while (await authenticator.identify(header)).permissions != permissions:  # noqa: ASYNC110  # no event tells
        await asyncio.sleep(0.01)
