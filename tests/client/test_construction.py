"""Making a client."""

from typing import Any
from unittest.mock import AsyncMock

import pytest

from actae_client import ActaeClient, SyncActaeClient
from actae_client.client import Capabilities, validate_channel_id

CLIENTS: list[Any] = [ActaeClient, SyncActaeClient]
VARIABLES = ("ACTAE_URL", "ACTAE_ENDPOINT", "ACTAE_WS_URL", "ACTAE_API_KEY")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the machine plays a part."""
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize("kind", CLIENTS)
@pytest.mark.parametrize(
    "arguments",
    [
        {"api_key": "", "endpoint": "http://localhost:8002"},
        {"api_key": "sk-x"},
        {"api_key": "sk-x", "endpoint": "localhost:8002"},
        {"api_key": "sk-x", "endpoint": "ftp://localhost"},
        {"api_key": "sk-x", "endpoint": "http://"},
        {"api_key": "sk-x", "endpoint": "http://localhost?a=1"},
        {"api_key": "sk-x", "endpoint": "http://user:canary@localhost"},
        {"api_key": "sk-x", "endpoint": "user:canary@localhost"},
        {"api_key": "sk-canary\r\nx: y", "endpoint": "http://localhost:8002"},
        {"api_key": "sk-canary é", "endpoint": "http://localhost:8002"},
    ],
)
def test_what_cannot_work_is_refused_at_once(kind: Any, arguments: dict[str, str]) -> None:
    """And a key that is refused is not shown."""
    with pytest.raises(ValueError) as caught:
        kind(**arguments)
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("kind", CLIENTS)
def test_a_client_shows_its_endpoint_and_not_its_key(kind: Any) -> None:
    """What is printed may be logged."""
    client = kind(api_key="sk-canary", endpoint="http://localhost:8002/")
    assert repr(client) == f"{kind.__name__}(endpoint='http://localhost:8002')"


@pytest.mark.parametrize(
    ("ws_endpoint", "endpoint"),
    [
        ("ws://localhost:8002/ws", "http://localhost:8002"),
        ("wss://example.org/base", "https://example.org/base"),
    ],
)
def test_the_address_of_the_stream_is_enough(ws_endpoint: str, endpoint: str) -> None:
    """Calls go to the same server."""
    assert endpoint in repr(ActaeClient(api_key="sk-x", ws_endpoint=ws_endpoint))


@pytest.mark.parametrize("kind", CLIENTS)
@pytest.mark.parametrize("variable", ["ACTAE_URL", "ACTAE_ENDPOINT", "ACTAE_WS_URL"])
def test_the_environment_makes_a_client(kind: Any, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any of the three addresses will do."""
    monkeypatch.setenv(variable, "ws://one:1/ws" if variable == "ACTAE_WS_URL" else "http://one:1")
    monkeypatch.setenv("ACTAE_API_KEY", "sk-x")
    assert "http://one:1" in repr(kind.from_env())


