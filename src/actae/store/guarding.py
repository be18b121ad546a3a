"""What a batch reads of guards: themselves when they have changed, and what its claims must know of them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final, NamedTuple

import asyncpg

from actae.domain.channels import FENCE_KEY
from actae.domain.executions import Claim
from actae.domain.guarding import Guarding
from actae.domain.guards import (
    Budget,
    CallKey,
    Guard,
    Guards,
    NearDuplicate,
    RecentCall,
    UseKey,
    call_key,
    use_key,
)
from actae.domain.view import View
from actae.store.guards import READ_GUARDS, to_guards
from actae.store.queries import query

READ_USES = query("read_budget_uses")
READ_CALLS = query("read_recent_calls")

_NONE: Final = Guards(0, ())  # as a new database has it


class GuardMemory:
    """The guards as they were last read. Whoever reads a batch knows whether they are still the same."""

    def __init__(self) -> None:
        self._guards = _NONE

    async def at(self, connection: asyncpg.Connection, revision: int) -> Guards:
        """The guards of this revision, or of a later one."""
        if self._guards.revision != revision:
            self._guards = to_guards(await connection.fetch(READ_GUARDS.sql))
        return self._guards


class Wanted(NamedTuple):
    """What the claims of a batch must know before guards can look at them."""

    uses: set[UseKey]
    calls: set[CallKey]


def wanted_by(view: View, guarding: Guarding, asks: Iterable[object]) -> Wanted:
    """What to read for the claims that may start an attempt."""
    wanted = Wanted(set(), set())
    for ask in asks:
        if not isinstance(ask, Claim) or ask.key_name == FENCE_KEY:
            continue
        held = view.execution(ask.channel_id, ask.key_digest)
        if held is None or held.may_start(view.now):
            for guard in guarding.guards.on(ask.channel_id, ask.tool_name):
                _want(wanted, guard, ask, view.now)
    return wanted


def _want(wanted: Wanted, guard: Guard, ask: Claim, now: datetime) -> None:
    if isinstance(guard.rule, Budget):
        wanted.uses.add(use_key(guard, guard.rule, ask.channel_id, now))
    elif isinstance(guard.rule, NearDuplicate):
        wanted.calls.add(call_key(guard, guard.rule, ask.channel_id, ask.fingerprint))


async def read_uses(connection: asyncpg.Connection, guarding: Guarding, keys: set[UseKey]) -> None:
    """Tell how much of these budgets is used."""
    for row in await connection.fetch(READ_USES.sql, *zip(*keys, strict=True)):
        channel_id, guard_id, window_start, used = row
        guarding.tell_used(UseKey(channel_id, guard_id, window_start), used)


async def read_calls(connection: asyncpg.Connection, guarding: Guarding, keys: set[CallKey]) -> None:
    """Tell which operations were the last with these fingerprints."""
    for row in await connection.fetch(READ_CALLS.sql, *zip(*keys, strict=True)):
        channel_id, guard_id, fingerprint, called_channel_id, called_key_digest, *rest = row
        claimed_at, repeats, key_name, status = rest
        guarding.tell_recent(
            CallKey(channel_id, guard_id, fingerprint),
            RecentCall(
                called_channel_id,
                called_key_digest.replace("-", ""),
                key_name,
                status,
                claimed_at,
                repeats,
            ),
        )
