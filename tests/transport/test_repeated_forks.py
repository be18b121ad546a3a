"""Names and operation ids of forks that are used again: what is the same fork, and what is refused."""

import pytest

from tests.support.forking import fork, step
from tests.support.server import RunningServer


def test_a_fork_at_the_latest_state_is_not_the_one_without(server: RunningServer, channel: str) -> None:
    """Under one name they are two different forks, whichever was made first."""
    step(server, channel, 1)
    assert fork(server, channel, f"{channel}.b", copy_state=False).body["restorable"] is False
    assert fork(server, channel, f"{channel}.b", copy_state=False).body["replayed"] is True
    assert fork(server, channel, f"{channel}.b").body["status"] == "channel_conflict"
    assert fork(server, channel, f"{channel}.c").body["restorable"] is True
    assert fork(server, channel, f"{channel}.c").body["replayed"] is True
    assert fork(server, channel, f"{channel}.c", copy_state=False).body["status"] == "channel_conflict"


def test_a_state_that_was_left_behind_before_the_first_event_was_left_behind(
    server: RunningServer, channel: str
) -> None:
    """A source may have states and no event: 0 is then the cursor of both."""
    server.post(f"/state/{channel}", {"cursor": 0, "state": {"n": 1}})
    assert fork(server, channel, f"{channel}.b", copy_state=False).body["resolved_cursor"] == 0
    assert fork(server, channel, f"{channel}.b", copy_state=False).body["replayed"] is True
    assert fork(server, channel, f"{channel}.b").body["status"] == "channel_conflict"


def test_a_fork_that_found_no_state_is_the_same_when_there_is_one(
    server: RunningServer, channel: str
) -> None:
    """A repetition gets the first receipt, whatever the source has by then."""
    server.record(channel)
    first = fork(server, channel, f"{channel}.b").body
    step(server, channel, 1)
    assert fork(server, channel, f"{channel}.b").body == {**first, "replayed": True}


def test_an_operation_id_that_was_answered_by_name_is_used(server: RunningServer, channel: str) -> None:
    """It means that fork from then on, and no other."""
    step(server, channel, 1)
    operation = f"op-{channel}"
    first = fork(server, channel, f"{channel}.b").body
    for _ in range(2):
        again = fork(server, channel, f"{channel}.b", operation_id=operation)
        assert again.body == {**first, "replayed": True}
    other = fork(server, channel, f"{channel}.c", operation_id=operation)
    assert (other.status, other.body["status"]) == (409, "idempotency_conflict")
    assert server.get(f"/channels/{channel}.c/metadata").status == 404


def test_a_refused_fork_leaves_its_operation_id_free(server: RunningServer, channel: str) -> None:
    """Nothing was done under it."""
    step(server, channel, 1)
    operation = f"op-{channel}"
    fork(server, channel, f"{channel}.b")
    assert fork(server, channel, f"{channel}.b", 1, operation_id=operation).status == 409
    assert fork(server, channel, f"{channel}.c", operation_id=operation).body["replayed"] is False


@pytest.mark.parametrize("was_a_fork", [False, True])
def test_the_name_of_a_deleted_channel_is_not_used_again(
    server: RunningServer, channel: str, was_a_fork: bool
) -> None:
    """Whether it was a fork or not: repeating the fork exactly would not help."""
    step(server, channel, 1)
    gone = f"{channel}.gone"
    if was_a_fork:
        fork(server, channel, gone)
    else:
        server.record(gone)
    assert server.request("DELETE", f"/api/v1/channels/{gone}?recursive=false").status == 200
    refused = fork(server, channel, gone)
    assert (refused.status, refused.body["status"]) == (409, "channel_deleted")