@pytest.mark.parametrize("kind", CLIENTS)
def test_arguments_win_over_the_environment(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment fills what is not given."""
    monkeypatch.setenv("ACTAE_URL", "http://one:1")
    assert "http://two:2" in repr(kind.from_env(api_key="sk-x", endpoint="http://two:2", timeout=5.0))


@pytest.mark.parametrize("kind", CLIENTS)
def test_a_bare_environment_is_refused(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the variable that is missing."""
    with pytest.raises(ValueError, match="ACTAE_API_KEY"):
        kind.from_env(endpoint="http://one:1")
    monkeypatch.setenv("ACTAE_API_KEY", "sk-x")
    with pytest.raises(ValueError, match="ACTAE_URL"):
        kind.from_env()


@pytest.mark.parametrize("kind", CLIENTS)
def test_facades_show_the_methods_of_one_concept(kind: Any) -> None:
    """The same methods, and nothing else."""
    client = kind(api_key="sk-x", endpoint="http://localhost:8002")
    assert client.events.record == client.record
    assert {"record", "replay", "query", "transition", "get_cursor", "latest_cursor"} <= set(
        dir(client.events)
    )
    assert {"save_state", "latest_state", "list_states", "get_state", "delete_state"} == set(
        dir(client.state)
    )
    assert {"list_channels", "get_channel_metadata", "update_metadata"} <= set(dir(client.channels))
    assert len(dir(client.executions)) == 11
    assert {"health_check", "readiness_check", "get_metrics_text", "get_metrics_json"} == set(
        dir(client.health)
    )
    assert {"schedule_wakeup", "list_wakeups", "get_wakeup", "cancel_wakeup"} == set(dir(client.wakeups))
    assert {"signup", "login", "logout", "get_me", "capabilities"} <= set(dir(client.auth))
    with pytest.raises(AttributeError, match="claim_execution"):
        _ = client.events.claim_execution
    with pytest.raises(AttributeError):
        _ = client.events._send


def test_the_facade_of_the_websocket_has_its_methods() -> None:
    """The same, and connecting and disconnecting among them."""
    client = ActaeClient(api_key="sk-x", endpoint="http://localhost:8002")
    callbacks = {"on_message", "on_error", "on_subscribed", "on_disconnected", "on_reconnect"}
    others = {"connect", "disconnect", "subscribe", "unsubscribe", "publish", "stream"}
    assert set(dir(client.ws)) == callbacks | others
    assert client.ws.publish == client.publish


@pytest.mark.parametrize(
    ("arguments", "url"),
    [
        ({"endpoint": "http://localhost:8002/"}, "ws://localhost:8002/ws"),
        ({"endpoint": "https://example.org/base"}, "wss://example.org/base/ws"),
        ({"endpoint": "https://example.org/ws"}, "wss://example.org/ws"),
        ({"endpoint": "http://one", "ws_endpoint": "wss://two/live/"}, "wss://two/live"),
        ({"ws_endpoint": "ws://localhost:8002/ws"}, "ws://localhost:8002/ws"),
    ],
)
def test_where_the_websocket_is(arguments: dict[str, str], url: str) -> None:
    """Beside the calls, unless it is somewhere else."""
    assert ActaeClient(api_key="sk-x", **arguments)._address.url == url


@pytest.mark.parametrize("url", ["http://two/ws", "two/ws", "ws://", "ws://user:canary@two/ws"])
def test_an_address_that_is_none_of_a_websocket_is_refused(url: str) -> None:
    """When the client is made; what may be a secret is not shown."""
    with pytest.raises(ValueError, match="ws_endpoint") as caught:
        ActaeClient(api_key="sk-canary", endpoint="http://one", ws_endpoint=url)
    assert "canary" not in str(caught.value)


def test_both_clients_have_the_same_methods() -> None:
    """But for the blocking variants, which only the asyncio one needs, and for what takes a WebSocket."""
    here = {name for name in dir(ActaeClient) if not name.startswith("_")}
    there = {name for name in dir(SyncActaeClient) if not name.startswith("_")}
    of_the_websocket = {"ws", "connect", "subscribe", "unsubscribe"} | {
        n for n in here if n.startswith("on_")
    }
    assert here - there == {name for name in here if name.endswith("_sync")} | of_the_websocket
    assert there <= here


async def test_mocks_know_the_methods_that_are_awaited() -> None:
    """A mock made from the client is awaited like the client."""
    mock = AsyncMock(spec=ActaeClient)
    mock.get_cursor.return_value = 7
    assert await mock.get_cursor("run-7") == 7
    mock.get_cursor.assert_awaited_once_with("run-7")
    mock.get_cursor_sync.return_value = 8
    assert mock.get_cursor_sync("run-7") == 8


@pytest.mark.parametrize("channel_id", ["a", "x" * 256, "A-z_0.9:b", "...", ".a"])
def test_channel_ids_of_the_grammar_pass(channel_id: str) -> None:
    """Every character of the alphabet may stand anywhere."""
    validate_channel_id(channel_id)


def test_a_channel_id_is_a_str() -> None:
    """Anything else is an error of the program."""
    with pytest.raises(TypeError, match="int"):
        validate_channel_id(5)  # type: ignore[arg-type]


def test_capabilities_follow_the_patterns() -> None:
    """A star is everything, a trailing star a prefix, the rest exact; admin grants every action."""
    granted = Capabilities(read=["run-*"], write=["run-7"], admin=["ops"])
    assert granted.can_read("run-9")
    assert not granted.can_read("other")
    assert granted.can_write("run-7")
    assert granted.can_publish("run-7")
    assert granted.can_fork("run-7")
    assert not granted.can_write("run-77")
    assert granted.can("delete", "ops")
    assert Capabilities(delete=["*"]).can("delete", "anything")
    with pytest.raises(ValueError, match="fly"):
        granted.can("fly", "run-7")
