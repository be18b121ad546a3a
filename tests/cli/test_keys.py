"""`actae keys`: made, shown and revoked in the database, whoever serves it."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.command import Command
from tests.support.server import Reply, RunningServer
from tests.support.waiting import until


def write(server: RunningServer, channel_id: str, **credential: Any) -> Reply:
    """Append something with this credential."""
    body = {"channel_id": channel_id, "event_type": "note", "payload": 1, "metadata": {"actor": "me"}}
    return server.post("/events/record", body, **credential)


def test_a_key_that_was_made_opens_what_it_says(
    actae: Command, start_server: Callable[..., RunningServer], database_url: str
) -> None:
    """Its secret is standard output and nothing else, so that a script can take it."""
    server = start_server(dev=False)
    made = actae(
        "keys", "create", "worker", "--write", "run-*", "--read", "run-1", "--database-url", database_url
    )
    secret = made.out.strip()
    assert made.code == 0
    assert write(server, "run-1", api_key=secret).status == 200
    assert write(server, "other", api_key=secret).status == 403
    assert server.get("/events/replay/run-1", api_key=secret).status == 200
    assert secret not in made.err


def test_an_observers_key_is_made_and_shown(actae: Command, database_url: str) -> None:
    """With its own column in the table."""
    made = actae(
        "keys", "create", "watch", "--observe", "run-*", "--json", ACTAE_DATABASE_URL=database_url
    ).json()
    nothing: dict[str, list[str]] = {"read": [], "write": [], "delete": [], "admin": []}
    assert made["key"]["permissions"] == {**nothing, "observe": ["run-*"]}
    listed = actae("keys", "list", ACTAE_DATABASE_URL=database_url).out
    assert "observe" in listed
    assert "run-*" in listed


def test_a_revoked_key_is_refused_by_a_server_that_runs(
    actae: Command, start_server: Callable[..., RunningServer], database_url: str
) -> None:
    """Within a second, without a restart."""
    server = start_server(dev=False)
    made = actae("keys", "create", "worker", "--everything", "--json", ACTAE_DATABASE_URL=database_url).json()
    assert write(server, "run-1", api_key=made["secret"]).status == 200
    revoked = actae("keys", "revoke", made["key"]["key_id"], "--json", ACTAE_DATABASE_URL=database_url).json()
    assert revoked["revoked_at"] is not None
    until(lambda: write(server, "run-1", api_key=made["secret"]).status == 401)


def test_all_keys_are_listed_and_no_secret_is(actae: Command, database_url: str) -> None:
    """As a table and as JSON; what expires says when."""
    for name, more in (("first", ("--everything",)), ("second", ("--read", "run-*", "--expires-in", "12h"))):
        secret = actae("keys", "create", name, *more, "--database-url", database_url).out.strip()
    listed = actae("keys", "list", "--json", "--database-url", database_url)
    assert [key["name"] for key in listed.json()] == ["first", "second"]
    assert [key["expires_at"] is None for key in listed.json()] == [True, False]
    table = actae("keys", "list", "--database-url", database_url)
    assert "second" in table.out
    assert "run-*" in table.out
    assert secret not in listed.out + table.out


def test_without_keys_the_list_says_what_to_do(actae: Command, database_url: str) -> None:
    """In place of an empty table."""
    assert "actae keys create" in actae("keys", "list", "--database-url", database_url).out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("keys", "create", "worker"), "--everything"),
        (("keys", "create", "worker", "--everything", "--read", "x"), "--everything"),
        (("keys", "create", "worker", "--everything", "--nothing"), "--nothing"),
        (("keys", "create", "worker", "--everything", "--expires-in", "soon"), "no duration"),
        (("keys", "create", "worker", "--everything", "--expires-in", "0s"), "too short: at least 1s"),
        (("keys", "create", "worker", "--everything", "--expires-in", "3661d"), "too long: at most 3660d"),
        (("keys", "create"), "NAME"),
    ],
)
def test_wrong_usage_is_refused_before_anything_happens(
    actae: Command, arguments: tuple[str, ...], said: str
) -> None:
    """With 2, and with what is missing."""
    refused = actae(*arguments)
    assert refused.code == 2
    assert said in refused.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("revoke", "key_nobody"), "No key has the id key_nobody"),
        (("create", "worker", "--read", "a*b"), "matches no channel"),
        (("create", "worker", "--read", "\u00e9"), "matches no channel"),
        (("create", "worker", "--write", "a/*"), "matches no channel"),
        (("create", "worker", "--admin", ".."), "matches no channel"),
        (("create", "worker", "--delete", "a" * 257), "matches no channel"),
        (("create", " ", "--everything"), "A name has"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    actae: Command, database_url: str, arguments: tuple[str, ...], said: str
) -> None:
    """With 1."""
    failed = actae("keys", *arguments, "--database-url", database_url)
    assert (failed.code, failed.out) == (1, "")
    assert said in failed.err
    assert failed.err.startswith("actae: ")
    assert failed.err.count("\n") == 1
