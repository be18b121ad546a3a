"""Stays connected until the server goes away."""

import asyncio
import sys

from performing import tell

from actae_client import ActaeClient


async def main():
    gone = asyncio.Event()
    client = ActaeClient(endpoint=sys.argv[1], api_key=sys.argv[2], auto_reconnect=False, timeout=600)
    client.on_disconnected(gone.set)
    async with client:
        await gone.wait()
    tell({"gone": True})


asyncio.run(main())
