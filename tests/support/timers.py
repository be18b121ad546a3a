"""Wake-ups over HTTP, in the database's time."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from tests.support.forking import events_of
from tests.support.server import Reply, RunningServer
from tests.support.waiting import until

WAKEUPS = "/scheduler/wakeups"


def schedule(server: RunningServer, channel: str, run_at: datetime, **fields: Any) -> dict[str, Any]:
    """A new wake-up."""
    reply = server.post(WAKEUPS, {"channel_id": channel, "run_at": run_at.isoformat(), **fields})
    assert reply.status == 200, reply
    body: dict[str, Any] = reply.body
    return body


def look(server: RunningServer, wakeup_id: str) -> dict[str, Any]:
    """How it stands."""
    reply = server.get(f"{WAKEUPS}/{wakeup_id}")
    assert reply.status == 200, reply
    body: dict[str, Any] = reply.body
    return body


def cancel(server: RunningServer, wakeup_id: str, **options: Any) -> Reply:
    """Try to cancel it."""
    return server.request("DELETE", f"/api/v1{WAKEUPS}/{wakeup_id}", **options)


def listed(server: RunningServer, query: str = "", **options: Any) -> list[dict[str, Any]]:
    """The wake-ups of one page."""
    reply = server.get(f"{WAKEUPS}?{query}", **options)
    assert reply.status == 200, reply
    found: list[dict[str, Any]] = reply.body["wakeups"]
    return found


def until_over(server: RunningServer, channel: str) -> None:
    """Return when nothing is pending on the channel."""
    until(lambda: not listed(server, f"channel_id={channel}&status=pending&limit=1"), seconds=60)


def until_swept(server: RunningServer, channel: str, now: datetime) -> None:
    """Return when a sweep has taken place that began after this call.

    `channel` is one of the caller's own: a wake-up whose time is long past has to fire on it.
    """
    schedule(server, channel, now - timedelta(days=1))
    until_over(server, channel)


def fired(server: RunningServer, channel: str) -> Counter[str]:
    """How often each wake-up has become an event of the channel."""
    return Counter(
        event["payload"]["wakeup_id"]
        for event in events_of(server, channel)
        if event["type"] == "scheduler.wakeup"
    )
