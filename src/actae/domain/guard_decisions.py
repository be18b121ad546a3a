"""What guards say to a claim that is about to start an attempt.

| guard | a new operation | an operation that is taken over |
|---|---|---|
| freeze | refused | refused |
| budget | counted, or refused if it would go past the limit | goes on: it was counted when it was new |
| budget of a field | and refused if the field is no part of its identity | refused if it is no part of it |
| near-duplicate | told of, refused, or refused until approved | the same, if another one came after it |

All guards that look at a claim are asked before anything is counted, so a refusal leaves no trace.
"""

from datetime import timedelta
from decimal import Decimal
from typing import Final, NamedTuple

import msgspec

from actae.domain.amounts import WHAT_IS_AN_AMOUNT, abridged, add, amount_in
from actae.domain.channels import FENCE_KEY, Head
from actae.domain.errors import ActaeError, InvalidRequestError
from actae.domain.executions import Claim, ExecutionRow, SimilarCall, execution_id
from actae.domain.guard_errors import BudgetExceededError, NearDuplicateError, ToolFrozenError
from actae.domain.guarding import Guarding
from actae.domain.guards import (
    Budget,
    CallKey,
    Freeze,
    Guard,
    NearDuplicate,
    Recall,
    RecentCall,
    Use,
    UseKey,
    call_key,
    use_key,
    window_of,
)
from actae.domain.literal_json import members_of
from actae.domain.view import View

# What is recorded to have had no effect is not done twice when it is done under another key.
_WITHOUT_EFFECT: Final = frozenset({"failed", "cancelled"})
_ONE: Final = Decimal(1)


class Admission(NamedTuple):
    """What a claim takes with it when it starts."""

    guarding: Guarding
    uses: list[tuple[UseKey, Use]]
    calls: list[tuple[CallKey, Recall]]
    similar: list[SimilarCall]


def refuse_frozen(view: View, ask: Claim) -> ActaeError | None:
    """Why no attempt of this tool starts on this channel, if none does."""
    guarding = view.guarding
    if guarding is None or ask.key_name == FENCE_KEY:
        return None
    for guard in guarding.guards.on(ask.channel_id, ask.tool_name):
        if isinstance(guard.rule, Freeze):
            return ToolFrozenError(
                ask.tool_name,
                guard.guard_id,
                frozen_by=guard.created_by,
                frozen_at=guard.created_at,
                reason=guard.rule.reason,
            )
    return None


def admit(view: View, ask: Claim, *, is_new: bool) -> Admission | ActaeError | None:
    """Whether this operation may start; None where there are no guards."""
    guarding = view.guarding
    if guarding is None or ask.key_name == FENCE_KEY:
        return None
    admission = Admission(guarding, [], [], [])
    for guard in guarding.guards.on(ask.channel_id, ask.tool_name):
        refusal = None
        if isinstance(guard.rule, Budget):
            refusal = _refuse_loose_amount(ask, guard, guard.rule)
            if refusal is None and is_new:
                refusal = _spend(view, ask, guard, guard.rule, admission)
        elif isinstance(guard.rule, NearDuplicate):
            refusal = _compare(view, ask, guard, guard.rule, admission)
        if refusal is not None:
            return refusal
    return admission


def count(view: View, ask: Claim, head: Head, admission: Admission, row: ExecutionRow) -> None:
    """The attempt has started: use what it asked for, remember it, and tell what it looks like."""
    guarding = admission.guarding
    for use in admission.uses:
        guarding.take(*use)
    for call in admission.calls:
        guarding.remember(*call)
    for similar in admission.similar:
        view.append_event(
            head,
            "tool.near_duplicate",
            ask.actor,
            _payload(row, similar),
            metadata=b'{"execution_id":"%b"}' % row.id.encode(),
            depends_on=row.started_event_id,
        )


def _refuse_loose_amount(ask: Claim, guard: Guard, budget: Budget) -> ActaeError | None:
    """An amount that is no part of the identity could grow after it was counted, under the same key."""
    if budget.field is None or ask.dedup_fields is None or budget.field in ask.dedup_fields:
        return None
    return InvalidRequestError(
        f"Budget {guard.guard_id!r} adds up 'params.{budget.field}', so dedup_fields must name "
        f"{budget.field!r}, or be left out.",
        field="dedup_fields",
        guard_id=guard.guard_id,
    )


