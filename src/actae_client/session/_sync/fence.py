# Written by tools/generate_sync.py from _async/fence.py. Do not edit.
"""One owner of a channel at a time."""

from __future__ import annotations

import logging

from actae_client.errors import (
    ExecutionNotFoundError,
    ExecutionNotOwnedError,
    SessionError,
    SessionLockedError,
)
from actae_client.session._sync._io import Ticker, at_most, heard_out
from actae_client.session._sync.persistence import persistently
from actae_client.session._sync.transport import SyncSessionTransport, method
from actae_client.session.names import SESSION_FENCE_KEY, SESSION_FENCE_TOOL

logger: logging.Logger = logging.getLogger("actae_client.session")

_INTERVAL_SECONDS_MAX = 30.0
_RELEASE_SECONDS_MAX = 10.0
_CLAIM_SECONDS_MAX = 5.0  # For who is cancelled.


class Fence:
    """A lease on a channel, held in its ledger from entry to exit.

    It is renewed before every step, and beside the session every third of its length, so that a
    step may take longer than the lease. Without an owner there is no fence, and nothing is sent.
    """

    def __init__(
        self, transport: SyncSessionTransport, channel_id: str, owner: str | None, lease_seconds: int
    ) -> None:
        self.loss: SessionLockedError | None = None
        self._transport = transport
        self._channel_id = channel_id
        self._owner = owner
        self._lease_seconds = lease_seconds
        self._held: tuple[str, str] | None = None
        self._ticker = Ticker(min(lease_seconds / 3, _INTERVAL_SECONDS_MAX), self._beat)

    def claim(self) -> None:
        """Take the channel. Raises SessionLockedError while somebody else holds it."""
        if self._owner is None:
            return
        for name in ("claim_execution", "heartbeat_execution", "cancel_execution"):
            method(self._transport, name)
        # An answer that is not heard would hold the channel until its lease ends.
        heard_out(self._claim, _CLAIM_SECONDS_MAX)

    def _claim(self) -> None:
        # Every owner sends the same parameters, so that all of them meet the lease.
        claim = method(self._transport, "claim_execution")(
            self._channel_id,
            SESSION_FENCE_KEY,
            SESSION_FENCE_TOOL,
            {},
            lease_seconds=self._lease_seconds,
            actor=self._owner,
        )
        if claim.status not in ("claimed", "reclaimed"):
            raise SessionLockedError(
                f"channel {self._channel_id!r} is held by another session until its lease ends "
                f"({claim.execution.lease_until}); {self._owner!r} has to wait"
            )
        self._held = (claim.execution.id, claim.claim_token)
        self._ticker.start()

    def renew(self) -> None:
        """Make sure that the channel is still ours. Raises SessionLockedError when it is not."""
        if self._owner is None:
            return
        if self._held is None:
            raise SessionError("a session with a fence_owner must be entered: `async with session`")
        if self.loss is None:
            persistently(self._renew)
        if self.loss is not None:
            raise self.loss

    def release(self) -> None:
        """Give the channel back; best effort, because the lease lapses anyway."""
        self._ticker.stop()
        held, self._held = self._held, None
        if held is None or self.loss is not None:
            return
        try:
            with at_most(_RELEASE_SECONDS_MAX):
                method(self._transport, "cancel_execution")(*held)
        except Exception as failure:
            logger.warning("The fence of %s was not released and will lapse: %r", self._channel_id, failure)

    def _renew(self) -> None:
        assert self._held is not None, "only a channel that was claimed is renewed"
        try:
            method(self._transport, "heartbeat_execution")(*self._held, self._lease_seconds)
        except (ExecutionNotOwnedError, ExecutionNotFoundError) as refusal:
            self.loss = SessionLockedError(
                f"channel {self._channel_id!r} was taken over: {self._owner!r} does not hold it any more"
            )
            self.loss.__cause__ = refusal

    def _beat(self) -> bool:
        try:
            self._renew()
        except Exception as failure:
            logger.warning("A heartbeat of the fence of %s failed: %r", self._channel_id, failure)
        return self.loss is None
