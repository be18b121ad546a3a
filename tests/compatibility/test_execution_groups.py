"""Execution groups through the published client."""

from typing import Any

import pytest

from tests.compatibility.conftest import Run

Told = dict[str, Any]


@pytest.fixture(scope="module")
def told(run: Run) -> Told:
    """What the program told."""
    told: Told = run("execution_groups")
    return told


def test_a_group_has_members(told: Told) -> None:
    """As they were added; a run's context makes a group, too."""
    assert (told["group"]["group_id"], told["group"]["status"]) == (told["channel"], "active")
    assert told["group"]["metadata"] == {"goal": "bill"}
    assert told["listed"] is True
    assert f"{told['channel']}.context" in told["through_context"]
    assert (told["ada"]["role"], told["ada"]["generation"], told["ada"]["owner_id"]) == ("planner", 0, None)
    assert told["bob"]["metadata"] == {"n": 1}
    assert [(each["member_id"], each["owner_id"]) for each in told["members"]] == [
        ("ada", None),
        ("bob", None),
    ]


def test_leases_fence(told: Told) -> None:
    """A generation for each owner."""
    leases = told["leases"]
    assert (leases["first"]["owner_id"], leases["first"]["generation"]) == ("one", 1)
    assert leases["renewed"]["lease_until"] > leases["first"]["lease_until"]
    assert leases["released"] is None
    assert leases["second"]["generation"] == 2
    for case, status in (("held", 409), ("stale", 409), ("unknown", 404)):
        assert (leases[case]["raised"], leases[case]["status_code"]) == ("APIError", status)


def test_messages_are_sent_once_and_acknowledged(told: Told) -> None:
    """In order, behind a message id, under an operation id, by whoever holds the recipient."""
    messages = told["messages"]
    sent = messages["sent"]
    assert (sent["message_type"], sent["payload"], sent["causal_context"]) == (
        "task",
        {"n": 1},
        {"why": "asked"},
    )
    assert messages["again"] == sent
    assert messages["other"]["raised"] == "IdempotencyConflictError"
    assert messages["mail"] == [sent, messages["later"]]
    assert messages["behind"] == [messages["later"]]
    assert messages["acknowledged"]["status"] == "acknowledged"
    assert messages["acknowledged"]["acknowledged_at"]
    assert (messages["stale"]["raised"], messages["stale"]["status_code"]) == ("APIError", 409)


def test_sessions_wait(told: Told) -> None:
    """For one, for any, for all; and stop waiting in time."""
    sessions, sent = told["sessions"], told["messages"]["sent"]
    assert sessions["waited"]["message_id"] == sent["message_id"]
    assert sessions["mail"] == 2
    assert sessions["late"]["raised"] == "TimeoutError"
    assert (sessions["any"][0], sessions["any"][1]["message_type"]) == ("ada", "answer")
    assert {name: each["message_type"] for name, each in sessions["all"].items()} == {
        "bob": "task",
        "ada": "answer",
    }
    assert sessions["streamed"] is True


def test_mail_comes_over_the_web_socket(told: Told) -> None:
    """What is there, then what is sent meanwhile."""
    live, messages = told["live"], told["messages"]
    ids = [messages["sent"]["message_id"], messages["later"]["message_id"]]
    assert [each["message_id"] for each in live["delivered"]] == ids
    assert [each["message_id"] for each in live["streamed"][:2]] == ids
    assert (live["streamed"][2]["message_type"], live["streamed"][2]["payload"]) == ("live", 3)
    assert live["unknown"]["raised"] == "ValueError"


def test_a_group_is_forked_and_its_frozen_members_stand_still(told: Told) -> None:
    """Until they are promoted."""
    fork = told["fork"]
    made = fork["made"]
    assert made["fork_group_id"] == f"{told['channel']}.what-if"
    assert made["member_policies"] == {"ada": "reactive", "bob": "frozen"}
    assert fork["again"] == fork["read"] == made
    assert fork["other"]["raised"] == "IdempotencyConflictError"
    for case in ("frozen", "frozen_claim", "frozen_mail", "blocked"):
        assert fork[case]["raised"] == "CounterfactualBlockedError"
    assert fork["promoted"]["member_policies"] == {"ada": "reactive", "bob": "reactive"}
    assert fork["promoted_again"] == fork["promoted"]
    assert fork["sent"]["to_member_id"] == "bob"
