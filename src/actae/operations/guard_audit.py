"""Compares what budgets have counted with what the log says, as of one moment."""

from actae.domain.audit import Broken
from actae.domain.guard_invariants import GrantedUses
from actae.domain.guards import Budget
from actae.store import guards as store
from actae.store import verification
from actae.store.database import Transaction, story
from actae.store.instance import ping


@story
async def audit_budgets(tx: Transaction) -> list[Broken]:
    """What is broken. Without budgets nothing is read."""
    await verification.hold_one_snapshot(tx)
    now = await ping(tx)
    guards = (await store.get_guards(tx)).every
    granted = GrantedUses(guards, now)
    if granted.since is None:
        return []
    async for page in verification.read_started_operations(tx, since=granted.since):
        granted.read(page)
    return [
        Broken("budgets_count_what_was_granted", channel_id or guard.channel_pattern or "*", what)
        for guard in guards
        if isinstance(guard.rule, Budget)
        for channel_id, what in granted.judge(
            guard,
            guard.rule,
            await store.get_uses(tx, guard.guard_id),
            channels_were_deleted=await store.were_channels_deleted(tx, guard),
        )
    ]
