"""An execution group: members, leases, messages, waits, live delivery, and a fork of the whole group."""

import asyncio

from actae_client.adapters import ActaeRunContext
from performing import outcome, perform

from actae_client import GroupMessage


async def story(client, channel):
    context = ActaeRunContext(client, channel, "etl", "run-1")
    told = {"through_context": str(await context.create_execution_group(f"{channel}.context"))}
    told["group"] = await client.create_execution_group(channel, metadata={"goal": "bill"})
    told["ada"] = await client.add_execution_group_member(channel, "ada", f"{channel}.ada", role="planner")
    told["bob"] = await client.add_execution_group_member(channel, "bob", f"{channel}.bob", metadata={"n": 1})
    told["listed"] = channel in [each.group_id for each in await client.list_execution_groups()]
    told["leases"] = await leases(client, channel)
    told["messages"] = await messages(client, channel)
    told["sessions"] = await sessions(client, channel)
    told["live"] = await live(client, channel)
    told["fork"] = await fork(client, channel)
    told["members"] = await client.execution_group_members(channel)
    return told


async def leases(client, group):
    first = await client.claim_member(group, "bob", "one", lease_seconds=30)
    renewed = await client.heartbeat_member(group, "bob", "one", first.generation, lease_seconds=60)
    told = {
        "first": first,
        "renewed": renewed,
        "held": await outcome(client.claim_member(group, "bob", "two")),
        "stale": await outcome(client.heartbeat_member(group, "bob", "one", 7)),
        "released": await client.release_member(group, "bob", "one", first.generation),
        "unknown": await outcome(client.claim_member(group, "eve", "one")),
    }
    told["second"] = await client.claim_member(group, "bob", "two")
    await client.release_member(group, "bob", "two", told["second"].generation)
    return told


async def messages(client, group):
    sent = await client.send_group_message(
        group, "ada", "bob", "task", {"n": 1}, causal_context={"why": "asked"}, operation_id="one"
    )
    again = await client.send_group_message(
        group, "ada", "bob", "task", {"n": 1}, causal_context={"why": "asked"}, operation_id="one"
    )
    later = await client.send_group_message(group, "ada", "bob", "task", None)
    lease = await client.claim_member(group, "bob", "three")
    told = {
        "sent": sent,
        "again": again,
        "later": later,
        "other": await outcome(
            client.send_group_message(group, "ada", "bob", "task", {"n": 2}, operation_id="one")
        ),
        "mail": await client.group_messages(group, "bob"),
        "behind": await client.group_messages(group, "bob", after=sent.message_id, limit=5),
        "acknowledged": await client.acknowledge_group_message(sent.message_id, "three", lease.generation),
        "stale": await outcome(client.acknowledge_group_message(sent.message_id, "three", 1)),
    }
    await client.release_member(group, "bob", "three", lease.generation)
    return told


async def sessions(client, group):
    session = client.execution_group(group)
    ada = client.group(group).member("ada")
    told = {}
    async with session.claim_member("bob", "four", lease_seconds=30) as bob:
        await bob.heartbeat(lease_seconds=30)
        told["waited"] = await bob.wait_for("task", timeout=10)
        await bob.acknowledge(told["waited"])
        told["mail"] = len(await bob.messages())
        answer = await bob.send("ada", "answer", [told["waited"].payload])
    told["late"] = await outcome(session.wait_for("ada", "question", timeout=0.5))
    told["any"] = await session.wait_any([("bob", "question"), ("ada", "answer")], timeout=10)
    told["all"] = await session.wait_all([("bob", "task"), ("ada", "answer")], timeout=10)
    await ada.claim("five")
    await ada.release()
    async for message in ada.stream(poll_interval=0.05):
        told["streamed"] = message == answer
        break
    return told


async def live(client, group):
    """The same mail over the WebSocket, from the beginning of the member's channel."""
    bob = client.execution_group(group).member("bob")
    await client.connect()
    heard = asyncio.Queue()
    client.on_message(lambda _topic, event: heard.put_nowait(event))
    await bob.subscribe_ws(cursor=0)
    delivered = [GroupMessage.from_websocket_event(await heard.get()) for _ in range(2)]
    await bob.unsubscribe_ws()
    streamed = []
    async for message in bob.stream_ws(cursor=0):
        streamed.append(message)
        if len(streamed) == 2:
            await client.send_group_message(group, "ada", "bob", "live", 3)
        if len(streamed) == 3:
            break
    unknown = client.execution_group(group).member("eve")
    return {
        "delivered": delivered,
        "streamed": streamed,
        "unknown": await outcome(unknown.subscribe_ws()),
    }


async def fork(client, group):
    name = f"{group}.what-if"
    policies = {"member_policies": {"ada": "reactive"}, "tool_policies": {"mail": "block"}}
    made = await client.fork_execution_group(name, group, "ada", 1, **policies)
    branch = client.execution_group(name)
    return {
        "made": made,
        "again": await client.fork_execution_group(name, group, "ada", 1, **policies),
        "other": await outcome(client.fork_execution_group(name, group, "ada", 2, **policies)),
        "read": await client.get_execution_group_fork(name),
        "frozen": await outcome(client.record(f"{name}:bob", "note", 1, actor="agent")),
        "frozen_claim": await outcome(client.claim_member(name, "bob", "one")),
        "frozen_mail": await outcome(branch.member("ada").send("bob", "task", 1)),
        "blocked": await outcome(client.claim_execution(f"{name}:ada", "mail:1", "mail")),
        "promoted": await branch.promote("bob"),
        "promoted_again": await client.promote_execution_group_fork_member(name, "bob"),
        "sent": await branch.member("ada").send("bob", "other task", 1),
    }


perform(story)
