"""A person approves hours later, when no agent is running; servers and agents die in between."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import urllib3

from actae.crash_points import CrashPoint
from tests.crash.approved_worker import MISMATCH, NOT_YET
from tests.support.approving import ask, code, decide
from tests.support.command import environment
from tests.support.postgres import Clock
from tests.support.server import RunningServer
from tests.support.verified import assert_whole
from tests.support.waiting import until

pytestmark = pytest.mark.crash

ROOT = Path(__file__).parents[2]
HOURS = 5 * 3600


class Desk:
    """Where agents are started, and where a person sits."""

    def __init__(self, server: RunningServer, channel: str, book: Path) -> None:
        self.book = book
        self._server = server
        self._channel = channel
        self._environment = environment(ACTAE_URL=server.url, ACTAE_API_KEY=server.api_key)

    def agent(self, cents: int, *, seconds: float = 0) -> subprocess.Popen[str]:
        """One that wants to refund."""
        program = Path(__file__).parent / "approved_worker.py"
        arguments = [self._channel, str(cents), str(self.book), str(seconds)]
        return subprocess.Popen(
            [sys.executable, str(program), *arguments],
            env=self._environment,
            stdout=subprocess.PIPE,
            text=True,
        )

    def person(self, *words: str) -> str:
        """What somebody sees who types this."""
        command = [sys.executable, "-m", "actae", "approvals", *words]
        return subprocess.run(
            command, env=self._environment, check=True, capture_output=True, text=True
        ).stdout

    def waiting(self) -> list[dict[str, Any]]:
        """The questions that nobody has answered."""
        query = f"/approvals?channel_id={self._channel}&status=pending"
        found: list[dict[str, Any]] = self._server.get(query).body["approvals"]
        return found


@pytest.fixture
def desk(server: RunningServer, channel: str, tmp_path: Path) -> Desk:
    """With an empty book."""
    return Desk(server, channel, tmp_path / "book")


def test_the_next_agent_goes_on_with_what_a_person_approved(
    desk: Desk, server: RunningServer, server_clock: Clock, channel: str
) -> None:
    """The one that asked was killed, hours have passed; what was approved is done once, and nothing else."""
    with desk.agent(4200, seconds=600) as first:
        until(desk.waiting, seconds=60)
        first.kill()
    server_clock.advance(HOURS)

    (asked,) = desk.waiting()
    assert asked["operation"]["params"] == {"cents": 4200}
    shown = desk.person("list", "--channel", channel)
    assert '{"cents": 4200}' in shown
    assert asked["request_id"] in shown
    desk.person("approve", channel, asked["request_id"], "--as", "ada", "--reason", "the customer is right")

    other = server.claim(channel, "refund:T-1", tool_name="refund", params={"cents": 9900})
    assert code(other) == "approval_mismatch"
    assert not desk.book.exists()
    for _ in range(2):
        agent = desk.agent(4200)
        assert (agent.communicate()[0], agent.returncode) == ("4200 back\n", 0)
    assert desk.book.read_text() == "4200\n"


def test_an_agent_that_changed_its_mind_has_to_ask_again(desk: Desk, channel: str) -> None:
    """What somebody approved for other arguments is not theirs to use, nor to take away by asking anew."""
    first = desk.agent(4200)
    request_id = first.communicate()[0].strip()
    assert first.returncode == NOT_YET
    desk.person("approve", channel, request_id, "--as", "ada")
    second = desk.agent(9900)
    second.communicate()
    assert second.returncode == MISMATCH
    assert (desk.waiting(), desk.book.exists()) == ([], False)
    desk.person("reject", channel, request_id, "--as", "ada", "--reason", "then not this")
    third = desk.agent(9900)
    assert third.communicate()[0].strip() != request_id
    assert third.returncode == NOT_YET
    assert not desk.book.exists()
    assert [each["operation"]["params"] for each in desk.waiting()] == [{"cents": 9900}]


@pytest.mark.parametrize(
    ("point", "is_there"),
    [(CrashPoint.BATCH_DECIDED, False), (CrashPoint.BATCH_COMMITTED_NOT_ANSWERED, True)],
)
async def test_a_decision_is_whole_or_absent(
    start_server: Callable[..., RunningServer],
    database_url: str,
    channel: str,
    point: CrashPoint,
    is_there: bool,
) -> None:
    """The server dies with it in its hands; sent again, it is one decision."""
    command = ("-m", "tests.support.killer", point, "2", "serve")
    doomed = start_server(command=command, environment={"PYTHONPATH": str(ROOT)})
    ask(doomed, channel)
    with pytest.raises(urllib3.exceptions.ProtocolError):
        decide(doomed, channel, "approved", operation_id="d1")
    server = start_server()
    (found,) = server.get(f"/approvals?channel_id={channel}").body["approvals"]
    assert found["status"] == ("approved" if is_there else "pending")
    assert decide(server, channel, "approved", operation_id="d1").body["event"]["cursor"] == 2
    assert code(server.claim(channel, "charge:1")) == "claimed"
    await assert_whole(database_url)
