"""One session at a time on a channel."""

import pytest

from actae_client import ActaeClient, AgentSession, SessionError, SessionLockedError
from actae_client.session import SESSION_FENCE_KEY
from tests.support.postgres import Clock


async def types(actae: ActaeClient, channel: str) -> list[str]:
    """The types of a channel's events."""
    return [event.event_type for event in await actae.replay(channel)]


async def test_a_channel_is_held_by_one_session(actae: ActaeClient, channel: str) -> None:
    """Another one is refused before it records anything, and let in when the first is done."""
    second = AgentSession(actae, channel, fence_owner="b")
    async with AgentSession(actae, channel, fence_owner="a") as first:
        await first.step("think")
        with pytest.raises(SessionLockedError, match="'b' has to wait"):
            await second.__aenter__()
        await first.step("think", output=2)
    async with second:
        await second.step("think", output=3)
    assert await types(actae, channel) == [
        "session.started", "think", "think", "session.completed",
        "session.started", "think", "session.completed",
    ]  # fmt: skip


async def test_a_lease_that_lapsed_can_be_taken_over(
    actae: ActaeClient, channel: str, server_clock: Clock
) -> None:
    """The session that lost it records nothing more, and leaves the other one's description alone."""
    lost = AgentSession(actae, channel, fence_owner="a")
    await lost.__aenter__()
    await lost.step("think")
    server_clock.advance(100)
    taken = await AgentSession.resume(actae, channel, fence_owner="b")
    await taken.__aenter__()
    await taken.step("think", output="b")
    with pytest.raises(SessionLockedError, match="taken over") as caught:
        await lost.step("think", output="a")
    await lost.__aexit__(SessionLockedError, caught.value, None)
    assert lost.status == "crashed"
    metadata = await actae.get_channel_metadata(channel)
    assert metadata is not None
    assert metadata.experiment_metadata is not None
    assert (metadata.experiment_metadata["status"], metadata.outcome) == ("stepping", None)
    await taken.step("think", output="b again")
    await taken.__aexit__(None, None, None)
    assert await types(actae, channel) == ["session.started", "think", "think", "think", "session.completed"]


async def test_a_session_that_lost_its_channel_does_not_complete(
    actae: ActaeClient, channel: str, server_clock: Clock
) -> None:
    """Even if it notices only at its end."""
    lost = AgentSession(actae, channel, fence_owner="a")
    await lost.__aenter__()
    server_clock.advance(100)
    async with await AgentSession.resume(actae, channel, fence_owner="b") as taken:
        with pytest.raises(SessionLockedError):
            await lost.__aexit__(None, None, None)
        await taken.step("think")
    assert await types(actae, channel) == ["session.started", "think", "session.completed"]


async def test_a_lease_that_lapsed_but_was_not_taken_is_kept(
    actae: ActaeClient, channel: str, server_clock: Clock
) -> None:
    """A step that took longer than the lease is no reason to lose it."""
    async with AgentSession(actae, channel, fence_owner="a") as session:
        server_clock.advance(100)
        await session.step("think")
        with pytest.raises(SessionLockedError):
            await AgentSession(actae, channel, fence_owner="b").__aenter__()


async def test_a_crash_gives_the_channel_back(actae: ActaeClient, channel: str) -> None:
    """Whoever resumes it need not wait for the lease."""
    session = await AgentSession(actae, channel, fence_owner="a").__aenter__()
    await session.__aexit__(ValueError, ValueError("no"), None)
    async with await AgentSession.resume(actae, channel, fence_owner="b") as resumed:
        await resumed.step("think")


async def test_a_fenced_session_has_to_be_entered(actae: ActaeClient, channel: str) -> None:
    """Otherwise it would step without holding the channel."""
    session = await AgentSession(actae, channel).__aenter__()
    await session.__aexit__(ValueError, ValueError("no"), None)
    resumed = await AgentSession.resume(actae, channel, fence_owner="a")
    with pytest.raises(SessionError, match="async with"):
        await resumed.step("think")


async def test_a_fork_is_fenced_like_its_source(actae: ActaeClient, channel: str) -> None:
    """On its own channel, and whatever its policies forbid."""
    async with AgentSession(actae, channel, fence_owner="a", state_fn=lambda: {"n": 1}) as parent:
        await parent.step("think")
        child = await parent.fork(1, f"{channel}.b", tool_policies={"*": "block"})
        async with child:
            with pytest.raises(SessionLockedError):
                await AgentSession(actae, child.channel_id, fence_owner="b").__aenter__()
            await child.step("think")
    assert await types(actae, child.channel_id) == [
        "fork.started", "session.started", "think", "session.completed",
    ]  # fmt: skip


async def test_the_fence_is_renewed_beside_the_session(actae: ActaeClient, channel: str) -> None:
    """So a step may take longer than the lease, and the server sees that its owner lives."""
    async with AgentSession(actae, channel, fence_owner="a", fence_lease_seconds=1) as session:
        (before,) = await actae.list_executions(channel)
        assert before.key_name == SESSION_FENCE_KEY
        renewed = before
        while renewed.lease_until == before.lease_until:
            (renewed,) = await actae.list_executions(channel)
        assert renewed.attempts == before.attempts
        await session.step("think")


async def test_a_session_that_lost_its_channel_at_the_end_has_crashed(
    actae: ActaeClient, channel: str, server_clock: Clock
) -> None:
    """It is over, and takes no more steps."""
    lost = await AgentSession(actae, channel, fence_owner="a").__aenter__()
    server_clock.advance(100)
    taken = await (await AgentSession.resume(actae, channel, fence_owner="b")).__aenter__()
    with pytest.raises(SessionLockedError):
        await lost.__aexit__(None, None, None)
    with pytest.raises(SessionError, match="crashed"):
        await lost.step("think")
    await taken.__aexit__(None, None, None)
