"""What a caller may do, what they prefer, and which server this is."""

from collections.abc import Callable

from actae import __version__
from actae.domain.access import Permissions
from actae.operations.api_keys import create_key
from actae.store.database import Database
from actae.transport.routes.all import ROUTES
from tests.support.server import RunningServer


async def test_a_key_is_told_what_it_may_do(start_server: Callable[..., RunningServer], db: Database) -> None:
    """Its four lists, its id and its end."""
    server = start_server()
    key, secret = await create_key(db, "ci", Permissions(read=("*",), write=("run-*", "main")), 3600)
    reply = server.get("/auth/capabilities", api_key=secret).body
    assert reply["permissions"] == {
        "read": ["*"],
        "write": ["run-*", "main"],
        "delete": [],
        "admin": [],
        "observe": [],
    }
    assert (reply["auth_method"], reply["key_id"], reply["key_source"]) == ("api_key", key.key_id, "local")
    assert reply["expires_at"].startswith(f"{key.expires_at:%Y-%m-%dT%H:%M:%S}")
    me = server.get("/auth/me", api_key=secret).body["user"]
    assert (me["id"], me["name"]) == (key.key_id, "ci")


def test_the_operations_of_the_server_are_listed(server: RunningServer) -> None:
    """By their full ids, each once, and all that there are."""
    operations = server.get("/auth/capabilities").body["operations"]
    assert len(set(operations)) == len(operations)
    assert set(operations) == {
        f"actae.api.v1.{route.operation}" for route in ROUTES if route.prefix == "/api/v1"
    }
    assert "actae.api.v1.executions.claim" in operations


def test_preferences_belong_to_who_sends_them(server: RunningServer) -> None:
    """Nothing at first; then what was put last, as it was written."""
    account = {"email": "preferences@example.com", "password": "correct horse"}
    bearer = {"authorization": "Bearer " + server.post("/auth/signup", account).body["token"]}
    path = "/api/v1/user/preferences"
    assert server.get("/user/preferences", headers=bearer).body == {}
    for sent in ({"theme": "dark"}, {"number": 123456789012345678901234567890, "text": "\0é"}):
        assert server.request("PUT", path, sent, headers=bearer).body == sent
        assert server.get("/user/preferences", headers=bearer).body == sent
    assert server.get("/user/preferences").body != sent


def test_preferences_are_an_object_of_modest_size(server: RunningServer) -> None:
    """Anything else is refused."""
    path = "/api/v1/user/preferences"
    for raw in (b"[]", b"1", b'"{}"', b"null"):
        refused = server.request("PUT", path, raw=raw)
        assert (refused.status, refused.body["status"]) == (400, "invalid_request")
    for raw in (b"", b"{", b'{"a": NaN}'):
        refused = server.request("PUT", path, raw=raw)
        assert (refused.status, refused.body["status"]) == (400, "invalid_json")
    assert server.request("PUT", path, {"a": "x" * 70_000}).status == 413


def test_the_server_says_which_one_it_is(server: RunningServer) -> None:
    """To whoever has a key."""
    first, second = [server.get("/instance").body for _ in range(2)]
    assert first["instance_id"] == second["instance_id"]
    assert (first["name"], first["version"], first["api_version"]) == ("actae", __version__, "v1")
    assert first["started_at"] == second["started_at"]
    assert 0 <= first["uptime_seconds"] <= second["uptime_seconds"]
    assert server.get("/instance", api_key=None).status == 401
