"""Reaching the server, in plain text and over TLS."""

import asyncio
import shutil
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actae_client import ActaeClient, ActaeConnectionError, RetryPolicy, SyncActaeClient
from actae_client.transport import Reply, Request
from tests.client.support.certificates import make_certificates
from tests.client.support.scripted_server import ScriptedServer

KINDS = ["asyncio", "blocking"]
AT_ONCE = RetryPolicy(attempts=3, base_seconds=0, cap_seconds=0)

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="makes certificates with openssl")


def cursor_of(kind: str, **options: Any) -> int | None:
    """One call by a client of either kind."""
    if kind == "asyncio":
        return asyncio.run(_cursor(ActaeClient(**options, api_key="sk-x", retry=AT_ONCE)))
    with SyncActaeClient(**options, api_key="sk-x", retry=AT_ONCE) as client:
        return client.get_cursor("run-7")


async def _cursor(client: ActaeClient) -> int | None:
    async with client:
        return await client.get_cursor("run-7")


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority, and what it signed for the server and for a client."""
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def secure(certificates: Path) -> Iterator[ScriptedServer]:
    """A server that asks its clients for a certificate."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=certificates / "ca.crt")
    context.load_cert_chain(certificates / "server.crt", certificates / "server.key")
    context.verify_mode = ssl.CERT_REQUIRED
    with ScriptedServer(context).running() as server:
        server.answers({"latest_cursor": 3})
        yield server


@pytest.fixture(autouse=True)
def bare_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No identity of the machine plays a part."""
    monkeypatch.setenv("ACTAE_CONFIG_DIR", str(tmp_path))


@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_connection_says_whose(kind: str) -> None:
    """The request cannot have arrived, and the error says so."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # Bound, but it does not listen.
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with pytest.raises(ActaeConnectionError, match=f"no answer from {url}") as caught:
            cursor_of(kind, endpoint=url)
    assert caught.value.is_outcome_known


@pytest.mark.parametrize("kind", KINDS)
def test_a_path_in_the_endpoint_is_kept(kind: str, scripted: ScriptedServer) -> None:
    """The server may live below a path of a larger site."""
    scripted.answers({"latest_cursor": 3})
    assert cursor_of(kind, endpoint=f"{scripted.url}/ledger/") == 3
    assert scripted.last.target == "/ledger/api/v1/events/cursor/run-7"


@needs_openssl
@pytest.mark.parametrize("kind", KINDS)
def test_files_make_a_tls_identity(kind: str, secure: ScriptedServer, certificates: Path) -> None:
    """The client shows its certificate, and believes the authority it was given."""
    cursor = cursor_of(
        kind,
        endpoint=secure.url,
        ca_cert=certificates / "ca.crt",
        client_cert=certificates / "client.crt",
        client_key=certificates / "client.key",
        ssl_context=ssl.create_default_context(),  # The files win.
    )
    assert cursor == 3


@needs_openssl
@pytest.mark.parametrize("kind", KINDS)
def test_a_context_of_the_callers_own(kind: str, secure: ScriptedServer, certificates: Path) -> None:
    """It is used as it is."""
    context = ssl.create_default_context(cafile=certificates / "ca.crt")
    context.load_cert_chain(certificates / "client.crt", certificates / "client.key")
    assert cursor_of(kind, endpoint=secure.url, ssl_context=context) == 3


