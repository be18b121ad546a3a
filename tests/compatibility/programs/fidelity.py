"""Stores values in every place that takes one, and reads them back."""

import json
import sys

from performing import perform


async def story(client, channel):
    values = json.loads(sys.argv[4])
    return {number: await store(client, f"{channel}.{number}", value) for number, value in enumerate(values)}


async def store(client, channel, value):
    """One value, on a channel of its own."""
    event = await client.record(channel, "note", value, actor="agent", metadata={"value": value})
    moved = await client.transition(channel, "moved", value, value, metadata={"value": value})
    version = await client.save_state(channel, 2, value)
    claim = await client.claim_execution(channel, "key", "tool", value)
    done = await client.complete_execution(claim.execution.id, claim.claim_token, value)
    replayed = await client.claim_execution(channel, "key", "tool", value)
    metadata = await client.update_metadata(channel, experiment_metadata={"value": value})
    first, second = await client.replay(channel, limit=2)
    (found,) = await client.query(channel_ids=[channel], cursor_end=1)
    return {
        "record": event.payload,
        "replay": first.payload,
        "replayed metadata": first.metadata["value"],
        "query": found.payload,
        "transition": moved.event.payload,
        "replayed transition": second.payload,
        "state": (await client.get_state(channel, moved.state_version))["state"],
        "saved state": (await client.get_state(channel, version))["state"],
        "latest state": (await client.latest_state(channel))["state"],
        "params": claim.execution.params,
        "result": done.result,
        "replayed result": replayed.result,
        "execution": (await client.get_execution(claim.execution.id)).result,
        "metadata": metadata.experiment_metadata["value"],
        "metadata read": (await client.get_channel_metadata(channel)).experiment_metadata["value"],
    }


perform(story)
