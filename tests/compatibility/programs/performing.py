"""How a program gets its client, and how it tells what it saw: one JSON document."""

import asyncio
import json
import sys
from dataclasses import asdict, is_dataclass

from actae_client import ActaeClient


def perform(story):
    """Run `await story(client, channel)` with the URL, the key and the channel of the command line."""
    url, key, channel = sys.argv[1:4]

    async def run():
        client = ActaeClient(endpoint=url, api_key=key)
        try:
            return await story(client, channel)
        finally:
            await client.disconnect()

    tell({"channel": channel, **asyncio.run(run())})


async def outcome(call):
    """What a call returned, or which error it raised."""
    try:
        return {"returned": plain(await call)}
    except Exception as error:
        return {"raised": type(error).__name__, "message": str(error), **vars(error)}


def plain(value):
    """The client's records as JSON values."""
    if is_dataclass(value):
        return asdict(value)
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def tell(seen):
    """Print it."""
    json.dump(plain(seen), sys.stdout)
