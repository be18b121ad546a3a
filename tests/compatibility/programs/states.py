"""States: saved, read, listed, guarded, removed, and saved together with an event."""

from performing import outcome, perform


async def story(client, channel):
    empty = {
        "latest_state": await client.latest_state(channel),
        "list_states": await client.list_states(channel),
        "get_state": await client.get_state(channel, 1),
    }
    versions = [
        await client.save_state(channel, 0, {"at": "start"}),
        await client.save_state(channel, 0, {"at": "start"}, expected_version=1, expected_cursor=0),
        await client.save_state(channel, 7, None, operation_id="third"),
        await client.save_state(channel, 7, None, operation_id="third"),
    ]
    saved = {
        "versions": versions,
        "latest": await client.latest_state(channel),
        "list": await client.list_states(channel),
        "page": await client.list_states(channel, limit=1, offset=1),
        "second": await client.get_state(channel, 2),
    }
    await client.delete_state(channel, 3)
    await client.delete_state(channel, 3)
    deleted = {
        "latest": await client.latest_state(channel),
        "third": await client.get_state(channel, 3),
    }
    return {
        "empty": empty,
        "saved": saved,
        "deleted": deleted,
        "stale": await outcome(client.save_state(channel, 8, {}, expected_version=1)),
        "moved": await move(client, channel),
        "cause": await client.save_state(channel, 1, {}, dependencies=await causes(client, channel)),
    }


async def move(client, channel):
    """Transitions: one, the same again, and one that expects too little."""
    asked = {
        "actor": "agent",
        "agent_id": "a-1",
        "user_id": "u-1",
        "metadata": {"model": "m"},
        "operation_id": "move",
        "expected_version": 2,
    }
    return {
        "first": await client.transition(channel, "moved", {"to": "b"}, {"at": "b"}, **asked),
        "repeated": await client.transition(channel, "moved", {"to": "b"}, {"at": "b"}, **asked),
        "stale": await outcome(client.transition(channel, "moved", 1, {}, expected_version=0)),
        "stale_cursor": await outcome(client.transition(channel, "moved", 1, {}, expected_cursor=99)),
        "replayed": await client.replay(channel),
        "latest": await client.latest_state(channel),
    }


async def causes(client, channel):
    """The first event, as a dependency."""
    (event,) = await client.replay(channel)
    return [{"event_id": event.id}]


perform(story)
