"""A fork that is made again: after a crash, by another process, with other wishes."""

import logging
from typing import Any

import pytest

from actae_client import ActaeClient, AgentSession, SessionCompletedError, SessionError


async def run(actae: ActaeClient, channel: str) -> AgentSession:
    """Three steps, each with its snapshot."""
    done: list[int] = []
    async with AgentSession(actae, channel, state_fn=lambda: {"done": done}) as session:
        for number in range(1, 4):
            done.append(number)
            await session.step("work", input=number)
    return session


async def the_same_program(actae: ActaeClient, channel: str, *, until: int, dies: bool) -> Any:
    """Forks after step 2, under one name, and goes on until a step; the state it ends with."""
    state: Any = None
    session = await AgentSession.resume(
        actae, channel, fork_at_step=2, name=f"{channel}.b", state_fn=lambda: state
    )
    state = session.inherited_state
    await session.__aenter__()
    while session.step_count < until:
        state["done"].append(session.step_count + 1)
        await session.step("more", input="x" * 300, output=session.step_count)
    if not dies:
        await session.__aexit__(None, None, None)
    return state


async def test_a_child_that_has_gone_on_goes_on(actae: ActaeClient, channel: str) -> None:
    """The same program, again and again, until it gets through: each step is in the state once."""
    await run(actae, channel)
    assert await the_same_program(actae, channel, until=4, dies=True) == {"done": [1, 2, 3, 4]}
    assert await the_same_program(actae, channel, until=5, dies=True) == {"done": [1, 2, 3, 4, 5]}
    assert await the_same_program(actae, channel, until=6, dies=False) == {"done": [1, 2, 3, 4, 5, 6]}
    recorded = [
        event.payload["step_number"] for event in await actae.replay(f"{channel}.b", event_type="more")
    ]
    assert recorded == [3, 4, 5, 6]


async def test_a_fork_made_again_says_so(actae: ActaeClient, channel: str) -> None:
    """At the boundary while it has no step of its own, and like a resumed session afterwards."""
    parent = await run(actae, channel)
    child = await parent.fork(2, f"{channel}.b", state_fn=lambda: {"own": 3})
    for again in (await parent.fork(2, f"{channel}.b"), await parent.fork(2, f"{channel}.b")):
        assert (again.status, again.step_count, again.inherited_state) == ("created", 2, {"done": [1, 2]})
        assert again.inherited_state_step == 2
    await child.__aenter__()
    await child.step("more")
    later = await parent.fork(2, f"{channel}.b")
    assert (later.status, later.step_count, later.inherited_state) == ("started", 3, {"own": 3})
    assert (later.inherited_state_step, later.inherited_state_cursor) == (3, child.cursors[2])
    assert later.fork_receipt is not None
    assert later.fork_receipt.replayed
    assert len(await actae.list_forks(channel)) == 1


async def test_a_child_that_came_to_its_end_is_not_begun_anew(actae: ActaeClient, channel: str) -> None:
    """As when it is resumed; what was promoted stays so."""
    parent = await run(actae, channel)
    async with await parent.fork(2, f"{channel}.b") as child:
        await child.step("more")
    await child.promote()
    with pytest.raises(SessionCompletedError) as refused:
        await parent.fork(2, f"{channel}.b")
    assert refused.value.code == "session_completed"
    assert refused.value.hint is not None
    with pytest.raises(SessionCompletedError):
        await AgentSession.resume(actae, channel, fork_at_step=2, name=f"{channel}.b")
    metadata = await actae.get_channel_metadata(f"{channel}.b")
    assert metadata is not None
    assert metadata.outcome == "promoted"


async def test_a_child_keeps_what_it_was_made_with(
    actae: ActaeClient, channel: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Other wishes change nothing, before its first step or after it, and are not passed over in silence."""
    parent = await run(actae, channel)

    async def again(wish: str) -> AgentSession:
        return await parent.fork(
            2,
            f"{channel}.b",
            intervention={"prompt": wish},
            manifest={"model": wish},
            params={"temperature": wish},
        )

    child = await again("A")
    before = await actae.get_channel_metadata(child.channel_id)
    with caplog.at_level(logging.WARNING, "actae_client.session"):
        other = await again("B")
        assert "other params and intervention and manifest" in caplog.text
    assert await actae.get_channel_metadata(child.channel_id) == before
    await child.__aenter__()
    await child.step("more")
    for made in (other, await again("B")):
        assert (made.intervention, made.params) == ({"prompt": "A"}, {"temperature": "A"})
        assert made.fork_receipt is not None
        assert made.fork_receipt.manifest is not None
        assert made.fork_receipt.manifest["model"] == "A"
    await other.__aenter__()
    after = await actae.get_channel_metadata(child.channel_id)
    assert after is not None
    assert after.experiment_metadata is not None
    assert after.experiment_metadata["intervention"] == {"prompt": "A"}
    assert after.experiment_metadata["params"] == {"temperature": "A"}


async def test_with_a_fence_nobody_begins_at_a_step_that_others_have_left_behind(
    actae: ActaeClient, channel: str
) -> None:
    """Whoever enters only when the lease is free again does not run the others' steps anew."""
    await run(actae, channel)

    async def made_by(owner: str) -> AgentSession:
        return await AgentSession.resume(
            actae, channel, fork_at_step=2, name=f"{channel}.b", fence_owner=owner
        )

    quick, slow, late = await made_by("quick"), await made_by("slow"), await made_by("late")
    await quick.__aenter__()
    await quick.step("more")
    await quick.__aexit__(RuntimeError, RuntimeError("stopped"), None)
    with pytest.raises(SessionError, match="brought it to step 3"):
        await slow.__aenter__()
    async with await made_by("slow") as resumed:
        assert resumed.step_count == 3
    with pytest.raises(SessionCompletedError):
        await late.__aenter__()
    recorded = [event.event_type for event in await actae.replay(f"{channel}.b")]
    assert recorded.count("more") == 1
