"""Consumer groups: what the calls send, and what they do on a real server."""

from typing import Any

import pytest

from actae_client import ActaeClient, errors
from tests.client.support.replies import EVENT
from tests.client.support.scripted_server import Answer, Hangup, ScriptedServer
from tests.support.postgres import Clock

GROUP = {"group_id": "g", "channel_id": "run-7", "created_at": "2026-03-01T09:30:00Z", "metadata": None}
OFFSET = {
    "group_id": "g",
    "consumer_id": "w",
    "last_cursor": 0,
    "claimed_cursor": 0,
    "updated_at": "2026-03-01T09:30:00Z",
}
WORK = {"group_id": "g", "consumer_id": "w", "lease_until": "2026-03-01T09:31:00Z", "events": [EVENT]}


@pytest.mark.parametrize(
    ("method", "args", "kwargs", "sent", "body"),
    [
        ("create_group", ("g", "run-7"), {}, "POST ", {"group_id": "g", "channel_id": "run-7"}),
        (
            "create_group",
            ("g", "run-7"),
            {"metadata": {"a": 1}},
            "POST ",
            {"group_id": "g", "channel_id": "run-7", "metadata": {"a": 1}},
        ),
        ("list_groups", (), {}, "GET ", None),
        ("list_groups", (), {"channel_id": "run-7"}, "GET ?channel_id=run-7", None),
        ("delete_group", ("g",), {}, "DELETE /g", None),
        ("join_group", ("g", "w"), {}, "POST /g/join", {"consumer_id": "w", "lease_seconds": 60}),
        (
            "join_group",
            ("g:1", "w"),
            {"lease_seconds": 5},
            "POST /g:1/join",
            {"consumer_id": "w", "lease_seconds": 5},
        ),
        ("claim_work", ("g", "w"), {}, "POST /g/work", {"consumer_id": "w", "limit": 100}),
        (
            "claim_work",
            ("g", "w"),
            {"wait_seconds": 2.5},
            "POST /g/work",
            {"consumer_id": "w", "limit": 100, "wait_seconds": 2.5},
        ),
        ("claim_work", ("g/x", "w"), {"limit": 1}, "POST /g%2Fx/work", {"consumer_id": "w", "limit": 1}),
        ("ack_work", ("g", "w", 3), {}, "POST /g/ack", {"consumer_id": "w", "cursor": 3}),
        ("heartbeat", ("g", "w"), {}, "POST /g/heartbeat", {"consumer_id": "w", "lease_seconds": 60}),
        ("group_offsets", ("g",), {}, "GET /g/offsets", None),
    ],
)
async def test_what_is_sent(
    client: ActaeClient,
    scripted: ScriptedServer,
    method: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    sent: str,
    body: Any,
) -> None:
    """Flat and through the facade; what is not set stays at home."""
    scripted.answers({**GROUP, **OFFSET, **WORK, "groups": [GROUP], "offsets": [OFFSET], "status": "ok"})
    for methods in (client, client.groups):
        await getattr(methods, method)(*args, **kwargs)
        verb, _, path = sent.partition(" ")
        assert (scripted.last.method, scripted.last.target) == (verb, f"/api/v1/groups{path}")
        assert (scripted.last.json if scripted.last.body else None) == body


async def test_what_a_server_does_not_tell_is_none(client: ActaeClient, scripted: ScriptedServer) -> None:
    """Other servers of this protocol say less."""
    scripted.answers({**GROUP, **OFFSET})
    group = await client.create_group("g", "run-7")
    assert (group.metadata, group.watermark, group.latest_cursor) == (None, None, None)
    assert (await client.join_group("g", "w")).lease_until is None


@pytest.mark.parametrize(
    ("method", "args"),
    [
        ("create_group", ("g", "run-7")),
        ("join_group", ("g", "w")),
        ("claim_work", ("g", "w")),
        ("ack_work", ("g", "w", 3)),
        ("heartbeat", ("g", "w")),
    ],
)
async def test_what_may_be_repeated_is(
    client: ActaeClient, scripted: ScriptedServer, method: str, args: tuple[Any, ...]
) -> None:
    """Each has the same effect when it is made twice."""
    scripted.will(Hangup(), Answer(200, {**GROUP, **OFFSET, **WORK}))
    await getattr(client, method)(*args)
    assert len(scripted.heard) == 2


async def test_deleting_is_not_repeated(client: ActaeClient, scripted: ScriptedServer) -> None:
    """The name may be another group's by then."""
    scripted.will(Hangup())
    with pytest.raises(errors.ActaeConnectionError):
        await client.delete_group("g")
    assert len(scripted.heard) == 1


async def test_workers_share_a_channel(actae: ActaeClient, channel: str) -> None:
    """Each event goes to one of them; what is acknowledged is done."""
    group = f"{channel}.g"
    for number in range(5):
        await actae.record(channel, "note", number, actor="a")
    created = await actae.create_group(group, channel, metadata={"team": "b"})
    assert (created.metadata, created.watermark, created.latest_cursor) == ({"team": "b"}, 0, 5)
    for consumer in ("v", "w"):
        await actae.join_group(group, consumer)
    ours, theirs = await actae.claim_work(group, "v", limit=2), await actae.claim_work(group, "w")
    assert [event.payload for event in ours.events] == [0, 1]
    assert [event.cursor for event in theirs.events] == [3, 4, 5]
    await actae.ack_work(group, "v", 2)
    await actae.ack_work(group, "w", 4)
    assert [(each.last_cursor, each.claimed_cursor) for each in await actae.group_offsets(group)] == [
        (2, 2),
        (4, 5),
    ]
    assert [(each.group_id, each.watermark) for each in await actae.list_groups(channel_id=channel)] == [
        (group, 4)
    ]
    await actae.delete_group(group)
    assert await actae.list_groups(channel_id=channel) == []


async def test_refusals_have_their_classes(actae: ActaeClient, channel: str, server_clock: Clock) -> None:
    """Also that of a lease that has lapsed."""
    group = f"{channel}.g"
    with pytest.raises(errors.ConsumerError, match="no such group"):
        await actae.join_group(group, "w")
    with pytest.raises(errors.GroupNotFoundError):
        await actae.delete_group(group)
    with pytest.raises(errors.GroupNotFoundError):
        await actae.group_offsets(group)
    await actae.create_group(group, channel)
    with pytest.raises(errors.GroupConflictError):
        await actae.create_group(group, f"{channel}.b")
    with pytest.raises(errors.ConsumerError, match="never joined"):
        await actae.claim_work(group, "w")
    await actae.join_group(group, "w", lease_seconds=60)
    with pytest.raises(errors.InvalidRequestError):
        await actae.ack_work(group, "w", 1)
    server_clock.advance(61)
    with pytest.raises(errors.ConsumerError, match="lapsed") as caught:
        await actae.heartbeat(group, "w")
    assert caught.value.details["consumer_id"] == "w"


@pytest.mark.parametrize(
    ("options", "waits"),
    [({"poll_seconds": 1.5}, 1.5), ({"poll_seconds": 60}, 20.0), ({"follow": False}, None)],
)
async def test_a_consumer_waits_at_the_server(
    client: ActaeClient, scripted: ScriptedServer, options: dict[str, Any], waits: float | None
) -> None:
    """For as long as the server allows; not at all where only what is there is wanted."""
    scripted.answers({**OFFSET, **WORK, "status": "ok"})
    async with client.consume("g", "w", **options) as events:
        async for _ in events:
            break
    [asked] = [heard.json for heard in scripted.heard if heard.target.endswith("/work")]
    assert asked.get("wait_seconds") == waits
