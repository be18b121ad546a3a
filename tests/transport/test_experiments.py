"""Experiments over HTTP: start, add, look, rank."""

from typing import Any
from uuid import uuid4

import pytest

from tests.support.keys import make_key
from tests.support.server import RunningServer, new_channel


@pytest.fixture
def runs(server: RunningServer) -> list[str]:
    """Three channels."""
    found = [new_channel("trial") for _ in range(3)]
    for each in found:
        server.record(each)
    return found


def create(server: RunningServer, **fields: Any) -> Any:
    """A new experiment."""
    reply = server.post("/experiments", {"name": "shorter prompts", **fields})
    assert reply.status == 200, reply
    return reply.body


def add(server: RunningServer, group_id: str, channel: str, **fields: Any) -> Any:
    """The experiment after an addition."""
    body = {"channel_id": channel, "role": "variant", **fields}
    reply = server.post(f"/experiments/{group_id}/members", body)
    assert reply.status == 200, reply
    return reply.body


def score(server: RunningServer, channel: str, value: float | None, outcome: str = "inconclusive") -> None:
    """Record how a run ended."""
    body = {"outcome": outcome} if value is None else {"outcome": outcome, "score": value}
    assert server.request("PATCH", f"/api/v1/channels/{channel}/outcome", body).status == 200


def test_an_experiment_begins_with_its_baseline(server: RunningServer, runs: list[str]) -> None:
    """It is a member like any other, with that role."""
    made = create(server, description="does it matter?", baseline_channel_id=runs[0])
    assert made["id"] == made["group_id"]
    assert (made["name"], made["description"]) == ("shorter prompts", "does it matter?")
    assert made["baseline_channel_id"] == runs[0]
    assert made["created_at"] == made["updated_at"]
    (member,) = made["members"]
    assert member | {"added_at": None} == {
        "channel_id": runs[0],
        "role": "baseline",
        "declared_delta": None,
        "added_at": None,
        "outcome": None,
        "result_score": None,
        "deleted_at": None,
    }
    assert server.get(f"/experiments/{made['id']}").body == made


def test_an_experiment_may_begin_with_nothing(server: RunningServer) -> None:
    """A name is enough."""
    made = create(server)
    assert (made["members"], made["baseline_channel_id"], made["description"]) == ([], None, None)
    assert made in server.get("/experiments").body["experiments"]


def test_members_are_added_in_order(server: RunningServer, runs: list[str]) -> None:
    """The reply is the whole experiment, with what was declared as it was sent."""
    made = create(server, baseline_channel_id=runs[0])
    add(server, made["id"], runs[1], declared_delta={"temperature": 0.5})
    found = add(server, made["id"], runs[2])
    assert [each["channel_id"] for each in found["members"]] == runs
    assert [each["role"] for each in found["members"]] == ["baseline", "variant", "variant"]
    assert found["members"][1]["declared_delta"] == {"temperature": 0.5}
    assert found["updated_at"] > made["updated_at"]
    assert found["created_at"] == made["created_at"]


def test_adding_a_channel_again_changes_its_role_and_its_delta(
    server: RunningServer, runs: list[str]
) -> None:
    """It stays where it is; a delta that is left out stays, too, and null takes it away."""
    made = create(server, baseline_channel_id=runs[0])
    add(server, made["id"], runs[1], declared_delta={"a": 1})
    again = add(server, made["id"], runs[0], role="control")
    assert [(each["channel_id"], each["role"]) for each in again["members"]] == [
        (runs[0], "control"),
        (runs[1], "variant"),
    ]
    assert again["baseline_channel_id"] is None
    assert again["members"][0]["added_at"] == made["members"][0]["added_at"]
    kept = add(server, made["id"], runs[1], role="baseline")
    assert (kept["members"][1]["declared_delta"], kept["baseline_channel_id"]) == ({"a": 1}, runs[1])
    replaced = add(server, made["id"], runs[1], declared_delta={"b": 2})
    assert replaced["members"][1]["declared_delta"] == {"b": 2}
    assert add(server, made["id"], runs[1], declared_delta=None)["members"][1]["declared_delta"] is None


