"""Follows a channel through all cuts: whenever a stream ends, a new one with the last cursor.

The client resubscribes by itself, from what it has received. A stream that is asked for at that moment may
get the events of that subscription instead of its own, so a program looks at the cursors: where one is
missing, or nothing comes, it opens the stream again.
"""

import asyncio
import logging
import sys

from performing import tell

from actae_client import ActaeClient, ActaeConnectionError

logging.disable(logging.CRITICAL)

SILENCE_SECONDS = 3


async def main():
    url, key, channel, ws_endpoint, count = sys.argv[1:6]
    seen, reconnects = [], 0

    def reconnected():
        nonlocal reconnects
        reconnects += 1

    # A subscription that is cut off waits for the whole timeout; one of less than 5 s keeps no quiet line.
    async with ActaeClient(endpoint=url, api_key=key, ws_endpoint=ws_endpoint, timeout=6) as client:
        client.on_reconnect(reconnected)
        while len(seen) < int(count):
            try:
                await follow(client.stream(channel, cursor=len(seen)), seen, int(count))
            except (ActaeConnectionError, OSError):
                await asyncio.sleep(0.02)
    tell({"seen": seen, "reconnects": reconnects})


async def follow(stream, seen, count):
    """Add cursors for as long as they follow each other."""
    try:
        while len(seen) < count:
            event = await asyncio.wait_for(stream.__anext__(), SILENCE_SECONDS)
            if event.cursor > len(seen) + 1:
                return
            seen.append(event.cursor)
    except (StopAsyncIteration, TimeoutError):
        pass
    finally:
        await stream.aclose()


asyncio.run(main())
