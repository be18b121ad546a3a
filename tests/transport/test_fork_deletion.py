"""Who may delete what, where forks hang on it: each channel counts, and names stay where they may be seen."""

import pytest

from tests.support.forking import effect, fork, step
from tests.support.keys import make_key
from tests.support.server import RunningServer


@pytest.fixture
def secret_fork(server: RunningServer, channel: str) -> str:
    """A fork under a name that no pattern of its parent's matches, with an effect that it inherited."""
    effect(server, channel, "charge:1")
    step(server, channel, 1)
    child = f"secret-{channel}"
    assert fork(server, channel, child).status == 200
    return child


def test_forks_that_may_not_be_deleted_keep_their_parent(
    server: RunningServer, channel: str, secret_fork: str
) -> None:
    """All of them or nothing: the parent's pattern is no word about its forks."""
    between = f"{channel}.b"
    fork(server, channel, between)
    key = make_key(server, read=(f"{channel}*",), delete=(f"{channel}*",))
    path = f"/api/v1/channels/{channel}?recursive=true"
    refused = server.request("DELETE", path, api_key=key)
    assert (refused.status, refused.body["status"], refused.body["forks"]) == (403, "forbidden", [])
    assert secret_fork not in refused.body["error"]
    for kept in (channel, between, secret_fork):
        assert server.get(f"/state/{kept}").status == 200
    wider = make_key(server, observe=(secret_fork,), delete=(f"{channel}*",))
    assert server.request("DELETE", path, api_key=wider).body["forks"] == [secret_fork]
    whole = make_key(server, delete=(f"{channel}*", secret_fork))
    deleted = server.request("DELETE", path, api_key=whole)
    assert set(deleted.body["deleted"]) == {channel, between, secret_fork}


def test_a_refusal_names_the_forks_that_may_be_observed(
    server: RunningServer, channel: str, secret_fork: str
) -> None:
    """Whether a channel is deleted or one of its operations."""
    operation = server.claim(channel, "charge:1").body["execution"]["id"]
    paths = (f"/api/v1/channels/{channel}", f"/api/v1/executions/{operation}")
    for seen in ((), (secret_fork,)):
        key = make_key(server, delete=(channel,), observe=seen)
        for path in paths:
            refused = server.request("DELETE", path, api_key=key)
            assert (refused.status, refused.body["status"]) == (409, "channel_has_forks")
            assert refused.body["forks"] == list(seen)
