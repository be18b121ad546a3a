"""The console's cookie: who gets one, whom it names, and from where it counts."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from actae import __version__
from actae.domain.access import Permissions
from actae.operations.accounts import create_user
from actae.operations.api_keys import create_key, revoke_key
from actae.settings import DEV_API_KEY
from actae.store.database import Database
from tests.support.server import Reply, RunningServer
from tests.support.waiting import until

SESSION = "/console/session"
PASSWORD = "canary-of-a-password"
OWN = {"sec-fetch-site": "same-origin"}
READER = Permissions(read=("run-*",))


def open_session(server: RunningServer, body: Any = None, headers: dict[str, str] = OWN) -> Reply:
    """As the console's page does it; with the server's own key unless told otherwise."""
    return server.post(SESSION, body or {"api_key": server.api_key}, headers=headers, api_key=None)


def cookie_of(reply: Reply) -> str:
    """What a browser sends from now on."""
    return reply.headers["set-cookie"].partition(";")[0]


def with_cookie(cookie: str, **headers: str) -> dict[str, Any]:
    """Options of a request that carries the cookie and no other credential."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return {"headers": {"cookie": cookie, **named}, "api_key": None}


@pytest.fixture
def cookie(server: RunningServer) -> str:
    """A session of the development key."""
    return cookie_of(open_session(server))


def test_the_development_key_opens_a_session(server: RunningServer) -> None:
    """The reply says who it is; the cookie is out of reach of scripts and of other sites."""
    opened = open_session(server)
    everything = {action: ["*"] for action in ("read", "write", "delete", "admin", "observe")}
    assert opened.status == 200
    assert opened.body == {
        "name": "Development key",
        "kind": "dev",
        "permissions": everything,
        "expires_at": opened.body["expires_at"],
        "version": __version__,
        "instance_id": server.get("/instance").body["instance_id"],
        "is_dev": True,
    }
    attributes = opened.headers["set-cookie"].split("; ")[1:]
    assert attributes == ["Max-Age=43200", "Path=/", "HttpOnly", "SameSite=Strict"]
    assert opened.headers["cache-control"] == "no-store"
    assert server.get(SESSION, **with_cookie(cookie_of(opened))).body == opened.body


@pytest.mark.parametrize(
    "headers",
    [{"x-forwarded-proto": "https"}, {"x-forwarded-proto": "HTTPS, http"}, {"origin": "https://a.b"}],
)
def test_behind_https_the_cookie_is_secure(server: RunningServer, headers: dict[str, str]) -> None:
    """A browser then never sends it in the clear."""
    opened = open_session(server, headers={**OWN, **headers})
    assert opened.headers["set-cookie"].endswith("; Secure")


async def test_users_and_keys_open_sessions(
    start_server: Callable[..., RunningServer], db: Database, channel: str
) -> None:
    """Each may then do what they may, outside of dev mode too."""
    server = start_server(dev=False)
    server.record(channel)
    await create_key(db, "ci", READER)
    key, secret = await create_key(db, "console", READER)
    await create_user(db, "ada@example.com", PASSWORD, READER, "Ada")
    await create_user(db, "bob@example.com", PASSWORD, READER)
    for body, name, kind in (
        ({"api_key": secret}, "console", "key"),
        ({"email": "Ada@example.com", "password": PASSWORD}, "Ada", "user"),
        ({"email": "bob@example.com", "password": PASSWORD}, "bob@example.com", "user"),
    ):
        opened = open_session(server, body)
        assert (opened.body["name"], opened.body["kind"], opened.body["is_dev"]) == (name, kind, False)
        assert opened.body["permissions"]["read"] == ["run-*"]
        carried = with_cookie(cookie_of(opened), sec_fetch_site="same-origin")
        assert server.get(f"/events/replay/{channel}", **carried).status == 200
        assert server.post(f"/state/{channel}", {"cursor": 0, "state": 1}, **carried).status == 403
    of_key = with_cookie(cookie_of(open_session(server, {"api_key": secret})))
    await revoke_key(db, key.key_id)
    until(lambda: server.get(SESSION, **of_key).status == 401)
    assert open_session(server, {"api_key": secret}).status == 401
    assert open_session(server, {"api_key": DEV_API_KEY}).status == 401


