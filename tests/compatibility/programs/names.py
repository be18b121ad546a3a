"""Every place that takes a name, with one that is unusual."""

import json
import sys

from performing import perform


async def story(client, channel):
    asked = json.loads(sys.argv[4])
    return {
        "channels": {name: await live_on(client, f"{channel}{name}") for name in asked["suffixes"]},
        "words": {word: await use(client, f"{channel}.{n}", word) for n, word in enumerate(asked["words"])},
        "failures": {text: await fail(client, channel, text) for text in asked["texts"]},
    }


async def live_on(client, channel):
    """Everything that puts the channel into a path."""
    event = await client.record(channel, "note", 1, actor="agent", step_number=1)
    version = await client.save_state(channel, 1, {})
    metadata = await client.update_metadata(channel, display_name="odd")
    return [
        *[each.channel_id for each in await client.replay(channel)],
        metadata.channel_id,
        (await client.get_channel_metadata(channel)).channel_id,
        (await client.resolve_step(channel, 1))[0],
        {
            "cursor": await client.get_cursor(channel),
            "latest": (await client.latest_state(channel))["cursor"],
            "versions": len(await client.list_states(channel)),
            "version": (await client.get_state(channel, version))["version"],
            "event": (await client.causal_graph(event.id))["root_event_id"] == event.id,
            "last_step": await client.latest_step_number(channel),
            "executions": await client.list_executions(channel),
        },
        *(await client.delete_channel(channel))["deleted"],
    ]


async def use(client, channel, word):
    """A word as key, tool, type, actor, agent and operation id."""
    event = await client.record(channel, word, 1, actor=word, agent_id=word, user_id=word, operation_id=word)
    (replayed,) = await client.replay(channel, event_type=word)
    (found,) = await client.query(channel_ids=[channel], actor=word, event_type=word)
    claim = await client.claim_execution(channel, word, word, actor=word)
    held = await client.get_execution(claim.execution.id)
    return [
        event.actor,
        event.event_type,
        replayed.event_type,
        replayed.agent_id,
        found.actor,
        claim.execution.key_name,
        held.key_name,
        held.tool_name,
    ]


async def fail(client, channel, text):
    """A failure is told in whatever characters the failing tool has used."""
    claim = await client.claim_execution(f"{channel}.failures", "key", "tool")
    told = {"claim_token": claim.claim_token, "error_type": text, "stack": text}
    failed = await client.fail_execution(claim.execution.id, text, **told)
    return [failed.error["message"], failed.error["error_type"], failed.error["stack"]]


perform(story)
