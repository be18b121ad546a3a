"""Forking: what a child starts with, what it never sees, and what repeating a fork does."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.forking import effect, events_of, fork, step
from tests.support.server import RunningServer


@pytest.fixture
def run_of_nine(server: RunningServer, channel: str) -> dict[int, int]:
    """A run of nine steps with an effect after the third and after the seventh; cursors by step."""
    cursors = {}
    for number in range(1, 10):
        cursors[number] = step(server, channel, number)
        if number in (3, 7):
            effect(server, channel, f"charge:{number}", result={"charge": number})
    return cursors


def test_a_fork_at_a_step_starts_with_its_state_and_its_effects(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """The state after step 5, the effect before it replayed, the one after it run anew."""
    child = f"{channel}.b"
    receipt = fork(server, channel, child, run_of_nine[5], experiment_metadata={"forked_at_step": 5})
    assert receipt.status == 200
    assert receipt.body["resolved_cursor"] == run_of_nine[5]
    assert receipt.body["reproducibility"] == "state_exact"
    state = b'{"after":5}'
    assert receipt.body["source_state_sha256"] == hashlib.sha256(state).hexdigest()
    assert server.get(f"/state/{child}").body["state"] == {"after": 5}
    assert server.claim(child, "charge:3").body["result"] == {"charge": 3}
    assert server.claim(child, "charge:7").body["status"] == "claimed"
    assert server.get(f"/channels/{child}/steps").body["last_step_number"] == 5


def test_a_manifest_and_metadata_may_hold_half_a_surrogate_pair(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """They are the caller's own; what the server reads of them is found beside it."""
    manifest = dict.fromkeys(("model", "environment", "dependencies", "seed"), "hi \ud83d")
    metadata = {"note": "hi \ud83d", "forked_at_step": 5}
    receipt = fork(
        server, channel, f"{channel}.b", run_of_nine[5], experiment_metadata=metadata, manifest=manifest
    )
    assert (receipt.status, receipt.body["reproducibility"]) == (200, "context_exact"), receipt
    assert server.get(f"/channels/{channel}.b/steps").body["last_step_number"] == 5


