"""The server is killed around the mark that says: now the tool is called."""

import asyncio
import signal
from collections.abc import Callable

import pytest
import urllib3

from actae.crash_points import CrashPoint
from tests.support.doomed import doomed_at
from tests.support.postgres import Clock
from tests.support.server import RunningServer
from tests.support.verified import assert_whole

pytestmark = pytest.mark.crash

# The second batch is the mark. Where it kills the server, and what the next claim gets after the lapse.
KILLS = [
    (CrashPoint.BATCH_DECIDED, "reclaimed"),
    (CrashPoint.BATCH_COMMITTED_NOT_ANSWERED, "execution_ambiguous"),
]


@pytest.mark.parametrize(("point", "answer"), KILLS)
async def test_a_mark_counts_from_its_commit_on(
    start_server: Callable[..., RunningServer], database_url: str, point: CrashPoint, answer: str
) -> None:
    """Its owner got no answer in either case; if it sends the mark again, it may call the tool."""
    doomed = start_server(**doomed_at(point, 2))
    held = doomed.claim("run-1", "charge", on_lapse="ambiguous", dispatches=True, attempt_id="mine").body
    mark = (f"/executions/{held['execution']['id']}/dispatched", {"claim_token": held["claim_token"]})
    with pytest.raises(urllib3.exceptions.HTTPError):
        await asyncio.to_thread(doomed.post, *mark)
    assert await asyncio.to_thread(doomed.process.wait, 30) == -signal.SIGKILL
    server = start_server()
    clock = Clock(database_url)
    await asyncio.to_thread(clock.advance, 61)
    claimed = server.claim("run-1", "charge", attempt_id="another")
    assert claimed.body["status"] == answer
    again = server.post(*mark)
    assert again.status == (409 if answer == "reclaimed" else 200)
    await assert_whole(database_url)
