"""Does what it is told, call by call: a line of JSON in, a line of JSON out."""

import asyncio
import json
import sys

from performing import outcome, plain

from actae_client import ActaeClient


async def main():
    url, key = sys.argv[1:3]
    client = ActaeClient(endpoint=url, api_key=key)
    for line in sys.stdin:
        asked = json.loads(line)
        told = await outcome(getattr(client, asked["method"])(**asked["arguments"]))
        sys.stdout.write(json.dumps(plain(told), default=str) + "\n")
        sys.stdout.flush()
    await client.disconnect()


asyncio.run(main())
