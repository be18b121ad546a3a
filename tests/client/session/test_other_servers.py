"""Servers that know less: no index of steps, no wish for a fork without state, no ledger."""

from typing import Any

import pytest

from actae_client import ActaeClient, AgentSession, ChannelConflictError, SessionError
from tests.client.session.support.plain_transport import PlainTransport


@pytest.fixture
def plain(actae: ActaeClient) -> PlainTransport:
    """A transport with the methods that every session needs, and no more."""
    return PlainTransport(actae)


async def run(transport: Any, channel: str, steps: int, **settings: Any) -> AgentSession:
    """A run of so many steps, each with its snapshot."""
    state = {"at": 0}
    async with AgentSession(transport, channel, state_fn=lambda: dict(state), **settings) as session:
        for number in range(1, steps + 1):
            state["at"] = number
            await session.step("work", input=number)
    return session


async def go_on_once(session: AgentSession) -> None:
    """One step more, and the end."""
    async with session:
        await session.step("more")


async def test_a_session_remembers_where_its_steps_are(plain: PlainTransport, channel: str) -> None:
    """Nothing but its own list is needed to fork it."""
    parent = await run(plain, channel, 3)
    plain.asked.clear()
    child = await parent.fork(2, f"{channel}.b")
    assert child.inherited_state == {"at": 2}
    assert plain.asked == ["resolve_step", "fork", "latest_state"]


async def test_another_process_finds_them_in_the_metadata(plain: PlainTransport, channel: str) -> None:
    """As far as the cursors go there."""
    await run(plain, channel, 3)
    child = await AgentSession.resume(plain, channel, fork_at_step=2, name=f"{channel}.b")
    assert child.inherited_state == {"at": 2}
    assert "replay" not in plain.asked[-5:]


async def test_a_log_without_metadata_is_searched(
    plain: PlainTransport, actae: ActaeClient, channel: str
) -> None:
    """By the numbers of the steps; what tools and people recorded in between does not count."""
    await run(plain, channel, 2)
    await actae.claim_execution(channel, "k", "tool", {})
    await run(plain, channel, 4)
    await actae.update_metadata(channel, experiment_metadata={})
    child = await AgentSession.resume(plain, channel, fork_at_step=4, name=f"{channel}.b")
    assert (child.step_count, child.inherited_state) == (4, {"at": 4})
    with pytest.raises(SessionError, match="no step 5; its last one is 4"):
        await AgentSession.resume(plain, channel, fork_at_step=5, name=f"{channel}.c")
    resumed = await AgentSession.resume(plain, channel)
    assert (resumed.step_count, resumed.cursors) == (4, [2, 3, 7, 8])


async def test_an_inherited_step_is_found_above(
    plain: PlainTransport, actae: ActaeClient, channel: str
) -> None:
    """Level by level, by what each fork says about where it was forked."""
    root = await run(plain, channel, 3)
    child = await root.fork(2, f"{channel}.b", state_fn=lambda: {"at": "child"})
    async with child:
        await child.step("more")
    grandchild = await child.fork(3, f"{channel}.c")
    for at_step, owner in ((1, channel), (3, child.channel_id)):
        name = f"{channel}.{at_step}"
        forked = await AgentSession.resume(plain, grandchild.channel_id, fork_at_step=at_step, name=name)
        assert forked.fork_receipt is not None
        assert forked.fork_receipt.source_channel_id == owner
    await actae.update_metadata(child.channel_id, experiment_metadata={"forked_at_step": 2})
    forked = await AgentSession.resume(plain, child.channel_id, fork_at_step=3, name=f"{channel}.d")
    assert forked.inherited_state == {"at": "child"}


async def test_a_channel_whose_events_are_its_steps(
    plain: PlainTransport, actae: ActaeClient, channel: str
) -> None:
    """Where no event says its number, they are counted."""
    for number in (1, 2, 3):
        await actae.transition(channel, "note", number, {"at": number})
    child = await AgentSession.resume(plain, channel, fork_at_step=2, name=f"{channel}.b")
    assert child.inherited_state == {"at": 2}
    await actae.save_state(f"{channel}.empty", 0, {})
    with pytest.raises(SessionError, match="no events"):
        await AgentSession.resume(plain, f"{channel}.empty", fork_at_step=1, name=f"{channel}.c")


async def test_a_state_that_was_copied_unasked_is_covered(
    plain: PlainTransport, actae: ActaeClient, channel: str
) -> None:
    """The latest state of a fork of the lineage alone is empty, on any server."""
    parent = await run(plain, channel, 3)
    child = await parent.fork(2, f"{channel}.b", boundary_mode="lineage_only")
    assert child.fork_receipt is not None
    assert child.fork_receipt.restorable
    assert (child.inherited_state, child.boundary_restorable) == (None, False)
    latest = await actae.latest_state(child.channel_id)
    assert latest is not None
    assert latest["state"] is None
    assert (await AgentSession.resume(plain, child.channel_id)).inherited_state is None
    async with child:
        await child.step("more")
        grandchild = await child.fork(3, f"{channel}.c")
    assert grandchild.inherited_state is None


