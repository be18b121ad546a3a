"""A server that is killed in the middle of a message or of a group fork leaves all of it, or nothing."""

import signal
from collections.abc import Callable
from typing import Any

import pytest
import urllib3

from actae.crash_points import CrashPoint
from tests.support.crew import Crew
from tests.support.forking import events_of
from tests.support.kills import ENVIRONMENT, killed_at
from tests.support.server import RunningServer
from tests.support.verified import assert_whole

pytestmark = pytest.mark.crash


@pytest.fixture
def doomed(start_server: Callable[..., RunningServer]) -> Callable[[Crew], Crew]:
    """The same group, at a server that dies when it is about to commit its first story."""

    def at(crew: Crew) -> Crew:
        command = killed_at(CrashPoint.STORY_WRITTEN_NOT_COMMITTED, 1)
        server = start_server(command=command, environment=ENVIRONMENT)
        same = crew.fork_crew(crew.id)
        same.server = server
        return same

    return at


async def test_a_message_is_on_both_sides_or_on_none(
    start_server: Callable[..., RunningServer], doomed: Callable[[Crew], Crew], database_url: str
) -> None:
    """Sent again under its operation id it arrives, once."""
    server = start_server()
    crew = Crew(server, "ada", "bob")
    fields: dict[str, Any] = {"payload": {"n": 1}, "operation_id": "the task"}
    dying = doomed(crew)
    with pytest.raises(urllib3.exceptions.ProtocolError):
        dying.send("ada", "bob", "task", **fields)
    assert dying.server.process.wait(30) == -signal.SIGKILL
    assert crew.mail("bob") == []
    for name in ("ada", "bob"):
        assert events_of(server, crew.channel(name)) == []
        assert server.get(f"/channels/{crew.channel(name)}/metadata").status == 404
    first = crew.sent("ada", "bob", "task", **fields)
    assert crew.sent("ada", "bob", "task", **fields) == first
    assert crew.mail("bob") == [first]
    assert [len(events_of(server, crew.channel(name))) for name in ("ada", "bob")] == [1, 1]
    await assert_whole(database_url)


async def test_a_group_fork_has_all_of_its_channels_or_none(
    start_server: Callable[..., RunningServer], doomed: Callable[[Crew], Crew], database_url: str
) -> None:
    """Made again under its name it is complete."""
    server = start_server()
    crew = Crew(server, "ada", "bob")
    crew.sent("ada", "bob")
    dying = doomed(crew)
    with pytest.raises(urllib3.exceptions.ProtocolError):
        dying.fork("what-if", "ada", 0)
    assert dying.server.process.wait(30) == -signal.SIGKILL
    assert server.get("/execution-group-forks/what-if").status == 404
    assert server.get("/execution-groups/what-if/members").status == 404
    assert [server.get(f"/channels/what-if:{name}/metadata").status for name in ("ada", "bob")] == [404, 404]
    made = crew.forked("what-if", "ada", 0)
    assert [each["channel_id"] for each in made["members"]] == ["what-if:ada", "what-if:bob"]
    await assert_whole(database_url)
