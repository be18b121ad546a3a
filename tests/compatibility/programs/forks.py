"""Forks and experiments: a run forked at a step, compared with its parent, scored and promoted."""

import asyncio

from performing import outcome, perform

from actae_client import AgentSession


async def story(client, channel):
    count = iter(range(1, 10))

    async with AgentSession(client, channel, state_fn=lambda: {"after": next(count)}) as parent:
        for number in (1, 2, 3):
            await parent.step("work", output=number)
        claim = await client.claim_execution(channel, "pay", "charge", {"n": 1})
        await client.complete_execution(claim.execution.id, claim.claim_token, "paid")
    child_id = f"{channel}.b"
    child = await AgentSession.resume(
        client,
        channel,
        fork_at_step=2,
        name=child_id,
        intervention={"prompt": "shorter"},
        tool_policies={"charge": "replay"},
    )
    told = {
        "session": {
            "child": child.channel_id,
            "step_count": child.step_count,
            "inherited": child.inherited_state,
            "restorable": child.boundary_restorable,
            "requested": child.requested_boundary_cursor,
            "resolved": child.resolved_boundary_cursor,
            "reproducibility": child.reproducibility,
            "sha256": child.source_state_sha256,
            "version": child.source_state_version,
            "intervention": child.intervention,
            "tool_policies": child.tool_policies,
            "receipt": child.fork_receipt,
        }
    }
    async with child:
        await child.step("work", output="changed")
        await child.set_outcome("inconclusive", score=0.5)
    resumed = AgentSession.resume_from_fork
    again = await outcome(resumed(client, await client.get_fork_receipt(child_id)))
    told["resumed"] = str(again)
    told["blocked"] = await outcome(client.claim_execution(child_id, "mail", "charge", {}))
    told["receipt"] = await client.get_fork_receipt(child_id)
    told["forks"] = await client.list_forks(channel)
    told["tree"] = await client.get_fork_tree(channel)
    told["diff"] = await client.diff_states(channel, child_id)
    told["diff_sync"] = await asyncio.to_thread(client.diff_states_sync, channel, child_id)
    told["compared"] = await client.compare_channels(channel, child_id)
    told["trail"] = await client.decision_trail(child_id)
    told["trail_sync"] = await asyncio.to_thread(client.decision_trail_sync, child_id)
    told["outcome"] = await client.set_outcome(child_id, "rejected", score=0.25)
    told["promoted"] = await client.promote_channel(child_id)
    told["again"] = await child.promote()
    head = await client.get_cursor(channel)
    late = await asyncio.to_thread(client.fork_sync, channel, f"{channel}.late", head)
    told["late"] = late
    told["late_claim"] = (
        await client.claim_execution(late.child_channel_id, "pay", "charge", {"n": 1})
    ).status
    told["conflict"] = await outcome(client.fork(channel, child_id, 1))
    bare = f"{channel}.bare"
    await client.record(bare, "note", 1, actor="agent")
    told["no_boundary"] = await outcome(client.fork(bare, f"{bare}.b", 1))
    stepped = f"{channel}.stepped"
    async with AgentSession(client, stepped) as session:
        await session.step("work", output=1)
        told["no_checkpoint"] = await outcome(session.fork(1, f"{stepped}.b"))
        group = await session.create_experiment("three prompts", baseline_channel_id=stepped)
        told["experiment"] = await experiment(client, group, session, child_id)
    return told


async def experiment(client, group, session, child_id):
    group_id = group["group_id"]
    await client.add_experiment_member(group_id, child_id, declared_delta={"prompt": "shorter"})
    await session.add_to_experiment(group_id, role="control")
    await client.create_experiment("another")
    return {
        "members": (await client.get_experiment(group_id))["members"],
        "listed": len(await client.list_experiments()) >= 2,
        "rank": (await client.rank_experiment(group_id))["ranking"],
    }


perform(story)