@needs_openssl
@pytest.mark.parametrize("kind", KINDS)
def test_an_identity_is_found_in_the_configuration_folder(
    kind: str, secure: ScriptedServer, certificates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When nothing else is said about TLS."""
    monkeypatch.setenv("ACTAE_CONFIG_DIR", str(certificates))
    assert cursor_of(kind, endpoint=secure.url) == 3


@needs_openssl
@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_authority_is_not_believed(kind: str, secure: ScriptedServer) -> None:
    """And it is not tried again: the certificate will not change."""
    with pytest.raises(ActaeConnectionError, match=r"(?i)certificate") as caught:
        cursor_of(kind, endpoint=secure.url)
    assert caught.value.retryable is False
    assert secure.heard == []


@pytest.mark.parametrize("kind", [ActaeClient, SyncActaeClient])
def test_a_key_file_needs_its_certificate(kind: Any, tmp_path: Path) -> None:
    """Half an identity is a mistake."""
    with pytest.raises(ValueError, match="client_cert"):
        kind(api_key="sk-x", endpoint="https://localhost", client_key=tmp_path / "client.key")


@needs_openssl
async def test_the_websocket_has_the_same_identity(secure: ScriptedServer, certificates: Path) -> None:
    """It shows the same certificate and believes the same authority, or says what is missing."""
    files = {name: certificates / name for name in ("ca.crt", "client.crt", "client.key")}
    given = dict(zip(("ca_cert", "client_cert", "client_key"), files.values(), strict=True))
    client = ActaeClient(endpoint=secure.url, api_key="sk-x", retry=AT_ONCE, **given)
    with pytest.raises(ActaeConnectionError, match="no WebSocket at wss://"):
        await client.connect()
    assert secure.last.target == "/ws"
    assert secure.last.headers["upgrade"] == "websocket"
    assert "x-api-key" not in secure.last.headers
    stranger = ActaeClient(endpoint=secure.url, api_key="sk-x", retry=AT_ONCE)
    with pytest.raises(ActaeConnectionError, match=r"(?i)certificate") as caught:
        await stranger.connect()
    assert caught.value.retryable is False
    assert "client_cert" in (caught.value.hint or "")


class Memory:
    """A transport that answers from memory."""

    def __init__(self) -> None:
        self.asked: list[Request] = []
        self.is_closed = False

    def send(self, request: Request) -> Reply:
        """Note the request and answer it."""
        self.asked.append(request)
        return Reply(200, "application/json", b'{"latest_cursor": 7}')

    def close(self) -> None:
        """Note that it was closed."""
        self.is_closed = True


def test_another_transport_may_carry_the_requests() -> None:
    """It sees what would travel, and is closed with the client."""
    memory = Memory()
    with SyncActaeClient(api_key="sk-x", endpoint="http://nowhere", transport=memory) as client:
        assert client.get_cursor("run-7") == 7
    (request,) = memory.asked
    assert (request.method, request.target, request.body) == ("GET", "/api/v1/events/cursor/run-7", None)
    assert request.headers["x-api-key"] == "sk-x"
    assert memory.is_closed


@pytest.mark.parametrize("kind", KINDS)
def test_a_client_may_be_used_after_it_was_closed(kind: str, scripted: ScriptedServer) -> None:
    """It opens new connections."""
    scripted.answers({"latest_cursor": 3})

    async def ask_twice() -> None:
        client = ActaeClient(endpoint=scripted.url, api_key="sk-x", retry=AT_ONCE)
        for _ in range(2):
            assert await client.get_cursor("run-7") == 3
            await client.disconnect()

    if kind == "asyncio":
        asyncio.run(ask_twice())
    else:
        blocking = SyncActaeClient(endpoint=scripted.url, api_key="sk-x", retry=AT_ONCE)
        for _ in range(2):
            assert blocking.get_cursor("run-7") == 3
            blocking.disconnect()


@pytest.mark.parametrize("kind", KINDS)
def test_large_bodies_are_sent(kind: str, scripted: ScriptedServer) -> None:
    """Without a word of the library that carries them."""
    scripted.answers({"version": 1})
    state = "x" * 3_000_000

    async def save() -> int:
        async with ActaeClient(endpoint=scripted.url, api_key="sk-x", retry=AT_ONCE) as client:
            return await client.save_state("run-7", 1, state)

    if kind == "asyncio":
        assert asyncio.run(save()) == 1
    else:
        with SyncActaeClient(endpoint=scripted.url, api_key="sk-x", retry=AT_ONCE) as client:
            assert client.save_state("run-7", 1, state) == 1
    assert scripted.last.json["state"] == state
    assert scripted.last.headers["content-length"] == str(len(scripted.last.body))
