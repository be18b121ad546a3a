# Written by tools/generate_sync.py from _async/test_execution_groups_requests.py. Do not edit.
"""What the calls about execution groups send, and what they make of the answer."""

from typing import Any
from uuid import UUID

import pytest

from actae_client import ExecutionGroup, ExecutionGroupMember, GroupMessage, MemberLease, SyncActaeClient
from tests.client.support.scripted_server import Answer, ScriptedServer

GROUP = {"group_id": "crew", "status": "active", "metadata": {"a": 1}, "created_at": "t1", "updated_at": "t2"}
MEMBER: dict[str, Any] = {
    "group_id": "crew",
    "member_id": "ada",
    "channel_id": "run-a",
    "role": None,
    "metadata": {},
    "owner_id": "me",
    "generation": 2,
    "lease_until": "t3",
}
LEASE = {"group_id": "crew", "member_id": "ada", "owner_id": "me", "generation": 2, "lease_until": "t3"}
MESSAGE: dict[str, Any] = {
    "message_id": "run-b~7",
    "group_id": "crew",
    "from_member_id": "ada",
    "to_member_id": "bob",
    "type": "ask",
    "payload": {"n": 1},
    "causal_context": None,
    "source_event_id": "e1",
    "delivery_event_id": "e2",
    "status": "delivered",
    "acknowledged_at": None,
    "created_at": "t4",
}
FORK = {"fork_group_id": "what-if", "member_policies": {"ada": "reactive"}}
READ = GroupMessage(
    **{("message_type" if name == "type" else name): value for name, value in MESSAGE.items()}
)

CASES: list[tuple[str, tuple[Any, ...], dict[str, Any], str, Any, Any, Any]] = [
    (
        "create_execution_group", ("crew",), {"metadata": {"a": 1}},
        "POST /execution-groups", {"group_id": "crew", "metadata": {"a": 1}},
        {"group": GROUP}, ExecutionGroup(**GROUP),
    ),
    (
        "create_execution_group", ("crew",), {},
        "POST /execution-groups", {"group_id": "crew", "metadata": {}},
        GROUP, ExecutionGroup(**GROUP),
    ),
    (
        "list_execution_groups", (), {},
        "GET /execution-groups", None, {"groups": [GROUP]}, [ExecutionGroup(**GROUP)],
    ),
    (
        "add_execution_group_member", ("crew", "ada", "run-a"), {"role": "planner", "metadata": {"a": 1}},
        "POST /execution-groups/crew/members",
        {"member_id": "ada", "channel_id": "run-a", "role": "planner", "metadata": {"a": 1}},
        {"member": MEMBER}, ExecutionGroupMember(**MEMBER),
    ),
    (
        "execution_group_members", ("crew",), {},
        "GET /execution-groups/crew/members", None, {"members": [MEMBER]}, [ExecutionGroupMember(**MEMBER)],
    ),
    (
        "claim_member", ("crew", "ada", "me"), {"lease_seconds": 9},
        "POST /execution-groups/crew/members/ada/claim", {"owner_id": "me", "lease_seconds": 9},
        {"lease": LEASE}, MemberLease(**LEASE),
    ),
    (
        "heartbeat_member", ("crew", "ada", "me", 2), {},
        "POST /execution-groups/crew/members/ada/heartbeat",
        {"owner_id": "me", "generation": 2, "lease_seconds": 60}, {"lease": LEASE}, MemberLease(**LEASE),
    ),
    (
        "release_member", ("crew", "ada", "me", 2), {},
        "POST /execution-groups/crew/members/ada/release", {"owner_id": "me", "generation": 2},
        {"status": "released"}, None,
    ),
    (
        "send_group_message", ("crew", "ada", "bob", "ask", {"n": 1}),
        {"causal_context": {}, "operation_id": "o"}, "POST /execution-groups/crew/messages",
        {
            "from_member_id": "ada", "to_member_id": "bob", "type": "ask", "payload": {"n": 1},
            "causal_context": {}, "operation_id": "o",
        },
        {"message": MESSAGE}, READ,
    ),
    (
        "group_messages", ("crew", "bob"), {"after": "run-b~6", "limit": 3},
        "GET /execution-groups/crew/members/bob/messages?limit=3&after=run-b~6", None,
        {"messages": [MESSAGE]}, [READ],
    ),
    (
        "acknowledge_group_message", ("run-b~7", "me", 2), {},
        "POST /execution-group-messages/run-b~7/ack", {"owner_id": "me", "generation": 2},
        {"message": MESSAGE}, READ,
    ),
    (
        "fork_execution_group", ("what-if", "crew", "ada", 5),
        {"member_policies": {"ada": "reactive"}, "tool_policies": {"*": "block"}},
        "POST /execution-group-forks",
        {
            "fork_group_id": "what-if", "source_group_id": "crew", "intervention_member_id": "ada",
            "intervention_cursor": 5, "member_policies": {"ada": "reactive"}, "tool_policies": {"*": "block"},
        },
        {"fork": FORK}, FORK,
    ),
    (
        "get_execution_group_fork", ("what-if",), {},
        "GET /execution-group-forks/what-if", None, {"fork": FORK}, FORK,
    ),
    (
        "promote_execution_group_fork_member", ("what-if", "bob"), {},
        "POST /execution-group-forks/what-if/members/bob/promote", {}, {"fork": FORK}, FORK,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("method", "args", "options", "target", "body", "answer", "expected"), CASES)
def test_a_call_and_its_answer(
    client: SyncActaeClient,
    scripted: ScriptedServer,
    method: str,
    args: tuple[Any, ...],
    options: dict[str, Any],
    target: str,
    body: Any,
    answer: Any,
    expected: Any,
) -> None:
    """Each argument has its place; and every one of them is sent again when a server stumbles."""
    scripted.will(Answer(503, {"status": "unavailable", "error": "later"}), Answer(200, answer))
    found: Any = getattr(client, method)(*args, **options)
    assert found == expected
    first, again = scripted.heard
    assert f"{first.method} {first.target.removeprefix('/api/v1')}".replace(" /api/v1", " ") == target
    assert (first.json if first.body else None) == body
    assert (again.method, again.target, again.body) == (first.method, first.target, first.body)


def test_a_message_has_an_identity_of_its_own(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Made once for each call, and sent with each of its attempts."""
    scripted.will(Answer(503, {"status": "unavailable", "error": "later"}), Answer(200, {"message": MESSAGE}))
    client.send_group_message("crew", "ada", "bob", "ask", None)
    client.send_group_message("crew", "ada", "bob", "ask", None)
    first, again, other = [heard.json["operation_id"] for heard in scripted.heard]
    assert first == again != other
    assert UUID(first).version == 4
    assert "causal_context" not in scripted.heard[0].json


@pytest.mark.parametrize(
    ("method", "args"),
    [
        ("create_execution_group", ("a b",)),
        ("add_execution_group_member", ("crew", "a b", "run-a")),
        ("add_execution_group_member", ("crew", "ada", "a b")),
        ("execution_group_members", ("",)),
        ("claim_member", ("crew", "..", "me")),
        ("fork_execution_group", ("a b", "crew", "ada", 1)),
        ("send_group_message", ("crew", "ada", "bob", "ask", float("nan"))),
    ],
)
def test_bad_arguments_are_refused_before_anything_is_sent(
    client: SyncActaeClient, scripted: ScriptedServer, method: str, args: tuple[Any, ...]
) -> None:
    """When the method is called, not when it is awaited."""
    with pytest.raises(ValueError, match=r"must be|cannot"):
        getattr(client, method)(*args)
    assert scripted.heard == []
