"""Consumer groups: workers that share a channel, with all that they are told."""

from performing import outcome, perform


async def story(client, channel):
    group, other = f"{channel}.g", f"{channel}.h"
    for number in range(1, 6):
        await client.record(channel, "note", {"n": number}, actor="agent")
    told = {
        "created": await client.create_group(group, channel, metadata={"team": "b"}),
        "again": await client.groups.create_group(group, channel),
        "early": await client.create_group(other, f"{channel}.later"),
        "listed": await client.list_groups(channel_id=channel),
        "all": [each.group_id for each in await client.list_groups()],
        "taken": await outcome(client.create_group(group, f"{channel}.b")),
        "stranger": await outcome(client.claim_work(group, "a")),
        "nowhere": await outcome(client.join_group(f"{channel}.none", "a")),
    }
    told["joined"] = [await client.join_group(group, name, lease_seconds=120) for name in ("a", "b")]
    told["work"] = [
        await client.claim_work(group, "a", limit=2),
        await client.claim_work(group, "b", limit=2),
        await client.claim_work(group, "a", limit=5),
    ]
    told["beyond"] = await outcome(client.ack_work(group, "a", 3))
    await client.ack_work(group, "a", told["work"][0].events[-1].channel_cursor)
    await client.ack_work(group, "b", 3)
    await client.heartbeat(group, "a", lease_seconds=600)
    told["offsets"] = await client.group_offsets(group)
    told["rest"] = await client.claim_work(group, "a")
    told["empty"] = await client.claim_work(group, "b", limit=1)
    await client.ack_work(group, "b", 4)
    told["nothing"] = await client.claim_work(group, "b")
    await client.delete_group(group)
    told["deleted"] = await outcome(client.delete_group(group))
    told["gone"] = [await outcome(client.group_offsets(group)), await outcome(client.heartbeat(group, "a"))]
    return told


perform(story)
