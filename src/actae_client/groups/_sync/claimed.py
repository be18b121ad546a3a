# Written by tools/generate_sync.py from _async/claimed.py. Do not edit.
"""Working for a member: its lease is held for as long as a block takes."""

from __future__ import annotations

import logging
from types import TracebackType

from actae_client.errors import MemberLeaseLostError
from actae_client.groups._sync._io import Keeper, at_most
from actae_client.groups._sync.member import SyncGroupMemberSession

logger: logging.Logger = logging.getLogger("actae_client.groups")

_RELEASE_SECONDS_MAX = 10.0


class SyncClaimedMember:
    """Claims a member when it is entered, keeps it, and lets it go when it is left.

    The lease is renewed every third of its length. When it is lost all the same, because somebody took the
    member over or no renewal came through before it ended, whoever works for the member must stop: an
    asyncio block is interrupted and ends with MemberLeaseLostError; in a blocking one the next call for
    the member raises it, and so does the end of the block.
    """

    def __init__(self, member: SyncGroupMemberSession, owner_id: str | None, lease_seconds: int) -> None:
        self.member = member
        self._owner_id = owner_id
        self._lease_seconds = lease_seconds
        self._keeper = Keeper(
            self._renew,
            member.lose,
            lease_seconds=lease_seconds,
            name=f"member {member.member_id!r} of group {member.group.group_id!r}",
        )

    def __enter__(self) -> SyncGroupMemberSession:
        self._keeper.expect_claim()
        self.member.claim(self._owner_id, lease_seconds=self._lease_seconds)
        self._keeper.start()
        return self.member

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._keeper.stop()
        loss = self._keeper.loss
        if loss is None:
            self._let_go(error)
        elif self._keeper.has_interrupted(error) or error is None:
            raise loss

    def _renew(self) -> None:
        if self.member.lease is not None:  # Otherwise the block has released it.
            self.member.heartbeat(lease_seconds=self._lease_seconds)

    def _let_go(self, error: BaseException | None) -> None:
        """A lease that cannot be released lapses; one that was lost at the last moment is told."""
        try:
            with at_most(_RELEASE_SECONDS_MAX):
                self.member.release()
        except MemberLeaseLostError:
            if error is None:
                raise
        except Exception as failure:
            logger.warning(
                "%s was not released, and its lease will lapse: %r", self.member.member_id, failure
            )
