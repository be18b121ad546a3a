"""Puts the reference load on PostgreSQL: `python -m benchmarks.load.asyncpg_pairs --help`.

As many connections as callers; each claims a row and completes it, one row and one statement per transaction.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets

import asyncpg
import uvloop

from benchmarks.load.options import load_options
from benchmarks.load.tally import Tally, clock
from benchmarks.load.workload import LEASE_SECONDS, PARAMS, RESULT, TOOL_NAME, names

CLAIM = f"""
insert into reference_claims
       (channel_id, key_name, tool_name, status, claim_token, lease_until, params, created_at)
values ($1, $2, '{TOOL_NAME}', 'running', gen_random_uuid(), now() + interval '{LEASE_SECONDS} seconds',
        $3, now())
returning claim_token
"""
COMPLETE = """
update reference_claims
   set status = 'completed', lease_until = null, completed_at = now(), result = $4
 where channel_id = $1 and key_name = $2 and claim_token = $3
returning completed_at
"""


async def call(
    connection: asyncpg.Connection, tally: Tally, number: int, run: str, asked: argparse.Namespace
) -> None:
    """One caller: pair after pair until the window closes."""
    claim, complete = await connection.prepare(CLAIM), await connection.prepare(COMPLETE)
    for channel, key in names(run, number, channel_prefix=asked.channel_prefix, channel_count=asked.channels):
        if not tally.is_open():
            return
        began_at = clock()
        claim_token = await claim.fetchval(channel, key, PARAMS)
        await complete.fetchval(channel, key, claim_token, RESULT)
        tally.add(began_at)


async def put_load(asked: argparse.Namespace) -> Tally:
    """Run all callers, each on its own connection, until the window has closed."""
    tally = Tally(asked.seconds, asked.warm_up)
    run = secrets.token_hex(4)
    connections = [await asyncpg.connect(asked.database_url) for _ in range(asked.callers)]
    tally.start()
    await asyncio.gather(
        *(call(connection, tally, number, run, asked) for number, connection in enumerate(connections))
    )
    for connection in connections:
        await connection.close()
    return tally


def main() -> None:
    parser = load_options("Closed-loop claims and completes in PostgreSQL, through asyncpg.")
    parser.add_argument("--database-url", required=True)
    print(uvloop.run(put_load(parser.parse_args())).as_json())


if __name__ == "__main__":
    main()
