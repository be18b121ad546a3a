"""Puts closed-loop load on Actae servers over HTTP: `python -m benchmarks.load.http --help`."""

from __future__ import annotations

import argparse
import asyncio
import secrets
from urllib.parse import urlsplit

import uvloop

from benchmarks.load.http_caller import Caller, Script
from benchmarks.load.http_requests import Requests, string_field
from benchmarks.load.options import add_server_options, load_options
from benchmarks.load.tally import Tally, clock
from benchmarks.load.workload import INHERITED_KEY, names


def claim_and_complete(requests: Requests, tally: Tally, channel: str, key: str) -> Script:
    """A unit of two requests: a claim of a fresh key, and its complete."""
    began_at = clock()
    claimed = yield requests.claim(channel, key)
    yield requests.complete(claimed)
    tally.add(began_at)


def claim_on_terms_and_complete(requests: Requests, tally: Tally, channel: str, key: str) -> Script:
    """The same, for an effect that nobody may repeat on a guess."""
    began_at = clock()
    claimed = yield requests.claim(channel, key, terms=',"on_lapse":"ambiguous"')
    yield requests.complete(claimed)
    tally.add(began_at)


def claim_mark_and_complete(requests: Requests, tally: Tally, channel: str, key: str) -> Script:
    """The same in three requests: the second one says that the tool is about to be called."""
    began_at = clock()
    claimed = yield requests.claim(channel, key, terms=',"on_lapse":"ambiguous","dispatches":true')
    yield requests.dispatched(claimed)
    yield requests.complete(claimed)
    tally.add(began_at)


def transition(requests: Requests, tally: Tally, channel: str, key: str) -> Script:
    """A unit of one request: an event, and the state that follows from it."""
    began_at = clock()
    yield requests.transition(channel, key)
    tally.add(began_at)


def fork(requests: Requests, tally: Tally, channel: str, key: str) -> Script:
    """A unit of one request: a fork of the channel, under a name of its own."""
    began_at = clock()
    yield requests.fork(channel, key)
    tally.add(began_at)


def replay(requests: Requests, tally: Tally, channel: str, _key: str) -> Script:
    """A unit of one request: a claim whose answer is stored."""
    began_at = clock()
    claimed = yield requests.claim(channel, INHERITED_KEY)
    if (status := string_field(claimed, "status")) != "replayed":
        raise LookupError(f"what should be replayed is {status}")
    tally.add(began_at)


UNITS = {
    "pair": claim_and_complete,
    "pair_on_terms": claim_on_terms_and_complete,
    "marked_pair": claim_mark_and_complete,
    "transition": transition,
    "fork": fork,
    "replay": replay,
}


async def put_load(asked: argparse.Namespace) -> Tally:
    """Run all callers until the window has closed and each has had its last answer."""
    tally = Tally(asked.seconds, asked.warm_up)
    run = secrets.token_hex(4)

    def script(number: int, requests: Requests) -> Script:
        play = UNITS[asked.unit]
        for channel, key in names(
            run, number, channel_prefix=asked.channel_prefix, channel_count=asked.channels
        ):
            if not tally.is_open():
                return
            yield from play(requests, tally, channel, key)

    async def connect(number: int) -> Caller:
        address = urlsplit(asked.url[number % len(asked.url)])
        requests = Requests(address.netloc, asked.api_key, fork_cursor=asked.fork_cursor)
        _, caller = await asyncio.get_running_loop().create_connection(
            lambda: Caller(script(number, requests), tally.refuse), address.hostname, address.port
        )
        return caller

    callers = [await connect(number) for number in range(asked.callers)]
    tally.start()
    for caller in callers:
        caller.begin()
    await asyncio.gather(*(caller.is_done for caller in callers))
    return tally


def main() -> None:
    parser = load_options("Closed-loop HTTP load on one or more Actae servers.")
    add_server_options(parser)
    parser.add_argument("--unit", choices=UNITS, default="pair")
    parser.add_argument("--fork-cursor", type=int, default=0, help="where forks branch off; 0 is the latest")
    print(uvloop.run(put_load(parser.parse_args())).as_json())


if __name__ == "__main__":
    main()
