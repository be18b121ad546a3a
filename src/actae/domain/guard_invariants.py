"""What must always hold of budgets: what is used is what was granted, operation by operation."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

import msgspec

from actae.domain.amounts import ZERO, add, amount_in
from actae.domain.guards import KEEP_SECONDS, Budget, Guard, UseKey, use_key, window_of
from actae.domain.lifecycles import read_lifecycle_event
from actae.domain.literal_json import members_of

_ONE: Final = Decimal(1)


class StartedOperation(NamedTuple):
    """An event that may be the start of an operation."""

    channel_id: str
    cursor: int
    payload: bytes
    recorded_at: datetime


class GrantedUses:
    """What budgets should have counted, by the log alone."""

    def __init__(self, guards: Iterable[Guard], now: datetime) -> None:
        """Only windows that are not cleared away yet are looked at."""
        self._now = now
        self._budgets = [(each, each.rule) for each in guards if isinstance(each.rule, Budget)]
        self._surely: dict[UseKey, Decimal] = {}
        self._perhaps: dict[UseKey, Decimal] = {}

    @property
    def since(self) -> datetime | None:
        """The first moment that matters; None if none does."""
        return min((self._since(guard, budget) for guard, budget in self._budgets), default=None)

    def _since(self, guard: Guard, budget: Budget) -> datetime:
        if budget.window_seconds is None:
            return guard.created_at
        seconds = budget.window_seconds + KEEP_SECONDS
        return max(guard.created_at, self._now - timedelta(seconds=seconds))

    def read(self, started: Iterable[StartedOperation]) -> None:
        """Count these, if they are first attempts."""
        for each in started:
            life = read_lifecycle_event(
                each.channel_id,
                event_type="tool.started",
                cursor=each.cursor,
                event_id="",
                depends_on=None,
                payload=each.payload,
            )
            if life is not None and life.attempt == 1:
                self._count(each, members_of(each.payload))

    def _count(self, started: StartedOperation, payload: dict[str, msgspec.Raw]) -> None:
        tool_name = msgspec.json.decode(payload["tool_name"], type=str)
        for guard, budget in self._budgets:
            if not guard.looks_at(started.channel_id, tool_name):
                continue
            amount: Decimal | None = _ONE
            if budget.field is not None:
                amount = amount_in(bytes(payload["params"]), budget.field)
            if amount is None:  # it started before the guard was there
                continue
            key = use_key(guard, budget, started.channel_id, started.recorded_at)
            if started.recorded_at >= guard.created_at:
                self._perhaps[key] = add(self._perhaps.get(key, ZERO), amount)
            if guard.obeyed_at is not None and started.recorded_at >= guard.obeyed_at:
                self._surely[key] = add(self._surely.get(key, ZERO), amount)

    def judge(
        self, guard: Guard, budget: Budget, uses: dict[UseKey, Decimal], *, channels_were_deleted: bool
    ) -> Iterator[tuple[str, str]]:
        """Of one budget: channel and sentence of each use that is not what the log says.

        Until every claim obeyed the guard, some were counted and some were not. What deleted channels had
        started is not in the log any more.
        """
        of_guard = (key for key in {*uses, *self._surely, *self._perhaps} if key.guard_id == guard.guard_id)
        for key in sorted(of_guard):
            end = window_of(budget, key.window_start).end
            if end is not None and end <= self._now - timedelta(seconds=KEEP_SECONDS):
                continue
            used = uses.get(key, ZERO)
            surely, perhaps = self._surely.get(key, ZERO), self._perhaps.get(key, ZERO)
            what = (
                f"budget {guard.guard_id!r} has counted {used:f} since {key.window_start:%Y-%m-%dT%H:%M:%SZ}"
            )
            if used < surely:
                yield key.channel_id, f"{what}; the log has {surely:f}"
            if used > perhaps and not channels_were_deleted:
                yield key.channel_id, f"{what}; the log has {perhaps:f}"
            if used > budget.limit:
                yield key.channel_id, f"{what}; its limit is {budget.limit:f}"
