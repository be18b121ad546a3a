"""Requests for events of a consumer group that wait until there are some."""

import json
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.support.consuming import GroupCalls, record_many
from tests.support.keys import make_key
from tests.support.postgres import Clock
from tests.support.server import Reply, RunningServer
from tests.support.waiting import until

Ask = Callable[[GroupCalls], "Future[Reply]"]


@pytest.fixture
def server(start_server: Callable[..., RunningServer]) -> RunningServer:
    """One that nobody else waits at, so that who waits can be counted."""
    return start_server()


@pytest.fixture
def group(server: RunningServer, channel: str) -> GroupCalls:
    """A group without events, and two consumers."""
    group = GroupCalls(server, channel)
    group.create()
    group.join("a", "b")
    return group


@pytest.fixture
def ask() -> Iterator[Ask]:
    """Asks for work beside the test, and returns when that request waits."""
    with ThreadPoolExecutor() as pool:

        def ask(group: GroupCalls) -> "Future[Reply]":
            before = waiting(group.server)
            asked = pool.submit(group.call, "work", "a", wait_seconds=20)
            until(lambda: waiting(group.server) == before + 1)
            return asked

        yield ask


def waiting(server: RunningServer) -> int:
    """Consumers who wait at a server."""
    lines = server.request("GET", "/metrics", api_key=None).body.decode().splitlines()
    [line] = [line for line in lines if line.startswith("actae_waiting_consumers ")]
    return int(float(line.split()[1]))


def cursors(reply: Reply) -> list[int]:
    """The events that were handed out."""
    assert reply.status == 200, reply.body
    return [event["cursor"] for event in reply.body["events"]]


def test_what_comes_is_handed_out_at_once(group: GroupCalls, ask: Ask) -> None:
    """To one of those who wait; nobody waits who gets something at once."""
    asked = ask(group)
    record_many(group.server, group.channel_id, 1)
    assert cursors(asked.result()) == [1]
    assert cursors(group.call("work", "a", wait_seconds=20)) == [1]
    assert waiting(group.server) == 0


def test_what_another_server_records_is_handed_out(
    group: GroupCalls, ask: Ask, start_server: Callable[..., RunningServer]
) -> None:
    """The waiting is at one process, the writing at another."""
    asked = ask(group)
    record_many(start_server(), group.channel_id, 1)
    assert cursors(asked.result()) == [1]


def test_the_waiting_ends(group: GroupCalls) -> None:
    """Without events, and without an error."""
    assert cursors(group.call("work", "a", wait_seconds=0.2)) == []
    assert cursors(group.call("work", "a", limit=0, wait_seconds=20)) == []
    assert waiting(group.server) == 0


def test_who_has_gone_is_handed_nothing(group: GroupCalls) -> None:
    """So another one gets it, and need not wait for a lease to end."""
    server = group.server
    body = json.dumps({"consumer_id": "a", "wait_seconds": 20}).encode()
    host, port = server.url.removeprefix("http://").split(":")
    head = (
        f"POST /api/v1/groups/{group.id}/work HTTP/1.1\r\nHost: {host}\r\nX-API-Key: {server.api_key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(head.encode() + body)
        until(lambda: waiting(server) == 1)
    until(lambda: waiting(server) == 0)
    record_many(server, group.channel_id, 1)
    assert group.work("b") == [1]


def test_who_loses_the_right_is_handed_nothing(group: GroupCalls, ask: Ask) -> None:
    """What comes later is not for a key that was revoked."""
    here = (group.channel_id,)
    key = make_key(group.server, read=here, write=here)
    asked = ask(GroupCalls(group.server, group.channel_id, group.id, api_key=key))
    keys = group.server.get("/keys").body["keys"]
    [key_id] = [each["key_id"] for each in keys if each["permissions"]["read"] == list(here)]
    assert group.server.request("DELETE", f"/api/v1/keys/{key_id}").status == 200
    record_many(group.server, group.channel_id, 1)
    assert (asked.result().status, asked.result().body["status"]) == (401, "unauthorized")
    assert group.work("b") == [1]


def test_a_lease_that_ends_meanwhile_is_told(group: GroupCalls, ask: Ask, clock: Clock) -> None:
    """When something comes; waiting keeps no lease alive."""
    asked = ask(group)
    clock.advance(61)
    record_many(group.server, group.channel_id, 1)
    refused = asked.result()
    assert (refused.status, refused.body["status"]) == (409, "consumer_not_found")


def test_a_wait_that_outlasts_its_lease_says_so(group: GroupCalls) -> None:
    """Nothing came, and what comes later would not be handed to it."""
    group.join("a", lease_seconds=1)
    refused = group.call("work", "a", wait_seconds=2.5)
    assert (refused.status, refused.body["status"]) == (409, "consumer_not_found")


def test_a_server_that_leaves_answers(group: GroupCalls, ask: Ask) -> None:
    """As if the time were over."""
    asked = ask(group)
    group.server.stop()
    assert cursors(asked.result()) == []


@pytest.mark.parametrize("seconds", [-1, 20.5, "1", None, True])
def test_a_wait_has_bounds(group: GroupCalls, seconds: object) -> None:
    """And the field is named."""
    refused = group.call("work", "a", wait_seconds=seconds)
    assert (refused.status, refused.body["field"]) == (400, "wait_seconds")
