"""Timers: scheduled, listed, cancelled, fired."""

import asyncio
from datetime import datetime, timedelta, timezone

from actae_client.adapters import ActaeRunContext
from performing import outcome, perform

AHEAD = datetime(2999, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
PASSED = "2020-01-01T00:00:00.123456+00:00"


async def story(client, channel):
    first = await client.schedule_wakeup(channel, AHEAD, payload={"a": 1})
    second = await client.schedule_wakeup(channel, "2998-01-01T00:00:00Z")
    listed = await client.list_wakeups(channel_id=channel)
    found = await client.get_wakeup(first.id)
    cancelled = [await client.cancel_wakeup(first.id), await client.cancel_wakeup(first.id)]
    unknown = f"{channel}~{'0' * 32}"
    context = ActaeRunContext(client, f"{channel}.run", "etl", "run-1")
    return {
        "first": first,
        "second": second,
        "listed": listed,
        "found": found,
        "cancelled": cancelled,
        "pending": await client.list_wakeups(channel_id=channel, status="pending"),
        "all": [each.id for each in await client.wakeups.list_wakeups() if each.channel_id == channel],
        "unknown": await client.get_wakeup(unknown),
        "cancel_unknown": await outcome(client.cancel_wakeup(unknown)),
        "no_offset": await outcome(client.schedule_wakeup(channel, "2998-01-01T00:00:00")),
        "naive": await outcome(client.schedule_wakeup(channel, datetime(2998, 1, 1))),  # noqa: DTZ001
        "fired": await fired(client, f"{channel}.fired"),
        "of_a_run": await context.schedule_wakeup(AHEAD, payload={"n": 1}),
    }


async def fired(client, channel):
    """One that is due at once, when it has become an event."""
    made = await client.schedule_wakeup(channel, PASSED, payload={"approval_request_id": "r-1"})
    for _ in range(600):
        if (await client.get_wakeup(made.id)).status == "done":
            break
        await asyncio.sleep(0.05)
    (event,) = await client.replay(channel)
    return {
        "made": made,
        "done": await client.get_wakeup(made.id),
        "event": event,
        "too_late": await client.cancel_wakeup(made.id),
    }


perform(story)
