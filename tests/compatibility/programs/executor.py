"""The tool executor: replays, keeps its lease, and gives it up in every way there is."""

import asyncio

from actae_client.adapters import ActaeToolExecutor, ToolExecutionInProgressError
from performing import outcome, perform


async def story(client, channel):
    executor = ActaeToolExecutor(client, channel, actor="worker")
    return {
        "replayed": await replay(executor),
        "mismatch": await outcome(executor.execute("once", "tool", {"n": 2}, lambda: "never")),
        "beaten": await keep_lease(client, executor),
        "failed": await fail(client, executor),
        "cancelled": await cancel(client, executor),
        "lost": await lose_lease(client, executor),
        "taken_over": await take_over(client, channel),
        "actors": sorted({event.actor for event in await client.replay(channel)}),
    }


async def replay(executor):
    """The second call does not run, in a thread or not."""
    ran = []

    def blocking():
        ran.append("blocking")
        return {"n": 1}

    async def awaiting():
        ran.append("awaiting")
        return [2]

    results = [await executor.execute("once", "tool", {"n": 1}, blocking) for _ in range(2)]
    results += [await executor.execute("await", "tool", {"n": 1}, awaiting) for _ in range(2)]
    return {"ran": ran, "results": results}


async def keep_lease(client, executor):
    """While the tool runs, its lease moves on."""

    async def watch():
        return await changed(lambda: lease_of(client, executor, "long"))

    return await executor.execute("long", "tool", None, watch, lease_seconds=60, heartbeat_interval=0.02)


async def fail(client, executor):
    """A failure is stored with its type, and the next caller may try."""

    async def break_down():
        raise LookupError("no such order")

    raised = await outcome(executor.execute("fail", "tool", None, break_down))
    stored = await find(client, executor, "fail")
    return {
        "raised": raised,
        "stored": stored,
        "retried": await executor.execute("fail", "tool", None, lambda: "ok"),
    }


async def cancel(client, executor):
    """Whoever is cancelled gives the key back."""
    running, told = asyncio.Event(), asyncio.Event()

    async def wait():
        running.set()
        await asyncio.Event().wait()

    task = asyncio.ensure_future(executor.execute("cancel", "tool", None, wait, cancellation_event=told))
    await running.wait()
    busy = await outcome(executor.execute("cancel", "tool", None, lambda: "never"))
    task.cancel()
    await asyncio.wait([task])
    stored = await find(client, executor, "cancel")
    return {"busy": busy["raised"], "told": told.is_set(), "ended": task.cancelled(), "status": stored.status}


async def lose_lease(client, executor):
    """When a heartbeat is refused, the tool is stopped."""
    running, told = asyncio.Event(), asyncio.Event()

    async def wait():
        running.set()
        await asyncio.Event().wait()

    call = executor.execute("lost", "tool", None, wait, heartbeat_interval=0.02, cancellation_event=told)
    task = asyncio.ensure_future(outcome(call))
    await running.wait()
    await client.delete_execution((await find(client, executor, "lost")).id)
    ended = await task
    return {"raised": ended.get("raised"), "told": told.is_set()}


async def take_over(client, channel):
    """Somebody whose lease ran out while he worked cannot complete any more."""
    slow, fast = ActaeToolExecutor(client, channel), ActaeToolExecutor(client, channel)
    may_end = asyncio.Event()

    async def work_slowly():
        await may_end.wait()
        return "slow"

    silent = {"lease_seconds": 1, "heartbeat_interval": 1000}
    task = asyncio.ensure_future(outcome(slow.execute("taken", "tool", None, work_slowly, **silent)))
    await changed(lambda: status_of(client, slow, "taken"))
    while True:
        try:
            result = await fast.execute("taken", "tool", None, lambda: "fast")
            break
        except ToolExecutionInProgressError:
            await asyncio.sleep(0.05)
    may_end.set()
    return {
        "result": result,
        "late": (await task).get("raised"),
        "stored": await find(client, fast, "taken"),
    }


async def find(client, executor, key_name):
    """The execution of a key, or None."""
    executions = await client.list_executions(executor.channel_id, limit=100)
    return next((execution for execution in executions if execution.key_name == key_name), None)


async def lease_of(client, executor, key_name):
    """When the lease ends."""
    return (await find(client, executor, key_name)).lease_until


async def status_of(client, executor, key_name):
    """The status, None before the claim."""
    execution = await find(client, executor, key_name)
    return execution and execution.status


async def changed(ask):
    """Two answers to a question: now, and the first that differs."""
    before = now = await ask()
    while now == before:
        await asyncio.sleep(0.01)
        now = await ask()
    return [before, now]


perform(story)
