"""Many callers want the same thing at the same moment, of one server or of two."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.crowd import Answer, Crowd, crowd_at
from tests.support.postgres import Clock
from tests.support.server import RunningServer

WRITERS = 50
EVENTS_EACH = 8


def event(channel_id: str, payload: Any, **fields: Any) -> dict[str, Any]:
    """A body for `events/record`."""
    metadata = {"actor": "racer", "agent_id": None, "user_id": None, "metadata": None}
    return {
        "channel_id": channel_id,
        "event_type": "note",
        "payload": payload,
        "metadata": metadata,
        **fields,
    }


def claim(channel_id: str, **fields: Any) -> dict[str, Any]:
    """A body for `executions/claim`."""
    return {"channel_id": channel_id, "key_name": "charge", "tool_name": "charge", "params": {}, **fields}


def statuses(answers: list[Answer]) -> list[str]:
    """The word that each answer gives as its status."""
    return [answer.body["status"] for answer in answers]


async def keep_recording(crowd: Crowd, channel_id: str, writer: int) -> list[int]:
    """One writer's events, one after the other; their cursors."""
    cursors = []
    for number in range(EVENTS_EACH):
        answer = await crowd.post("/events/record", event(channel_id, [writer, number]))
        cursors.append(answer.body["event"]["cursor"])
    return cursors


async def watch(crowd: Crowd, channel_id: str, *, most: int) -> list[Any]:
    """The payloads as a reader meets them who asks again and again for what is new, and trusts its cursor."""
    seen: list[Any] = []
    while len(seen) < most:
        page = (await crowd.get(f"/events/replay/{channel_id}?cursor={len(seen)}")).body["events"]
        expected = list(range(len(seen) + 1, len(seen) + 1 + len(page)))
        assert [each["cursor"] for each in page] == expected, "a gap, or something out of order"
        seen += [each["payload"] for each in page]
    return seen


async def test_a_reader_never_sees_a_gap_behind_fifty_writers(server: RunningServer, channel: str) -> None:
    """What is visible is a prefix, always; what was passed never changes."""
    async with crowd_at(server) as crowd:
        watching = asyncio.create_task(watch(crowd, channel, most=WRITERS * EVENTS_EACH))
        cursors = await asyncio.gather(*(keep_recording(crowd, channel, writer) for writer in range(WRITERS)))
        seen = await watching
    for writer, own in enumerate(cursors):
        assert own == sorted(own)
        assert [seen[cursor - 1] for cursor in own] == [[writer, number] for number in range(EVENTS_EACH)]
    assert server.get(f"/events/verify/{channel}").body["valid"]


