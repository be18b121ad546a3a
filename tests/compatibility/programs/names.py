"""Every place that takes a name, with one that is unusual."""

import json
import sys

from performing import outcome, perform


async def story(client, channel):
    asked = json.loads(sys.argv[4])
    return {
        "channels": {name: await outcome(live_on(client, name)) for name in asked["channels"]},
        "words": {word: await outcome(use(client, channel, word)) for word in asked["words"]},
    }


async def live_on(client, channel):
    """Everything that puts the channel into a path."""
    event = await client.record(channel, "note", 1, actor="agent", step_number=1)
    version = await client.save_state(channel, 1, {})
    await client.update_metadata(channel, display_name="odd")
    return {
        "replayed": [each.channel_id for each in await client.replay(channel)],
        "cursor": await client.get_cursor(channel),
        "latest": await client.latest_state(channel),
        "versions": len(await client.list_states(channel)),
        "version": (await client.get_state(channel, version))["version"],
        "metadata": (await client.get_channel_metadata(channel)).channel_id,
        "step": list(await client.resolve_step(channel, 1)) == [channel, 1, event.id],
        "last_step": await client.latest_step_number(channel),
        "executions": await client.list_executions(channel),
        "deleted": (await client.delete_channel(channel))["deleted"],
    }


async def use(client, channel, word):
    """A word as key, tool, type, actor and operation id."""
    event = await client.record(channel, word, 1, actor=word, agent_id=word, user_id=word, operation_id=word)
    claim = await client.claim_execution(channel, word, word, actor=word)
    failed = await client.fail_execution(claim.execution.id, word, claim_token=claim.claim_token, error_type=word)
    (replayed,) = await client.replay(channel, event_type=word)
    found = await client.query(channel_ids=[channel], actor=word, event_type=word)
    return [
        event.actor,
        replayed.event_type,
        replayed.agent_id,
        replayed.user_id,
        found[0].actor,
        claim.execution.key_name,
        claim.execution.tool_name,
        failed.error["message"],
        failed.error["error_type"],
    ]


perform(story)
