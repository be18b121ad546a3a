"""The connection that the client opens on `async with`."""

import asyncio
import os
import sys

from performing import outcome, tell

from actae_client import ActaeClient, AuthError


async def main():
    url, key, channel = sys.argv[1:4]
    async with ActaeClient(endpoint=url, api_key=key) as client:
        recorded = await client.record(channel, "note", 1, actor="agent")
    os.environ.update(ACTAE_URL=url, ACTAE_API_KEY=key)
    async with ActaeClient.from_env() as client:
        from_env = await client.get_cursor(channel)
    del os.environ["ACTAE_URL"]
    async with ActaeClient.from_env(ws_endpoint=url.replace("http", "ws", 1) + "/ws", endpoint=url) as client:
        explicit = await client.get_cursor(channel)
    tell(
        {
            "recorded": recorded,
            "from_env": from_env,
            "explicit": explicit,
            "stranger": await turned_away(url),
            "facades": await through_facades(url, key, channel),
        }
    )


async def turned_away(url):
    """A bad key is told at once: the wait for an answer would be as long as the whole test."""
    client = ActaeClient(endpoint=url, api_key="sk-unknown", timeout=600)
    try:
        await client.connect()
    except AuthError as error:
        return str(error)
    finally:
        await client.disconnect()


async def through_facades(url, key, channel):
    """The same calls, grouped."""
    async with ActaeClient(endpoint=url, api_key=key) as client:
        return {
            "events": len(await client.events.replay(channel)),
            "state": await client.state.save_state(channel, 1, {}),
            "channels": (await client.channels.get_channel_metadata(channel)).channel_id,
            "executions": (await client.executions.claim_execution(channel, "k", "t")).status,
            "health": (await client.health.health_check()).status,
            "auth": (await client.auth.capabilities()).auth_method,
            "ws": await outcome(client.ws.unsubscribe(channel)),
        }


asyncio.run(main())
