"""A worker process with one effect under way: `worker.py URL FORM`.

The tool says "running", blocks until a line arrives on stdin, and returns that line.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from types import FrameType

from actae_client.client import ActaeClient
from actae_client.tools import ActaeToolExecutor

STOPPED = 43


def tool() -> str:
    """An effect that cannot be interrupted."""
    sys.stdout.write("running\n")
    sys.stdout.flush()
    return sys.stdin.readline().strip()


async def in_asyncio(executor: ActaeToolExecutor) -> None:
    """A service that cancels its work when it is told to stop."""
    task = asyncio.current_task()
    assert task is not None, "coroutines run in tasks"
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        await executor.execute("k", "t", {}, tool, lease_seconds=1, heartbeat_interval=0.1)
    except asyncio.CancelledError:
        sys.exit(STOPPED)


def blocking(executor: ActaeToolExecutor) -> None:
    """A worker whose signal handler raises."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        sys.exit(STOPPED)

    signal.signal(signal.SIGTERM, stop)
    executor.execute_sync("k", "t", {}, tool, lease_seconds=1, heartbeat_interval=0.1)


def main() -> None:
    """Run one effect in the form that was asked for."""
    _, url, form = sys.argv
    executor = ActaeToolExecutor(ActaeClient(api_key="sk-test", endpoint=url), "run-1")
    if form == "asyncio":
        asyncio.run(in_asyncio(executor))
    else:
        blocking(executor)


if __name__ == "__main__":
    main()