def _what_it_is(params: bytes, field: str | None) -> str:
    value = members_of(params).get(field or "")
    return "there is none" if value is None else f"it is {abridged(bytes(value))}"


def _spend(view: View, ask: Claim, guard: Guard, budget: Budget, admission: Admission) -> ActaeError | None:
    asked: Decimal | None = _ONE
    if budget.field is not None:
        asked = amount_in(ask.params, budget.field)
    if asked is None:
        return InvalidRequestError(
            f"Budget {guard.guard_id!r} adds up 'params.{budget.field}', so it must be {WHAT_IS_AN_AMOUNT}; "
            f"{_what_it_is(ask.params, budget.field)}.",
            field=f"params.{budget.field}",
            guard_id=guard.guard_id,
        )
    key = use_key(guard, budget, ask.channel_id, view.now)
    used, end = admission.guarding.used(key), window_of(budget, view.now).end
    if add(used, asked) > budget.limit:
        return BudgetExceededError(
            ask.tool_name, guard.guard_id, limit=budget.limit, used=used, asked=asked, window_ends_at=end
        )
    admission.uses.append((key, Use(asked, budget.limit, end)))
    return None


def _compare(
    view: View, ask: Claim, guard: Guard, rule: NearDuplicate, admission: Admission
) -> ActaeError | None:
    key = call_key(guard, rule, ask.channel_id, ask.fingerprint)
    recent = admission.guarding.recent(key)
    similar = _similar(view, ask, guard, rule, recent)
    repeats = similar is not None or (recent is not None and recent.repeats and _is_same(recent, ask))
    call = RecentCall(ask.channel_id, ask.key_digest, ask.key_name, "running", view.now, repeats)
    forgotten_at = view.now + timedelta(seconds=rule.window_seconds)
    admission.calls.append((key, Recall(None, call, forgotten_at)))
    if similar is None:
        return None
    if rule.action == "warn":
        admission.similar.append(similar)
        return None
    if rule.action == "ask" and _is_approved(view, ask):
        return None
    return NearDuplicateError(
        ask.tool_name,
        guard.guard_id,
        execution_id=similar.execution_id,
        other_key_name=similar.other_key_name,
        execution_status=similar.execution_status,
        claimed_at=similar.claimed_at,
        action=rule.action,
    )


def _similar(
    view: View, ask: Claim, guard: Guard, rule: NearDuplicate, call: RecentCall | None
) -> SimilarCall | None:
    """The recent call, if it is another operation that may have had an effect."""
    if call is None or view.now - call.claimed_at >= timedelta(seconds=rule.window_seconds):
        return None
    if _is_same(call, ask):
        return None
    row = view.execution(call.channel_id, call.key_digest)
    status = call.status if row is None else row.status
    if status is None or (status in _WITHOUT_EFFECT and not call.repeats):
        return None
    other = execution_id(call.channel_id, call.key_digest)
    return SimilarCall("near_duplicate", guard.guard_id, other, call.key_name, status, call.claimed_at)


def _is_same(call: RecentCall, ask: Claim) -> bool:
    return (call.channel_id, call.key_digest) == (ask.channel_id, ask.key_digest)


def _is_approved(view: View, ask: Claim) -> bool:
    """Whether somebody has approved this very call. That it is no other one, `refuse_unapproved` has seen."""
    governing = view.governing_approval(ask.channel_id, ask.key_digest)
    return governing is not None and governing.standing(view.now) == "approved"


def _payload(row: ExecutionRow, similar: SimilarCall) -> bytes:
    """Readers of this channel need not be able to read another one: of that, the event says nothing."""
    is_here = similar.channel_id == row.channel_id
    return msgspec.json.encode(
        {
            "execution_id": row.id,
            "key_name": row.key_name,
            "tool_name": row.tool_name,
            "guard_id": similar.guard_id,
            "other": {"execution_id": similar.execution_id, "key_name": similar.other_key_name}
            if is_here
            else None,
        }
    )
