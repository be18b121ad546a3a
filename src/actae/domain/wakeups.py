"""Wake-ups: durable timers. When one is due, an event says so on its channel, once."""

from datetime import datetime
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec import Raw

WAKEUP_EVENT_TYPE: Final = "scheduler.wakeup"
WAKEUP_NAMESPACE: Final = "scheduler.wakeups.create"

# Seconds until the next try, by the number of tries so far; after the last of them it is given up.
RETRY_DELAYS: Final = (1.0, 5.0, 25.0, 120.0)

WakeupStatus = Literal["pending", "done", "failed", "cancelled"]


class Wakeup(msgspec.Struct, frozen=True):
    """A wake-up, and what became of it.

    `attempts` counts the tries to fire it, `error` says why the last one failed, and `executed_at` is the
    moment of its event.
    """

    id: str
    channel_id: str
    run_at: datetime
    status: WakeupStatus
    payload: Raw | None
    created_at: datetime
    executed_at: datetime | None
    attempts: int
    error: str | None


class DueWakeup(NamedTuple):
    """A wake-up whose time has come, and how often it was tried before."""

    channel_id: str
    wakeup_id: str
    attempts: int

    @property
    def id(self) -> str:
        """Its public id."""
        return public_id(self.channel_id, self.wakeup_id)


def public_id(channel_id: str, wakeup_id: str) -> str:
    """What callers know a wake-up by: 32 hex digits, and the channel that they belong to."""
    return f"{channel_id}~{wakeup_id}"


def delay_after(attempts: int) -> float | None:
    """Seconds until the next try after so many have failed; None when there is none."""
    return RETRY_DELAYS[attempts - 1] if attempts <= len(RETRY_DELAYS) else None


def event_payload(wakeup_id: str, run_at: datetime, payload: bytes | None) -> bytes:
    """What the event of a wake-up says: which one it was, when it was wanted, and what was put into it."""
    kept = None if payload is None else Raw(payload)
    return msgspec.json.encode({"wakeup_id": wakeup_id, "run_at": run_at, "payload": kept})


def event_metadata(wakeup_id: str) -> bytes:
    """By which readers find the event of a wake-up without looking into its payload."""
    return msgspec.json.encode({"wakeup_id": wakeup_id})
