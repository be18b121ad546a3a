"""An agent as a process of its own: `worker.py URL KEY CHANNEL HANG_AT WHERE`.

It resumes its channel, or starts it, and works on steps without end. At the step HANG_AT it says
"hanging" and stands still: with WHERE `work` before the step is recorded, with `state` after that,
while its state is being saved.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from actae_client import ActaeClient, AgentSession, SessionError


async def hang() -> None:
    """Stand still until the process is killed."""
    sys.stdout.write("hanging\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


async def main() -> None:
    """Work."""
    _, url, api_key, channel, hang_at, where = sys.argv
    state: dict[str, Any] = {"done": 0}

    async def save() -> dict[str, Any]:
        if where == "state" and state["done"] == int(hang_at):
            await hang()
        return state

    async with ActaeClient(api_key=api_key, endpoint=url) as actae:
        try:
            session = await AgentSession.resume(actae, channel, state_fn=save)
            state = session.inherited_state or state
        except SessionError:
            session = AgentSession(actae, channel, state_fn=save)
        async with session:
            while True:
                number = session.step_count + 1
                if where == "work" and number == int(hang_at):
                    await hang()
                state["done"] = number
                await session.step("work", input=number, output=number * number)


if __name__ == "__main__":
    asyncio.run(main())
