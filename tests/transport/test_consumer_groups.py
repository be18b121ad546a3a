"""Consumer groups over HTTP: an event is in the hands of one consumer until it is done or the lease ends."""

from uuid import uuid4

import pytest

from tests.support.consuming import GroupCalls, record_many
from tests.support.forking import fork
from tests.support.postgres import Clock
from tests.support.server import RunningServer, new_channel


@pytest.fixture
def group(server: RunningServer, channel: str) -> GroupCalls:
    """A group on a channel of ten events."""
    record_many(server, channel, 10)
    group = GroupCalls(server, channel)
    assert group.create().status == 200
    return group


def test_a_group_begins_at_the_first_event(server: RunningServer, channel: str) -> None:
    """Whatever was recorded before it was created, and also where the channel does not exist yet."""
    group = GroupCalls(server, channel)
    created = group.create(metadata={"team": "b", "n": 10**30}).body
    assert created == {
        "group_id": group.id,
        "channel_id": channel,
        "created_at": created["created_at"],
        "metadata": {"team": "b", "n": 10**30},
        "watermark": 0,
        "latest_cursor": 0,
    }
    group.join("a")
    assert group.work("a") == []
    record_many(server, channel, 2)
    later = GroupCalls(server, channel)
    assert later.create().body["latest_cursor"] == 2
    later.join("a")
    assert group.work("a") == later.work("a") == [1, 2]


def test_creating_again_gives_the_group_that_is_there(group: GroupCalls) -> None:
    """With the metadata that it has, and with what was done."""
    group.join("a")
    group.work("a")
    group.ack("a", 4)
    again = group.create(metadata={"other": 1})
    assert again.status == 200
    assert (again.body["metadata"], again.body["watermark"], again.body["latest_cursor"]) == (None, 4, 10)


def test_a_name_is_one_group(group: GroupCalls, server: RunningServer) -> None:
    """On another channel it is taken; free again once the group is deleted."""
    other = GroupCalls(server, new_channel(), group.id)
    refused = other.create()
    assert (refused.status, refused.body["status"]) == (409, "group_conflict")
    assert group.channel_id not in refused.body["error"]
    assert group.delete().body == {"group_id": group.id, "status": "deleted"}
    assert other.create().body["channel_id"] == other.channel_id


def test_work_is_handed_out_once_and_acknowledged(group: GroupCalls) -> None:
    """The lowest free events go first; the watermark follows when nothing below is open."""
    group.join("a", "b")
    assert (group.work("a", 3), group.work("b", 4)) == ([1, 2, 3], [4, 5, 6, 7])
    assert group.offsets() == {"a": (0, 3), "b": (0, 7)}
    acked = group.ack("b", 6)
    assert (acked["status"], acked["last_cursor"], acked["acked_count"]) == ("acked", 6, 3)
    assert (group.watermark(), group.offsets()) == (0, {"a": (0, 3), "b": (6, 7)})
    group.ack("a", 3)
    assert (group.watermark(), group.offsets()) == (6, {"a": (3, 3), "b": (6, 7)})
    assert (group.work("a"), group.work("b")) == ([8, 9, 10], [7])


def test_events_come_whole(group: GroupCalls, server: RunningServer) -> None:
    """As a replay shows them."""
    group.join("a")
    handed = group.call("work", "a", limit=2).body
    replayed = server.get(f"/events/replay/{group.channel_id}?limit=2").body
    assert handed["events"] == replayed["events"]
    assert (handed["group_id"], handed["consumer_id"]) == (group.id, "a")


def test_asking_again_brings_the_same_events(group: GroupCalls) -> None:
    """The reply may have been lost; only who has nothing in hand gets something new."""
    group.join("a")
    assert [group.work("a", 4) for _ in range(3)] == [[1, 2, 3, 4]] * 3
    assert group.work("a", 2) == [1, 2]
    assert group.work("a", 9) == [1, 2, 3, 4]
    group.ack("a", 2)
    assert group.work("a", 9) == [3, 4]
    group.ack("a", 4)
    assert group.work("a", 2) == [5, 6]


