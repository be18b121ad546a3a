"""API keys over HTTP: made, listed and revoked by who administers all that they may do."""

from typing import Any

import pytest

from tests.support.keys import make_key
from tests.support.server import Reply, RunningServer, new_channel
from tests.support.waiting import until


@pytest.fixture
def prefix() -> str:
    """The beginning of channel ids of this test's own."""
    return new_channel("team") + "."


@pytest.fixture
def admin(server: RunningServer, prefix: str) -> str:
    """Administers those channels, and may read everything."""
    return make_key(server, admin=(f"{prefix}*",), read=("*",))


def make(server: RunningServer, admin: str, permissions: Any, **fields: Any) -> Reply:
    """A key, made by another one."""
    return server.post("/keys", {"name": "ci", "permissions": permissions, **fields}, api_key=admin)


def revoke(server: RunningServer, admin: str, key_id: str) -> Reply:
    """Refuse it from now on."""
    return server.request("DELETE", f"/api/v1/keys/{key_id}", api_key=admin)


def listed(server: RunningServer, admin: str, query: str = "") -> list[str]:
    """The ids on a page."""
    return [key["key_id"] for key in server.get(f"/keys{query}", api_key=admin).body["keys"]]


def test_a_key_is_made_used_and_revoked(server: RunningServer, admin: str, prefix: str) -> None:
    """Its secret is shown once; revoking again changes nothing."""
    made = make(server, admin, {"read": [f"{prefix}a*"], "observe": [f"{prefix}*"]}, expires_in_seconds=60)
    key, secret = made.body["key"], made.body["api_key"]
    assert key == {
        "key_id": key["key_id"],
        "name": "ci",
        "permissions": {
            "read": [f"{prefix}a*"],
            "write": [],
            "delete": [],
            "admin": [],
            "observe": [f"{prefix}*"],
        },
        "created_at": key["created_at"],
        "expires_at": key["expires_at"],
        "revoked_at": None,
    }
    assert key["created_at"] < key["expires_at"]
    assert server.get(f"/state/{prefix}a", api_key=secret).status == 200
    assert server.get(f"/state/{prefix}b", api_key=secret).status == 403
    shown = server.get("/keys", api_key=admin).body
    assert shown == {"keys": [key], "has_more": False}
    revoked = revoke(server, admin, key["key_id"])
    assert revoked.body["key"] == {**key, "revoked_at": revoked.body["key"]["revoked_at"]}
    assert revoked.body["key"]["revoked_at"] is not None
    until(lambda: server.get(f"/state/{prefix}a", api_key=secret).status == 401)
    assert revoke(server, admin, key["key_id"]).body == revoked.body
    assert secret not in server.log()


def test_pages_go_on_with_after(server: RunningServer, admin: str, prefix: str) -> None:
    """Newest first, without the keys of others in between."""
    made = []
    for number in range(3):
        made.append(make(server, admin, {"read": [f"{prefix}{number}"]}).body["key"]["key_id"])
        make_key(server, read=("elsewhere",))
    newest_first = made[::-1]
    assert listed(server, admin) == newest_first
    page = server.get("/keys?limit=2", api_key=admin).body
    assert ([key["key_id"] for key in page["keys"]], page["has_more"]) == (newest_first[:2], True)
    rest = server.get(f"/keys?limit=2&after={newest_first[1]}", api_key=admin).body
    assert ([key["key_id"] for key in rest["keys"]], rest["has_more"]) == (newest_first[2:], False)
    assert server.get("/keys?after=key_nobody", api_key=admin).body["field"] == "after"


@pytest.mark.parametrize("action", ["read", "write", "delete", "admin", "observe"])
@pytest.mark.parametrize("pattern", ["*", "{shorter}*", "other-*"])
def test_nobody_grants_more_than_they_administer(
    server: RunningServer, admin: str, prefix: str, action: str, pattern: str
) -> None:
    """Whatever else they may do themselves; and nothing is made."""
    beyond = pattern.format(shorter=prefix[:-1])
    refused = make(server, admin, {"read": [f"{prefix}a"], action: [f"{prefix}a", beyond]})
    assert (refused.status, refused.body["status"]) == (403, "forbidden")
    assert listed(server, admin) == []


def test_keys_of_others_are_neither_seen_nor_revoked(server: RunningServer, admin: str, prefix: str) -> None:
    """One that may do anything else as well is not theirs; whether it exists is not said."""
    wider = make(server, server.api_key, {"read": [f"{prefix}a", "other"]}).body
    assert listed(server, admin) == []
    answers = [
        revoke(server, admin, key_id) for key_id in (wider["key"]["key_id"], "key_nobody", "%00", "key%F0")
    ]
    assert {(reply.status, reply.body["status"]) for reply in answers} == {(404, "key_not_found")}
    assert server.get(f"/state/{prefix}a", api_key=wider["api_key"]).status == 200
    assert wider["key"]["key_id"] in listed(server, server.api_key)


def test_who_administers_nothing_has_nothing_to_do_with_keys(server: RunningServer, prefix: str) -> None:
    """Not even with keys that may do nothing."""
    reader = make_key(server, read=("*",), write=("*",), delete=("*",))
    replies = [server.get("/keys", api_key=reader), make(server, reader, {}), revoke(server, reader, "key_a")]
    assert [reply.status for reply in replies] == [403] * 3


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"permissions": {"read": ["a*b"]}}, "permissions.read[0]"),
        ({"permissions": {"write": ["ok", ""]}}, "permissions.write[1]"),
        ({"permissions": {"observe": ["ok", "*", "é"]}}, "permissions.observe[2]"),
        ({"permissions": {"admin": [1]}}, "permissions.admin[0]"),
        ({"permissions": {"read": "run-*"}}, "permissions.read"),
        ({"permissions": None}, "permissions"),
        ({"name": " "}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"expires_in_seconds": 0}, "expires_in_seconds"),
        ({"expires_in_seconds": 10**12}, "expires_in_seconds"),
        ({"expires_in_seconds": 1.5}, "expires_in_seconds"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused(
    server: RunningServer, fields: dict[str, object], field: str
) -> None:
    """400, with the path of the bad value."""
    refused = server.post("/keys", {"name": "ci", "permissions": {}, **fields})
    assert (refused.status, refused.body["status"], refused.body["field"]) == (400, "invalid_request", field)
