"""What the server tells of itself and of who calls, through the published client."""

import asyncio

from actae.domain.access import Permissions
from actae.operations.api_keys import create_key
from actae.store.database import Database
from tests.compatibility.conftest import Run
from tests.compatibility.support.programs import Interpreter
from tests.support.server import RunningServer


def test_a_server_tells_how_it_is(run: Run) -> None:
    """In all four ways."""
    told = run("health")
    assert told["health"]["status"] == "ok"
    assert told["health"]["instance_id"] == told["readiness"]["instance_id"]
    assert {"database", "connections", "system"} <= told["health"]["components"].keys()
    assert (told["readiness"]["status"], told["readiness"]["database_ready"]) == ("ready", True)
    assert 0 <= told["readiness"]["connection_utilization"] <= 1
    assert told["metrics"]["total_messages"] == (
        told["metrics"]["messages_sent"] + told["metrics"]["messages_received"]
    )
    assert told["metrics_text"].startswith("# HELP")


def test_a_key_is_told_what_it_may_do(run: Run) -> None:
    """The development key may do everything."""
    told = run("health")
    assert told["can"] == dict.fromkeys(("read", "write", "publish", "fork", "delete"), True)
    assert told["patterns"] == [["*"]] * 4
    assert told["key"] == ["api_key", "local", None, True]
    assert told["me"]["raised"] == "AuthError"


def test_a_key_reaches_what_it_was_given(published: Interpreter, server: RunningServer, channel: str) -> None:
    """The client's own preview and the server's refusals agree."""
    key = asyncio.run(make_key(server.database_url, Permissions(read=(channel,))))
    told = published.run("permissions", server, channel, api_key=key)
    assert told["patterns"] == [[channel], [], [], []]
    assert told["can"] == [True, False, False]
    assert told["may"] == {"returned": []}
    for refused in (told["may_not_write"], told["may_not_read"]):
        assert (refused["raised"], refused["status_code"]) == ("APIError", 403)
    assert told["listed"] == []


async def make_key(dsn: str, permissions: Permissions) -> str:
    """A key with these permissions."""
    db = await Database.connect(dsn, connections_max=1, read_timeout_seconds=15)
    try:
        _, secret = await create_key(db, "narrow", permissions)
        return secret
    finally:
        await db.close()


def test_an_account_is_opened_entered_and_left(run: Run) -> None:
    """A token that was signed out is good for nothing; signing out again is fine."""
    told = run("accounts")
    user = told["opened"]["user"]
    assert (user["email"], user["name"], user["email_verified"]) == (told["email"], "Ada", False)
    assert told["nameless"]["user"]["name"] is None
    assert told["me"] == told["entered"]["user"] == user
    assert (told["left"], told["left_again"]) == (None, {"returned": None})
    assert told["me_after"]["raised"] == "AuthError"
    assert (told["taken"]["raised"], told["taken"]["status_code"]) == ("APIError", 409)
    assert told["wrong"]["raised"] == "AuthError"