def test_signing_out_ends_the_token_and_the_cookie(server: RunningServer, cookie: str) -> None:
    """Whoever kept the cookie has nothing. Again is fine, and so is a cookie that never was a session."""
    for held in (cookie, cookie, "actae_session=a.b.c", "other=1"):
        closed = server.request("DELETE", f"/api/v1{SESSION}", **with_cookie(held, **OWN))
        assert (closed.status, closed.body) == (200, {"status": "signed_out"})
        assert closed.headers["set-cookie"].startswith("actae_session=; Max-Age=0; Path=/; HttpOnly")
    assert server.get(SESSION, **with_cookie(cookie)).status == 401


def test_signing_out_beside_another_credential_ends_both(server: RunningServer, cookie: str) -> None:
    """A token in a header, and the cookie that it goes before."""
    token = server.post("/auth/api-key-login", {"api_key": server.api_key}).body["token"]
    headers = {"authorization": f"Bearer {token}", "cookie": cookie, **OWN}
    assert server.request("DELETE", f"/api/v1{SESSION}", headers=headers).status == 200
    assert server.get(SESSION, headers={"authorization": f"Bearer {token}"}, api_key=None).status == 401
    assert server.get(SESSION, **with_cookie(cookie)).status == 401


def test_without_a_credential_there_is_no_session(server: RunningServer) -> None:
    """401 in the shape of every refusal."""
    refused = server.get(SESSION, api_key=None)
    assert (refused.status, refused.body["status"]) == (401, "unauthorized")
    assert server.get(SESSION).body["kind"] == "dev"


@pytest.mark.parametrize(
    ("method", "headers", "is_own"),
    [
        ("GET", {"sec-fetch-site": "same-origin"}, True),
        ("GET", {"sec-fetch-site": "none"}, True),
        ("GET", {}, True),
        ("GET", {"origin": "{url}"}, True),
        ("GET", {"sec-fetch-site": "same-site"}, False),
        ("GET", {"sec-fetch-site": "cross-site"}, False),
        ("GET", {"origin": "https://evil.example"}, False),
        ("POST", {"sec-fetch-site": "same-origin"}, True),
        ("POST", {"origin": "{url}"}, True),
        ("POST", {"origin": "https://{host}", "x-forwarded-proto": "https"}, True),
        ("POST", {}, False),
        ("POST", {"sec-fetch-site": "none"}, False),
        ("POST", {"sec-fetch-site": "same-site"}, False),
        ("POST", {"sec-fetch-site": "cross-site", "origin": "{url}"}, False),
        ("POST", {"origin": "null"}, False),
        ("POST", {"origin": "http://127.0.0.1:1"}, False),
        ("POST", {"origin": "https://{host}"}, False),
        ("POST", {"origin": "{url}.evil.example"}, False),
    ],
)
def test_the_cookie_counts_for_own_pages_only(
    server: RunningServer, cookie: str, channel: str, method: str, headers: dict[str, str], is_own: bool
) -> None:
    """Where it does not, nothing happens, and the refusal has a code of its own."""
    host = server.url.removeprefix("http://")
    said = {name: value.format(url=server.url, host=host) for name, value in headers.items()}
    path, body = (SESSION, None) if method == "GET" else (f"/state/{channel}", {"cursor": 0, "state": 1})
    reply = server.request(method, f"/api/v1{path}", body, headers={"cookie": cookie, **said}, api_key=None)
    assert reply.status == (200 if is_own else 403)
    assert is_own or reply.body["status"] == "cross_site_request"
    is_saved = server.get(f"/state/{channel}").body["cursor"] is not None
    assert is_saved == (method == "POST" and is_own)


