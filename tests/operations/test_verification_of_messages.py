"""`verify` on a database with execution groups: what is right is whole, and what was damaged is found."""

import pytest

from actae.operations.verification import verify
from actae.store.database import Database
from tests.support.crew import Crew
from tests.support.damage import damage, invariants
from tests.support.server import RunningServer

DAMAGES = {
    "a row names another delivery": "update group_messages set cursor = 2",
    "a row names another sending": "update group_messages set source_cursor = 2",
    "a row names a channel that is not there": "update group_messages set source_channel_id = 'nowhere'",
    "a row was moved to a channel that is not there": "update group_messages set channel_id = 'nowhere'",
    "the sending is another event": "update events set event_type = 'note' where event_type = 'message.sent'",
}


async def test_groups_are_whole(start_server: type[RunningServer], db: Database) -> None:
    """Messages in all directions, under operation ids, acknowledged; forks; closed and deleted channels."""
    server = start_server()
    crew = Crew(server, "ada", "bob", "eve")
    crew.add("max", crew.channel("ada"))
    for sender, recipient in (("ada", "bob"), ("bob", "ada"), ("ada", "max"), ("eve", "bob"), ("bob", "eve")):
        crew.sent(sender, recipient, operation_id=f"{sender} {recipient}")
    crew.claim("bob")
    crew.acknowledge(crew.mail("bob")[0]["message_id"])
    crew.forked("what-if", "ada", 1, member_policies={"ada": "reactive"})
    crew.fork_crew("what-if").sent("ada", "ada")
    server.post(f"/channels/{crew.channel('bob')}/close", {})
    server.request("DELETE", f"/api/v1/channels/{crew.channel('eve')}?recursive=true")
    report = await verify(db, keys_were_freed=False)
    assert [str(each) for each in report.broken] == []
    assert report.looked_at.messages == 5


@pytest.mark.parametrize("what", DAMAGES)
async def test_damage_is_found(
    start_server: type[RunningServer], db: Database, database_url: str, what: str
) -> None:
    """By the invariant that it breaks."""
    Crew(start_server(), "ada", "bob").sent("ada", "bob")
    await damage(database_url, DAMAGES[what])
    report = await verify(db)
    expected = "rows_belong_to_a_channel" if "moved" in what else "messages_have_both_events"
    assert expected in invariants(report)