def test_a_limit_of_nothing_reserves_nothing(group: GroupCalls) -> None:
    """And one of more than a thousand is a thousand."""
    group.join("a", "b")
    assert group.work("a", 0) == []
    assert group.work("b", 10**30) == list(range(1, 11))


def test_unacknowledged_work_of_a_lapsed_consumer_is_handed_out_again(
    group: GroupCalls, server_clock: Clock
) -> None:
    """What it acknowledged is not; and what it says afterwards counts no more."""
    group.join("a", lease_seconds=60)
    group.join("b", lease_seconds=600)
    assert (group.work("a", 4), group.work("b", 2)) == ([1, 2, 3, 4], [5, 6])
    group.ack("a", 2)
    server_clock.advance(61)
    assert group.offsets() == {"a": (2, 2), "b": (0, 6)}
    assert group.work("b") == [5, 6]
    group.ack("b", 6)
    assert group.work("b", 3) == [3, 4, 7]
    for verb, fields in (("ack", {"cursor": 4}), ("work", {}), ("heartbeat", {})):
        refused = group.call(verb, "a", **fields)
        assert (refused.status, refused.body["status"]) == (409, "consumer_not_found")
    group.join("a")
    assert group.offsets() == {"a": (2, 2), "b": (6, 7)}
    assert group.work("a") == [8, 9, 10]


@pytest.mark.parametrize(("pause", "kept"), [(30, [1, 2]), (61, [])])
def test_who_joins_again_keeps_what_a_live_lease_covered(
    group: GroupCalls, server_clock: Clock, pause: int, kept: list[int]
) -> None:
    """What a lapsed one covered is free, for whoever comes first."""
    group.join("a", lease_seconds=60)
    group.work("a", 2)
    server_clock.advance(pause)
    group.join("a")
    group.join("b")
    assert group.work("b", 2) == ([3, 4] if kept else [1, 2])


def test_heartbeats_keep_a_lease(group: GroupCalls, server_clock: Clock) -> None:
    """Handing out work does not."""
    joined = group.call("join", "a", lease_seconds=60).body
    group.work("a", 2)
    server_clock.advance(50)
    assert group.call("work", "a").body["lease_until"] == joined["lease_until"]
    kept = group.call("heartbeat", "a", lease_seconds=60).body
    assert (kept["status"], kept["lease_until"] > joined["lease_until"]) == ("extended", True)
    server_clock.advance(50)
    assert group.call("work", "a").body["lease_until"] == kept["lease_until"]
    assert group.work("a") == [1, 2]


@pytest.mark.parametrize("verb", ["work", "ack", "heartbeat"])
def test_nobody_works_without_having_joined(group: GroupCalls, verb: str) -> None:
    """The refusal says which of the reasons it is."""
    refused = group.call(verb, "stranger", cursor=0)
    assert (refused.status, refused.body["status"]) == (409, "consumer_not_found")
    assert "never joined" in refused.body["error"]
    assert group.offsets() == {}


def test_a_cursor_that_was_never_handed_out_is_refused(group: GroupCalls) -> None:
    """By name; a repetition, and a lower cursor, are harmless."""
    group.join("a", "b")
    group.work("a", 2)
    group.work("b", 2)
    refused = group.call("ack", "a", cursor=3)
    assert (refused.status, refused.body["field"]) == (400, "cursor")
    assert group.ack("a", 2)["acked_count"] == 2
    for cursor in (2, 1, 0):
        again = group.ack("a", cursor)
        assert (again["last_cursor"], again["acked_count"]) == (2, 0)


