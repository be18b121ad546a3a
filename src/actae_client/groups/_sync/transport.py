# Written by tools/generate_sync.py from _async/transport.py. Do not edit.
"""What a group needs of a client."""

from __future__ import annotations

from typing import Any, Protocol

from actae_client._types.execution_groups import ExecutionGroupMember, GroupMessage, MemberLease
from actae_client._types.json import Json


class SyncGroupTransport(Protocol):
    """The methods that a group calls; they are those of `ActaeClient`.

    Live delivery needs `stream`, and subscribing `subscribe` and `unsubscribe`, too.
    """

    def execution_group_members(self, group_id: str) -> list[ExecutionGroupMember]:
        """List the members."""
        ...

    def claim_member(
        self, group_id: str, member_id: str, owner_id: str, *, lease_seconds: int = 60
    ) -> MemberLease:
        """Take a member."""
        ...

    def heartbeat_member(
        self, group_id: str, member_id: str, owner_id: str, generation: int, *, lease_seconds: int = 60
    ) -> MemberLease:
        """Renew a lease."""
        ...

    def release_member(self, group_id: str, member_id: str, owner_id: str, generation: int) -> None:
        """Let a member go."""
        ...

    def send_group_message(
        self,
        group_id: str,
        from_member_id: str,
        to_member_id: str,
        message_type: str,
        payload: Json,
        *,
        causal_context: dict[str, Json] | None = None,
        operation_id: str | None = None,
    ) -> GroupMessage:
        """Send a message."""
        ...

    def group_messages(
        self, group_id: str, member_id: str, *, after: str | None = None, limit: int = 100
    ) -> list[GroupMessage]:
        """Read a member's mail."""
        ...

    def acknowledge_group_message(self, message_id: str, owner_id: str, generation: int) -> GroupMessage:
        """Mark a message as done with."""
        ...

    def promote_execution_group_fork_member(self, fork_group_id: str, member_id: str) -> dict[str, Any]:
        """Let a frozen member take part."""
        ...
