"""The asyncio client with several loops, and with none."""

import asyncio
import contextvars
import gc
import multiprocessing
import threading
from collections.abc import Callable
from typing import Any

import pytest

from actae_client import ActaeClient, SyncActaeClient, errors
from actae_client.transport import Reply, Request
from tests.client.support.replies import EVENT
from tests.client.support.scripted_server import Answer, ScriptedServer, Silence
from tests.support.waiting import until_async

WHO: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")


class Noting:
    """A transport that notes what it was asked, and in which context."""

    def __init__(self) -> None:
        self.seen: list[tuple[Request, str, str]] = []

    async def send(self, request: Request) -> Reply:
        """Note the request, and answer it with an event."""
        self.seen.append((request, WHO.get(), threading.current_thread().name))
        return Reply(200, "application/json", b'{"latest_cursor": 7, "version": 1}')

    async def close(self) -> None:
        """Nothing is open."""


def client_for(scripted: ScriptedServer) -> ActaeClient:
    """An asyncio client of the scripted server."""
    return ActaeClient(api_key="sk-test", endpoint=scripted.url, timeout=5.0)


def test_one_client_serves_several_loops_one_after_the_other(scripted: ScriptedServer) -> None:
    """And a loop that ends closes its connections, also when nobody disconnects."""
    scripted.answers({"latest_cursor": 3})
    client = client_for(scripted)
    for _ in range(3):
        assert asyncio.run(client.get_cursor("run-7")) == 3
    gc.collect()  # An unclosed session would warn now, and warnings are errors.
    assert client._transport._sessions == {}  # type: ignore[attr-defined]


async def test_disconnecting_closes_the_sessions_of_all_loops(scripted: ScriptedServer) -> None:
    """Those of other loops on their own loop; a later call opens a new one."""
    scripted.answers({"latest_cursor": 3})
    client = client_for(scripted)
    elsewhere = asyncio.new_event_loop()
    thread = threading.Thread(target=elsewhere.run_forever)
    thread.start()
    try:
        there = asyncio.run_coroutine_threadsafe(client.get_cursor("run-7"), elsewhere)
        assert await asyncio.wrap_future(there) == 3
        assert await client.get_cursor("run-7") == 3
        assert len(client._transport._sessions) == 2  # type: ignore[attr-defined]
        await client.disconnect()
        assert client._transport._sessions == {}  # type: ignore[attr-defined]
        assert await client.get_cursor("run-7") == 3
        await client.disconnect()
    finally:
        elsewhere.call_soon_threadsafe(elsewhere.stop)
        await asyncio.to_thread(thread.join)
        elsewhere.close()


async def test_the_state_is_written_when_the_method_is_called(scripted: ScriptedServer) -> None:
    """What the caller does to it afterwards is not saved, even if the task has not begun."""
    scripted.answers({"version": 1})
    state = {"messages": ["first"]}
    async with client_for(scripted) as client:
        saving = asyncio.create_task(client.save_state("run-7", 1, state))
        state["messages"].append("second")
        await saving
    assert scripted.last.json["state"] == {"messages": ["first"]}


async def test_many_calls_share_few_connections(scripted: ScriptedServer) -> None:
    """A connection is kept and used again."""
    scripted.answers({"event": EVENT})
    async with client_for(scripted) as client:
        for _ in range(3):
            calls = [client.record("run-7", "note", n, actor="a") for n in range(20)]
            events = await asyncio.gather(*calls)
            assert len(events) == 20
    assert sorted(heard.json["payload"] for heard in scripted.heard) == sorted(list(range(20)) * 3)


async def test_cancelling_a_call_ends_it(scripted: ScriptedServer) -> None:
    """No retry and no error of the client takes the place of the cancellation."""
    scripted.will(Silence())
    async with client_for(scripted) as client:
        call = asyncio.create_task(client.get_cursor("run-7"))
        await until_async(lambda: bool(scripted.heard))
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert len(scripted.heard) == 1