async def test_a_reader_never_sees_a_gap_behind_two_servers(
    start_server: Callable[..., RunningServer], channel: str
) -> None:
    """Nor does it matter which of the two it asks."""
    one, other = start_server(), start_server()
    async with crowd_at(one) as at_one, crowd_at(other) as at_other:
        watching = [
            asyncio.create_task(watch(crowd, channel, most=WRITERS * EVENTS_EACH))
            for crowd in (at_one, at_other)
        ]
        writers = (
            keep_recording(crowd, channel, writer)
            for writer in range(WRITERS // 2)
            for crowd in (at_one, at_other)
        )
        cursors = await asyncio.gather(*writers)
        seen_at_one, seen_at_other = await asyncio.gather(*watching)
    assert seen_at_one == seen_at_other
    assert sorted(cursor for own in cursors for cursor in own) == list(range(1, WRITERS * EVENTS_EACH + 1))
    assert other.get(f"/events/verify/{channel}").body["valid"]


async def test_two_hundred_claimers_make_one_owner(server: RunningServer, channel: str) -> None:
    """The others are told that it is being run; one start is in the log."""
    async with crowd_at(server) as crowd:
        answers = await crowd.post_together("/executions/claim", [claim(channel)] * 200)
    assert sorted(statuses(answers)) == ["claimed"] + ["in_progress"] * 199
    assert sum(answer.body["claim_token"] is not None for answer in answers) == 1
    assert server.get(f"/events/cursor/{channel}").body == {"latest_cursor": 1}


async def test_two_hundred_claimers_at_two_servers_make_one_owner(
    start_server: Callable[..., RunningServer], channel: str
) -> None:
    """A hundred at each; nothing is decided in a process that the other would miss."""
    one, other = start_server(), start_server()
    async with crowd_at(one) as at_one, crowd_at(other) as at_other:
        first, second = await asyncio.gather(
            at_one.post_together("/executions/claim", [claim(channel)] * 100),
            at_other.post_together("/executions/claim", [claim(channel)] * 100),
        )
    assert sorted(statuses(first + second)) == ["claimed"] + ["in_progress"] * 199
    assert one.get(f"/events/cursor/{channel}").body == {"latest_cursor": 1}


async def test_one_of_many_takes_a_lapsed_lease_over(
    server: RunningServer, server_clock: Clock, channel: str
) -> None:
    """One new owner per lapse, each time with a higher attempt."""
    async with crowd_at(server) as crowd:
        await crowd.post("/executions/claim", claim(channel))
        for attempts in (2, 3):
            server_clock.advance(61)
            answers = await crowd.post_together("/executions/claim", [claim(channel)] * 50)
            assert sorted(statuses(answers)) == ["in_progress"] * 49 + ["reclaimed"]
            assert {answer.body["execution"]["attempts"] for answer in answers} == {attempts}


@pytest.mark.parametrize(
    ("call", "fields"),
    [("complete", {"result": 1}), ("fail", {"message": "no"}), ("heartbeat", {}), ("cancel", {})],
)
def test_a_stale_token_is_refused(
    server: RunningServer, server_clock: Clock, channel: str, call: str, fields: dict[str, Any]
) -> None:
    """Its owner was slow and has a successor: whatever it says now changes nothing."""
    slow = server.claim(channel, "charge").body
    server_clock.advance(61)
    current = server.claim(channel, "charge").body
    path = f"/executions/{slow['execution']['id']}"
    refused = server.post(f"{path}/{call}", {"claim_token": slow["claim_token"], **fields})
    assert (refused.status, refused.body["status"]) == (409, "execution_not_owned")
    assert server.get(path).body["execution"] == current["execution"]
    told = 1 if call in {"complete", "fail"} else 0  # what it reports is kept as evidence
    assert server.get(f"/events/cursor/{channel}").body == {"latest_cursor": 2 + told}
    accepted = server.post(f"{path}/{call}", {"claim_token": current["claim_token"], **fields})
    assert accepted.status == 200


async def test_one_operation_id_appends_once_however_many_send_it(
    server: RunningServer, channel: str
) -> None:
    """All of them get the same event back."""
    async with crowd_at(server) as crowd:
        answers = await crowd.post_together("/events/record", [event(channel, 1, operation_id="op")] * 50)
    assert {answer.status for answer in answers} == {200}
    assert all(answer.body == answers[0].body for answer in answers)
    assert server.get(f"/events/cursor/{channel}").body == {"latest_cursor": 1}


async def test_one_operation_id_with_different_content_appends_one_of_them(
    server: RunningServer, channel: str
) -> None:
    """Whichever came first; the others are told that the id is taken."""
    async with crowd_at(server) as crowd:
        bodies = [event(channel, number, operation_id="op") for number in range(20)]
        answers = await crowd.post_together("/events/record", bodies)
    assert sorted(answer.status for answer in answers) == [200] + [409] * 19
    assert {answer.body["status"] for answer in answers if answer.status == 409} == {"idempotency_conflict"}


async def test_one_transition_wins_each_version(server: RunningServer, channel: str) -> None:
    """Fifty build on the same version; one of them was right, the others are told what is current."""
    async with crowd_at(server) as crowd:
        for version in range(5):
            bodies = [
                {
                    "channel_id": channel,
                    "type": "moved",
                    "payload": number,
                    "state": {"by": number},
                    "metadata": {"actor": "racer"},
                    "expected_version": version,
                }
                for number in range(50)
            ]
            answers = await crowd.post_together("/events/transition", bodies)
            [winner] = [number for number, answer in enumerate(answers) if answer.status == 200]
            assert answers[winner].body["state_version"] == version + 1
            losers = [answer.body for number, answer in enumerate(answers) if number != winner]
            told = {(body["status"], body["current_version"]) for body in losers}
            assert told == {("version_conflict", version + 1)}
            latest = server.get(f"/state/{channel}").body
            assert (latest["cursor"], latest["state"]) == (version + 1, {"by": winner})
