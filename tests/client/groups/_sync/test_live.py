# Written by tools/generate_sync.py from _async/test_live.py. Do not edit.
"""Mail as it is delivered, live."""

from actae_client import SyncActaeClient, SyncGroupSession


def crew_of(actae: SyncActaeClient, channel: str, *names: str) -> SyncGroupSession:
    """A group whose members share a channel."""
    actae.create_execution_group(channel)
    for name in names:
        actae.add_execution_group_member(channel, name, channel)
    return actae.execution_group(channel)


def test_mail_is_streamed_live(actae: SyncActaeClient, channel: str) -> None:
    """A member's own alone, though others share its channel and anybody may record anything there."""
    group = crew_of(actae, channel, "ada", "bob")
    other = crew_of(actae, f"{channel}.other", "bob")
    actae.add_execution_group_member(f"{channel}.other", "eve", channel)
    ada, bob = group.member("ada"), group.member("bob")
    first = ada.send("bob", "task", 1)
    for payload in ({"group_id": channel, "to": {"member": "bob"}}, None, [1]):
        actae.record(channel, "message.received", payload, actor="somebody")
    bob.send("ada", "answer", 1)
    other.member("bob").send("eve", "aside", 1)
    other.member("eve").send("bob", "aside", 1)
    second = ada.send("bob", "task", 2)
    seen = []
    for message in bob.stream_ws(cursor=0):
        seen.append(message)
        if len(seen) == 2:
            third = ada.send("bob", "task", 3)
        if len(seen) == 3:
            break
    assert seen == [first, second, third]
    for message in bob.stream_ws(cursor=int(second.message_id.rpartition("~")[2])):
        assert message == third
        break
