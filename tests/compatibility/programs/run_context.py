"""What an adapter builds on: events and checkpoints of a run."""

from actae_client.adapters import ActaeRunContext, CheckpointEnvelope
from performing import perform


async def story(client, channel):
    context = ActaeRunContext(client, channel, "etl", "run-1")
    before = await context.load_checkpoint()
    recorded = await context.record("noted", {"n": 1}, operation_id="noted")
    envelope = CheckpointEnvelope(
        framework="etl", adapter_version="1", channel_id=channel, portable_state={"n": 1}
    )
    saved = await context.save_checkpoint(envelope)
    loaded = await context.load_checkpoint()
    ran = await context.tools.execute("key", "tool", {"n": 1}, lambda: "done")
    return {
        "before": before,
        "recorded": recorded,
        "saved": saved,
        "loaded": loaded.to_dict(),
        "ran": ran,
        "replayed": await context.replay(cursor=0, limit=10),
        "state": (await client.latest_state(channel))["cursor"],
    }


perform(story)
