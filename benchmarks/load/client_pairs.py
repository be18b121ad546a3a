"""Puts load on a server through `actae_client`, whichever one this interpreter has:
`python -m benchmarks.load.client_pairs --help`. One process, one client, many tasks.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets

import uvloop

from actae_client import ActaeClient
from benchmarks.load.options import add_server_options, load_options
from benchmarks.load.tally import Tally, clock
from benchmarks.load.workload import LEASE_SECONDS, PARAMS, RESULT, TOOL_NAME, names


async def call(client: ActaeClient, tally: Tally, number: int, run: str, asked: argparse.Namespace) -> None:
    """One task: pair after pair until the window closes."""
    params, result = json.loads(PARAMS), json.loads(RESULT)
    for channel, key in names(run, number, channel_prefix=asked.channel_prefix, channel_count=asked.channels):
        if not tally.is_open():
            return
        began_at = clock()
        claim = await client.claim_execution(channel, key, TOOL_NAME, params, lease_seconds=LEASE_SECONDS)
        await client.complete_execution(claim.execution.id, claim.claim_token, result)
        tally.add(began_at)


async def put_load(asked: argparse.Namespace) -> Tally:
    """Run all tasks until the window has closed and each has had its last answer."""
    tally = Tally(asked.seconds, asked.warm_up)
    run = secrets.token_hex(4)
    client = ActaeClient(api_key=asked.api_key, endpoint=asked.url[0])
    tally.start()
    calls = (call(client, tally, number, run, asked) for number in range(asked.callers))
    for outcome in await asyncio.gather(*calls, return_exceptions=True):
        if outcome is not None:
            tally.refuse(repr(outcome))
    await client.disconnect()
    return tally


def main() -> None:
    parser = load_options("Closed-loop load on an Actae server through its Python client.")
    add_server_options(parser)
    print(uvloop.run(put_load(parser.parse_args())).as_json())


if __name__ == "__main__":
    main()
