"""Guards: freezes, budgets, and what happens to near-duplicates, all checked at the claim.

A guard is looked after by who has admin permission on its whole pattern; nobody else learns of it here.
"""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from actae.domain import errors, guard_errors
from actae.domain.access import Caller, bad_patterns
from actae.domain.amounts import WHAT_IS_AN_AMOUNT, abridged, read_amount, write_amount
from actae.domain.guards import SHARED, Action, Budget, Freeze, Guard, Kind, NearDuplicate, Rule
from actae.operations import guards as operations
from actae.operations.guards import AddGuard, Watched
from actae.store.guards import UsedBudget
from actae.transport.fields import GroupId, Name, Text, is_channel_id
from actae.transport.route import Asked, Route
from actae.transport.services import Services

_YEAR: Final = 366 * 86_400
_NO_LIMIT: Final = Raw(b"")
_NUMBER: Final = {"type": "number"}

Pattern = Annotated[
    str,
    Meta(
        description="A channel id, or a prefix and `*`.",
        examples=["run-*"],
        extra_json_schema={
            "pattern": r"^([A-Za-z0-9._:-]{1,256}\*?|\*)$",
            "not": {"enum": [".", ".."]},
        },
    ),
]
WindowSeconds = Annotated[int, Meta(ge=1, le=_YEAR)]


class GuardBody(msgspec.Struct):
    """A guard to add. Absent `channel_pattern` and `tool_name` stand for all."""

    kind: Kind
    tool_name: Name | None = None
    channel_pattern: Pattern | None = None
    guard_id: Annotated[
        GroupId | None, Meta(description="With an id of your own the request can be repeated.")
    ] = None
    reason: Annotated[Text | None, Meta(description="Of a freeze: told to everybody who claims.")] = None
    limit: Annotated[
        Raw,
        Meta(
            description="Of a budget: how much in a window, exactly; a number, or one as text. "
            "A whole one without a `field`.",
            extra_json_schema={"type": ["number", "string"]},
        ),
    ] = msgspec.field(default_factory=lambda: _NO_LIMIT)
    field: Annotated[
        Name | None,
        Meta(description="Of a budget: the top-level field of `params` to add up. Absent: count operations."),
    ] = None
    window_seconds: Annotated[
        WindowSeconds | None,
        Meta(
            description="Of a budget: windows are aligned to 1970, and absent means once and for all. "
            "Of near-duplicates: how long a call is remembered."
        ),
    ] = None
    per_channel: Annotated[
        bool, Meta(description="Of a budget: each channel has as much, or all together.")
    ] = False
    action: Annotated[
        Action, Meta(description="On a near-duplicate: say so, refuse, or refuse until it is approved.")
    ] = "block"
    across_channels: Annotated[
        bool, Meta(description="Of near-duplicates: compare with all channels of the pattern.")
    ] = False


class BudgetUse(msgspec.Struct):
    """What is used in the present window, by a channel or (null) by all that share the budget."""

    channel_id: str | None
    used: Annotated[Raw, Meta(extra_json_schema=_NUMBER)]
    window_started_at: datetime
    window_ends_at: datetime | None


class GuardReply(msgspec.Struct):
    """A guard. What does not belong to its kind is absent."""

    guard_id: str
    kind: Kind
    tool_name: str | None
    channel_pattern: str | None
    created_by: str
    created_at: datetime
    reason: str | UnsetType | None = UNSET
    limit: Annotated[Raw, Meta(extra_json_schema=_NUMBER)] | UnsetType = UNSET
    field: str | UnsetType | None = UNSET
    window_seconds: int | UnsetType | None = UNSET
    per_channel: bool | UnsetType = UNSET
    uses: list[BudgetUse] | UnsetType = UNSET
    action: Action | UnsetType = UNSET
    across_channels: bool | UnsetType = UNSET


class GuardsReply(msgspec.Struct):
    """The oldest first."""

    guards: list[GuardReply]


class RemovedReply(msgspec.Struct):
    """A guard that is gone."""

    guard_id: str


async def create(services: Services, asked: Asked) -> GuardReply:
    """Add a guard. Once the reply is there, every claim on every server obeys it."""
    body: GuardBody = asked.body
    _check_pattern(body.channel_pattern)
    _require(asked.caller, body.channel_pattern)
    if body.guard_id is not None and not is_channel_id(body.guard_id):
        raise errors.InvalidRequestError(
            "'guard_id' must be 1 to 256 of the characters A-Z a-z 0-9 . _ : -", field="guard_id"
        )
    ask = AddGuard(
        guard_id=body.guard_id,
        channel_pattern=body.channel_pattern,
        tool_name=body.tool_name,
        rule=_rule(body),
        created_by=asked.caller.owner,
    )
    guard = await operations.add_guard(services.db, ask)
    return _shown(Watched(guard, []))


