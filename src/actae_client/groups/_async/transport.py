"""What a group needs of a client."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, Protocol

from actae_client._types.execution_groups import ExecutionGroupMember, GroupMessage, MemberLease
from actae_client._types.json import Json


class GroupTransport(Protocol):
    """The methods that a group calls; they are those of `ActaeClient`.

    Live delivery needs `stream`, and subscribing `subscribe` and `unsubscribe`, too.
    """

    def execution_group_members(self, group_id: str) -> Coroutine[Any, Any, list[ExecutionGroupMember]]:
        """List the members."""
        ...

    def claim_member(
        self, group_id: str, member_id: str, owner_id: str, *, lease_seconds: int = 60
    ) -> Coroutine[Any, Any, MemberLease]:
        """Take a member."""
        ...

    def heartbeat_member(
        self, group_id: str, member_id: str, owner_id: str, generation: int, *, lease_seconds: int = 60
    ) -> Coroutine[Any, Any, MemberLease]:
        """Renew a lease."""
        ...

    def release_member(
        self, group_id: str, member_id: str, owner_id: str, generation: int
    ) -> Coroutine[Any, Any, None]:
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
    ) -> Coroutine[Any, Any, GroupMessage]:
        """Send a message."""
        ...

    def group_messages(
        self, group_id: str, member_id: str, *, after: str | None = None, limit: int = 100
    ) -> Coroutine[Any, Any, list[GroupMessage]]:
        """Read a member's mail."""
        ...

    def acknowledge_group_message(
        self, message_id: str, owner_id: str, generation: int
    ) -> Coroutine[Any, Any, GroupMessage]:
        """Mark a message as done with."""
        ...

    def promote_execution_group_fork_member(
        self, fork_group_id: str, member_id: str
    ) -> Coroutine[Any, Any, dict[str, Any]]:
        """Let a frozen member take part."""
        ...
