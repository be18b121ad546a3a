# Written by tools/generate_sync.py from _async/session.py. Do not edit.
"""One group, to be worked with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from actae_client._types.execution_groups import GroupMessage
from actae_client.groups._sync.claimed import SyncClaimedMember
from actae_client.groups._sync.mail import Expected
from actae_client.groups._sync.member import SyncGroupMemberSession
from actae_client.groups._sync.transport import SyncGroupTransport
from actae_client.groups._sync.waiting import until_found

_POLL_SECONDS = 0.2


class SyncGroupSession:
    """One execution group. The server runs nothing: its members are processes of yours, wherever they run."""

    def __init__(self, client: SyncGroupTransport, group_id: str) -> None:
        self.client = client
        self.group_id = group_id

    def member(self, member_id: str) -> SyncGroupMemberSession:
        """One of its members, to send as it and to read its mail. Nothing is sent yet."""
        return SyncGroupMemberSession(self, member_id)

    def claim_member(
        self, member_id: str, owner_id: str | None = None, *, lease_seconds: int = 60
    ) -> SyncClaimedMember:
        """Work for a member: `async with group.claim_member("ada") as ada`.

        Raises MemberLeaseHeldError on entry while somebody else does.
        """
        return SyncClaimedMember(self.member(member_id), owner_id, lease_seconds)

    def wait_for(
        self,
        member: str,
        event: str,
        *,
        timeout: float | None = None,
        after: str | None = None,
    ) -> GroupMessage:
        """The first message of type `event` to a member; see `GroupMemberSession.wait_for`."""
        return self.member(member).wait_for(event, timeout=timeout, after=after)

    def wait_any(
        self,
        waits: Iterable[tuple[str, str]],
        *,
        timeout: float | None = None,
    ) -> tuple[str, GroupMessage]:
        """The first message that any of the (member, type) pairs waits for, and its member.

        Of several that are there, that of the pair which was named first.
        Raises TimeoutError, and ValueError without pairs.
        """
        expected = self._expect(waits)
        if not expected:
            raise ValueError("wait_any needs at least one (member, type) pair")

        def look() -> tuple[str, GroupMessage] | None:
            for each in expected:
                message = each.look()
                if message is not None:
                    return each.mailbox.member_id, message
            return None

        return until_found(
            look, timeout=timeout, poll_interval=_POLL_SECONDS, what=f"none of {_named(expected)}"
        )

    def wait_all(
        self,
        waits: Iterable[tuple[str, str]],
        *,
        timeout: float | None = None,
    ) -> dict[str, GroupMessage]:
        """A message for each of the (member, type) pairs, by member.

        Raises TimeoutError, and ValueError when a member is to get messages of several types: there is one
        place for each member in the answer.
        """
        expected = self._expect(waits)
        members = [each.mailbox.member_id for each in expected]
        if len(set(members)) < len(members):
            twice = next(name for name in members if members.count(name) > 1)
            raise ValueError(
                f"wait_all gives one message for each member, and {twice!r} waits for several types; "
                "wait for them one by one"
            )
        found: dict[str, GroupMessage] = {}

        def look() -> dict[str, GroupMessage] | None:
            for each in expected:
                if each.mailbox.member_id not in found:
                    message = each.look()
                    if message is not None:
                        found[each.mailbox.member_id] = message
            return found if len(found) == len(expected) else None

        until_found(look, timeout=timeout, poll_interval=_POLL_SECONDS, what=f"not all of {_named(expected)}")
        return {name: found[name] for name in members}

    def promote(self, member_id: str) -> dict[str, Any]:
        """Let a frozen member of the group fork with this id take part; the receipt as it is then."""
        return self.client.promote_execution_group_fork_member(self.group_id, member_id)

    def _expect(self, waits: Iterable[tuple[str, str]]) -> list[Expected]:
        # The same pair twice is one.
        return [self.member(member).expect(event) for member, event in dict.fromkeys(waits)]


def _named(expected: list[Expected]) -> str:
    return ", ".join(map(str, expected))
