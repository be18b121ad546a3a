# Written by tools/generate_sync.py from _async/wakeups.py. Do not edit.
"""Methods about wake-ups."""

from __future__ import annotations

from datetime import datetime

from actae_client._calls import wakeups
from actae_client._sync.sender import Sender
from actae_client._types.json import Json
from actae_client._types.wakeups import Wakeup


class WakeupMethods(Sender):
    """Timers that outlive whoever set them: at their moment, the server appends an event to the channel."""

    def schedule_wakeup(
        self,
        channel_id: str,
        run_at: datetime | str,
        *,
        payload: dict[str, Json] | None = None,
        operation_id: str | None = None,
    ) -> Wakeup:
        """Have a `scheduler.wakeup` event with this payload appended at `run_at`, or soon after it.

        `run_at` is RFC 3339 text, or a datetime with a time zone (ValueError without one); a moment that
        has passed is due at once. The channel need not exist. An `operation_id` is made for each call that
        names none; naming one makes the same call, made again, return the first wake-up.

        Raises ChannelClosedError, ChannelDeletedError, InvalidRequestError, IdempotencyConflictError.
        """
        return self._send(
            wakeups.schedule_wakeup(channel_id, run_at, payload=payload, operation_id=operation_id)
        )

    def list_wakeups(
        self,
        *,
        channel_id: str | None = None,
        status: str | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> list[Wakeup]:
        """Wake-ups of a channel, or of all that the key may observe, the earliest `run_at` first.

        `status` is `pending`, `done`, `failed` or `cancelled`. There are 1,000 at most, fewer where they
        are large; `after`, the id of the last one seen, brings those that follow.
        """
        return self._send(
            wakeups.list_wakeups(channel_id=channel_id, status=status, after=after, limit=limit)
        )

    def get_wakeup(self, wakeup_id: str) -> Wakeup | None:
        """One wake-up and what became of it, None when there is no such one."""
        return self._send(wakeups.get_wakeup(wakeup_id))

    def cancel_wakeup(self, wakeup_id: str) -> bool:
        """Keep a wake-up from firing; False when it was not pending any more.

        Raises WakeupNotFoundError. An ActaeConnectionError leaves open whether it is cancelled:
        `get_wakeup` tells.
        """
        return self._send(wakeups.cancel_wakeup(wakeup_id))
