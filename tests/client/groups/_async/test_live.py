"""Mail as it is delivered, live."""

from actae_client import ActaeClient, GroupSession


async def crew_of(actae: ActaeClient, channel: str, *names: str) -> GroupSession:
    """A group whose members share a channel."""
    await actae.create_execution_group(channel)
    for name in names:
        await actae.add_execution_group_member(channel, name, channel)
    return actae.execution_group(channel)


async def test_mail_is_streamed_live(actae: ActaeClient, channel: str) -> None:
    """A member's own alone, though others share its channel and anybody may record anything there."""
    group = await crew_of(actae, channel, "ada", "bob")
    other = await crew_of(actae, f"{channel}.other", "bob")
    await actae.add_execution_group_member(f"{channel}.other", "eve", channel)
    ada, bob = group.member("ada"), group.member("bob")
    first = await ada.send("bob", "task", 1)
    for payload in ({"group_id": channel, "to": {"member": "bob"}}, None, [1]):
        await actae.record(channel, "message.received", payload, actor="somebody")
    await bob.send("ada", "answer", 1)
    await other.member("bob").send("eve", "aside", 1)
    await other.member("eve").send("bob", "aside", 1)
    second = await ada.send("bob", "task", 2)
    seen = []
    async for message in bob.stream_ws(cursor=0):
        seen.append(message)
        if len(seen) == 2:
            third = await ada.send("bob", "task", 3)
        if len(seen) == 3:
            break
    assert seen == [first, second, third]
    async for message in bob.stream_ws(cursor=int(second.message_id.rpartition("~")[2])):
        assert message == third
        break
