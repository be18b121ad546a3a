"""Users: admitted by their password, whatever way they type it, and by nothing else."""

import asyncio

import asyncpg
import pytest

from actae.domain.access import EVERYTHING, Permissions
from actae.domain.errors import (
    EmailTakenError,
    InvalidCredentialsError,
    InvalidRequestError,
    UnauthorizedError,
)
from actae.operations.accounts import (
    create_user,
    delete_user,
    get_preferences,
    get_user,
    identify_user,
    list_users,
    log_in,
    replace_preferences,
    set_user_permissions,
)
from actae.store.database import Database

NOTHING = Permissions()
EMAIL = "ada@example.com"
PASSWORD = "correct horse"


async def test_a_user_logs_in_with_the_password_they_chose(db: Database) -> None:
    """The email counts in any case, and with blanks around it."""
    user = await create_user(db, " Ada@Example.com", PASSWORD, EVERYTHING, "Ada")
    assert (user.email, user.name, user.permissions) == (EMAIL, "Ada", EVERYTHING)
    assert await log_in(db, "ADA@example.COM ", PASSWORD) == user == await get_user(db, user.user_id)


async def test_a_wrong_password_and_an_unknown_email_get_one_answer(db: Database) -> None:
    """Who guesses does not learn which accounts exist."""
    await create_user(db, EMAIL, PASSWORD, NOTHING)
    refusals = []
    for email, password in ((EMAIL, "wrong horse"), ("eve@example.com", PASSWORD), ("no email", "")):
        with pytest.raises(InvalidCredentialsError) as refused:
            await log_in(db, email, password)
        refusals.append((refused.value.message, refused.value.details))
    assert refusals[0] == refusals[1] == refusals[2]


async def test_a_password_is_kept_as_argon2id_only(db: Database) -> None:
    """The row holds a hash that differs for equal passwords."""
    await create_user(db, EMAIL, PASSWORD, NOTHING)
    await create_user(db, "bob@example.com", PASSWORD, NOTHING)
    connection = await asyncpg.connect(db.dsn)
    rows = await connection.fetch("select users::text as everything, password_hash from users")
    await connection.close()
    assert all(row["password_hash"].startswith("$argon2id$") for row in rows)
    assert len({row["password_hash"] for row in rows}) == 2
    assert not any(PASSWORD in row["everything"] for row in rows)


async def test_a_password_is_the_same_however_its_letters_are_composed(db: Database) -> None:
    """Some systems type é as one character, others as two."""
    await create_user(db, EMAIL, "caf\u00e9 au lait", NOTHING)
    await log_in(db, EMAIL, "cafe\u0301 au lait")


async def test_of_two_who_sign_up_at_once_one_gets_the_email(db: Database) -> None:
    """The other is told that it is taken."""
    attempts = [create_user(db, EMAIL, f"password {number}", NOTHING) for number in range(2)]
    outcomes = await asyncio.gather(*attempts, return_exceptions=True)
    assert sum(isinstance(outcome, EmailTakenError) for outcome in outcomes) == 1
    assert len(await list_users(db)) == 1


async def test_what_a_user_may_do_can_be_changed(db: Database) -> None:
    """The next look at their token sees it; an unknown email is None."""
    user = await create_user(db, EMAIL, PASSWORD, NOTHING)
    assert (await identify_user(db, user.user_id)).permissions == NOTHING
    changed = await set_user_permissions(db, EMAIL, EVERYTHING)
    assert changed is not None
    caller = await identify_user(db, user.user_id)
    assert (caller.permissions, caller.writes_all, caller.user_id) == (EVERYTHING, True, user.user_id)
    assert await set_user_permissions(db, "nobody@example.com", EVERYTHING) is None


async def test_a_removed_user_leaves_nothing(db: Database) -> None:
    """Password, tokens and preferences are gone; the email is free again."""
    user = await create_user(db, EMAIL, PASSWORD, EVERYTHING)
    await replace_preferences(db, f"user:{user.user_id}", b'{"a":1}')
    assert await delete_user(db, EMAIL)
    assert not await delete_user(db, EMAIL)
    with pytest.raises(InvalidCredentialsError):
        await log_in(db, EMAIL, PASSWORD)
    with pytest.raises(UnauthorizedError):
        await identify_user(db, user.user_id)
    assert await get_preferences(db, f"user:{user.user_id}") == b"{}"
    await create_user(db, EMAIL, PASSWORD, NOTHING)


async def test_preferences_come_back_as_they_were_sent(db: Database) -> None:
    """Also numbers and characters that other stores would change; each owner has their own."""
    assert await get_preferences(db, "key:a") == b"{}"
    sent = b'{"b": 1.000, "a": 123456789012345678901234567890, "n": "\\u0000\\ud800"}'
    await replace_preferences(db, "key:a", b'{"old": true}')
    await replace_preferences(db, "key:a", sent)
    assert await get_preferences(db, "key:a") == sent
    assert await get_preferences(db, "key:b") == b"{}"


@pytest.mark.parametrize(
    ("email", "password", "name", "field"),
    [
        ("no at sign", PASSWORD, None, "email"),
        ("@example.com", PASSWORD, None, "email"),
        ("ada@", PASSWORD, None, "email"),
        ("a@b@c", PASSWORD, None, "email"),
        ("ada @example.com", PASSWORD, None, "email"),
        ("nul\0@example.com", PASSWORD, None, "email"),
        ("a" * 250 + "@b.cd", PASSWORD, None, "email"),
        (EMAIL, "seven77", None, "password"),
        (EMAIL, "x" * 1025, None, "password"),
        (EMAIL, "é" * 513, None, "password"),
        (EMAIL, PASSWORD, "line\nbreak", "name"),
    ],
)
async def test_an_account_that_would_make_no_sense_is_refused(
    db: Database, email: str, password: str, name: str | None, field: str
) -> None:
    """The refusal names the value, and never repeats a password."""
    with pytest.raises(InvalidRequestError) as refused:
        await create_user(db, email, password, NOTHING, name)
    assert refused.value.details["field"] == field
    assert password not in refused.value.message
    assert await list_users(db) == []
