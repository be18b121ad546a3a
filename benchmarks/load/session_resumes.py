"""Resumes sessions through `actae_client`: `python -m benchmarks.load.session_resumes --help`.

One process, one client, a task for each caller. Nothing is written: a session writes when it is entered.
"""

from __future__ import annotations

import argparse
import asyncio

import uvloop

from actae_client import ActaeClient, AgentSession
from benchmarks.load.options import add_server_options, load_options
from benchmarks.load.tally import Tally, clock
from benchmarks.load.workload import names


async def resume(client: ActaeClient, tally: Tally, number: int, asked: argparse.Namespace) -> None:
    """One task: resume, forget, and resume again until the window closes."""
    for channel, _ in names("", number, channel_prefix=asked.channel_prefix, channel_count=asked.channels):
        if not tally.is_open():
            return
        began_at = clock()
        session = await AgentSession.resume(client, channel)
        if session.step_count != asked.steps or session.inherited_state is None:
            raise LookupError(f"resumed behind step {session.step_count}, with {session.inherited_state}")
        tally.add(began_at)


async def put_load(asked: argparse.Namespace) -> Tally:
    """Run all tasks until the window has closed and each has had its last answer."""
    tally = Tally(asked.seconds, asked.warm_up)
    async with ActaeClient(api_key=asked.api_key, endpoint=asked.url[0]) as client:
        tally.start()
        tasks = (resume(client, tally, number, asked) for number in range(asked.callers))
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if outcome is not None:
                tally.refuse(repr(outcome))
    return tally


def main() -> None:
    parser = load_options("Resumes the sessions of an Actae server through its Python client.")
    add_server_options(parser)
    parser.add_argument("--steps", type=int, required=True, help="how many each session must have")
    print(uvloop.run(put_load(parser.parse_args())).as_json())


if __name__ == "__main__":
    main()
