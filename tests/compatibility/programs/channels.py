"""Channels: listed, described, numbered by steps, deleted."""

from performing import outcome, perform


async def story(client, channel):
    unknown = {
        "get_channel_metadata": await client.get_channel_metadata(channel),
        "latest_step_number": await client.latest_step_number(channel),
        "resolve_step": await client.resolve_step(channel, 1),
        "update_metadata": await outcome(client.update_metadata(channel, display_name="x")),
        "delete_channel": await outcome(client.delete_channel(channel)),
    }
    first = await client.record(channel, "step", 1, actor="agent", step_number=1)
    await client.record(channel, "note", 2, actor="agent")
    untouched = await client.get_channel_metadata(channel)
    updates = [
        await client.update_metadata(
            channel, display_name="Nightly", reason="why", experiment_metadata={"a": 1}
        ),
        await client.update_metadata(channel, display_name="", experiment_metadata={}),
        await client.update_metadata(channel),
    ]
    steps = {
        "latest": await client.latest_step_number(channel),
        "first": await client.resolve_step(channel, 1),
        "second": await client.resolve_step(channel, 2),
        "first_event": first.id,
    }
    await client.record(channel, "step", "later", actor="agent", step_number=1)
    steps["first_again"] = await client.resolve_step(channel, 1)
    return {
        "unknown": unknown,
        "untouched": untouched,
        "updates": updates,
        "steps": steps,
        "listed": await listed(client, channel),
        "deleted": await delete(client, channel),
    }


async def listed(client, channel):
    """The newest two of the channels, after a state was saved elsewhere."""
    await client.save_state(f"{channel}.state", 0, {})
    names = [name for name in await client.list_channels() if name.startswith(channel)]
    return {"names": names, "state_only": await client.get_channel_metadata(f"{channel}.state")}


async def delete(client, channel):
    """A channel that is gone."""
    told = [await client.delete_channel(channel), await client.delete_channel(channel, recursive=True)]
    return {
        "told": told,
        "metadata": await client.get_channel_metadata(channel),
        "replayed": await client.replay(channel),
        "cursor": await client.get_cursor(channel),
        "state": await client.latest_state(channel),
        "listed": channel in await client.list_channels(),
        "recorded": await outcome(client.record(channel, "note", 1, actor="agent")),
    }


perform(story)