def test_the_ranking_follows_the_scores_of_the_channels(server: RunningServer, runs: list[str]) -> None:
    """As they are now: best first, none last, and of equal ones who was added first."""
    made = create(server, baseline_channel_id=runs[0])
    add(server, made["id"], runs[1], declared_delta={"a": 1})
    add(server, made["id"], runs[2])
    path = f"/experiments/{made['id']}/rank"
    assert [each["channel_id"] for each in server.get(path).body["ranking"]] == runs
    score(server, runs[2], 0.5)
    score(server, runs[1], 0.75, "promoted")
    found = server.get(path).body
    assert found["group_id"] == made["id"]
    assert [(each["rank"], each["channel_id"]) for each in found["ranking"]] == [
        (1, runs[1]),
        (2, runs[2]),
        (3, runs[0]),
    ]
    assert found["ranking"][0] == {
        "rank": 1,
        "channel_id": runs[1],
        "role": "variant",
        "result_score": 0.75,
        "outcome": "promoted",
        "declared_delta": {"a": 1},
    }
    score(server, runs[0], 2)
    assert server.get(path).body["ranking"][0]["channel_id"] == runs[0]
    member = server.get(f"/experiments/{made['id']}").body["members"][1]
    assert (member["outcome"], member["result_score"]) == ("promoted", 0.75)


@pytest.mark.parametrize("place", ["body", "header"])
def test_a_repeated_create_makes_one_experiment(server: RunningServer, runs: list[str], place: str) -> None:
    """The reply is that experiment as it stands now; other content under the id is refused."""
    operation_id = str(uuid4())

    def send(**fields: Any) -> Any:
        body = {"name": "once", "baseline_channel_id": runs[0], **fields}
        if place == "body":
            return server.post("/experiments", {**body, "operation_id": operation_id})
        return server.post("/experiments", body, headers={"Idempotency-Key": operation_id})

    made = send().body
    add(server, made["id"], runs[1])
    again = send()
    assert (again.status, again.body["id"], len(again.body["members"])) == (200, made["id"], 2)
    refused = send(name="other")
    assert (refused.status, refused.body["status"]) == (409, "idempotency_conflict")


def test_the_id_in_the_body_goes_before_the_one_in_the_header(server: RunningServer) -> None:
    """A gateway may add a header of its own."""
    body = {"name": "once", "operation_id": str(uuid4())}
    first = server.post("/experiments", body, headers={"Idempotency-Key": str(uuid4())})
    second = server.post("/experiments", body, headers={"Idempotency-Key": str(uuid4())})
    assert first.body["id"] == second.body["id"]


def test_a_repeated_addition_changes_nothing(server: RunningServer, runs: list[str]) -> None:
    """Not even what was changed since; the same id on another experiment is another addition."""
    made, other = create(server), create(server)
    operation_id = str(uuid4())
    add(server, made["id"], runs[0], declared_delta={"a": 1, "b": 2}, operation_id=operation_id)
    add(server, made["id"], runs[0], role="control")
    again = add(server, made["id"], runs[0], declared_delta={"b": 2.0, "a": 1}, operation_id=operation_id)
    assert again["members"][0]["role"] == "control"
    for fields in ({"declared_delta": {"a": 2}}, {}, {"role": "control"}):
        body = {"channel_id": runs[0], "operation_id": operation_id, **fields}
        refused = server.post(f"/experiments/{made['id']}/members", body)
        assert (refused.status, refused.body["status"]) == (409, "idempotency_conflict")
    assert len(add(server, other["id"], runs[1], operation_id=operation_id)["members"]) == 1


def test_a_refused_addition_does_not_use_up_its_id(server: RunningServer) -> None:
    """Nothing half-done remains, so the same call succeeds once the channel is there."""
    made, late = create(server), new_channel("late")
    body = {"channel_id": late, "operation_id": str(uuid4())}
    path = f"/experiments/{made['id']}/members"
    assert server.post(path, body).body["status"] == "channel_not_found"
    server.record(late)
    assert len(server.post(path, body).body["members"]) == 1


def test_what_is_not_there_is_not_found(server: RunningServer, runs: list[str]) -> None:
    """Channels and experiments; also under ids that no experiment can have."""
    made = create(server)
    unknown = new_channel()
    for path, body in (
        ("/experiments", {"name": "n", "baseline_channel_id": unknown}),
        (f"/experiments/{made['id']}/members", {"channel_id": unknown}),
    ):
        refused = server.post(path, body)
        assert (refused.status, refused.body["status"]) == (404, "channel_not_found")
    for group_id in (str(uuid4()), "nothing", "%00", made["id"].upper()):
        for reply in (
            server.get(f"/experiments/{group_id}"),
            server.get(f"/experiments/{group_id}/rank"),
            server.post(f"/experiments/{group_id}/members", {"channel_id": runs[0]}),
        ):
            assert (reply.status, reply.body["status"]) == (404, "experiment_not_found")


