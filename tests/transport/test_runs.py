"""The list of runs, as it travels."""

import pytest

from tests.support.forking import fork, step
from tests.support.keys import make_key
from tests.support.server import RunningServer


def test_a_run_has_all_its_fields(server: RunningServer, channel: str) -> None:
    """Whether or not there is something to tell."""
    step(server, channel, 1)
    server.record(
        channel, "model.answered", {"usage": {"input_tokens": 1200, "output_tokens": 34, "cost": 0.5}}
    )
    server.request("PUT", f"/api/v1/channels/{channel}/metadata", {"display_name": "Order 4471"})
    [run] = server.get(f"/runs?prefix={channel}").body["runs"]
    assert run.pop("created_at") <= run.pop("active_at") == run["last_event"].pop("recorded_at")
    assert run == {
        "channel_id": channel,
        "display_name": "Order 4471",
        "lifecycle": "open",
        "outcome": None,
        "cursor": 2,
        "version": 1,
        "latest_step": 1,
        "source_channel_id": None,
        "forks": 0,
        "effects": {
            "running": 0, "lapsed": 0, "ambiguous": 0, "completed": 0, "failed": 0, "cancelled": 0,
            "more": False,
        },
        "tokens": {"input": 1200, "output": 34, "cost": 0.5, "partial": False},
        "last_event": {"cursor": 2, "event_type": "model.answered", "actor": "test"},
    }  # fmt: skip
    assert server.get("/runs?limit=1").body["runs"][0]["channel_id"] == channel


def test_forks_are_counted_as_far_as_they_may_be_read(server: RunningServer, channel: str) -> None:
    """Deleted ones are not; a fork names what it was forked from."""
    step(server, channel, 1)
    for child in ("a", "b", "c"):
        fork(server, channel, f"{channel}.{child}")
    server.request("DELETE", f"/api/v1/channels/{channel}.c")
    listed = server.get(f"/runs?prefix={channel}").body["runs"]
    assert [(each["channel_id"], each["source_channel_id"], each["forks"]) for each in listed] == [
        (channel, None, 2),
        (f"{channel}.a", channel, 0),
        (f"{channel}.b", channel, 0),
    ]
    key = make_key(server, read=(channel, f"{channel}.a"))
    for path in ("/runs", f"/runs?prefix={channel}"):
        listed = server.get(path, api_key=key).body["runs"]
        assert {each["channel_id"]: each["forks"] for each in listed} == {channel: 1, f"{channel}.a": 0}


def test_pages_follow_one_another(server: RunningServer, channel: str) -> None:
    """`next` is there as long as there is more."""
    names = [f"{channel}:{number}" for number in range(5)]
    for name in names:
        server.record(name)
    key = make_key(server, read=(f"{channel}:*",))
    for path, expected in (("/runs?limit=2", names[::-1]), (f"/runs?limit=2&prefix={channel}", names)):
        found, after = [], ""
        while True:
            page = server.get(path + after, api_key=key).body
            found += [run["channel_id"] for run in page["runs"]]
            assert page["has_more"] is ("next" in page)
            if not page["has_more"]:
                break
            after = f"&after={page['next']}"
        assert found == expected


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("after=x", "after"),
        ("after=~a b", "after"),
        ("prefix=run-&after=a b", "after"),
        ("prefix=a b", "prefix"),
        ("prefix=", "prefix"),
        ("limit=x", "limit"),
    ],
)
def test_a_bad_place_is_refused(server: RunningServer, query: str, field: str) -> None:
    """With the name of what is wrong."""
    reply = server.get(f"/runs?{query.replace(' ', '%20')}")
    assert (reply.status, reply.body["status"], reply.body["field"]) == (400, "invalid_request", field)


def test_who_may_read_nothing_gets_no_list(server: RunningServer) -> None:
    """Nor does who sends no credential."""
    assert server.get("/runs", api_key=make_key(server, write=("*",))).status == 403
    assert server.get("/runs", api_key=None).status == 401
