"""What a key may do that reaches some channels only."""

from performing import outcome, perform


async def story(client, channel):
    may = await client.capabilities()
    return {
        "patterns": [may.read, may.write, may.delete, may.admin],
        "can": [may.can_read(channel), may.can_write(channel), may.can_read(f"{channel}.b")],
        "may": await outcome(client.replay(channel)),
        "may_not_write": await outcome(client.record(channel, "note", 1, actor="a")),
        "may_not_read": await outcome(client.replay(f"{channel}.b")),
        "listed": await client.list_channels(),
    }


perform(story)
