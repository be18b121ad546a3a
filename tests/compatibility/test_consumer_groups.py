"""Consumer groups through the published client, and with ours in one group."""

from typing import Any

import pytest

from tests.compatibility.conftest import Run
from tests.compatibility.support.partner import Partner, Raised

Told = dict[str, Any]


@pytest.fixture(scope="module")
def told(run: Run) -> Told:
    """What the program told."""
    told: Told = run("consumer_groups")
    return told


def cursors(work: Told) -> list[int]:
    """The cursors of what was handed out."""
    return [event["cursor"] for event in work["events"]]


def test_a_group_is_created_once_and_listed(told: Told) -> None:
    """Also for a channel that does not exist yet."""
    group = f"{told['channel']}.g"
    created = told["created"]
    assert (created["group_id"], created["metadata"]) == (group, {"team": "b"})
    assert told["again"] == created
    assert told["listed"] == [created]
    assert {group, told["early"]["group_id"]} <= set(told["all"])
    assert (told["taken"]["raised"], told["taken"]["status_code"]) == ("APIError", 409)


def test_work_is_shared_and_acknowledged(told: Told) -> None:
    """Each event to one; what is in hand comes again; the documented worker acknowledges `channel_cursor`."""
    assert [(each["last_cursor"], each["claimed_cursor"]) for each in told["joined"]] == [(0, 0)] * 2
    assert list(map(cursors, told["work"])) == [[1, 2], [3, 4], [1, 2]]
    assert told["work"][0]["events"][0]["payload"] == {"n": 1}
    assert [
        (each["consumer_id"], each["last_cursor"], each["claimed_cursor"]) for each in told["offsets"]
    ] == [
        ("a", 2, 2),
        ("b", 3, 4),
    ]
    assert (cursors(told["rest"]), cursors(told["empty"]), cursors(told["nothing"])) == ([5], [4], [])
    assert told["nothing"]["lease_until"] < told["rest"]["lease_until"]


def test_the_errors_are_raised_as_their_classes(told: Told) -> None:
    """Without a lease, without a group, beyond what was handed out."""
    assert [told[name]["raised"] for name in ("stranger", "nowhere")] == ["ConsumerError"] * 2
    assert (told["beyond"]["raised"], told["beyond"]["status_code"]) == ("APIError", 400)
    offsets, heartbeat = told["gone"]
    assert (told["deleted"]["status_code"], offsets["status_code"]) == (404, 404)
    assert heartbeat["raised"] == "ConsumerError"


def test_both_clients_work_in_one_group(pair: tuple[Partner, Partner], channel: str) -> None:
    """What one has in hand the other is not handed, and what one has done the other need not do."""
    one, other = pair
    group = f"{channel}.g"
    for number in range(4):
        one.ask("record", channel_id=channel, event_type="note", payload=number, actor="a")
    one.ask("create_group", group_id=group, channel_id=channel)
    assert other.ask("create_group", group_id=group, channel_id=channel)["group_id"] == group
    for partner, name in ((one, "one"), (other, "other")):
        partner.ask("join_group", group_id=group, consumer_id=name)
    assert cursors(one.ask("claim_work", group_id=group, consumer_id="one", limit=3)) == [1, 2, 3]
    assert cursors(other.ask("claim_work", group_id=group, consumer_id="other")) == [4]
    assert one.ask("ack_work", group_id=group, consumer_id="one", cursor=3) is None
    assert other.ask("ack_work", group_id=group, consumer_id="other", cursor=4) is None
    assert cursors(one.ask("claim_work", group_id=group, consumer_id="one")) == []
    offsets = [each.ask("group_offsets", group_id=group) for each in pair]
    assert [[each["last_cursor"] for each in found] for found in offsets] == [[3, 4]] * 2
    assert other.ask("delete_group", group_id=group) is None
    for partner in pair:
        with pytest.raises(Raised, match="ConsumerError"):
            partner.ask("heartbeat", group_id=group, consumer_id="one")
