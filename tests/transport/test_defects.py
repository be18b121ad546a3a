"""What is said of a defect: to the caller, in the log, in the metrics."""

import asyncio
from collections.abc import Callable

import asyncpg

from tests.support.server import RunningServer


async def _execute(server: RunningServer, statement: str) -> None:
    connection = await asyncpg.connect(server.database_url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def test_a_write_that_fails_is_in_the_log_by_its_request_id(
    start_server: Callable[..., RunningServer], channel: str
) -> None:
    """However deep it was met; and it is counted."""
    server = start_server()
    refuse = "alter table events add constraint events_refused check (event_type <> 'poison')"
    asyncio.run(_execute(server, refuse))
    refused = server.record(channel, "poison")
    assert (refused.status, refused.body["status"]) == (500, "internal")
    assert refused.body["request_id"] in server.log()
    metrics = server.request("GET", "/metrics", api_key=None).body.decode()
    assert "actae_requests_failed_total 1.0" in metrics


def test_a_write_that_finds_no_room_may_be_repeated(
    start_server: Callable[..., RunningServer], channel: str
) -> None:
    """A database that lacks something is no defect."""
    server = start_server()
    refuse = """
        create function refuse() returns trigger language plpgsql as
            $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
        create trigger refuse before insert on consumer_groups execute function refuse();
    """
    asyncio.run(_execute(server, refuse))
    refused = server.post("/groups", {"group_id": f"{channel}.g", "channel_id": channel})
    assert (refused.status, refused.body["status"], refused.body["retryable"]) == (503, "unavailable", True)
    assert "could not extend file" in refused.body["error"]
