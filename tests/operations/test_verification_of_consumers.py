"""`verify` on a database with consumer groups: what they do by right is whole, and damage is found."""

from collections.abc import Callable

import pytest

from actae.operations.verification import verify
from actae.store.database import Database
from tests.support.consuming import GroupCalls, record_many
from tests.support.damage import damage, invariants
from tests.support.postgres import Clock
from tests.support.server import RunningServer

WHERE_HELD = "where consumer_id = 'b'"
DAMAGES = {
    "the watermark is beyond the channel": "update consumer_groups set watermark = 99",
    "the name leads elsewhere": "update consumer_group_names set channel_id = 'other'",
    "the name is gone": "delete from consumer_group_names",
    "an event is in two hands": "update consumer_ranges set last_cursor = 7 where first_cursor = 3",
    "an event was handed out too early": f"update consumer_ranges set last_cursor = 11 {WHERE_HELD}",
    "a consumer is gone": "delete from consumers where consumer_id = 'b'",
    "a consumer was handed less": f"update consumers set highest_reserved = 3 {WHERE_HELD}",
    "what is done was not counted": "update consumer_ranges set consumer_id = null where first_cursor = 3",
    "one range became two": (
        f"update consumer_ranges set last_cursor = 7 {WHERE_HELD};"
        "insert into consumer_ranges values ('run', 'g', 8, 8, 'b')"
    ),
    "the group is gone": "delete from consumer_groups",
}
FOUND_BY = {
    "the name leads elsewhere": "consumers_belong_to_a_group",
    "the group is gone": "consumers_belong_to_a_group",
}


@pytest.fixture
def server(start_server: Callable[..., RunningServer], database_url: str) -> RunningServer:
    """With a group that has something of everything, and one that waits for its channel."""
    server = start_server()
    record_many(server, "run", 10)
    group = GroupCalls(server, "run", "g")
    for each in (group, GroupCalls(server, "not-yet", "h")):
        each.create()
        each.join("a", "b", "c")
    assert (group.work("a", 4), group.work("b", 4), group.work("c", 1)) == ([1, 2, 3, 4], [5, 6, 7, 8], [9])
    group.ack("a", 2)
    group.ack("b", 5)
    Clock(database_url).advance(61)
    group.join("b", "d")
    assert (group.work("d", 2), group.work("b", 3)) == ([3, 4], [6, 7, 8])
    return server


async def test_what_consumers_do_is_whole(server: RunningServer, db: Database) -> None:
    """Also lapsed reservations, and a channel that was deleted under its group."""
    report = await verify(db)
    assert (report.broken, report.looked_at.consumer_groups) == ([], 2)
    server.request("DELETE", "/api/v1/channels/run?recursive=false")
    report = await verify(db)
    assert (report.broken, report.looked_at.consumer_groups) == ([], 1)


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("what", DAMAGES)
async def test_damage_is_found(db: Database, database_url: str, what: str) -> None:
    """By the invariant that it breaks."""
    await damage(database_url, DAMAGES[what])
    assert FOUND_BY.get(what, "consumer_group_is_sound") in invariants(await verify(db))
