"""The ledger of effects: claimed, kept, settled in each way, read and deleted."""

from performing import outcome, perform

PARAMS = {"order_id": "4471", "amount_cents": 4200}


async def story(client, channel):
    listed = await client.list_executions(channel)
    claim = await client.claim_execution(
        channel,
        "charge",
        "charge_customer",
        PARAMS,
        dedup_fields=["order_id"],
        lease_seconds=120,
        actor="agent",
    )
    same = {"tool_name": "charge_customer", "dedup_fields": ["order_id"]}
    waiting = await client.claim_execution(channel, "charge", params={**PARAMS, "amount_cents": 1}, **same)
    beaten = await client.heartbeat_execution(claim.execution.id, claim.claim_token, 300)
    beaten_again = await client.heartbeat_execution(claim.execution.id, claim.claim_token)
    completed = await client.complete_execution(claim.execution.id, claim.claim_token, {"receipt": "r-1"})
    completed_again = await client.complete_execution(claim.execution.id, claim.claim_token, "something else")
    failed_late = await client.fail_execution(claim.execution.id, "too late", claim_token=claim.claim_token)
    replayed = [
        await client.claim_execution(channel, "charge", params=PARAMS, emit_replay_event=True, **same),
        await client.claim_execution(channel, "charge", params=PARAMS, emit_replay_event=True, **same),
    ]
    return {
        "empty": listed,
        "claim": claim,
        "waiting": waiting,
        "beaten": [beaten, beaten_again],
        "completed": [completed, completed_again, failed_late],
        "replayed": replayed,
        "events": await client.replay(channel),
        "read": await client.get_execution(claim.execution.id),
        "settled_otherwise": await settle_otherwise(client, channel),
        "deleted": await delete(client, channel, claim),
    }


async def settle_otherwise(client, channel):
    """A failure, then a cancellation, then a result that is nothing."""
    first = await client.claim_execution(channel, "mail", "send")
    failed = await client.fail_execution(
        first.execution.id, "no route", claim_token=first.claim_token, error_type="OSError", stack="line 1"
    )
    second = await client.claim_execution(channel, "mail", "send")
    cancelled = await client.cancel_execution(second.execution.id, second.claim_token)
    cancelled_again = await client.cancel_execution(second.execution.id, second.claim_token)
    last = await client.claim_execution(channel, "mail", "send")
    done = await client.complete_execution(last.execution.id, last.claim_token)
    return {
        "failed": failed,
        "claims": [first, second, last],
        "cancelled": [cancelled, cancelled_again],
        "done": done,
        "without_token": await outcome(client.complete_execution(last.execution.id)),
    }


async def delete(client, channel, claim):
    """An execution that is gone, and its key, which is free."""
    before = await client.list_executions(channel)
    newest = await client.list_executions(channel, limit=1)
    told = await client.delete_execution(claim.execution.id)
    return {
        "before": [execution.key_name for execution in before],
        "newest": [execution.key_name for execution in newest],
        "told": told,
        "read": await outcome(client.get_execution(claim.execution.id)),
        "again": await outcome(client.delete_execution(claim.execution.id)),
        "claimed": (await client.claim_execution(channel, "charge", "another_tool")).status,
    }


perform(story)
