"""A run's event log and its state, guarded: two planners change one plan, and neither loses a change.

`transition` appends an event and saves the state that follows from it, together or not at all.
`expected_cursor` refuses a planner that has not seen the latest state.

    export ACTAE_URL=http://127.0.0.1:8002 ACTAE_API_KEY=sk-dev-0000000000000000000000
    python examples/event_log_and_state.py
"""

import asyncio
import sys

from actae_client import ActaeClient, TransitionResult, VersionConflictError
from actae_client.types import LatestState


async def add_step(
    client: ActaeClient, run: str, planner: str, step: str, seen: LatestState | None
) -> TransitionResult:
    """Add a step to the plan as it was seen; when somebody was faster, look again and add it to theirs."""
    while True:
        plan = [*(seen["state"] if seen else []), step]
        cursor = seen["cursor"] if seen else 0
        try:
            return await client.transition(
                run, "plan.extended", {"step": step}, plan, actor=planner, expected_cursor=cursor
            )
        except VersionConflictError as conflict:
            print(f"one planner saw cursor {cursor}; the state is at {conflict.current_cursor} by now")
            seen = await client.latest_state(run)


async def main() -> None:
    run = sys.argv[1] if len(sys.argv) > 1 else "run-2b8e"
    async with ActaeClient.from_env() as client:
        # The same operation id and content is the same event, however often it is sent.
        for _ in range(2):
            await client.record(run, "run.asked", {"goal": "bill"}, actor="ada", operation_id=f"{run}:asked")
        seen = await client.latest_state(run)
        await asyncio.gather(
            add_step(client, run, "planner-a", "charge", seen),
            add_step(client, run, "planner-b", "mail", seen),
        )
        for event in await client.replay(run):
            print(f"{event.cursor} {event.event_type} by {event.actor}: {event.payload}")
        latest = await client.latest_state(run)
        assert latest is not None, "two transitions were made"
        print(f"state at cursor {latest['cursor']}: {sorted(latest['state'])}")
        print(f"hash chain intact: {(await client.verify_chain(run)).valid}")


if __name__ == "__main__":
    asyncio.run(main())
