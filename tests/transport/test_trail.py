"""How a channel came to where it is."""

from tests.support.forking import effect, fork, step
from tests.support.keys import make_key
from tests.support.server import RunningServer


def test_a_root_has_itself_and_its_operations(server: RunningServer, channel: str) -> None:
    """Oldest first; it was copied from nowhere."""
    step(server, channel, 1)
    effect(server, channel, "first", result={"a": 1}, params={"n": 1})
    failing = server.claim(channel, "second").body
    server.post(
        f"/executions/{failing['execution']['id']}/fail",
        {"claim_token": failing["claim_token"], "message": "no"},
    )
    server.claim(channel, "__session_lock__", tool_name="agent.session", params={})
    server.claim(channel, "third")
    trail = server.get(f"/channels/{channel}/trail").body
    assert (trail["channel_id"], trail["origin_run_id"]) == (channel, channel)
    assert trail["ancestry"] == [
        {
            "channel_id": channel,
            "parent_channel_id": None,
            "forked_at_cursor": 0,
            "display_name": None,
            "reason": None,
        }
    ]
    assert trail["boundary"] is None
    assert [each["key_name"] for each in trail["executions"]] == ["first", "second", "third"]
    assert [each["status"] for each in trail["executions"]] == ["completed", "failed", "running"]
    first, second, _ = trail["executions"]
    assert (first["params"], first["result"], first["error"]) == ({"n": 1}, {"a": 1}, None)
    assert (first["started_cursor"], first["completed_cursor"]) == (2, 3)
    assert second["error"]["message"] == "no"
    assert trail["truncated"] is False


def test_a_fork_of_a_fork_shows_its_whole_ancestry(server: RunningServer, channel: str) -> None:
    """Itself first, the root last, each with where it was forked and why; its own operations only."""
    cursor = step(server, channel, 1)
    effect(server, channel, "inherited")
    child, deep = f"{channel}.b", f"{channel}.c"
    fork(server, channel, child, cursor, display_name="shorter prompt", reason="too slow")
    fork(server, child, deep)
    effect(server, deep, "own")
    trail = server.get(f"/channels/{deep}/trail").body
    assert trail["origin_run_id"] == channel
    assert [
        (each["channel_id"], each["parent_channel_id"], each["forked_at_cursor"])
        for each in trail["ancestry"]
    ] == [(deep, child, 1), (child, channel, cursor), (channel, None, 0)]
    assert (trail["ancestry"][1]["display_name"], trail["ancestry"][1]["reason"]) == (
        "shorter prompt",
        "too slow",
    )
    assert trail["boundary"] == {"channel_id": child, "cursor": 1, "state": {"after": 1}}
    assert [each["key_name"] for each in trail["executions"]] == ["own"]


def test_the_state_at_the_boundary_stays_what_was_copied(server: RunningServer, channel: str) -> None:
    """Whatever the parent does with its own, and however the child goes on."""
    cursor = step(server, channel, 1)
    child = f"{channel}.b"
    fork(server, channel, child)
    step(server, child, 2)
    server.request("DELETE", f"/api/v1/state/{channel}/version/1")
    boundary = {"channel_id": channel, "cursor": cursor, "state": {"after": 1}}
    assert server.get(f"/channels/{child}/trail").body["boundary"] == boundary
    server.request("DELETE", f"/api/v1/state/{child}/version/1")
    assert server.get(f"/channels/{child}/trail").body["boundary"] == boundary | {"state": None}


def test_a_fork_without_state_has_no_boundary(server: RunningServer, channel: str) -> None:
    """Nothing was copied."""
    server.record(channel)
    fork(server, channel, f"{channel}.b")
    trail = server.get(f"/channels/{channel}.b/trail").body
    assert trail["boundary"] is None
    assert len(trail["ancestry"]) == 2


def test_names_of_ancestors_show_to_those_who_may_read_them(server: RunningServer, channel: str) -> None:
    """The ids do: they are in the receipt."""
    step(server, channel, 1)
    server.request("PUT", f"/api/v1/channels/{channel}/metadata", {"display_name": "confidential"})
    fork(server, channel, f"{channel}.b", display_name="public")
    key = make_key(server, read=(f"{channel}.b",))
    own, parent = server.get(f"/channels/{channel}.b/trail", api_key=key).body["ancestry"]
    assert (own["display_name"], parent["display_name"]) == ("public", None)
    assert parent["channel_id"] == channel
    assert server.get(f"/channels/{channel}.b/trail").body["ancestry"][1]["display_name"] == "confidential"


def test_a_long_trail_is_cut_and_says_so(server: RunningServer, channel: str) -> None:
    """The first thousand operations are there."""
    for number in range(1_001):
        server.claim(channel, f"key-{number:04}")
    trail = server.get(f"/channels/{channel}/trail").body
    keys = [each["key_name"] for each in trail["executions"]]
    assert keys == [f"key-{number:04}" for number in range(1_000)]
    assert trail["truncated"] is True


def test_a_large_trail_is_cut_and_says_so(server: RunningServer, channel: str) -> None:
    """However few operations there are; the list of operations has what is missing."""
    for number in range(3):
        server.claim(channel, f"key-{number}", params="x" * (15 * 2**20))
    trail = server.get(f"/channels/{channel}/trail").body
    assert [each["key_name"] for each in trail["executions"]] == ["key-0", "key-1"]
    assert trail["truncated"] is True
    listed = server.get(f"/executions?channel_id={channel}&limit=1").body["executions"]
    assert [each["key_name"] for each in listed] == ["key-2"]


def test_an_unknown_channel_has_no_trail(server: RunningServer, channel: str) -> None:
    """404; and 403 for who may not read it, whether or not it is there."""
    missing = server.get(f"/channels/{channel}/trail")
    assert (missing.status, missing.body["status"]) == (404, "channel_not_found")
    assert server.get(f"/channels/{channel}/trail", api_key=make_key(server, read=("x",))).status == 403
