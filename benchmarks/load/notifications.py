"""The reference for deliveries, in PostgreSQL alone: `python -m benchmarks.load.notifications --help`.

A writer stores an event and notifies, in one transaction; every listener is a connection of its own and gets
the event in the notification.
"""

from __future__ import annotations

import argparse
import asyncio

import asyncpg
import uvloop

from benchmarks.load.broadcast import Broadcast, broadcast_options, moment_in, now_ns, timed
from benchmarks.load.workload import channel_name

WRITE = """
with written as (
    insert into reference_events (channel_id, payload) values ($1, $2) returning payload
)
select pg_notify($1, payload::text) from written
"""


async def write(connection: asyncpg.Connection, broadcast: Broadcast, asked: argparse.Namespace) -> None:
    """One writer: event after event until the window closes."""
    statement = await connection.prepare(WRITE)
    channel = channel_name(asked.channel_prefix, 0)
    while broadcast.is_open():
        began_at = now_ns()
        await statement.fetchval(channel, timed(began_at))
        broadcast.wrote(began_at)
        if asked.in_turn:
            await broadcast.everyone_heard()


async def put_load(asked: argparse.Namespace) -> Broadcast:
    """Write until the window has closed, and wait until everybody has everything."""
    broadcast = Broadcast(asked)

    def hear(_connection: object, _pid: int, _channel: str, payload: object) -> None:
        text = str(payload).encode()
        broadcast.hear(moment_in(text, 0, len(text)))

    listeners = [await asyncpg.connect(asked.database_url) for _ in range(asked.readers)]
    for listener in listeners:
        await listener.add_listener(channel_name(asked.channel_prefix, 0), hear)
    writers = [await asyncpg.connect(asked.database_url) for _ in range(asked.callers)]
    broadcast.start()
    await asyncio.gather(*(write(writer, broadcast, asked) for writer in writers))
    await broadcast.everyone_heard()
    return broadcast


def main() -> None:
    parser = broadcast_options("Events from connections of PostgreSQL to connections that listen.")
    parser.add_argument("--database-url", required=True)
    print(uvloop.run(put_load(parser.parse_args())).as_json())


if __name__ == "__main__":
    main()
