"""Signing up, in and out over HTTP."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from actae.domain.access import EVERYTHING, Permissions
from actae.operations.accounts import set_user_permissions
from actae.operations.api_keys import create_key, revoke_key
from actae.store.database import Database
from tests.support.server import Reply, RunningServer
from tests.support.waiting import until

PASSWORD = "canary-of-a-password"


def new_email() -> str:
    """An email that nobody else uses."""
    return f"{uuid4().hex[:12]}@example.com"


def sign_up(server: RunningServer, email: str, **fields: object) -> Reply:
    """As the client does it."""
    return server.post("/auth/signup", {"email": email, "password": PASSWORD, **fields})


def log_in(server: RunningServer, email: str, password: str = PASSWORD) -> Reply:
    """As the client does it."""
    return server.post("/auth/login", {"email": email, "password": password})


def save(server: RunningServer, channel: str, **options: Any) -> Reply:
    """Any write."""
    return server.post(f"/state/{channel}", {"cursor": 0, "state": 1}, **options)


def bearer(token: str) -> dict[str, str]:
    """The header that proves who signed in."""
    return {"authorization": f"Bearer {token}"}


def test_somebody_signs_up_and_in_and_out(server: RunningServer) -> None:
    """Each token is good until it is signed out, and the other one stays good."""
    email = new_email()
    signed_up = sign_up(server, email, name="Ada")
    assert signed_up.status == 200
    user = signed_up.body["user"]
    assert user == {
        "id": user["id"],
        "email": email,
        "email_verified": False,
        "name": "Ada",
        "image": None,
        "created_at": user["created_at"],
    }
    logged_in = log_in(server, email.upper())
    assert logged_in.body["user"] == user
    tokens = [signed_up.body["token"], logged_in.body["token"]]
    for token in tokens:
        assert server.get("/auth/me", headers=bearer(token)).body == {"user": user}
    signed_out = server.request("POST", "/api/v1/auth/logout", raw=b"", headers=bearer(tokens[0]))
    assert (signed_out.status, signed_out.body) == (200, {"status": "ok"})
    assert server.get("/auth/me", headers=bearer(tokens[0])).status == 401
    assert server.get("/auth/me", headers=bearer(tokens[1])).status == 200


def test_signing_out_twice_is_fine_but_nonsense_is_not(server: RunningServer) -> None:
    """A token that has ended is as good as signed out; a text that is no token is refused."""
    token = sign_up(server, new_email()).body["token"]
    statuses = [
        server.post("/auth/logout", None, headers=bearer(text)).status for text in (token, token, "a.b.c")
    ]
    assert statuses == [200, 200, 401]
    assert server.post("/auth/logout", None).status == 401


def test_a_user_in_dev_mode_may_do_everything(server: RunningServer, channel: str) -> None:
    """As the well-known key may; the token is enough on every route."""
    token = sign_up(server, new_email()).body["token"]
    assert save(server, channel, headers=bearer(token), api_key=None).status == 200
    capabilities = server.get("/auth/capabilities", headers=bearer(token)).body
    assert capabilities["auth_method"] == "jwt"
    assert capabilities["permissions"] == {
        action: ["*"] for action in ("read", "write", "delete", "admin", "observe")
    }


def test_without_a_token_me_is_a_stand_in_for_the_key(server: RunningServer) -> None:
    """It has what every user has."""
    user = server.get("/auth/me").body["user"]
    assert (user["id"], user["email"]) == ("key_dev", "key_dev@keys.actae.invalid")


def test_a_wrong_password_and_an_unknown_email_get_one_answer(server: RunningServer) -> None:
    """401, in the same words."""
    email = new_email()
    sign_up(server, email)
    replies = [log_in(server, email, "wrong password"), log_in(server, new_email()), log_in(server, "nobody")]
    assert [reply.status for reply in replies] == [401] * 3
    assert {reply.body["status"] for reply in replies} == {"invalid_credentials"}
    assert len({reply.body["error"] for reply in replies}) == 1


def test_an_email_can_be_used_once(server: RunningServer) -> None:
    """In any case."""
    email = new_email()
    sign_up(server, email)
    refused = sign_up(server, email.upper())
    assert (refused.status, refused.body["status"]) == (409, "email_taken")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"email": "no at sign", "password": PASSWORD}, "email"),
        ({"email": "ada@example.com", "password": "short"}, "password"),
        ({"email": "ada@example.com", "password": "x" * 1025}, "password"),
        ({"email": "ada@example.com", "password": "é" * 1000}, "password"),
        ({"email": "ada@example.com", "password": "nul\0nul\0nul"}, "password"),
        ({"email": "ada@example.com"}, "password"),
        ({"email": "ada@example.com", "password": 12345678}, "password"),
        ({"email": "a" * 300 + "@example.com", "password": PASSWORD}, "email"),
        ({"email": "ada@example.com", "password": PASSWORD, "name": "a\nb"}, "name"),
    ],
)
def test_a_sign_up_that_makes_no_sense_is_refused(
    server: RunningServer, body: dict[str, object], field: str
) -> None:
    """400, with the name of the field, and without what was sent in it."""
    refused = server.post("/auth/signup", body)
    assert (refused.status, refused.body["status"], refused.body["field"]) == (400, "invalid_request", field)
    assert PASSWORD not in str(refused.body)


def test_passwords_cannot_be_guessed_quickly(server: RunningServer) -> None:
    """After some attempts on one account the client is told how long to wait; others are not held up."""
    email, other = new_email(), new_email()
    sign_up(server, other)
    until(lambda: log_in(server, email, "a guess").status == 429)
    refused = log_in(server, email, "a guess")
    assert refused.body["status"] == "rate_limited"
    assert 1 <= refused.body["retry_after_seconds"] <= 6
    assert log_in(server, other).status == 200


def test_a_key_can_be_exchanged_for_a_token(server: RunningServer) -> None:
    """It does what the key does; a token cannot be exchanged again, and neither can nonsense."""
    signed_in = server.post("/auth/api-key-login", {"api_key": server.api_key}, api_key=None)
    assert signed_in.status == 200
    assert signed_in.body["user"]["id"] == "key_dev"
    token = signed_in.body["token"]
    assert server.get("/auth/me", headers=bearer(token), api_key=None).body["user"] == signed_in.body["user"]
    for api_key in (token, "sk-" + "0" * 32, "", "é"):
        assert server.post("/auth/api-key-login", {"api_key": api_key}).status == 401


def test_public_routes_work_whatever_the_key(server: RunningServer) -> None:
    """The client sends its key with everything."""
    email = new_email()
    sent = {"email": email, "password": PASSWORD}
    for path in ("/auth/signup", "/auth/login"):
        assert server.post(path, sent, api_key="sk-nonsense").status == 200
    config = server.get("/auth/config", api_key=None)
    assert config.body == {"signup_enabled": True, "methods": ["password", "api_key"]}


async def test_outside_of_dev_mode_sign_up_is_closed(start_server: Callable[..., RunningServer]) -> None:
    """403; the first key is made by the server, and the development key is worth nothing."""
    server = start_server(dev=False)
    assert server.get("/auth/config").body["signup_enabled"] is False
    refused = sign_up(server, new_email())
    assert (refused.status, refused.body["status"]) == (403, "forbidden")
    assert server.get("/auth/me").body["user"]["id"] == "key_first"
    unknown = server.get("/auth/me", api_key="sk-dev-0000000000000000000000")
    assert (unknown.status, unknown.body["status"]) == (401, "unauthorized")


async def test_a_stranger_who_signs_up_may_do_nothing_until_allowed(
    start_server: Callable[..., RunningServer], db: Database, channel: str
) -> None:
    """Not even the first one; once the operator grants something, the token that is out can do it."""
    server = start_server(dev=False, environment={"ACTAE_SIGNUP_ENABLED": "true"})
    save(server, channel)
    email = new_email()
    token = sign_up(server, email).body["token"]
    path = f"/state/{channel}"
    assert server.get(path, headers=bearer(token)).status == 403
    await set_user_permissions(db, email, Permissions(read=("*",)))
    until(lambda: server.get(path, headers=bearer(token)).status == 200)
    assert save(server, channel, headers=bearer(token)).status == 403


async def test_a_revoked_key_is_refused_soon(
    start_server: Callable[..., RunningServer], db: Database, channel: str
) -> None:
    """It was in use a moment ago; the answer tells what happened."""
    server = start_server()
    key, secret = await create_key(db, "ci", EVERYTHING)
    assert save(server, channel, api_key=secret).status == 200
    await revoke_key(db, key.key_id)
    until(lambda: save(server, channel, api_key=secret).status != 200)
    refused = save(server, channel, api_key=secret)
    assert (refused.status, refused.body["status"]) == (401, "unauthorized")
    assert "was revoked" in refused.body["error"]


async def test_secrets_are_not_in_the_log(start_server: Callable[..., RunningServer], db: Database) -> None:
    """Neither passwords nor keys nor tokens, whether they were good or not."""
    server = start_server(environment={"ACTAE_LOG_LEVEL": "debug"})
    _, secret = await create_key(db, "ci", EVERYTHING)
    email = new_email()
    token = sign_up(server, email).body["token"]
    log_in(server, email, PASSWORD + " but wrong")
    server.post("/auth/signup", {"email": email, "password": {"nested": PASSWORD}})
    server.request("POST", "/api/v1/auth/login", raw=b'{"password": "' + PASSWORD.encode())
    for credential in (secret, secret + "0", token, token + "0"):
        server.get("/auth/me", api_key=credential)
        server.get("/auth/me", headers=bearer(credential))
    log = server.log()
    for hidden in (PASSWORD, secret, token):
        assert hidden not in log
