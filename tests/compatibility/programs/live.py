"""Subscribing, streaming and publishing over the WebSocket."""

import asyncio
import sys

from performing import tell

from actae_client import ActaeClient


async def main():
    url, key, channel = sys.argv[1:4]
    heard, confirmed, complaints = asyncio.Queue(), [], asyncio.Queue()
    async with (
        ActaeClient(endpoint=url, api_key=key) as client,
        ActaeClient(endpoint=url, api_key=key) as other,
    ):
        client.on_message(lambda topic, event: heard.put_nowait((topic, event)))
        client.on_error(complaints.put_nowait)
        client.on_subscribed(lambda *confirmation: confirmed.append(confirmation))
        await client.record(channel, "note", {"n": 1}, actor="agent")
        await client.subscribe(channel)
        own = await client.publish(channel, {"n": 2}, operation_id="own")
        again = await client.publish(channel, {"n": 2}, operation_id="own")
        published = await other.publish(channel, {"n": 3})
        recorded = await other.record(channel, "note", {"n": 4}, actor="agent", metadata={"m": 1})
        large = await other.record(channel, "large", "x" * 1_500_000, actor="agent")
        last = await client.record(channel, "last", None, actor="agent")
        live = [(await heard.get())[1] for _ in range(4)]
        replayed = await take(client.stream(channel, cursor=0), 6)
        await client.unsubscribe(channel)
        await client.record(f"{channel}.b", "note", 1, actor="agent")
        await client.subscribe(f"{channel}.b", cursor=0)
        topic, from_the_start = await heard.get()
        while topic == channel:
            topic, from_the_start = await heard.get()
    tell(
        {
            "channel": channel,
            "own": own,
            "again": again,
            "published": published,
            "others": [recorded, large, last],
            "live": live,
            "replayed": replayed,
            "confirmed": confirmed,
            "from_the_start": from_the_start,
            "complaints": complaints.qsize(),
            "refused": await refused(url, key, f"{channel}.closed"),
        }
    )


async def take(stream, count):
    """The next events of a stream."""
    taken = []
    async for event in stream:
        taken.append(event)
        if len(taken) == count:
            return taken
    raise AssertionError("the stream ended")


async def refused(url, key, channel):
    """What is told of a publish that the server refuses."""
    complaints = asyncio.Queue()
    async with ActaeClient(endpoint=url, api_key=key) as client:
        client.on_error(complaints.put_nowait)
        await client.publish(channel, 1, operation_id="one")
        publishing = asyncio.ensure_future(client.publish(channel, 2, operation_id="one"))
        told = await complaints.get()
        publishing.cancel()
        return told


asyncio.run(main())