def test_an_operation_id_is_accepted(group: GroupCalls) -> None:
    """A gateway sends one with every write; each of these calls may be repeated anyway."""
    group.join("a", operation_id="o")
    group.join("a", operation_id="o", lease_seconds=5)
    assert group.create(operation_id=str(uuid4())).status == 200
    assert group.call("work", "a", operation_id="o").status == 200
    assert group.call("ack", "a", cursor=1, operation_id="o").status == 200


def test_only_what_fits_into_a_reply_is_reserved(server: RunningServer, channel: str) -> None:
    """Large events come in several replies, and no one waits for those that did not fit."""
    for _ in range(5):
        server.record(channel, payload="x" * (12 * 2**20))
    group = GroupCalls(server, channel)
    group.create()
    group.join("a", "b")
    assert (group.work("a"), group.work("b"), group.work("a")) == ([1, 2], [3, 4], [1, 2])


def test_groups_do_not_know_of_one_another(group: GroupCalls, server: RunningServer) -> None:
    """Each is handed every event; consumers of one name in two groups are two."""
    other = GroupCalls(server, group.channel_id)
    other.create()
    for each in (group, other):
        each.join("a")
        assert each.work("a", 4) == [1, 2, 3, 4]
    group.ack("a", 4)
    assert (group.watermark(), other.watermark(), other.work("a")) == (4, 0, [1, 2, 3, 4])


def test_a_closed_channel_is_consumed_to_its_end(group: GroupCalls, server: RunningServer) -> None:
    """It takes no more events, and loses none."""
    server.post(f"/channels/{group.channel_id}/close", {})
    late = GroupCalls(server, group.channel_id)
    assert late.create().status == 200
    late.join("a")
    assert late.work("a") == list(range(1, 11))
    assert late.ack("a", 10)["acked_count"] == 10


def test_a_closed_channel_is_finished_when_all_is_done(group: GroupCalls, server: RunningServer) -> None:
    """By whomever; while one has something in its hands, another one may still be handed it."""
    group.join("a", "b")
    group.work("a", 4)
    group.work("b")
    group.ack("b", 10)
    assert not is_finished(group, "b")
    server.post(f"/channels/{group.channel_id}/close", {})
    assert not is_finished(group, "b")
    group.ack("a", 4)
    assert is_finished(group, "b")
    assert group.call("work", "b", wait_seconds=20).body["is_finished"]


def test_an_outcome_is_waited_for_that_may_still_come(
    group: GroupCalls, server: RunningServer, server_clock: Clock
) -> None:
    """A closed channel takes what became of an operation under way: another event."""
    ask = {"channel_id": group.channel_id, "tool_name": "charge", "params": {}, "lease_seconds": 600}
    first, second = [server.post("/executions/claim", {**ask, "key_name": key}).body for key in "kl"]
    server.post(f"/channels/{group.channel_id}/close", {})
    group.join("a")
    group.work("a")
    group.ack("a", 12)
    assert not is_finished(group, "a")
    path = f"/executions/{first['execution']['id']}/complete"
    assert server.post(path, {"claim_token": first["claim_token"], "result": 1}).status == 200
    assert group.work("a") == [13]
    group.ack("a", 13)
    assert not is_finished(group, "a")
    server_clock.advance(601)
    group.join("a")
    assert is_finished(group, "a")
    path = f"/executions/{second['execution']['id']}/complete"
    assert server.post(path, {"claim_token": second["claim_token"], "result": 1}).status == 200
    assert group.work("a") == [14], "what comes late is not lost"


def is_finished(group: GroupCalls, consumer_id: str) -> bool:
    """Whether the consumer is told that nothing will come any more; it is handed nothing."""
    handed = group.call("work", consumer_id).body
    assert handed["events"] == []
    told: bool = handed["is_finished"]
    return told


def test_joining_says_which_group_of_the_name_it_is(group: GroupCalls) -> None:
    """So who joins again can tell whether it is still the same one."""
    moments = []
    for _ in range(2):
        moments += [group.call("join", "a").body["group_created_at"] for _ in range(2)]
        assert moments[-1] == group.seen()["created_at"]
        group.delete()
        group.create()
    assert (moments[0], moments[2]) == (moments[1], moments[3])
    assert moments[0] != moments[2]


