# Written by tools/generate_sync.py from _async/member.py. Do not edit.
"""One member of a group, as whoever works for it sees it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from actae_client._types.execution_groups import GroupMessage, MemberLease
from actae_client._types.json import Json
from actae_client.errors import MemberLeaseLostError
from actae_client.groups._sync._io import Subscribing
from actae_client.groups._sync.mail import Expected, Mailbox
from actae_client.groups._sync.waiting import until_found
from actae_client.groups.deliveries import message_for

if TYPE_CHECKING:
    from actae_client.groups._sync.session import SyncGroupSession


class SyncGroupMemberSession(Subscribing):
    """One member: its lease, its mail, and what it sends.

    Sending and reading need no lease; `acknowledge`, `heartbeat` and `release` use the one that `claim`
    got. `GroupSession.claim_member` claims and keeps it for as long as a block takes; once it is lost,
    every method raises MemberLeaseLostError until the member is claimed again.
    """

    def __init__(self, group: SyncGroupSession, member_id: str) -> None:
        self.group = group
        self.member_id = member_id
        self._client = group.client
        self._owner_id = str(uuid4())
        self._lease: MemberLease | None = None
        self._loss: MemberLeaseLostError | None = None

    @property
    def lease(self) -> MemberLease | None:
        """The lease that is held, as it was renewed last; None without one."""
        return self._lease

    def claim(self, owner_id: str | None = None, *, lease_seconds: int = 60) -> MemberLease:
        """Take the member, or renew one's lease on it. It is not renewed by itself: see `claim_member`.

        Without an owner this object makes one up, and keeps it. Raises MemberLeaseHeldError.
        """
        self._owner_id = owner_id or self._owner_id
        self._loss = None
        self._lease = self._client.claim_member(
            self.group.group_id, self.member_id, self._owner_id, lease_seconds=lease_seconds
        )
        return self._lease

    def heartbeat(self, *, lease_seconds: int = 60) -> MemberLease:
        """Renew the lease. Raises MemberLeaseLostError, and RuntimeError without a lease."""
        held = self._require_lease("heartbeat")
        self._lease = self._client.heartbeat_member(
            held.group_id, held.member_id, held.owner_id, held.generation, lease_seconds=lease_seconds
        )
        return self._lease

    def release(self) -> None:
        """Let the member go; nothing happens without a lease. Raises MemberLeaseLostError."""
        held, self._lease = self._lease, None
        if held is not None:
            self._client.release_member(held.group_id, held.member_id, held.owner_id, held.generation)

    def send(
        self,
        to: str,
        message_type: str,
        payload: Json,
        *,
        causal_context: dict[str, Json] | None = None,
        operation_id: str | None = None,
    ) -> GroupMessage:
        """Send a message to another member; see `send_group_message`."""
        self.require_not_lost()
        return self._client.send_group_message(
            self.group.group_id,
            self.member_id,
            to,
            message_type,
            payload,
            causal_context=causal_context,
            operation_id=operation_id,
        )

    def messages(self, *, after: str | None = None, limit: int = 100) -> list[GroupMessage]:
        """The member's mail behind a message id, the oldest first."""
        self.require_not_lost()
        return self._client.group_messages(self.group.group_id, self.member_id, after=after, limit=limit)

    def acknowledge(self, message: GroupMessage) -> GroupMessage:
        """Mark a message as done with. Raises MemberLeaseLostError, and RuntimeError without a lease."""
        held = self._require_lease("acknowledge")
        return self._client.acknowledge_group_message(message.message_id, held.owner_id, held.generation)

    def wait_for(
        self,
        message_type: str,
        *,
        timeout: float | None = None,
        after: str | None = None,
        poll_interval: float = 0.2,
    ) -> GroupMessage:
        """The first message of a type behind `after`, in what has come already or is to come.

        Whoever waits again with the same `after` gets the same message, in whichever process; whoever wants
        the next one passes the id of this one. A server that is away is waited for.

        Raises TimeoutError after `timeout` seconds, MemberNotFoundError, MessageNotFoundError.
        """
        expected = self.expect(message_type, after)
        return until_found(expected.look, timeout=timeout, poll_interval=poll_interval, what=f"no {expected}")

    def stream(self, *, after: str | None = None, poll_interval: float = 0.2) -> Iterator[GroupMessage]:
        """The member's mail behind a message id, without an end; asks the server again and again."""
        mailbox = Mailbox(self._client, self.group.group_id, self.member_id, after)

        def page() -> list[GroupMessage] | None:
            self.require_not_lost()
            return mailbox.next_page() or None

        while True:
            found = until_found(page, timeout=None, poll_interval=poll_interval, what="no mail")
            for message in found:
                self.require_not_lost()
                yield message

    def stream_ws(self, *, cursor: int | None = None) -> Iterator[GroupMessage]:
        """The member's mail as it is delivered, live: behind a cursor of its channel, or from now on.

        Raises ValueError for a member that the group does not have.
        """
        live: Any = self._client
        with live.stream(self.find_channel(), cursor) as events:
            for event in events:
                self.require_not_lost()
                message = message_for(event, self.group.group_id, self.member_id)
                if message is not None:
                    yield message

    def find_channel(self) -> str:
        """The channel that the member is bound to. Raises ValueError for an unknown member."""
        for each in self._client.execution_group_members(self.group.group_id):
            if each.member_id == self.member_id:
                return each.channel_id
        raise ValueError(f"group {self.group.group_id!r} has no member {self.member_id!r}")

    def expect(self, message_type: str, after: str | None = None) -> Expected:
        """What `wait_for` looks for."""
        mailbox = Mailbox(self._client, self.group.group_id, self.member_id, after)
        return Expected(mailbox, message_type, self.require_not_lost)

    def require_not_lost(self) -> None:
        """Raise MemberLeaseLostError once the lease on the member was lost."""
        if self._loss is not None:
            raise self._loss

    def lose(self, loss: MemberLeaseLostError) -> None:
        """Told by whoever keeps the lease: it is gone."""
        self._loss, self._lease = loss, None

    def _require_lease(self, what: str) -> MemberLease:
        self.require_not_lost()
        if self._lease is None:
            raise RuntimeError(f"{what} needs a lease on member {self.member_id!r}: claim it first")
        return self._lease
