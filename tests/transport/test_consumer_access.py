"""Who may do what with a consumer group: it is its channel's permissions that count."""

from typing import Any

import pytest

from tests.support.consuming import GroupCalls, record_many
from tests.support.keys import make_key
from tests.support.server import Reply, RunningServer, new_channel

CONSUMING = ("join", "work", "ack", "heartbeat")


@pytest.fixture
def group(server: RunningServer, channel: str) -> GroupCalls:
    """A group with a consumer that has one event in its hands."""
    record_many(server, channel, 2)
    group = GroupCalls(server, channel)
    group.create()
    group.join("a")
    group.work("a", 1)
    return group


def with_key(group: GroupCalls, **permissions: tuple[str, ...]) -> GroupCalls:
    """The same group for somebody with these permissions."""
    key = make_key(group.server, **permissions)
    return GroupCalls(group.server, group.channel_id, group.id, api_key=key)


def told(reply: Reply) -> tuple[int, Any]:
    """Status and code."""
    return reply.status, reply.body["status"]


def listed(group: GroupCalls, api_key: str) -> list[str]:
    """The groups of all channels that a key may read."""
    found = group.server.get("/groups", api_key=api_key).body["groups"]
    return [each["group_id"] for each in found]


@pytest.mark.parametrize("verb", CONSUMING)
def test_consuming_needs_read_and_write(group: GroupCalls, verb: str) -> None:
    """It shows events, and it changes for all what is still to be done."""
    here = (group.channel_id,)
    reader = with_key(group, read=here, write=("elsewhere",))
    assert told(reader.call(verb, "a", cursor=1)) == (403, "forbidden")
    both = with_key(group, read=here, write=here)
    assert both.call(verb, "a", cursor=1).status == 200


def test_a_key_that_only_reads_changes_nothing(group: GroupCalls) -> None:
    """It sees how far everybody is."""
    reader = with_key(group, read=("*",))
    for verb in CONSUMING:
        assert told(reader.call(verb, "a", cursor=1)) == (403, "forbidden")
    assert told(reader.delete()) == (403, "forbidden")
    assert told(reader.create()) == (403, "forbidden")
    assert (reader.offsets(), reader.watermark()) == ({"a": (0, 1)}, 0)


def test_a_group_whose_channel_may_not_be_read_is_as_if_it_were_not_there(group: GroupCalls) -> None:
    """The very words are those for a group that does not exist, but for its name."""
    elsewhere = {"read": ("x*",), "write": ("x*",), "delete": ("x*",)}
    stranger = with_key(group, **elsewhere)
    missing = GroupCalls(group.server, "nowhere", new_channel("group"), api_key=stranger.api_key)
    for verb in CONSUMING:
        refused, unknown = stranger.call(verb, "a", cursor=1), missing.call(verb, "a", cursor=1)
        assert told(refused) == told(unknown) == (409, "consumer_not_found")
        assert refused.body["error"] == unknown.body["error"].replace(missing.id, group.id)
        assert refused.body.keys() == unknown.body.keys()
    assert told(stranger.delete()) == told(missing.delete()) == (404, "group_not_found")
    path = f"/groups/{group.id}/offsets"
    assert told(group.server.get(path, api_key=stranger.api_key)) == (404, "group_not_found")
    assert group.id not in listed(group, stranger.api_key)
    refused = group.server.get(f"/groups?channel_id={group.channel_id}", api_key=stranger.api_key)
    assert told(refused) == (403, "forbidden")


def test_creating_needs_write_and_deleting_delete(group: GroupCalls) -> None:
    """As for events and channels."""
    here = (group.channel_id,)
    writer, deleter = with_key(group, write=here), with_key(group, delete=here)
    assert writer.create().status == 200
    assert told(writer.delete()) == (403, "forbidden")
    assert told(deleter.create()) == (403, "forbidden")
    assert deleter.delete().status == 200


def test_lists_hold_what_may_be_read(group: GroupCalls) -> None:
    """By the patterns of the key."""
    reader = with_key(group, read=(f"{group.channel_id[:-2]}*",))
    assert group.id in listed(group, reader.api_key)
    nobody = with_key(group, write=("*",))
    assert told(group.server.get("/groups", api_key=nobody.api_key)) == (403, "forbidden")