def test_the_groups_of_a_deleted_channel_go_with_it(group: GroupCalls, server: RunningServer) -> None:
    """Consumers learn of it, the name is free, and the channel takes no new groups."""
    group.join("a")
    group.work("a")
    server.request("DELETE", f"/api/v1/channels/{group.channel_id}?recursive=false")
    for verb in ("join", "work", "ack", "heartbeat"):
        refused = group.call(verb, "a", cursor=1)
        assert (refused.status, refused.body["status"]) == (409, "consumer_not_found")
        assert "no such group" in refused.body["error"]
    assert server.get(f"/groups?channel_id={group.channel_id}").body["groups"] == []
    assert (group.create().status, group.create().body["status"]) == (409, "channel_deleted")
    elsewhere = GroupCalls(server, new_channel(), group.id)
    assert elsewhere.create().status == 200
    assert elsewhere.offsets() == {}


def test_a_deleted_group_is_forgotten(group: GroupCalls) -> None:
    """With its consumers and offsets; the same name begins anew."""
    group.join("a")
    group.work("a")
    group.ack("a", 5)
    assert group.delete().status == 200
    assert (group.delete().status, group.delete().body["status"]) == (404, "group_not_found")
    assert group.call("work", "a").body["status"] == "consumer_not_found"
    group.create()
    assert (group.watermark(), group.offsets()) == (0, {})
    group.join("a")
    assert group.work("a", 2) == [1, 2]


def test_a_fork_starts_without_groups(group: GroupCalls, server: RunningServer) -> None:
    """It has events of its own, and nobody has consumed them."""
    group.join("a")
    group.work("a")
    child = f"{group.channel_id}.b"
    assert fork(server, group.channel_id, child).status == 200
    assert server.get(f"/groups?channel_id={child}").body["groups"] == []
    own = GroupCalls(server, child)
    own.create()
    own.join("a")
    assert own.work("a") == [1]
    assert group.work("a") == list(range(1, 11))


def test_lists_come_in_pages(server: RunningServer, channel: str) -> None:
    """By id, from behind one on, with a flag that says whether there are more."""
    names = [f"{channel}.{letter}" for letter in "abc"]
    for name in names:
        assert GroupCalls(server, channel, name).create().status == 200
    first = server.get(f"/groups?channel_id={channel}&limit=2").body
    rest = server.get(f"/groups?channel_id={channel}&after={names[1]}").body
    assert ([each["group_id"] for each in first["groups"]], first["has_more"]) == (names[:2], True)
    assert ([each["group_id"] for each in rest["groups"]], rest["has_more"]) == (names[2:], False)
    group = GroupCalls(server, channel, names[0])
    group.join("x", "y", "z")
    first = server.get(f"/groups/{group.id}/offsets?limit=1").body
    rest = server.get(f"/groups/{group.id}/offsets?after=x").body
    assert ([each["consumer_id"] for each in first["offsets"]], first["has_more"]) == (["x"], True)
    assert ([each["consumer_id"] for each in rest["offsets"]], rest["has_more"]) == (["y", "z"], False)


def test_a_page_of_groups_is_bounded_in_bytes(server: RunningServer, channel: str) -> None:
    """Metadata may be large; what does not fit is on the next page."""
    names = [f"{channel}.{letter}" for letter in "abc"]
    for name in names:
        GroupCalls(server, channel, name).create(metadata={"x": "x" * (12 * 2**20)})
    first = server.get(f"/groups?channel_id={channel}").body
    assert ([each["group_id"] for each in first["groups"]], first["has_more"]) == (names[:2], True)
    for name in names:  # They would take the first page of whoever lists all.
        server.request("DELETE", f"/api/v1/groups/{name}")
