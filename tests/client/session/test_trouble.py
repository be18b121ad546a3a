"""What a session makes of errors, on its way and around it."""

import asyncio
import logging
from typing import Any

import pytest

from actae_client import (
    ActaeClient,
    ActaeConnectionError,
    AgentSession,
    APIError,
    RateLimitError,
    SyncActaeClient,
    SyncAgentSession,
    VersionConflictError,
)
from actae_client._transient import pause_after
from actae_client.errors import InvalidReplyError, ServerError
from tests.client.session.support.plain_transport import PlainTransport
from tests.support.server import RunningServer


class LosesReplies(PlainTransport):
    """Every call arrives, but replies to writes are lost, one of each kind."""

    def __init__(self, actae: ActaeClient) -> None:
        super().__init__(actae)
        self.to_lose = {"record", "save_state", "update_metadata", "fork"}

    async def _ask(self, method: str, *args: Any, **options: Any) -> Any:
        answer = await super()._ask(method, *args, **options)
        if method in self.to_lose:
            self.to_lose.remove(method)
            raise ActaeConnectionError("cut off")
        return answer


class Refuses(PlainTransport):
    """Some calls fail for good."""

    def __init__(self, actae: ActaeClient, *methods: str) -> None:
        super().__init__(actae)
        self.refused = {*methods}

    async def _ask(self, method: str, *args: Any, **options: Any) -> Any:
        refused = {method, args[1]} if method == "record" else {method}
        if self.refused & refused:
            raise APIError(400, "refused")
        return await super()._ask(method, *args, **options)


async def types(actae: ActaeClient, channel: str) -> list[str]:
    """The types of a channel's events."""
    return [event.event_type for event in await actae.replay(channel)]


async def test_lost_replies_double_nothing(actae: ActaeClient, channel: str) -> None:
    """The calls are made again, and are the same events."""
    transport = LosesReplies(actae)
    async with AgentSession(transport, channel, state_fn=lambda: {"n": 1}) as session:
        transport.to_lose |= {"record"}
        await session.step("work", input=1)
        transport.to_lose |= {"record"}
    child = await session.fork(1, f"{channel}.b")
    assert child.inherited_state == {"n": 1}
    assert await types(actae, channel) == ["session.started", "work", "session.completed"]
    assert len(await actae.list_forks(channel)) == 1
    assert not transport.to_lose


@pytest.mark.parametrize(
    ("error", "pause"),
    [
        (ActaeConnectionError("cut off"), 1.0),
        (TimeoutError(), 1.0),
        (ServerError(503, "later"), 1.0),
        (APIError(500, "broken"), 1.0),
        (RateLimitError(0.2), 1.0),
        (RateLimitError(7), 7),
        (RateLimitError(60), None),
        (APIError(400, "no"), None),
        (VersionConflictError("no"), None),
        (ZeroDivisionError(), None),
    ],
)
def test_what_passes_by_itself_is_waited_for(error: Exception, pause: float | None) -> None:
    """At least as long as the server says, but not for ever."""
    assert pause_after(error, 1.0) == pause


def test_what_will_not_pass_is_not_waited_for() -> None:
    """The server, or the client, knows that the same would come again."""
    error = InvalidReplyError("not Actae")
    error.retryable = False
    assert pause_after(error, 1.0) is None


async def test_a_step_is_recorded_although_its_description_fails(
    actae: ActaeClient, channel: str, caplog: pytest.LogCaptureFixture
) -> None:
    """And the description is tried again after the next one."""
    transport = Refuses(actae)
    async with AgentSession(transport, channel) as session:
        transport.refused = {"update_metadata"}
        with caplog.at_level(logging.WARNING, "actae_client.session"):
            assert (await session.step("work")).cursor == 2
        assert "was not updated" in caplog.text
        transport.refused = set()
        await session.step("work", input=2)
        metadata = await actae.get_channel_metadata(channel)
        assert metadata is not None
        assert metadata.experiment_metadata is not None
        assert metadata.experiment_metadata["step_count"] == 2


async def test_a_session_completes_although_its_end_cannot_be_recorded(
    actae: ActaeClient, channel: str
) -> None:
    """The event is for readers; the metadata says that the session is over."""
    async with AgentSession(Refuses(actae, "session.completed"), channel) as session:
        await session.step("work")
    assert session.status == "completed"
    metadata = await actae.get_channel_metadata(channel)
    assert metadata is not None
    assert metadata.experiment_metadata is not None
    assert metadata.experiment_metadata["status"] == "completed"
    assert await types(actae, channel) == ["session.started", "work"]


