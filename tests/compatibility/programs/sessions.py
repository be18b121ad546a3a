"""A recorded run: its steps, a crash, the resumption on the same channel, and the fence around it."""

import asyncio

from performing import outcome, perform

from actae_client import AgentSession


async def story(client, channel):
    await outcome(crash(client, channel))
    crashed = await client.get_channel_metadata(channel)
    resumed = await resume(client, channel)
    return {
        "crashed": crashed,
        "resumed": resumed,
        "completed": await client.get_channel_metadata(channel),
        "resume_again": await outcome(AgentSession.resume(client, channel)),
        "unknown": await outcome(AgentSession.resume(client, f"{channel}.unknown")),
        "step": await client.resolve_step(channel, 3),
        "events": await client.replay(channel),
        "versions": await client.list_states(channel),
        "fence": await fence(client, f"{channel}.fenced"),
        "approval": await approve(client, f"{channel}.approval"),
    }


async def crash(client, channel):
    """Two steps, then the end."""
    steps = []
    session = AgentSession(
        client, channel, display_name="Nightly", params={"model": "m"}, state_fn=lambda: {"steps": steps}
    )
    async with session:
        for number in (1, 2):
            steps.append(number)
            await session.step("tool_call", input={"n": number}, output=number, context={"so": "far"})
        raise RuntimeError("the machine went away")


async def resume(client, channel):
    """The step that was done is the same event; the next one is new."""
    session = await AgentSession.resume(client, channel, params={"retry": True})
    seen = {"inherited": session.inherited_state, "count": session.step_count, "params": session.params}
    async with session:
        step = await session.step("tool_call", input={"n": 3}, output=3, metadata={"model": "m"})
    return {
        **seen,
        "step": step,
        "status": session.status,
        "about": [session.channel_id, session.name, session.cursors],
    }


async def fence(client, channel):
    """One owner at a time, and nothing of it on the channel."""
    first = AgentSession(client, channel, fence_owner="a")
    second = AgentSession(client, channel, fence_owner="b")
    async with first:
        await first.step("think", output=1)
        locked = await outcome(enter(second))
    after = await outcome(enter(AgentSession(client, channel, fence_owner="c")))
    return {
        "locked": locked.get("raised"),
        "after": after,
        "events": [event.event_type for event in await client.replay(channel)],
    }


async def enter(session):
    """In and out."""
    async with session:
        return


async def approve(client, channel):
    """A session waits for a person. Somebody who answers at once finds the question in the log."""
    session = AgentSession(client, channel)
    async with session:
        asked, event = await ask(client, session)
    return {"asked": asked, "event": event}


async def ask(client, session):
    """Both sides of a question."""
    asking = asyncio.ensure_future(session.require_approval("Refund?", poll_interval=0.01))
    found = []
    while not found:
        await asyncio.sleep(0.01)
        found = await client.replay(session.channel_id, event_type="approval.requested")
    request_id = found[0].payload["request_id"]
    decided = await client.decide_approval(session.channel_id, request_id, decision="rejected", actor="ada")
    return await asking, decided


perform(story)