def test_a_deleted_channel_cannot_be_added(server: RunningServer, runs: list[str]) -> None:
    """One that was a member before stays one."""
    made = create(server, baseline_channel_id=runs[0])
    server.request("DELETE", f"/api/v1/channels/{runs[0]}?recursive=false")
    assert len(server.get(f"/experiments/{made['id']}").body["members"]) == 1
    refused = server.post("/experiments", {"name": "n", "baseline_channel_id": runs[0]})
    assert (refused.status, refused.body["status"]) == (409, "channel_deleted")


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/experiments", {}, "name"),
        ("/experiments", {"name": ""}, "name"),
        ("/experiments", {"name": 5}, "name"),
        ("/experiments", {"name": "n", "baseline_channel_id": "a b"}, "baseline_channel_id"),
        ("/experiments", {"name": "n", "operation_id": ""}, "operation_id"),
        ("/experiments/ID/members", {}, "channel_id"),
        ("/experiments/ID/members", {"channel_id": ".."}, "channel_id"),
        ("/experiments/ID/members", {"channel_id": "c", "role": ""}, "role"),
        ("/experiments/ID/members", {"channel_id": "c", "declared_delta": []}, "declared_delta"),
    ],
)
def test_bad_values_are_refused_by_name(
    server: RunningServer, path: str, body: dict[str, Any], field: str
) -> None:
    """400 with the field."""
    refused = server.post(path.replace("ID", str(uuid4())), body)
    assert (refused.status, refused.body["status"], refused.body["field"]) == (400, "invalid_request", field)


@pytest.mark.parametrize("header", ["x" * 257, b"\xff".decode("latin-1"), ""])
def test_a_bad_idempotency_key_is_refused(server: RunningServer, header: str) -> None:
    """Too long, no UTF-8, or empty."""
    refused = server.post("/experiments", {"name": "n"}, headers={"Idempotency-Key": header})
    assert (refused.status, refused.body["field"]) == (400, "operation_id")


def test_the_list_is_newest_first_and_in_pages(server: RunningServer) -> None:
    """With a flag that says whether there are more."""
    made = [create(server)["id"] for _ in range(3)]
    page = server.get("/experiments?limit=2").body
    assert [each["id"] for each in page["experiments"]] == made[:0:-1]
    assert page["has_more"] is True
    rest = server.get("/experiments?limit=1&offset=2").body
    assert [each["id"] for each in rest["experiments"]] == made[:1]


def test_members_show_to_those_who_may_read_them(server: RunningServer, runs: list[str]) -> None:
    """An experiment with no other members is as if it were not there."""
    made = create(server, baseline_channel_id=runs[0])
    add(server, made["id"], runs[1])
    path = f"/experiments/{made['id']}"
    one, none = make_key(server, read=(runs[1],), write=("x",)), make_key(server, read=("x",), write=("x",))
    seen = server.get(path, api_key=one).body
    assert ([each["channel_id"] for each in seen["members"]], seen["baseline_channel_id"]) == (
        [runs[1]],
        None,
    )
    assert [each["rank"] for each in server.get(f"{path}/rank", api_key=one).body["ranking"]] == [1]
    assert seen in server.get("/experiments", api_key=one).body["experiments"]
    for reply in (server.get(path, api_key=none), server.get(f"{path}/rank", api_key=none)):
        assert (reply.status, reply.body["status"]) == (404, "experiment_not_found")
    listed = server.get("/experiments", api_key=none).body["experiments"]
    assert made["id"] not in [each["id"] for each in listed]


def test_starting_and_adding_need_write_somewhere_and_read_on_the_channel(
    server: RunningServer, runs: list[str]
) -> None:
    """Looking needs read somewhere."""
    made = create(server, baseline_channel_id=runs[0])
    members = f"/experiments/{made['id']}/members"
    reader, writer = make_key(server, read=("*",)), make_key(server, write=("*",))
    for key in (reader, writer):
        assert server.post(members, {"channel_id": runs[1]}, api_key=key).status == 403
    assert server.post("/experiments", {"name": "n"}, api_key=reader).status == 403
    assert server.post("/experiments", {"name": "n"}, api_key=writer).status == 200
    named = {"name": "n", "baseline_channel_id": runs[0]}
    assert server.post("/experiments", named, api_key=writer).status == 403
    for path in ("/experiments", f"/experiments/{made['id']}", f"/experiments/{made['id']}/rank"):
        assert server.get(path, api_key=reader).status == 200
        assert server.get(path, api_key=writer).status == 403
    both = make_key(server, read=(runs[0], runs[1]), write=("elsewhere",))
    assert server.post(members, {"channel_id": runs[1]}, api_key=both).status == 200
