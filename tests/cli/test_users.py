"""`actae users`: accounts for the console, made by whoever reaches the database."""

from collections.abc import Callable
from typing import Any

from tests.support.command import Command
from tests.support.server import Reply, RunningServer


def write(server: RunningServer, channel_id: str, **credential: Any) -> Reply:
    """Append something with this credential."""
    body = {"channel_id": channel_id, "event_type": "note", "payload": 1, "metadata": {"actor": "me"}}
    return server.post("/events/record", body, **credential)


def test_an_account_can_sign_in_and_do_what_it_was_permitted(
    actae: Command, start_server: Callable[..., RunningServer], database_url: str
) -> None:
    """The password comes from standard input, so that no list of processes shows it."""
    server = start_server(dev=False)
    made = actae(
        *(
            "users",
            "create",
            "Ada@Example.com",
            "--name",
            "Ada",
            "--read",
            "run-*",
            "--password-stdin",
            "--json",
        ),
        *("--database-url", database_url),
        stdin="correct horse\n",
    ).json()
    assert (made["email"], made["name"], made["permissions"]["read"]) == ("ada@example.com", "Ada", ["run-*"])
    log_in = server.post(
        "/auth/login", {"email": "ada@example.com", "password": "correct horse"}, api_key=None
    )
    assert log_in.status == 200
    bearer = {"authorization": f"Bearer {log_in.body['token']}"}
    assert server.get("/events/replay/run-1", api_key=None, headers=bearer).status == 200
    assert write(server, "run-1", api_key=None, headers=bearer).status == 403


def test_permissions_are_replaced_and_accounts_removed(actae: Command, database_url: str) -> None:
    """And the list follows."""
    place = ("--database-url", database_url)
    assert (
        actae(
            "users", "create", "a@b.org", "--everything", "--password-stdin", *place, stdin="long enough"
        ).code
        == 0
    )
    changed = actae("users", "permit", "a@b.org", "--read", "*", "--json", *place).json()
    assert changed["permissions"] == {"read": ["*"], "write": [], "delete": [], "admin": [], "observe": []}
    nothing = actae("users", "permit", "a@b.org", "--nothing", "--json", *place).json()
    assert nothing["permissions"] == {"read": [], "write": [], "delete": [], "admin": [], "observe": []}
    assert "a@b.org" in actae("users", "list", *place).out
    assert actae("users", "delete", "a@b.org", *place).code == 0
    assert actae("users", "list", "--json", *place).json() == []


def test_what_cannot_be_done_is_said_in_one_line(actae: Command, database_url: str) -> None:
    """Unknown emails, taken emails, short passwords."""
    place = ("--database-url", database_url)
    create = ("users", "create", "a@b.org", "--everything", "--password-stdin", *place)
    short = actae(*create, stdin="short")
    assert (short.code, short.err.count("\n")) == (1, 1)
    assert "8 characters" in short.err
    assert actae(*create, stdin="long enough").code == 0
    assert "exists" in actae(*create, stdin="long enough").err
    assert "No account" in actae("users", "permit", "no@b.org", "--read", "*", *place).err
    assert "No account" in actae("users", "delete", "no@b.org", *place).err
