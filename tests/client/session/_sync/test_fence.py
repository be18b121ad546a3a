# Written by tools/generate_sync.py from _async/test_fence.py. Do not edit.
"""One session at a time on a channel."""

import pytest

from actae_client import SessionError, SessionLockedError, SyncActaeClient, SyncAgentSession
from actae_client.session import SESSION_FENCE_KEY
from tests.support.postgres import Clock


def types(actae: SyncActaeClient, channel: str) -> list[str]:
    """The types of a channel's events."""
    return [event.event_type for event in actae.replay(channel)]


def test_a_channel_is_held_by_one_session(actae: SyncActaeClient, channel: str) -> None:
    """Another one is refused before it records anything, and let in when the first is done."""
    second = SyncAgentSession(actae, channel, fence_owner="b")
    with SyncAgentSession(actae, channel, fence_owner="a") as first:
        first.step("think")
        with pytest.raises(SessionLockedError, match="'b' has to wait"):
            second.__enter__()
        first.step("think", output=2)
    with second:
        second.step("think", output=3)
    assert types(actae, channel) == [
        "session.started", "think", "think", "session.completed",
        "session.started", "think", "session.completed",
    ]  # fmt: skip


def test_a_lease_that_lapsed_can_be_taken_over(
    actae: SyncActaeClient, channel: str, server_clock: Clock
) -> None:
    """The session that lost it records nothing more, and leaves the other one's description alone."""
    lost = SyncAgentSession(actae, channel, fence_owner="a")
    lost.__enter__()
    lost.step("think")
    server_clock.advance(100)
    taken = SyncAgentSession.resume(actae, channel, fence_owner="b")
    taken.__enter__()
    taken.step("think", output="b")
    with pytest.raises(SessionLockedError, match="taken over") as caught:
        lost.step("think", output="a")
    lost.__exit__(SessionLockedError, caught.value, None)
    assert lost.status == "crashed"
    metadata = actae.get_channel_metadata(channel)
    assert metadata is not None
    assert metadata.experiment_metadata is not None
    assert (metadata.experiment_metadata["status"], metadata.outcome) == ("stepping", None)
    taken.step("think", output="b again")
    taken.__exit__(None, None, None)
    assert types(actae, channel) == ["session.started", "think", "think", "think", "session.completed"]


def test_a_session_that_lost_its_channel_does_not_complete(
    actae: SyncActaeClient, channel: str, server_clock: Clock
) -> None:
    """Even if it notices only at its end."""
    lost = SyncAgentSession(actae, channel, fence_owner="a")
    lost.__enter__()
    server_clock.advance(100)
    with SyncAgentSession.resume(actae, channel, fence_owner="b") as taken:
        with pytest.raises(SessionLockedError):
            lost.__exit__(None, None, None)
        taken.step("think")
    assert types(actae, channel) == ["session.started", "think", "session.completed"]


def test_a_lease_that_lapsed_but_was_not_taken_is_kept(
    actae: SyncActaeClient, channel: str, server_clock: Clock
) -> None:
    """A step that took longer than the lease is no reason to lose it."""
    with SyncAgentSession(actae, channel, fence_owner="a") as session:
        server_clock.advance(100)
        session.step("think")
        with pytest.raises(SessionLockedError):
            SyncAgentSession(actae, channel, fence_owner="b").__enter__()


def test_a_crash_gives_the_channel_back(actae: SyncActaeClient, channel: str) -> None:
    """Whoever resumes it need not wait for the lease."""
    session = SyncAgentSession(actae, channel, fence_owner="a").__enter__()
    session.__exit__(ValueError, ValueError("no"), None)
    with SyncAgentSession.resume(actae, channel, fence_owner="b") as resumed:
        resumed.step("think")


def test_a_fenced_session_has_to_be_entered(actae: SyncActaeClient, channel: str) -> None:
    """Otherwise it would step without holding the channel."""
    session = SyncAgentSession(actae, channel).__enter__()
    session.__exit__(ValueError, ValueError("no"), None)
    resumed = SyncAgentSession.resume(actae, channel, fence_owner="a")
    with pytest.raises(SessionError, match="async with"):
        resumed.step("think")


def test_a_fork_is_fenced_like_its_source(actae: SyncActaeClient, channel: str) -> None:
    """On its own channel, and whatever its policies forbid."""
    with SyncAgentSession(actae, channel, fence_owner="a", state_fn=lambda: {"n": 1}) as parent:
        parent.step("think")
        child = parent.fork(1, f"{channel}.b", tool_policies={"*": "block"})
        with child:
            with pytest.raises(SessionLockedError):
                SyncAgentSession(actae, child.channel_id, fence_owner="b").__enter__()
            child.step("think")
    assert types(actae, child.channel_id) == [
        "fork.started", "session.started", "think", "session.completed",
    ]  # fmt: skip


def test_the_fence_is_renewed_beside_the_session(actae: SyncActaeClient, channel: str) -> None:
    """So a step may take longer than the lease, and the server sees that its owner lives."""
    with SyncAgentSession(actae, channel, fence_owner="a", fence_lease_seconds=1) as session:
        (before,) = actae.list_executions(channel)
        assert before.key_name == SESSION_FENCE_KEY
        renewed = before
        while renewed.lease_until == before.lease_until:
            (renewed,) = actae.list_executions(channel)
        assert renewed.attempts == before.attempts
        session.step("think")


def test_a_session_that_lost_its_channel_at_the_end_has_crashed(
    actae: SyncActaeClient, channel: str, server_clock: Clock
) -> None:
    """It is over, and takes no more steps."""
    lost = SyncAgentSession(actae, channel, fence_owner="a").__enter__()
    server_clock.advance(100)
    taken = (SyncAgentSession.resume(actae, channel, fence_owner="b")).__enter__()
    with pytest.raises(SessionLockedError):
        lost.__exit__(None, None, None)
    with pytest.raises(SessionError, match="crashed"):
        lost.step("think")
    taken.__exit__(None, None, None)
