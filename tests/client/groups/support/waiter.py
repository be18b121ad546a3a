"""A worker as a process of its own: `waiter.py URL KEY GROUP`. It does Bob's tasks until it is killed.

Answering and remembering the position are safe to repeat, so a kill at any moment loses and doubles nothing.
"""

from __future__ import annotations

import asyncio
import sys

from actae_client import ActaeClient


async def main() -> None:
    """Work."""
    _, url, api_key, group_id = sys.argv
    channel = f"{group_id}.bob.state"
    async with ActaeClient(api_key=api_key, endpoint=url) as actae:
        state = await actae.latest_state(channel)
        after = None if state is None else state["state"]["after"]
        bob = actae.group(group_id).member("bob")
        while True:
            task = await bob.wait_for("task", after=after, poll_interval=0.02)
            await bob.send("ada", "done", task.payload, operation_id=f"done {task.message_id}")
            await actae.save_state(channel, 0, {"after": task.message_id})
            after = task.message_id


if __name__ == "__main__":
    asyncio.run(main())
