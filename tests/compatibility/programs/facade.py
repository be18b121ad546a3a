"""An instrumented application: runs, effects that happen once, tools, and what crosses a task queue."""

import sys

from performing import outcome, perform

from actae_client import Actae, ActaeCarrier, channel_for_run

charged = []


async def story(client, channel):
    actae = Actae(client)

    @actae.effect("charge:{order_id}", dedup_fields=["order_id"])
    async def charge(order_id, cents):
        charged.append(order_id)
        return {"receipt": f"r-{order_id}", "cents": cents}

    @actae.effect(lambda amount: "refund", name="refund")
    def refund(amount):
        charged.append(amount)
        return amount

    async def run_once(attempt):
        async with actae.run(channel, channel_id=channel, attempt=attempt, metadata={"host": "a"}) as scope:
            current = actae.current() is scope
            return {"current": current, "charge": await charge("4471", 4200), "channel": scope.channel_id}

    runs = [await run_once(1), await run_once(2)]
    return {
        "runs": runs,
        "charged": list(charged),
        "mismatch": await outcome(with_other_input(actae, channel, refund)),
        "failed": await outcome(fail(actae, channel)),
        "no_run": await outcome(charge("1", 1)),
        "events": [event.event_type for event in await client.replay(channel)],
        "lifecycle": await client.replay(channel, event_type="framework.run.started"),
        "tools": await use_tools(actae, client, f"{channel}.tools"),
        "scope": await use_scope(actae, client, f"{channel}.scope"),
        "orchestrated": await orchestrate(actae, client, channel),
        "closed": await close(channel),
        "derived": [channel_for_run("nightly-7", "etl"), channel_for_run("job 9/éa", "worker")],
    }


async def with_other_input(actae, channel, refund):
    """The same key, another amount: refused before the function runs."""
    async with actae.run("refunds", channel_id=f"{channel}.refunds"):
        refund(1)
        refund(2)


async def fail(actae, channel):
    """A run that ends badly."""
    async with actae.run("failing", channel_id=f"{channel}.failing"):
        raise LookupError("no such order")


async def use_tools(actae, client, channel):
    """Calls that only read are observed, never claimed."""

    @actae.tool
    async def look_up(order_id):
        return {"order": order_id}

    @actae.tool(name="quiet", capture=False)
    def be_quiet(secret):
        return secret

    @actae.observe(lambda question: f"ask-{question}", channel_id=channel)
    async def answer(question):
        return [await look_up(question), be_quiet("s3cret")]

    answered = await answer("7")
    events = await client.replay(channel)
    executions = await client.list_executions(channel)
    return {"answered": answered, "events": events, "executions": executions}


async def use_scope(actae, client, channel):
    """What a scope can do by itself."""
    async with actae.run(
        "parent", channel_id=channel, framework="etl", workflow_id="w-1", actor="robot"
    ) as scope:
        recorded = await scope.record("noted", {"n": 1}, operation_id="noted")
        effect = await scope.effect("key", "tool", {"a": 1}, lambda: "done")
        async with scope.child("child", channel_id=channel) as child:
            parent = child.parent_run_id
    with actae.use(scope):
        used = actae.current().run_id
    carrier = ActaeCarrier.from_dict(scope.carrier().to_dict())
    return {
        "recorded": recorded,
        "effect": effect,
        "ran": await scope.tools.execute("key", "tool", {"a": 1}, lambda: "done again"),
        "parent": parent,
        "used": used,
        "outside": actae.current(required=False),
        "carrier": carrier.to_dict(),
        "same": (carrier, carrier.workflow_id) == (scope.carrier(), scope.workflow_id),
        "events": [event.event_type for event in await client.replay(channel)],
    }


async def orchestrate(actae, client, channel):
    """A workflow hands its identity to a worker, through a queue."""
    queue = actae.orchestrator("celery")
    async with queue.workflow(channel, attempt=1):
        queued = queue.carrier(channel).to_dict()
    async with queue.activity("charge", parent=queued, attempt=1) as scope:
        key = queue.effect_key("charge-task", "charge", "4471")
        done = [await scope.effect(key, "charge", {"order": 1}, lambda: "charged")]
    async with queue.activity("charge", parent=queued, attempt=2) as scope:
        done.append(await scope.effect(key, "charge", {"order": 1}, lambda: "charged twice"))
    async with actae.workflow(f"{channel}-w"):
        pass
    return {
        "queued": queued,
        "done": done,
        "parent": scope.parent_run_id,
        "activity": [scope.run_id, scope.native_run_id, scope.framework, scope.attempt, scope.invocation_id],
        "deterministic": await outcome(refused(actae, channel)),
        "events": [event.event_type for event in await client.replay(scope.channel_id)],
    }


async def close(channel):
    """A facade that makes and closes a client of its own."""
    actae = Actae.from_env(endpoint=sys.argv[1], api_key=sys.argv[2])
    cursor = await actae.client.get_cursor(channel)
    await actae.close()
    return cursor


async def refused(actae, channel):
    """Workflow code that is replayed must not do I/O."""
    async with actae.orchestrator("temporal").workflow(channel):
        pass


perform(story)
