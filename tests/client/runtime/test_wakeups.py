"""A run has timers of its own."""

from typing import Any

from actae_client.client import ActaeClient, SyncActaeClient
from actae_client.runtime.run_context import ActaeRunContext
from tests.support.server import RunningServer

AHEAD = "2999-01-01T00:00:00Z"


async def test_a_run_schedules_a_wakeup_on_its_channel(client: ActaeClient, channel: str) -> None:
    """With a payload, and once if it is named."""
    context = ActaeRunContext(client, channel, "etl", "run-1")
    made = await context.schedule_wakeup(AHEAD, payload={"n": 1}, operation_id="remind")
    assert (made.channel_id, made.payload) == (channel, {"n": 1})
    assert await context.schedule_wakeup(AHEAD, payload={"n": 1}, operation_id="remind") == made
    assert await client.list_wakeups(channel_id=channel) == [made]


async def test_the_client_may_be_of_either_kind(server: RunningServer, channel: str) -> None:
    """A blocking one does not block the loop."""
    with SyncActaeClient(api_key=server.api_key, endpoint=server.url) as blocking:
        made = await ActaeRunContext(blocking, channel, "etl", "run-1").schedule_wakeup(AHEAD)
    assert made.status == "pending"


async def test_a_client_that_knows_no_operation_ids_will_do(channel: str) -> None:
    """It gets none, unless one is named."""

    class Another:
        def schedule_wakeup(self, channel_id: str, run_at: Any, *, payload: Any = None) -> tuple[Any, ...]:
            return channel_id, run_at, payload

    context = ActaeRunContext(Another(), channel, "etl", "run-1")
    assert await context.schedule_wakeup(AHEAD, payload={"n": 1}) == (channel, AHEAD, {"n": 1})