async def test_a_crash_that_cannot_be_recorded_is_still_raised(actae: ActaeClient, channel: str) -> None:
    """The error of the application comes first."""
    transport = Refuses(actae)

    async def work() -> None:
        async with AgentSession(transport, channel):
            transport.refused = {"update_metadata"}
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await work()


async def test_an_entry_that_failed_can_be_made_again(actae: ActaeClient, channel: str) -> None:
    """With one start, and without a fence in its own way."""
    refuses = Refuses(actae, "update_metadata")
    refuses.claim_execution = actae.claim_execution  # type: ignore[attr-defined]
    refuses.heartbeat_execution = actae.heartbeat_execution  # type: ignore[attr-defined]
    refuses.cancel_execution = actae.cancel_execution  # type: ignore[attr-defined]
    session = AgentSession(refuses, channel, fence_owner="a")
    with pytest.raises(APIError, match="refused"):
        await session.__aenter__()
    assert session.status == "created"
    refuses.refused = set()
    async with session:
        await session.step("work")
    assert await types(actae, channel) == ["session.started", "work", "session.completed"]


async def test_a_cancelled_session_has_crashed(actae: ActaeClient, channel: str) -> None:
    """The cancellation goes on to whoever awaits the task."""
    session = AgentSession(actae, channel, fence_owner="a")
    entered = asyncio.Event()

    async def work() -> None:
        async with session:
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    metadata = await actae.get_channel_metadata(channel)
    assert metadata is not None
    assert metadata.experiment_metadata is not None
    assert metadata.experiment_metadata["crash_reason"].startswith("CancelledError")
    async with await AgentSession.resume(actae, channel, fence_owner="b"):
        pass


class ClaimsSlowly(PlainTransport):
    """A claim arrives at once; its answer comes when it is let go."""

    def __init__(self, actae: ActaeClient) -> None:
        super().__init__(actae)
        self.claimed = asyncio.Event()
        self.let_go = asyncio.Event()
        self.heartbeat_execution = actae.heartbeat_execution
        self.cancel_execution = actae.cancel_execution

    async def claim_execution(self, *args: Any, **options: Any) -> Any:
        """Claim, and wait."""
        claim = await self._actae.claim_execution(*args, **options)
        self.claimed.set()
        await self.let_go.wait()
        return claim


async def test_a_session_that_is_cancelled_at_its_entry_locks_nobody_out(
    actae: ActaeClient, channel: str
) -> None:
    """The channel that was claimed for it is given back."""
    slow = ClaimsSlowly(actae)
    entering = asyncio.create_task(AgentSession(slow, channel, fence_owner="a").__aenter__())
    await slow.claimed.wait()
    entering.cancel()
    await asyncio.sleep(0)
    slow.let_go.set()
    with pytest.raises(asyncio.CancelledError):
        await entering
    async with AgentSession(actae, channel, fence_owner="b") as session:
        await session.step("work")
    assert await types(actae, channel) == ["session.started", "work", "session.completed"]


async def test_steps_that_are_called_at_once_follow_each_other(actae: ActaeClient, channel: str) -> None:
    """In the order of their calls, with the arguments that they had then."""
    shared = {"n": 0}
    async with AgentSession(actae, channel) as session:
        calls = []
        for number in range(5):
            shared["n"] = number
            calls.append(session.step("work", input=shared))
        shared["n"] = 99
        events = await asyncio.gather(*calls)
    assert [event.payload["step_number"] for event in events] == [1, 2, 3, 4, 5]
    assert [event.payload["input"] for event in events] == [{"n": number} for number in range(5)]


async def test_the_state_may_come_from_a_coroutine(actae: ActaeClient, channel: str) -> None:
    """It is awaited before it is saved."""

    async def state() -> dict[str, int]:
        await asyncio.sleep(0)
        return {"n": 1}

    async with AgentSession(actae, channel, state_fn=state) as session:
        await session.step("work")
    assert await actae.latest_state(channel) == {"cursor": 2, "state": {"n": 1}}


def test_a_blocking_session_cannot_await_the_state(
    server: RunningServer, channel: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The step is recorded; the log says what was wrong with the function."""

    async def state() -> None:
        """Never run."""

    with SyncActaeClient(api_key=server.api_key, endpoint=server.url) as actae:
        with SyncAgentSession(actae, channel, state_fn=state) as session:
            session.step("work")
        assert actae.latest_step_number(channel) == 1
    assert "cannot await" in caplog.text
