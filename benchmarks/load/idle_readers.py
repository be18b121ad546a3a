"""Follows channels in which nothing happens: `python -m benchmarks.load.idle_readers --help`.

Says `ready` when all readers are connected, and stays until its standard input ends.
"""

from __future__ import annotations

import argparse
import asyncio
import sys

import uvloop

from benchmarks.load.event_stream import StreamReader
from benchmarks.load.seats import Reader, seat
from benchmarks.load.subscriber import Subscriber
from benchmarks.load.workload import channel_name


async def stay(asked: argparse.Namespace) -> str | None:
    """Connect, say so, and wait; what went wrong, if something did."""
    loop = asyncio.get_running_loop()
    end: asyncio.Future[str | None] = loop.create_future()

    def leave(why: str | None) -> None:
        if not end.done():
            end.set_result(why)

    def make(host: str, number: int) -> Reader:
        channel = channel_name(asked.channel_prefix, number)
        if asked.kind == "stream":
            return StreamReader(host, asked.api_key, channel, give_up=leave)
        return Subscriber(host, asked.api_key, channel, give_up=leave)

    await seat(asked.readers, asked.url, make)
    loop.add_reader(sys.stdin.fileno(), leave, None)
    print("ready", flush=True)
    return await end


def main() -> None:
    parser = argparse.ArgumentParser(description="Readers of channels in which nothing happens.")
    parser.add_argument("--url", required=True, help="of a server")
    parser.add_argument("--api-key", required=True)
    parser.add_argument("--readers", type=int, required=True, help="each follows a channel of its own")
    parser.add_argument("--kind", choices=["socket", "stream"], default="socket")
    parser.add_argument("--channel-prefix", default="idle")
    sys.exit(uvloop.run(stay(parser.parse_args())))


if __name__ == "__main__":
    main()