async def test_whoever_finds_it_uncovered_covers_it(
    plain: PlainTransport, actae: ActaeClient, channel: str
) -> None:
    """The process that made it may have been killed in between."""
    parent = await run(plain, channel, 3)
    plain.is_cut_off_after = "fork"
    with pytest.raises(ConnectionResetError):
        await parent.fork(2, f"{channel}.b", boundary_mode="lineage_only")
    plain.is_cut_off_after = None
    assert await actae.latest_state(f"{channel}.b") == {"cursor": 1, "state": {"at": 2}}
    assert (await AgentSession.resume(plain, f"{channel}.b")).inherited_state is None
    assert await actae.latest_state(f"{channel}.b") == {"cursor": 1, "state": None}


async def test_a_fork_that_went_on_is_made_again(plain: PlainTransport, channel: str) -> None:
    """It goes on where it is, which its log tells."""
    parent = await run(plain, channel, 3)
    child = await parent.fork(2, f"{channel}.b", state_fn=lambda: {"at": "later"})
    await child.__aenter__()
    await child.step("more")
    again = await parent.fork(2, f"{channel}.b")
    assert (again.status, again.step_count, again.inherited_state) == ("started", 3, {"at": "later"})
    assert (again.inherited_state_step, again.inherited_state_cursor) == (3, child.cursors[2])


async def test_features_of_the_ledger_need_its_methods(plain: PlainTransport, channel: str) -> None:
    """What is missing is named, before anything is recorded."""
    with pytest.raises(SessionError, match="claim_execution"):
        await AgentSession(plain, channel, fence_owner="a").__aenter__()
    session = AgentSession(plain, channel)
    with pytest.raises(SessionError, match="set_outcome"):
        await session.set_outcome("promoted")
    assert await plain.get_channel_metadata(channel) is None


async def test_a_log_out_of_order_is_no_place_to_search(channel: str, actae: ActaeClient) -> None:
    """Whatever serves it would be read for ever."""

    class Stuck(PlainTransport):
        async def replay(self, channel_id: str, **_options: Any) -> Any:
            return await super().replay(channel_id, cursor=0)

    await actae.record(channel, "note", 1, actor="a")
    with pytest.raises(SessionError, match="out of order"):
        await AgentSession.resume(Stuck(actae), channel, fork_at_step=9, name=f"{channel}.b")


async def test_a_lineage_without_end_is_not_followed(channel: str, actae: ActaeClient) -> None:
    """Ten forks up, the search is given up."""
    await actae.record(f"{channel}.0", "note", None, actor="a")
    for depth in range(1, 12):
        above, name = f"{channel}.{depth - 1}", f"{channel}.{depth}"
        await actae.fork(above, name, experiment_metadata={"forked_at_step": 1})
    with pytest.raises(SessionError, match="more than 10 forks"):
        await AgentSession.resume(PlainTransport(actae), f"{channel}.11", fork_at_step=1, name=f"{channel}.x")


async def test_a_later_state_that_was_copied_is_covered_too(
    plain: PlainTransport, actae: ActaeClient, channel: str
) -> None:
    """Without a snapshot at the step, such a server copies the latest one."""
    parent = await run(plain, channel, 3, snapshot_interval=3)
    child = await parent.fork(1, f"{channel}.b", boundary_mode="lineage_only")
    assert (child.step_count, child.inherited_state) == (1, None)
    assert child.resolved_boundary_cursor == parent.cursors[2]
    latest = await actae.latest_state(child.channel_id)
    assert latest is not None
    assert latest["state"] is None
    again = await parent.fork(1, f"{channel}.b", boundary_mode="lineage_only")
    assert again.inherited_state is None


async def test_a_child_that_another_fork_made_is_not_covered(
    plain: PlainTransport, actae: ActaeClient, channel: str
) -> None:
    """The name is refused before anything is written to it."""
    parent = await run(plain, channel, 3)
    await parent.fork(2, f"{channel}.b")
    with pytest.raises(ChannelConflictError):
        await parent.fork(2, f"{channel}.b", boundary_mode="lineage_only")
    assert await actae.latest_state(f"{channel}.b") == {"cursor": 1, "state": {"at": 2}}


async def test_an_approximate_fork_covers_a_later_state(
    plain: PlainTransport, actae: ActaeClient, channel: str
) -> None:
    """It says that it has none, and no fork of it finds any."""
    parent = await run(plain, channel, 3, snapshot_interval=3)
    child = await parent.fork(1, f"{channel}.b", boundary_mode="approximate")
    assert child.requested_boundary_cursor == parent.cursors[0]
    assert child.resolved_boundary_cursor == parent.cursors[2]
    assert (child.inherited_state, child.boundary_restorable) == (None, False)
    assert child.reproducibility == "execution_replayable"
    latest = await actae.latest_state(child.channel_id)
    assert latest is not None
    assert latest["state"] is None
    again = await parent.fork(1, f"{channel}.b", boundary_mode="approximate")
    assert (again.status, again.inherited_state) == ("created", None)
    await go_on_once(again)
    assert (await again.fork(2, f"{channel}.c")).inherited_state is None


async def test_a_question_with_a_deadline_needs_timers(plain: PlainTransport, channel: str) -> None:
    """Without them it is not asked."""
    async with AgentSession(plain, channel) as session:
        with pytest.raises(SessionError, match="schedule_wakeup"):
            await session.require_approval("Refund?", timeout_seconds=5)
        assert await plain.replay(channel, event_type="approval.requested") == []