@pytest.mark.parametrize(
    "headers", [{}, {"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}]
)
@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_other_pages_sign_nobody_in_or_out(
    server: RunningServer, cookie: str, method: str, headers: dict[str, str]
) -> None:
    """Signed in as somebody else without knowing it, one would write down secrets for them."""
    body = {"api_key": server.api_key}
    refused = server.request(method, f"/api/v1{SESSION}", body, headers={"cookie": cookie, **headers})
    assert (refused.status, refused.body["status"]) == (403, "cross_site_request")
    assert "set-cookie" not in refused.headers
    assert server.get(SESSION, **with_cookie(cookie)).status == 200


def test_a_header_goes_before_the_cookie(server: RunningServer, cookie: str) -> None:
    """A bad key is not made up for; and with a key nobody asks where the request comes from."""
    elsewhere = {"cookie": cookie, "sec-fetch-site": "cross-site"}
    assert server.get(SESSION, headers=elsewhere).status == 200
    assert server.get(SESSION, headers={"cookie": cookie, **OWN}, api_key="sk-nonsense").status == 401
    bad = {"cookie": cookie, "authorization": "Bearer a.b.c"}
    assert server.get(SESSION, headers=bad, api_key=None).status == 401
    proxy = {"cookie": cookie, "authorization": "Basic YTpi"}
    assert server.get(SESSION, headers=proxy, api_key=None).status == 200


def test_public_routes_do_not_mind_a_cookie(server: RunningServer, cookie: str) -> None:
    """A link on another site still leads to the description."""
    for path in ("/healthz", "/openapi.json", "/api/v1/auth/config"):
        options = with_cookie(cookie, sec_fetch_site="cross-site")
        assert server.request("GET", path, **options).status == 200


def test_metrics_that_ask_for_a_key_take_the_cookie(start_server: Callable[..., RunningServer]) -> None:
    """From the server's own pages."""
    server = start_server(environment={"ACTAE_METRICS_PUBLIC": "false"})
    cookie = cookie_of(open_session(server))
    for path in ("/metrics", "/metrics.json"):
        assert server.request("GET", path, **with_cookie(cookie, **OWN)).status == 200
        assert server.request("GET", path, **with_cookie(cookie, sec_fetch_site="same-site")).status == 401


def test_a_stream_goes_by_the_cookie_until_it_is_signed_out(
    server: RunningServer, cookie: str, channel: str
) -> None:
    """The stream asks again who reads while it runs."""
    server.record(channel, "first")
    answer = server.pool.request(
        "GET",
        f"{server.url}/api/v1/events/stream/{channel}?cursor=0",
        headers={"cookie": cookie, **OWN},
        preload_content=False,
    )
    assert answer.status == 200
    assert next(line for line in answer if line.startswith(b"data:"))
    server.request("DELETE", f"/api/v1{SESSION}", **with_cookie(cookie, **OWN))
    assert all(not line.startswith(b"data:") for line in answer), "it ends"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"email": "ada@example.com"}, "password"),
        ({"password": PASSWORD}, "email"),
        ({"api_key": "sk-1", "email": "ada@example.com", "password": PASSWORD}, "api_key"),
        ({"name": "Ada"}, "api_key"),
        ({"api_key": 1}, "api_key"),
    ],
)
def test_half_a_credential_is_refused(server: RunningServer, body: dict[str, object], field: str) -> None:
    """400, with the name of what is missing or too much, and without what was sent."""
    refused = open_session(server, body)
    assert (refused.status, refused.body["status"], refused.body["field"]) == (400, "invalid_request", field)
    assert PASSWORD not in str(refused.body)


def test_neither_a_wrong_password_nor_a_token_opens_a_session(server: RunningServer, cookie: str) -> None:
    """Each is told what they are told elsewhere, and gets no cookie."""
    wrong = open_session(server, {"email": "nobody@example.com", "password": "a guess"})
    assert (wrong.status, wrong.body["status"]) == (401, "invalid_credentials")
    for text in (cookie.partition("=")[2], "sk-" + "0" * 32, ""):
        refused = open_session(server, {"api_key": text})
        assert (refused.status, refused.body["status"]) == (401, "unauthorized")
        assert "set-cookie" not in refused.headers


def test_passwords_cannot_be_guessed_here_either(server: RunningServer) -> None:
    """The limit is shared with the other way to sign in; what is too long to be hashed counts as well."""
    body = {"email": f"{uuid4().hex[:12]}@example.com", "password": "é" * 1000}
    until(lambda: open_session(server, body).status == 429)
    assert server.post("/auth/login", body).status == 429
