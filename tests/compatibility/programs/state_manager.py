"""The smallest way to keep a state."""

from actae_client.adapters import StateManager
from performing import perform


async def story(client, channel):
    states = StateManager(client, channel)
    before = [await states.load(), await states.resume(), await states.resume({"turn": 0})]
    saved = [await states.save({"turn": 1}), await states.save({"turn": 2})]
    await client.record(channel, "turn", 3, actor="agent")
    saved.append(await states.save({"turn": 3}))
    seen = {
        "before": before,
        "saved": saved,
        "loaded": [await states.load(), await states.resume({"turn": 0})],
        "versions": await states.list_versions(),
        "second": await states.get_version(2),
    }
    await states.delete_version(3)
    return {**seen, "after": await states.load()}


perform(story)
