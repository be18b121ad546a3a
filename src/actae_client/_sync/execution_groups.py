# Written by tools/generate_sync.py from _async/execution_groups.py. Do not edit.
"""Methods about execution groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from actae_client._calls import execution_groups as calls
from actae_client._sync.sender import Sender
from actae_client._types.execution_groups import (
    ExecutionGroup,
    ExecutionGroupMember,
    GroupMessage,
    MemberLease,
)
from actae_client._types.forks import ToolPolicy
from actae_client._types.json import Json
from actae_client.groups._sync.session import SyncGroupSession


class ExecutionGroupMethods(Sender):
    """Agents that run on their own: named members with leases, messages between them, forks of them all.

    `execution_group` gives the same in a handier form.
    """

    def execution_group(self, group_id: str) -> SyncGroupSession:
        """One group, to be worked with: claim a member, send, wait. Nothing is sent yet."""
        return SyncGroupSession(self, group_id)

    def group(self, group_id: str) -> SyncGroupSession:
        """The same as `execution_group`."""
        return self.execution_group(group_id)

    def create_execution_group(
        self, group_id: str, *, metadata: dict[str, Json] | None = None
    ) -> ExecutionGroup:
        """Start a group, or get the one that there is with the same metadata.

        Raises GroupConflictError when there is another one of this name.
        """
        return self._send(calls.create_execution_group(group_id, metadata=metadata))

    def list_execution_groups(self) -> list[ExecutionGroup]:
        """The groups that the key may read, newest first."""
        return self._send(calls.list_execution_groups())

    def add_execution_group_member(
        self,
        group_id: str,
        member_id: str,
        channel_id: str,
        *,
        role: str | None = None,
        metadata: dict[str, Json] | None = None,
    ) -> ExecutionGroupMember:
        """Bind a name to a channel for good; the channel need not exist yet.

        Raises MemberConflictError when the name is bound otherwise, GroupNotFoundError.
        """
        return self._send(
            calls.add_execution_group_member(group_id, member_id, channel_id, role=role, metadata=metadata)
        )

    def execution_group_members(self, group_id: str) -> list[ExecutionGroupMember]:
        """The members that the key may read, in the order of their addition. Raises GroupNotFoundError."""
        return self._send(calls.execution_group_members(group_id))

    def claim_member(
        self, group_id: str, member_id: str, owner_id: str, *, lease_seconds: int = 60
    ) -> MemberLease:
        """Take a member that nobody holds, or renew the lease of one's own.

        Raises MemberLeaseHeldError while somebody else holds it, CounterfactualBlockedError for a frozen
        member of a fork, MemberNotFoundError.
        """
        return self._send(calls.claim_member(group_id, member_id, owner_id, lease_seconds=lease_seconds))

    def heartbeat_member(
        self, group_id: str, member_id: str, owner_id: str, generation: int, *, lease_seconds: int = 60
    ) -> MemberLease:
        """Renew a lease, also one that lapsed. Raises MemberLeaseLostError when somebody took over."""
        return self._send(
            calls.heartbeat_member(group_id, member_id, owner_id, generation, lease_seconds=lease_seconds)
        )

    def release_member(self, group_id: str, member_id: str, owner_id: str, generation: int) -> None:
        """Let a member go. Raises MemberLeaseLostError when somebody took over."""
        return self._send(calls.release_member(group_id, member_id, owner_id, generation))

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
        """Send a message from one member to another; no lease is needed.

        It is an event on the channel of either, or nothing. Sent again under the same `operation_id`, it
        is the same message; an id is made for each call that names none.

        Raises IdempotencyConflictError when the id names another message of the group,
        CounterfactualBlockedError when one of the two is frozen, ConflictError for a channel that is closed
        or deleted, MemberNotFoundError.
        """
        return self._send(
            calls.send_group_message(
                group_id,
                from_member_id,
                to_member_id,
                message_type,
                payload,
                causal_context=causal_context,
                operation_id=operation_id,
            )
        )

    def group_messages(
        self, group_id: str, member_id: str, *, after: str | None = None, limit: int = 100
    ) -> list[GroupMessage]:
        """A member's mail behind a message id, the oldest first; acknowledged messages too.

        Where messages are large there are fewer than `limit`; ask until nothing comes.
        Raises MessageNotFoundError for an `after` that is none of the member's, MemberNotFoundError.
        """
        return self._send(calls.group_messages(group_id, member_id, after=after, limit=limit))

    def acknowledge_group_message(self, message_id: str, owner_id: str, generation: int) -> GroupMessage:
        """Mark a message as done with. Raises MemberLeaseLostError unless this owner holds its recipient."""
        return self._send(calls.acknowledge_group_message(message_id, owner_id, generation))

    def fork_execution_group(
        self,
        fork_group_id: str,
        source_group_id: str,
        intervention_member_id: str,
        intervention_cursor: int,
        *,
        member_policies: dict[str, str] | None = None,
        tool_policies: Mapping[str, ToolPolicy] | None = None,
    ) -> dict[str, Any]:
        """Make a group with the same members, each on a fork of its channel, and return the receipt.

        The named member keeps its events up to the cursor, the others all that nothing behind it led to.
        `member_policies` says who is `reactive`, and takes part; everybody else is `frozen` and refuses
        writes. `tool_policies` are those of forks. The same fork again returns the same receipt.

        Raises IdempotencyConflictError or GroupConflictError when the name is taken, ChannelConflictError
        when that of a channel is, GroupNotFoundError, MemberNotFoundError.
        """
        return self._send(
            calls.fork_execution_group(
                fork_group_id,
                source_group_id,
                intervention_member_id,
                intervention_cursor,
                member_policies=member_policies,
                tool_policies=tool_policies,
            )
        )

    def get_execution_group_fork(self, fork_group_id: str) -> dict[str, Any]:
        """The receipt of a group fork. Raises GroupForkNotFoundError."""
        return self._send(calls.get_execution_group_fork(fork_group_id))

    def promote_execution_group_fork_member(self, fork_group_id: str, member_id: str) -> dict[str, Any]:
        """Let a frozen member take part from now on; the receipt as it is then.

        Raises GroupForkNotFoundError, MemberNotFoundError.
        """
        return self._send(calls.promote_execution_group_fork_member(fork_group_id, member_id))
