"""Events: recorded, read page by page, found, and traced back to their causes."""

from performing import perform


async def story(client, channel):
    empty = {
        "replay": await client.replay(channel),
        "get_cursor": await client.get_cursor(channel),
        "latest_cursor": await client.latest_cursor(channel),
        "query": await client.query(channel_ids=[channel]),
    }
    first = await client.record(
        channel,
        "note",
        {"n": 1},
        actor="agent",
        agent_id="a-1",
        user_id="u-1",
        metadata={"model": "m"},
        operation_id="first",
    )
    repeated = await client.record(channel, "note", {"n": 1}, actor="somebody else", operation_id="first")
    second = await client.record(
        channel,
        "decision",
        None,
        actor="planner",
        dependencies=[{"event_id": first.id, "dependency_type": "causal"}],
    )
    third = await client.record(channel, "note", [3], actor="agent", metadata={})
    return {
        "empty": empty,
        "recorded": [first, second, third],
        "repeated": repeated,
        "replayed": await client.replay(channel),
        "after_the_first": await client.replay(channel, cursor=1),
        "first_page": await client.replay(channel, limit=2),
        "of_a_type": await client.replay(channel, event_type="note", cursor=0, limit=10),
        "after_the_last": await client.replay(channel, cursor=3),
        "cursors": [await client.get_cursor(channel), await client.latest_cursor(channel)],
        "graph": await client.causal_graph(second.id),
        "cut_graph": await client.causal_graph(second.id, max_nodes=1),
        "found": await find(client, channel, first, third),
    }


async def find(client, channel, first, third):
    """Cursors of what each way of asking finds."""
    asked = {
        "everything": {},
        "of a type": {"event_type": "note"},
        "of an actor": {"actor": "planner"},
        "between cursors": {"cursor_start": 2, "cursor_end": 2},
        "between times": {"from_time": first.timestamp, "to_time": third.timestamp},
        "before all": {"to_time": "2020-01-01T00:00:00Z"},
        "a page": {"limit": 1, "offset": 1},
    }
    found = {}
    for name, wanted in asked.items():
        events = await client.query(channel_ids=[channel], **wanted)
        found[name] = [event.cursor for event in events]
    found["nowhere"] = await client.query(channel_ids=[])
    return found


perform(story)