def test_a_child_sees_no_event_of_its_parent(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """Its log begins with `fork.started`, which depends on the event at the boundary."""
    child = f"{channel}.b"
    receipt = fork(server, channel, child, run_of_nine[5]).body
    (started,) = events_of(server, child)
    assert (started["type"], started["cursor"]) == ("fork.started", 1)
    assert (
        started["depends_on"]
        == receipt["resolved_event_id"]
        == events_of(server, channel)[run_of_nine[5] - 1]["id"]
    )


def test_a_child_sees_no_later_state_of_its_parent(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """And a parent none of its child's."""
    child = f"{channel}.b"
    fork(server, channel, child, run_of_nine[5])
    step(server, channel, 10)
    step(server, child, 6, "changed")
    assert server.get(f"/state/{child}/version/1").body["state"] == {"after": 5}
    assert server.get(f"/state/{child}").body["state"] == {"after": 6}
    assert server.get(f"/state/{channel}").body["state"] == {"after": 10}
    assert len(server.get(f"/state/{child}/versions").body["versions"]) == 2


def test_a_child_inherits_no_effect_that_ended_after_the_boundary(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """Neither one that was running when the fork was made, nor one that failed before it."""
    running = server.claim(channel, "slow").body
    failing = server.claim(channel, "bad").body
    server.post(
        f"/executions/{failing['execution']['id']}/fail",
        {"claim_token": failing["claim_token"], "message": "no"},
    )
    child = f"{channel}.b"
    assert fork(server, channel, child).status == 200
    ended = {"claim_token": running["claim_token"], "result": 1}
    assert server.post(f"/executions/{running['execution']['id']}/complete", ended).status == 200
    assert server.claim(child, "slow").body["status"] == "claimed"
    assert server.claim(child, "bad").body["status"] == "claimed"
    assert server.claim(child, "charge:7").body["status"] == "replayed"


def test_a_child_sees_no_answer_given_after_the_boundary(server: RunningServer, channel: str) -> None:
    """An approval is an event like any other: what was decided later was not decided for the child."""
    asked = server.record(channel, "approval.requested", {"request_id": "r"}, operation_id="r").body["event"]
    step(server, channel, 1)
    child = f"{channel}.b"
    fork(server, channel, child, asked["cursor"] + 1)
    server.record(channel, "approval.decided", {"request_id": "r", "decision": "approved"})
    assert server.get(f"/events/replay/{child}?event_type=approval.decided").body["events"] == []
    again = server.record(child, "approval.requested", {"request_id": "r"}, operation_id="r").body["event"]
    assert (again["channel_id"], again["id"] != asked["id"]) == (child, True)


def test_an_inherited_step_is_the_one_that_stood_at_the_boundary(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """What the parent recorded later under the same number is not the child's."""
    child = f"{channel}.b"
    fork(server, channel, child, run_of_nine[5], experiment_metadata={"forked_at_step": 5})
    rerun = step(server, channel, 4, "again")
    inherited = server.get(f"/channels/{child}/steps/4").body
    assert (inherited["channel_id"], inherited["cursor"]) == (channel, run_of_nine[4])
    assert server.get(f"/channels/{channel}/steps/4").body["cursor"] == rerun
    assert server.get(f"/channels/{child}/steps/6").status == 404
    own = step(server, child, 6)
    assert server.get(f"/channels/{child}/steps/6").body["cursor"] == own


def test_a_fork_of_a_fork_resolves_steps_on_their_owner(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """Through any number of generations, each with its own share."""
    first, second = f"{channel}.b", f"{channel}.c"
    fork(server, channel, first, run_of_nine[5], experiment_metadata={"forked_at_step": 5})
    six = step(server, first, 6)
    fork(server, first, second, six, experiment_metadata={"forked_at_step": 6})
    owners = [server.get(f"/channels/{second}/steps/{n}").body["channel_id"] for n in (1, 5, 6)]
    assert owners == [channel, channel, first]
    receipt = server.get(f"/channels/{second}/receipt").body
    assert (receipt["parent_channel_id"], receipt["origin_run_id"]) == (first, channel)
    assert server.get(f"/channels/{second}/steps").body["last_step_number"] == 6
    assert server.claim(second, "charge:3").body["execution"]["channel_id"] == channel


def test_the_number_of_inherited_steps_is_found_where_it_is_not_said(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """The highest step at or before the boundary."""
    fork(server, channel, f"{channel}.b", run_of_nine[6])
    assert server.get(f"/channels/{channel}.b/steps").body["last_step_number"] == 6
    fork(server, channel, f"{channel}.c")
    assert server.get(f"/channels/{channel}.c/steps").body["last_step_number"] == 9


BOUNDARIES = [
    # snapshots as (cursor), fork at, resolved cursor, version; None is a refusal
    ([], 0, 0, 0),
    ([], 2, None, 0),
    ([3], 2, None, 0),
    ([2], 2, 2, 1),
    ([2, 2], 2, 2, 2),
    ([3, 1], 2, 1, 2),
    ([3, 1], 3, 3, 1),
    ([3, 1], 0, 1, 2),
    ([0], 1, 0, 1),
    ([2], 99, 2, 1),
]


@pytest.mark.parametrize(("snapshots", "at", "resolved", "version"), BOUNDARIES)
def test_the_snapshot_at_or_before_the_boundary_is_copied(
    server: RunningServer, channel: str, snapshots: list[int], at: int, resolved: int | None, version: int
) -> None:
    """The greatest cursor, then the highest version; at 0 the highest version of all."""
    for _ in range(3):
        server.record(channel)
    for number, cursor in enumerate(snapshots, 1):
        server.post(f"/state/{channel}", {"cursor": cursor, "state": number})
    child = f"{channel}.b"
    made = fork(server, channel, child, at)
    if resolved is None:
        assert (made.status, made.body["status"]) == (409, "snapshot_boundary_required")
        assert server.get(f"/channels/{child}/metadata").status == 404
        return
    assert (made.body["resolved_cursor"], made.body["source_state_version"]) == (resolved, version)
    assert made.body["restorable"] is (version > 0)
    copied = server.get(f"/state/{child}").body
    assert copied["cursor"] == (1 if version else None)
    if version:
        assert copied["state"] == version


def test_a_cursor_ahead_of_the_source_is_where_the_source_is(server: RunningServer, channel: str) -> None:
    """What the source does later is not the child's, though it lies before the cursor that was asked for."""
    cursor = step(server, channel, 1)
    child = f"{channel}.b"
    assert fork(server, channel, child, cursor + 90).body["resolved_cursor"] == cursor
    effect(server, channel, "late")
    rerun = step(server, channel, 1, "again")
    assert server.claim(child, "late").body["status"] == "claimed"
    assert server.get(f"/channels/{child}/steps/1").body["cursor"] == cursor != rerun


def test_a_refused_fork_leaves_its_name_free(server: RunningServer, channel: str) -> None:
    """A client falls back to the latest state under the same name and another operation id."""
    server.record(channel)
    assert fork(server, channel, f"{channel}.b", 1).status == 409
    made = fork(server, channel, f"{channel}.b", 0)
    assert (made.status, made.body["restorable"], made.body["reproducibility"]) == (200, False, "best_effort")


def test_without_state_a_fork_inherits_steps_and_effects_alone(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """`copy_state: false` is an addition to the protocol."""
    child = f"{channel}.b"
    made = fork(server, channel, child, run_of_nine[5], copy_state=False).body
    assert (made["restorable"], made["resolved_cursor"]) == (False, run_of_nine[5])
    assert made["reproducibility"] == "execution_replayable"
    assert server.get(f"/state/{child}").body["cursor"] is None
    assert server.claim(child, "charge:3").body["status"] == "replayed"


def test_repeating_a_fork_returns_the_first_receipt(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """By its operation id, and by its name; a repetition comes before its guards."""
    child, operation = f"{channel}.b", f"op-{channel}"
    asked: dict[str, Any] = {"operation_id": operation, "expected_version": 9, "reason": "why not"}
    first = fork(server, channel, child, run_of_nine[5], **asked)
    assert (first.status, first.body["replayed"]) == (200, False)
    step(server, channel, 10)
    again = fork(server, channel, child, run_of_nine[5], **asked)
    assert again.body == {**first.body, "replayed": True}
    renamed = fork(server, channel, child, run_of_nine[5])
    assert (renamed.status, renamed.body["replayed"]) == (200, True)
    assert len(events_of(server, child)) == 1


def test_a_name_or_an_operation_id_that_means_something_else_is_refused(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """Another boundary, another source, other policies, or no fork at all."""
    child, operation = f"{channel}.b", f"op-{channel}"
    fork(server, channel, child, run_of_nine[5], operation_id=operation, tool_policies={"*": "block"})
    for made, code in (
        (fork(server, channel, child, run_of_nine[6]), "channel_conflict"),
        (fork(server, child, f"{channel}.c", 1, operation_id=operation), "idempotency_conflict"),
        (fork(server, channel, child, run_of_nine[5], tool_policies={"*": "live"}), "channel_conflict"),
        (fork(server, child, channel, 1), "channel_conflict"),
        (fork(server, channel, f"{channel}.d", expected_version=3), "version_conflict"),
    ):
        assert (made.status, made.body["status"]) == (409, code)
    assert fork(server, f"{channel}.nowhere", f"{channel}.e").body["status"] == "channel_not_found"
    assert fork(server, channel, channel).body["field"] == "new_channel_id"
    bad = fork(server, channel, f"{channel}.f", tool_policies={"mail": "maybe"})
    assert (bad.status, bad.body["field"]) == (400, "tool_policies.mail")


def test_of_concurrent_forks_under_one_name_one_is_made(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """The others get its receipt."""
    with ThreadPoolExecutor(16) as pool:
        asked = [pool.submit(fork, server, channel, f"{channel}.b", run_of_nine[5]) for _ in range(16)]
        made = [each.result() for each in asked]
    assert [each.status for each in made] == [200] * 16
    assert sorted(each.body["replayed"] for each in made) == [False] + [True] * 15
    assert len(events_of(server, f"{channel}.b")) == 1


def test_forks_of_a_channel_that_is_written_meanwhile_are_whole(server: RunningServer, channel: str) -> None:
    """Each child's state is one that the parent had at the cursor which the receipt names."""
    server.post(f"/state/{channel}", {"cursor": 0, "state": {"n": 0}})

    def write(number: int) -> None:
        body = {"channel_id": channel, "type": "t", "payload": number, "metadata": {"actor": "a"}}
        moved = server.post("/events/transition", {**body, "state": {"n": number}})
        assert moved.status == 200

    with ThreadPoolExecutor(8) as pool:
        writes = [pool.submit(write, number) for number in range(1, 121)]
        forks = [pool.submit(fork, server, channel, f"{channel}.{n}") for n in range(30)]
        for each in writes:
            each.result()
        made = [each.result() for each in forks]
    payloads = {event["cursor"]: event["payload"] for event in events_of(server, channel)}
    for receipt in made:
        assert receipt.status == 200
        state = server.get(f"/state/{receipt.body['channel_id']}").body["state"]
        assert state["n"] == payloads.get(receipt.body["resolved_cursor"], 0)


def test_a_parent_with_children_is_deleted_only_together_with_them(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """They read their inherited effects through it."""
    child, grandchild = f"{channel}.b", f"{channel}.c"
    fork(server, channel, child)
    fork(server, child, grandchild, 1)
    refused = server.request("DELETE", f"/api/v1/channels/{channel}?recursive=false")
    assert (refused.status, refused.body["status"], refused.body["forks"]) == (
        409,
        "channel_has_forks",
        [child],
    )
    assert server.claim(grandchild, "charge:3").body["status"] == "replayed"
    deleted = server.request("DELETE", f"/api/v1/channels/{channel}?recursive=true")
    assert deleted.body["deleted"] == [channel, child, grandchild]
    assert fork(server, channel, f"{channel}.d").status == 404
    assert fork(server, child, f"{channel}.d").status == 404


def test_a_fork_and_a_deletion_at_the_same_time_leave_no_orphan(server: RunningServer, channel: str) -> None:
    """Either the fork came first and is refused or deleted with its parent, or it finds no parent."""
    for attempt in range(10):
        parent, child = f"{channel}-{attempt}", f"{channel}-{attempt}.b"
        step(server, parent, 1)
        with ThreadPoolExecutor(2) as pool:
            forking = pool.submit(fork, server, parent, child)
            deleting = pool.submit(server.request, "DELETE", f"/api/v1/channels/{parent}?recursive=true")
            made, deleted = forking.result(), deleting.result()
        assert deleted.status == 200
        if made.status == 200:
            assert deleted.body["deleted"] == [parent, child]
        else:
            assert made.body["status"] == "channel_not_found"


def test_the_tree_shows_every_generation(server: RunningServer, channel: str) -> None:
    """With names, boundaries and sizes; the root is the channel that was asked for."""
    cursor = step(server, channel, 1)
    fork(server, channel, f"{channel}.b", cursor, display_name="shorter", reason="try")
    fork(server, f"{channel}.b", f"{channel}.c", 1)
    fork(server, channel, f"{channel}.d", cursor)
    tree = server.get(f"/channels/{channel}/fork-tree").body
    assert [child["channel_id"] for child in tree["children"]] == [f"{channel}.b", f"{channel}.d"]
    named = tree["children"][0]
    assert (named["display_name"], named["reason"], named["forked_at_cursor"]) == ("shorter", "try", cursor)
    assert [child["channel_id"] for child in named["children"]] == [f"{channel}.c"]
    assert server.get(f"/channels/{channel}.b/fork-tree").body["channel_id"] == f"{channel}.b"
    children = server.get(f"/channels/{channel}/forks").body["forks"]
    assert [child["channel_id"] for child in children] == [f"{channel}.b", f"{channel}.d"]
    assert server.get("/channels/nowhere/forks").body == {"forks": []}


def test_effects_resolve_a_hundred_generations_deep(server: RunningServer, channel: str) -> None:
    """Each generation inherits through all the others."""
    effect(server, channel, "charge:1", result={"paid": 1})
    server.post(f"/state/{channel}", {"cursor": 2, "state": {}})
    parent = channel
    for generation in range(100):
        child = f"{channel}.{generation}"
        made = fork(server, parent, child, 2 if parent == channel else 1)
        assert made.status == 200, made
        parent = child
    assert server.claim(parent, "charge:1").body["result"] == {"paid": 1}
    assert server.get(f"/channels/{channel}/fork-tree").status == 200


def test_a_fall_back_to_the_latest_state_inherits_no_later_effects(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """The client says where it wanted to fork; what was done after that is not the child's."""
    wanted = {"forked_at_step": 5, "forked_at_cursor": run_of_nine[5]}
    fork(server, channel, f"{channel}.b", 0, experiment_metadata=wanted)
    assert server.claim(f"{channel}.b", "charge:3").body["status"] == "replayed"
    assert server.claim(f"{channel}.b", "charge:7").body["status"] == "claimed"


def test_a_fork_with_state_is_not_the_one_without(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """Under one name they are two different forks."""
    fork(server, channel, f"{channel}.b", run_of_nine[5], copy_state=False)
    assert fork(server, channel, f"{channel}.b", run_of_nine[5], copy_state=False).body["replayed"] is True
    assert fork(server, channel, f"{channel}.b", run_of_nine[5]).body["status"] == "channel_conflict"
    fork(server, channel, f"{channel}.c", run_of_nine[5])
    again = fork(server, channel, f"{channel}.c", run_of_nine[5], copy_state=False)
    assert again.body["status"] == "channel_conflict"


@pytest.mark.parametrize("said", [10, -1, 99, "5", 5.0, True, [5]])
def test_a_fork_has_no_more_steps_than_its_source(
    server: RunningServer, channel: str, run_of_nine: dict[int, int], said: Any
) -> None:
    """What is no number of steps, or more than there are, is refused by its path, and nothing is made."""
    refused = fork(
        server, channel, f"{channel}.b", run_of_nine[9], experiment_metadata={"forked_at_step": said}
    )
    assert (refused.status, refused.body["field"]) == (400, "experiment_metadata.forked_at_step")
    assert server.get(f"/channels/{channel}.b/metadata").status == 404


def test_a_fall_back_to_the_latest_state_has_the_steps_up_to_where_it_was_wanted(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """Those behind it could not be found; more of them are refused as at the cursor itself."""
    for letter, wanted in (("b", {}), ("c", {"forked_at_step": 5})):
        child = f"{channel}.{letter}"
        said = {**wanted, "forked_at_cursor": run_of_nine[5]}
        assert fork(server, channel, child, experiment_metadata=said).status == 200
        assert server.get(f"/channels/{child}/steps").body["last_step_number"] == 5
        assert server.get(f"/channels/{child}/steps/5").body["cursor"] == run_of_nine[5]
    said = {"forked_at_step": 6, "forked_at_cursor": run_of_nine[5]}
    refused = fork(server, channel, f"{channel}.d", experiment_metadata=said)
    assert (refused.status, refused.body["field"]) == (400, "experiment_metadata.forked_at_step")
    assert refused.body["limit"] == 5


@pytest.mark.parametrize(("at", "most"), [(2, 2), (5, 3), (0, 3)])
def test_steps_that_are_not_numbered_are_as_many_as_events(
    server: RunningServer, channel: str, at: int, most: int
) -> None:
    """A client may count them; the server knows the most that there can be."""
    for _ in range(3):
        server.record(channel)

    def asked(steps: int) -> int:
        wanted = {"forked_at_step": steps, "forked_at_cursor": at}
        made = fork(server, channel, f"{channel}.b", at, copy_state=False, experiment_metadata=wanted)
        return made.status

    assert [asked(most + 1), asked(most)] == [400, 200]


def test_a_state_from_beyond_the_step_is_not_graded_as_exact(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """A client that falls back to the latest state says where it wanted to fork."""
    grades = []
    for letter, step_number in (("b", 5), ("c", 9)):
        wanted = {"forked_at_step": step_number, "forked_at_cursor": run_of_nine[step_number]}
        made = fork(server, channel, f"{channel}.{letter}", 0, experiment_metadata=wanted)
        grades.append(made.body["reproducibility"])
    assert grades == ["execution_replayable", "state_exact"]


def test_an_operation_that_a_fork_inherits_is_not_deleted(
    server: RunningServer, channel: str, run_of_nine: dict[int, int]
) -> None:
    """The fork would run it again. Once the fork is gone, so may the operation."""
    child, grandchild = f"{channel}.b", f"{channel}.c"
    fork(server, channel, child, run_of_nine[5])
    fork(server, child, grandchild, 1)
    before, after = (server.claim(channel, f"charge:{number}").body["execution"]["id"] for number in (3, 7))
    refused = server.request("DELETE", f"/api/v1/executions/{before}")
    assert (refused.status, refused.body["status"]) == (409, "channel_has_forks")
    assert refused.body["forks"] == [child]
    assert server.claim(grandchild, "charge:3").body["status"] == "replayed"
    assert server.request("DELETE", f"/api/v1/executions/{after}").status == 200
    server.request("DELETE", f"/api/v1/channels/{child}?recursive=true")
    assert server.request("DELETE", f"/api/v1/executions/{before}").status == 200
    assert server.claim(channel, "charge:3").body["status"] == "claimed"


def test_a_promoted_state_makes_its_step_one_of_the_parent(server: RunningServer, channel: str) -> None:
    """Unless the parent has come as far itself: its own steps stay where they are."""
    for number in (1, 2):
        step(server, channel, number)
    child = f"{channel}.b"
    fork(server, channel, child)
    assert server.post(f"/channels/{child}/promote", {}).body["state_version"] == 3
    assert server.get(f"/channels/{channel}/steps/2").body["cursor"] == 2
    further = f"{channel}.c"
    fork(server, channel, further)
    for number in (3, 4):
        step(server, further, number)
    promoted = server.post(f"/channels/{further}/promote", {}).body
    assert server.get(f"/channels/{channel}/steps").body["last_step_number"] == 4
    assert server.get(f"/channels/{channel}/steps/4").body["cursor"] == promoted["cursor"]
    assert server.get(f"/channels/{channel}/steps/3").status == 404
    assert events_of(server, channel)[-1]["payload"]["step_number"] == 4
    assert server.get(f"/events/verify/{channel}").body["valid"]


def test_the_tree_of_a_deleted_channel_is_not_found(server: RunningServer, channel: str) -> None:
    """It would look like that of a living one."""
    step(server, channel, 1)
    server.request("DELETE", f"/api/v1/channels/{channel}?recursive=true")
    assert server.get(f"/channels/{channel}/fork-tree").body["status"] == "channel_not_found"


def test_a_policy_is_for_a_tool_with_a_name(server: RunningServer, channel: str) -> None:
    """An empty one would never count."""
    step(server, channel, 1)
    refused = fork(server, channel, f"{channel}.b", tool_policies={"": "block"})
    assert (refused.status, refused.body["field"]) == (400, "tool_policies")
