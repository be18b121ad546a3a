"""Events on their way from HTTP to WebSockets: `python -m benchmarks.load.deliveries --help`."""

from __future__ import annotations

import argparse
import asyncio
from urllib.parse import urlsplit

import uvloop

from benchmarks.load.broadcast import Broadcast, broadcast_options, now_ns
from benchmarks.load.http_caller import Caller, Script
from benchmarks.load.http_requests import Requests
from benchmarks.load.seats import seat
from benchmarks.load.subscriber import Subscriber
from benchmarks.load.workload import channel_name


async def put_load(asked: argparse.Namespace) -> Broadcast:
    """Write until the window has closed, and wait until everybody has everything."""
    broadcast = Broadcast(asked)
    channel = channel_name(asked.channel_prefix, 0)
    address = urlsplit(asked.write_url)
    requests = Requests(address.netloc, asked.api_key)

    def subscriber(host: str, _number: int) -> Subscriber:
        return Subscriber(host, asked.api_key, channel, hear=broadcast.hear, give_up=broadcast.refuse)

    def script() -> Script:
        while broadcast.is_open():
            began_at = now_ns()
            yield requests.record(channel, began_at)
            broadcast.wrote(began_at)
            if asked.in_turn:
                yield broadcast.everyone_heard()

    async def connect() -> Caller:
        _, caller = await asyncio.get_running_loop().create_connection(
            lambda: Caller(script(), broadcast.refuse), address.hostname, address.port
        )
        return caller

    await seat(asked.readers, asked.read_url, subscriber)
    callers = [await connect() for _ in range(asked.callers)]
    broadcast.start()
    for caller in callers:
        caller.begin()
    await asyncio.gather(*(caller.is_done for caller in callers))
    await broadcast.everyone_heard()
    return broadcast


def main() -> None:
    parser = broadcast_options("Events from writers over HTTP to subscribers over WebSockets.")
    parser.add_argument("--write-url", required=True, help="of the server that the writers call")
    parser.add_argument("--read-url", required=True, help="of the server that the subscribers follow")
    parser.add_argument("--api-key", required=True)
    print(uvloop.run(put_load(parser.parse_args())).as_json())


if __name__ == "__main__":
    main()
