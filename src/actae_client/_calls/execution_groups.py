"""Calls about execution groups: members, leases, messages, and forks of whole groups.

All of them may be repeated: what there is already is returned, and a message has an operation id.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from actae_client._calls.call import Call, identity, in_path, read, write
from actae_client._calls.channel_ids import validate_channel_id, validate_id
from actae_client._types.execution_groups import (
    ExecutionGroup,
    ExecutionGroupMember,
    GroupMessage,
    MemberLease,
)
from actae_client._types.forks import ToolPolicy
from actae_client._types.json import Json
from actae_client.retry import Repeat

_GROUPS = "/api/v1/execution-groups"
_MESSAGES = "/api/v1/execution-group-messages"
_FORKS = "/api/v1/execution-group-forks"


def create_execution_group(group_id: str, *, metadata: dict[str, Json] | None) -> Call[ExecutionGroup]:
    """Start a group, or get the same one."""
    validate_id("group_id", group_id)
    body: dict[str, Json] = {"group_id": group_id, "metadata": metadata or {}}
    return write(_GROUPS, ExecutionGroup.from_dict, body, repeat=Repeat.SAFE)


def list_execution_groups() -> Call[list[ExecutionGroup]]:
    """List the groups."""
    return read(_GROUPS, lambda reply: [ExecutionGroup.from_dict(item) for item in reply["groups"]])


def add_execution_group_member(
    group_id: str, member_id: str, channel_id: str, *, role: str | None, metadata: dict[str, Json] | None
) -> Call[ExecutionGroupMember]:
    """Bind a name to a channel, or get the same member."""
    validate_id("member_id", member_id)
    validate_channel_id(channel_id)
    body: dict[str, Json] = {"member_id": member_id, "channel_id": channel_id, "metadata": metadata or {}}
    if role is not None:
        body["role"] = role
    return write(f"{_group(group_id)}/members", ExecutionGroupMember.from_dict, body, repeat=Repeat.SAFE)


def execution_group_members(group_id: str) -> Call[list[ExecutionGroupMember]]:
    """List the members."""
    return read(
        f"{_group(group_id)}/members",
        lambda reply: [ExecutionGroupMember.from_dict(item) for item in reply["members"]],
    )


def claim_member(group_id: str, member_id: str, owner_id: str, *, lease_seconds: int) -> Call[MemberLease]:
    """Take a member. Asking again as the same owner renews the lease."""
    body: dict[str, Json] = {"owner_id": owner_id, "lease_seconds": lease_seconds}
    return write(f"{_member(group_id, member_id)}/claim", MemberLease.from_dict, body, repeat=Repeat.SAFE)


def heartbeat_member(
    group_id: str, member_id: str, owner_id: str, generation: int, *, lease_seconds: int
) -> Call[MemberLease]:
    """Renew a lease."""
    body: dict[str, Json] = {"owner_id": owner_id, "generation": generation, "lease_seconds": lease_seconds}
    return write(f"{_member(group_id, member_id)}/heartbeat", MemberLease.from_dict, body, repeat=Repeat.SAFE)


def release_member(group_id: str, member_id: str, owner_id: str, generation: int) -> Call[None]:
    """Let a member go."""
    body: dict[str, Json] = {"owner_id": owner_id, "generation": generation}
    return write(f"{_member(group_id, member_id)}/release", _nothing, body, repeat=Repeat.SAFE)


def send_group_message(
    group_id: str,
    from_member_id: str,
    to_member_id: str,
    message_type: str,
    payload: Json,
    *,
    causal_context: dict[str, Json] | None,
    operation_id: str | None,
) -> Call[GroupMessage]:
    """Send a message, once per operation id."""
    body: dict[str, Json] = {
        "from_member_id": from_member_id,
        "to_member_id": to_member_id,
        "type": message_type,
        "payload": payload,
        "operation_id": identity(operation_id),
    }
    if causal_context is not None:
        body["causal_context"] = causal_context
    path, arguments = f"{_group(group_id)}/messages", {"type": "message_type"}
    return write(path, GroupMessage.from_dict, body, repeat=Repeat.SAFE, arguments=arguments)


def group_messages(
    group_id: str, member_id: str, *, after: str | None, limit: int
) -> Call[list[GroupMessage]]:
    """Read a member's mail."""
    return read(
        f"{_member(group_id, member_id)}/messages",
        lambda reply: [GroupMessage.from_dict(item) for item in reply["messages"]],
        {"limit": limit, "after": after},
    )


def acknowledge_group_message(message_id: str, owner_id: str, generation: int) -> Call[GroupMessage]:
    """Mark a message as done with."""
    body: dict[str, Json] = {"owner_id": owner_id, "generation": generation}
    path = f"{_MESSAGES}/{in_path('message_id', message_id)}/ack"
    return write(path, GroupMessage.from_dict, body, repeat=Repeat.SAFE)


def fork_execution_group(
    fork_group_id: str,
    source_group_id: str,
    intervention_member_id: str,
    intervention_cursor: int,
    *,
    member_policies: dict[str, str] | None,
    tool_policies: Mapping[str, ToolPolicy] | None,
) -> Call[dict[str, Any]]:
    """Fork a group, once per name of the fork."""
    validate_id("fork_group_id", fork_group_id)
    body: dict[str, Json] = {
        "fork_group_id": fork_group_id,
        "source_group_id": source_group_id,
        "intervention_member_id": intervention_member_id,
        "intervention_cursor": intervention_cursor,
        "member_policies": member_policies or {},
        "tool_policies": dict(tool_policies or {}),
    }
    return write(_FORKS, _fork_of, body, repeat=Repeat.SAFE)


def get_execution_group_fork(fork_group_id: str) -> Call[dict[str, Any]]:
    """Read the receipt of a group fork."""
    return read(f"{_FORKS}/{in_path('fork_group_id', fork_group_id)}", _fork_of)


def promote_execution_group_fork_member(fork_group_id: str, member_id: str) -> Call[dict[str, Any]]:
    """Let a frozen member take part. A second time changes nothing."""
    fork = f"{_FORKS}/{in_path('fork_group_id', fork_group_id)}"
    path = f"{fork}/members/{in_path('member_id', member_id)}/promote"
    return write(path, _fork_of, {}, repeat=Repeat.SAFE)


def _group(group_id: str) -> str:
    return f"{_GROUPS}/{in_path('group_id', group_id)}"


def _member(group_id: str, member_id: str) -> str:
    return f"{_group(group_id)}/members/{in_path('member_id', member_id)}"


def _fork_of(reply: Any) -> dict[str, Any]:
    return dict(reply["fork"])


def _nothing(_reply: Any) -> None:
    return None