@pytest.mark.parametrize(
    ("call", "answer", "result"),
    [
        (lambda c: c.get_cursor_sync("run-7"), {"latest_cursor": 3}, 3),
        (lambda c: c.record_sync("run-7", "note", None, actor="a").cursor, {"event": EVENT}, 3),
        (lambda c: c.replay_sync("run-7", limit=5), {"events": []}, []),
        (lambda c: c.query_sync(limit=5), {"events": []}, []),
        (lambda c: c.save_state_sync("run-7", 0, {}), {"version": 2}, 2),
        (lambda c: c.latest_state_sync("run-7"), {"cursor": None}, None),
        (
            lambda c: c.transition_sync("run-7", "note", None, {}).state_version,
            {"event": EVENT, "state_version": 9},
            9,
        ),
    ],
)
def test_blocking_variants_wait_for_the_result(
    scripted: ScriptedServer, call: Callable[[ActaeClient], Any], answer: Any, result: Any
) -> None:
    """Without an event loop of the caller's."""
    scripted.answers(answer)
    client = client_for(scripted)
    assert call(client) == result
    client.disconnect_sync()


def test_blocking_variants_raise_what_the_call_raises(scripted: ScriptedServer) -> None:
    """Refused arguments and refusals of the server alike."""
    client = client_for(scripted)
    with pytest.raises(ValueError, match="channel_id"):
        client.get_cursor_sync("no/channel")
    scripted.will(Answer(403, {"status": "forbidden", "error": "not yours"}))
    with pytest.raises(errors.PermissionDeniedError, match="not yours"):
        client.get_cursor_sync("run-7")
    client.disconnect_sync()


async def test_blocking_variants_work_inside_a_running_loop(scripted: ScriptedServer) -> None:
    """They block it, but they do not fail."""
    scripted.answers({"latest_cursor": 3})
    client = client_for(scripted)
    assert client.get_cursor_sync("run-7") == 3
    client.disconnect_sync()


def test_context_variables_reach_the_background_loop() -> None:
    """What is ambient for the caller is ambient for the call."""
    transport = Noting()
    client = ActaeClient(api_key="sk-x", endpoint="http://localhost:8002", transport=transport)
    token = WHO.set("somebody")
    try:
        assert client.get_cursor_sync("run-7") == 7
    finally:
        WHO.reset(token)
    _, who, thread = transport.seen[0]
    assert who == "somebody"
    assert thread == "actae-client"


def test_each_thread_has_a_loop_that_ends_with_it() -> None:
    """Threads that come and go leave no threads behind."""
    transport = Noting()
    client = ActaeClient(api_key="sk-x", endpoint="http://localhost:8002", transport=transport)
    loops: list[threading.Thread] = []

    def ask() -> None:
        before = set(threading.enumerate())
        client.get_cursor_sync("run-7")
        loops.extend(set(threading.enumerate()) - before)

    for _ in range(3):
        asker = threading.Thread(target=ask)
        asker.start()
        asker.join()
    gc.collect()
    for loop in loops:
        loop.join(timeout=30)
        assert not loop.is_alive()
    assert len(transport.seen) == 3


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("kind", ["blocking", "background loop"])
def test_a_client_survives_a_fork(scripted: ScriptedServer, kind: str) -> None:
    """The child opens connections of its own and leaves the parent's alone."""
    scripted.answers({"latest_cursor": 3})
    if kind == "blocking":
        blocking = SyncActaeClient(api_key="sk-test", endpoint=scripted.url)
        ask, close = blocking.get_cursor, blocking.disconnect
    else:
        client = client_for(scripted)
        ask, close = client.get_cursor_sync, client.disconnect_sync
    assert ask("run-7") == 3
    child = multiprocessing.get_context("fork").Process(target=_expect, args=(ask, 3))
    child.start()
    child.join(timeout=60)
    assert child.exitcode == 0
    assert ask("run-7") == 3
    close()


def _expect(ask: Callable[[str], int | None], cursor: int) -> None:
    assert ask("run-7") == cursor
