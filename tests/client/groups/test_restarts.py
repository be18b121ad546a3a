"""Whoever waits is killed, or the server is: the message comes all the same, once."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from actae_client import ActaeClient
from tests.support.server import RunningServer
from tests.support.waiting import until

WAITER = Path(__file__).parent / "support" / "waiter.py"


async def test_a_wait_outlives_the_server(start_server: Callable[..., RunningServer], channel: str) -> None:
    """Killed while somebody waits, and started again on the same address."""
    server = start_server()
    port = int(server.url.rpartition(":")[2])
    async with ActaeClient(api_key=server.api_key, endpoint=server.url) as actae:
        await actae.create_execution_group(channel)
        for name in ("ada", "bob"):
            await actae.add_execution_group_member(channel, name, f"{channel}.{name}")
        group = actae.group(channel)
        first = await group.member("ada").send("bob", "task", 1)
        waiting = asyncio.create_task(group.wait_for("bob", "task", after=first.message_id))
        await asyncio.to_thread(server.kill)
        started = await asyncio.to_thread(start_server, port=port)
        assert started.url == server.url
        second = await group.member("ada").send("bob", "task", 2)
        assert await asyncio.wait_for(waiting, 60) == second


def test_a_waiter_that_is_killed_goes_on_where_it_was(server: RunningServer, channel: str) -> None:
    """Its position is a message id, which it keeps in the state of its channel; each task is done once."""
    post = server.post
    post("/execution-groups", {"group_id": channel, "metadata": {}})
    for name in ("ada", "bob"):
        post(f"/execution-groups/{channel}/members", {"member_id": name, "channel_id": f"{channel}.{name}"})

    def send(number: int) -> None:
        body = {"from_member_id": "ada", "to_member_id": "bob", "type": "task", "payload": number}
        assert post(f"/execution-groups/{channel}/messages", body).status == 200

    def done() -> list[int]:
        replies = server.get(f"/execution-groups/{channel}/members/ada/messages").body["messages"]
        return [each["payload"] for each in replies]

    command = [sys.executable, str(WAITER), server.url, server.api_key, channel]
    for number in range(1, 7, 2):
        send(number)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as waiter:
            assert waiter.stdout is not None
            try:
                until(lambda expected=number: len(done()) >= expected)
                send(number + 1)
                until(lambda expected=number: len(done()) >= expected + 1)
            finally:
                waiter.kill()
    assert done() == [1, 2, 3, 4, 5, 6]
    mail = server.get(f"/execution-groups/{channel}/members/bob/messages").body["messages"]
    assert [each["payload"] for each in mail] == [1, 2, 3, 4, 5, 6]