async def list_all(services: Services, asked: Asked) -> GuardsReply:
    """The guards that the caller may look after, budgets with what is used of them now."""
    asked.caller.require_any("admin")
    found = await operations.list_guards(services.db, may_look_after=_may_look_after(asked.caller))
    return GuardsReply([_shown(each) for each in found])


async def delete(services: Services, asked: Asked) -> RemovedReply:
    """Remove a guard; what a budget has counted goes with it."""
    asked.caller.require_any("admin")
    guard_id = asked.path["guard_id"]
    if not is_channel_id(guard_id):
        raise guard_errors.GuardNotFoundError(guard_id[:256])
    await operations.remove_guard(services.db, guard_id, may_look_after=_may_look_after(asked.caller))
    return RemovedReply(guard_id)


def _check_pattern(pattern: str | None) -> None:
    if pattern is not None and bad_patterns([pattern]):
        raise errors.InvalidRequestError(
            f"'channel_pattern' must be a channel id, or a prefix and '*'; it is {pattern!r}.",
            field="channel_pattern",
        )


def _require(caller: Caller, pattern: str | None) -> None:
    if not caller.permissions.covers("admin", pattern or "*"):
        raise errors.ForbiddenError(f"This credential may not administer all channels {pattern or '*'!r}.")


def _may_look_after(caller: Caller) -> Callable[[Guard], bool]:
    return lambda guard: caller.permissions.covers("admin", guard.channel_pattern or "*")


def _rule(body: GuardBody) -> Rule:
    match body.kind:
        case "freeze":
            return Freeze(body.reason)
        case "budget":
            return Budget(_limit(body), body.field, body.window_seconds, body.per_channel)
        case "near_duplicate":
            if body.window_seconds is None:
                raise errors.InvalidRequestError(
                    "'window_seconds' says how long a call is remembered.", field="window_seconds"
                )
            return NearDuplicate(body.window_seconds, body.action, body.across_channels)


def _limit(body: GuardBody) -> Decimal:
    text = bytes(body.limit)
    if text.startswith(b'"') and text.endswith(b'"'):
        text = text[1:-1]
    limit = read_amount(text)
    if limit is None:
        it_is = f"; it is {abridged(text)}" if text else ""
        raise errors.InvalidRequestError(f"'limit' must be {WHAT_IS_AN_AMOUNT}{it_is}.", field="limit")
    if body.field is None and limit != limit.to_integral_value():
        raise errors.InvalidRequestError(
            f"'limit' must be a whole number, for a budget without a 'field' counts operations; "
            f"it is {limit:f}.",
            field="limit",
        )
    return limit


def _shown(watched: Watched) -> GuardReply:
    guard, uses = watched
    rule = guard.rule
    reply = GuardReply(
        guard.guard_id,
        guard.kind,
        guard.tool_name,
        guard.channel_pattern,
        guard.created_by,
        guard.created_at,
    )
    match rule:
        case Freeze():
            reply.reason = rule.reason
        case Budget():
            reply.limit = write_amount(rule.limit)
            reply.field, reply.window_seconds = rule.field, rule.window_seconds
            reply.per_channel = rule.per_channel
            reply.uses = [_use(each) for each in uses]
        case NearDuplicate():
            reply.window_seconds, reply.action = rule.window_seconds, rule.action
            reply.across_channels = rule.across_channels
    return reply


def _use(use: UsedBudget) -> BudgetUse:
    channel_id = None if use.channel_id == SHARED else use.channel_id
    return BudgetUse(channel_id, write_amount(use.used), use.window_start, use.window_end)


ROUTES = (
    Route(
        method="POST",
        path="/guards",
        operation="guards.create",
        summary="Add a guard",
        handler=create,
        body=GuardBody,
        reply=GuardReply,
        errors=(errors.InvalidRequestError, errors.InvalidJsonError, guard_errors.GuardConflictError),
    ),
    Route(
        method="GET",
        path="/guards",
        operation="guards.list",
        summary="Guards, and what is used of budgets",
        handler=list_all,
        reply=GuardsReply,
    ),
    Route(
        method="DELETE",
        path="/guards/{guard_id}",
        operation="guards.delete",
        summary="Remove a guard",
        handler=delete,
        reply=RemovedReply,
        errors=(guard_errors.GuardNotFoundError,),
    ),
)
