"""Every event is told, whatever has written it; what is no event is not."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

import pytest

from tests.support.crowd import crowd_at
from tests.support.forking import effect, events_of, fork, step
from tests.support.live import connected, record
from tests.support.server import RunningServer, new_channel
from tests.transport.live.conftest import Pair


def _record(server: RunningServer, channel: str) -> None:
    assert server.record(channel, "note").status == 200


def _transition(server: RunningServer, channel: str) -> None:
    moved = {"channel_id": channel, "type": "moved", "payload": 1, "state": {"at": 1}}
    assert server.post("/events/transition", {**moved, "metadata": {"actor": "test"}}).status == 200


def _complete(server: RunningServer, channel: str) -> None:
    effect(server, channel, "charge:1")


def _fail(server: RunningServer, channel: str) -> None:
    claim = server.claim(channel, "charge:1").body
    failed = {"claim_token": claim["claim_token"], "message": "no"}
    assert server.post(f"/executions/{claim['execution']['id']}/fail", failed).status == 200


def _claim_again(server: RunningServer, channel: str) -> None:
    _complete(server, channel)
    assert server.claim(channel, "charge:1", emit_replay_event=True).body["status"] == "replayed"


def _fork(server: RunningServer, channel: str) -> None:
    source = f"{channel}.source"
    step(server, source, 1)
    assert fork(server, source, channel, 1).status == 200


def _be_blocked(server: RunningServer, channel: str) -> None:
    source = f"{channel}.source"
    step(server, source, 1)
    assert fork(server, source, channel, 1, tool_policies={"*": "block"}).status == 200
    assert server.claim(channel, "charge:1").status == 409


def _promote(server: RunningServer, channel: str) -> None:
    step(server, channel, 1)
    fork(server, channel, f"{channel}.child", 1)
    step(server, f"{channel}.child", 2)
    promoted = server.post(f"/channels/{channel}.child/promote", {})
    assert promoted.status == 200, promoted


def _save_state(server: RunningServer, channel: str) -> None:
    _record(server, channel)
    assert server.post(f"/state/{channel}", {"cursor": 1, "state": {"at": 1}}).status == 200
    described = server.request("PUT", f"/api/v1/channels/{channel}/metadata", {"display_name": "x"})
    assert described.status == 200


class Case(NamedTuple):
    """What is done on a channel, and the types of the events that tell of it."""

    act: Callable[[RunningServer, str], None]
    types: list[str]


CASES = [
    Case(_record, ["note"]),
    Case(_transition, ["moved"]),
    Case(_complete, ["tool.started", "tool.completed"]),
    Case(_fail, ["tool.started", "tool.failed"]),
    Case(_claim_again, ["tool.started", "tool.completed", "tool.replayed"]),
    Case(_fork, ["fork.started"]),
    Case(_be_blocked, ["fork.started", "tool.blocked"]),
    Case(_promote, ["step", "fork.promoted"]),
    Case(_save_state, ["note"]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.act.__name__.strip("_"))
async def test_whatever_writes_an_event_readers_are_told(pair: Pair, channel: str, case: Case) -> None:
    """On the server where it happens and on the other, as the log has it."""
    async with connected(pair.left) as near, connected(pair.right) as far:
        for reader in (near, far):
            await reader.subscribe(channel)
        await asyncio.to_thread(case.act, pair.left, channel)
        log = await asyncio.to_thread(events_of, pair.left, channel)
        assert [event["type"] for event in log] == case.types
        for reader in (near, far):
            await reader.until_heard(channel, len(log))
            told = [{**event} for event in reader.heard[channel]]
            assert [event.pop("event_type") for event in told] == case.types
            assert told == log


async def test_a_channel_that_is_deleted_leaves_its_readers_alone(pair: Pair, channel: str) -> None:
    """Nothing more comes from it, what it held is told to nobody, and the other channels go on."""
    other = new_channel()
    async with (
        crowd_at(pair.left) as crowd,
        connected(pair.left) as near,
        connected(pair.right) as far,
        connected(pair.right) as late,
    ):
        await record(crowd, channel, 5)
        for reader in (near, far):
            await reader.subscribe(channel, 0)
            await reader.subscribe(other)
            await reader.until_heard(channel, 5)
        await crowd.end(channel, "deleted")

        async def is_forgotten() -> bool:
            await late.subscribe(channel, 0)
            await late.pong()
            return late.cursors(channel) == []

        while not await is_forgotten():  # the other server finds out when it polls
            pass
        await record(crowd, other)
        for reader in (near, far):
            assert await reader.until_heard(other, 1) == [1]
            assert reader.cursors(channel) == [1, 2, 3, 4, 5]
