"""Who works for a member: claim it, keep it, let it go."""

from actae.domain import member_leases as decisions
from actae.domain.access import Caller
from actae.domain.execution_groups import GroupMember
from actae.domain.member_leases import MemberLease, Ownership
from actae.operations.execution_groups import require_members
from actae.store import channels as channels_store
from actae.store import execution_groups as store
from actae.store.database import Transaction, story
from actae.store.instance import ping


@story
async def claim(
    tx: Transaction, group_id: str, member_id: str, owner_id: str, lease_seconds: int, *, caller: Caller
) -> MemberLease:
    """The lease of whoever claims first; a claim by the owner of a live one renews it.

    Raises:
        GroupNotFoundError, MemberNotFoundError, MemberLeaseHeldError, ChannelDeletedError,
        CounterfactualBlockedError
    """
    member = await _lock(tx, group_id, member_id, caller)
    await _refuse_useless(tx, member)
    lease = decisions.claim(member, owner_id, lease_seconds, await ping(tx))
    await store.put_lease(tx, lease)
    return lease


@story
async def heartbeat(
    tx: Transaction, group_id: str, member_id: str, held: Ownership, lease_seconds: int, *, caller: Caller
) -> MemberLease:
    """The lease from now on, also one that lapsed and that nobody took over.

    Raises:
        GroupNotFoundError, MemberNotFoundError, MemberLeaseLostError
    """
    member = await _lock(tx, group_id, member_id, caller)
    lease = decisions.renew(member, held, lease_seconds, await ping(tx))
    await store.put_lease(tx, lease)
    return lease


@story
async def release(tx: Transaction, group_id: str, member_id: str, held: Ownership, *, caller: Caller) -> None:
    """End a lease. Ending it again is the same, until somebody else claims.

    Raises:
        GroupNotFoundError, MemberNotFoundError, MemberLeaseLostError
    """
    member = await _lock(tx, group_id, member_id, caller)
    decisions.require_last_holder(member, held)
    await store.end_lease(tx, member)


async def _lock(tx: Transaction, group_id: str, member_id: str, caller: Caller) -> GroupMember:
    await require_members(tx, group_id, member_id, caller=caller, action="write")
    member = await store.lock_member(tx, group_id, member_id)
    assert member is not None, "members stay"
    return member


async def _refuse_useless(tx: Transaction, member: GroupMember) -> None:
    """Nothing can be done for a frozen member, nor on a deleted channel; a closed one still has mail."""
    for head in await channels_store.get_heads(tx, member.channel_id):
        refusal = head.refusal_of_outcomes()
        if refusal is not None:
            raise refusal
