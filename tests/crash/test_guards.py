"""A server is killed while claims pour in: budgets have counted what was granted, to the last claim."""

import asyncio
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import urllib3

from actae.crash_points import CrashPoint
from tests.support.doomed import doomed_at
from tests.support.server import RunningServer
from tests.support.verified import assert_whole

pytestmark = pytest.mark.crash

CLAIMS, LIMIT = 120, 100


@pytest.mark.parametrize(
    ("point", "nth"),
    [(CrashPoint.BATCH_DECIDED, 4), (CrashPoint.BATCH_COMMITTED_NOT_ANSWERED, 4)],
)
def test_a_killed_server_counts_what_it_granted(
    start_server: Callable[..., RunningServer], database_url: str, point: CrashPoint, nth: int
) -> None:
    """Whoever got no answer claims again: nothing is counted twice, nothing is granted past the limit."""
    doomed = start_server(**doomed_at(point, nth))
    guards = [
        doomed.post("/guards", {"kind": "budget", "limit": LIMIT}),
        doomed.post("/guards", {"kind": "budget", "limit": LIMIT * 10, "field": "n"}),
        doomed.post("/guards", {"kind": "near_duplicate", "window_seconds": 60, "action": "warn"}),
    ]
    assert [each.status for each in guards] == [200, 200, 200]

    def granted(server: RunningServer, number: int) -> bool:
        fields = {"params": {"n": number % 10}, "attempt_id": f"a{number}"}
        reply = server.claim(f"run-{number % 5}", f"k{number}", **fields)
        assert reply.status in (200, 409), reply
        return reply.status == 200

    def is_lost(number: int) -> bool:
        try:
            granted(doomed, number)
        except urllib3.exceptions.HTTPError:
            return True
        return False

    with ThreadPoolExecutor(8) as callers:
        assert any(callers.map(is_lost, range(CLAIMS)))
    assert doomed.process.wait(30) == -signal.SIGKILL
    asyncio.run(assert_whole(database_url))

    server = start_server()
    with ThreadPoolExecutor(8) as callers:
        assert sum(callers.map(lambda number: granted(server, number), range(CLAIMS))) == LIMIT
    asyncio.run(assert_whole(database_url))
    (use,) = server.get("/guards").body["guards"][0]["uses"]
    assert use["used"] == LIMIT


def test_a_freeze_whose_answer_was_lost_is_in_force_and_can_be_repeated(
    start_server: Callable[..., RunningServer], channel: str
) -> None:
    """Killed before its commit there is none; the repetition finds it or makes it."""
    doomed = start_server(**doomed_at(CrashPoint.STORY_WRITTEN_NOT_COMMITTED, 2))
    freeze = {"kind": "freeze", "tool_name": "charge", "guard_id": "stop"}
    with pytest.raises(urllib3.exceptions.ProtocolError):
        doomed.post("/guards", freeze)
    server = start_server()
    assert server.claim(channel, "a").body["status"] == "tool_frozen"
    assert server.post("/guards", freeze).body["guard_id"] == "stop"
    assert server.claim(channel, "a").body["status"] == "tool_frozen"
    assert server.request("DELETE", "/api/v1/guards/stop").status == 200
    assert server.claim(channel, "a").body["status"] == "claimed"
