"""Wake-ups: have an event appended to a channel at or after a moment, whoever is running then.

The event's type is `scheduler.wakeup`. It is appended once, soon after `run_at`, by any server of the
database. Observers see when, and not what for.
"""

from datetime import UTC
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from actae.domain import errors
from actae.domain.fingerprint import content_digest
from actae.domain.identity import identify
from actae.domain.redaction import all_shown, shown
from actae.domain.wakeups import WAKEUP_NAMESPACE, Wakeup
from actae.operations import wakeups as operations
from actae.operations.wakeups import ScheduleWakeup
from actae.transport.digests import digest_aside
from actae.transport.fields import (
    NULL,
    ChannelId,
    OperationId,
    check_channel_id,
    optional_object,
    split_wakeup_id,
)
from actae.transport.moments import parse_moment
from actae.transport.operation_ids import operation_id_of
from actae.transport.route import Asked, Route
from actae.transport.routes.events import clamp
from actae.transport.services import Services

_LIST_MOST = 1_000


class ScheduleBody(msgspec.Struct):
    """A wake-up to schedule. The channel comes into existence when it fires, if not before."""

    channel_id: ChannelId
    run_at: Annotated[
        str,
        Meta(
            description="RFC 3339 with an offset. A moment that has passed is due at once.",
            examples=["2026-08-05T12:00:00Z"],
            extra_json_schema={"format": "date-time"},
        ),
    ]
    payload: Annotated[
        msgspec.Raw,
        Meta(
            description="What the event shall carry: an object, or null for nothing.",
            extra_json_schema={"type": ["object", "null"]},
        ),
    ] = NULL
    operation_id: OperationId | None = None


class ListQuery(msgspec.Struct):
    """Which ones. The next page follows `after`, the id of the last one seen."""

    channel_id: ChannelId | None = None
    status: Literal["pending", "done", "failed", "cancelled"] | None = None
    after: str | None = None
    limit: Annotated[int, Meta(ge=0, description="At most 1,000; larger values are clamped.")] = _LIST_MOST


class WakeupsReply(msgspec.Struct):
    """The earliest `run_at` first."""

    wakeups: list[Wakeup]
    has_more: bool


class CancelledReply(msgspec.Struct):
    """It will not fire. What is in it is for those who may read the channel."""

    id: str
    channel_id: str
    status: str = "cancelled"


async def create(services: Services, asked: Asked) -> Wakeup:
    """Schedule a wake-up. The operation id may stand in the header `Idempotency-Key` instead."""
    body: ScheduleBody = asked.body
    channel_id = check_channel_id(body.channel_id)
    asked.caller.require("write", channel_id)
    run_at = parse_moment(body.run_at, "run_at").astimezone(UTC)  # the same moment is the same content
    payload = optional_object(body.payload, "payload")
    operation_id = operation_id_of(body.operation_id, asked.headers)
    identity = None
    if operation_id is not None:
        content = await digest_aside(len(payload or b""), content_digest, run_at.isoformat(), payload)
        identity = identify(WAKEUP_NAMESPACE, operation_id, content)
    return await operations.schedule(services.db, ScheduleWakeup(channel_id, run_at, payload, identity))


async def list_by_time(services: Services, asked: Asked) -> WakeupsReply:
    """Wake-ups, the earliest first: of one channel, or of all that may be observed."""
    query: ListQuery = asked.query
    permissions = asked.caller.permissions
    readable = None
    if query.channel_id is None:
        asked.caller.require_any("observe")
        readable = permissions.observable_like()
    else:
        asked.caller.require("observe", check_channel_id(query.channel_id))
    after = None
    if query.after is not None:
        after = split_wakeup_id(query.after)
        asked.caller.require("observe", after[0])
    found, has_more = await operations.list_by_time(
        services.db,
        query.channel_id,
        readable=readable,
        status=query.status,
        after=after,
        most=clamp(query.limit, 0, _LIST_MOST),
    )
    return WakeupsReply(all_shown(found, permissions), has_more)


async def get(services: Services, asked: Asked) -> Wakeup:
    """One wake-up, and what became of it."""
    channel_id, wakeup_id = split_wakeup_id(asked.path["id"])
    asked.caller.require("observe", channel_id)
    return shown(await operations.get(services.db, channel_id, wakeup_id), asked.caller.permissions)


async def cancel(services: Services, asked: Asked) -> CancelledReply:
    """Keep a pending wake-up from firing."""
    channel_id, wakeup_id = split_wakeup_id(asked.path["id"])
    asked.caller.require("write", channel_id)
    await operations.cancel(services.db, channel_id, wakeup_id)
    return CancelledReply(asked.path["id"], channel_id)


ROUTES = (
    Route(
        method="POST",
        path="/scheduler/wakeups",
        operation="scheduler.wakeups.create",
        summary="Schedule a wake-up",
        handler=create,
        body=ScheduleBody,
        reply=Wakeup,
        errors=(
            errors.InvalidRequestError,
            errors.InvalidJsonError,
            errors.ChannelClosedError,
            errors.CounterfactualBlockedError,
            errors.ChannelDeletedError,
            errors.IdempotencyConflictError,
        ),
    ),
    Route(
        method="GET",
        path="/scheduler/wakeups",
        operation="scheduler.wakeups.list",
        summary="Wake-ups, the earliest first",
        handler=list_by_time,
        query=ListQuery,
        reply=WakeupsReply,
        errors=(errors.InvalidRequestError, errors.WakeupNotFoundError),
    ),
    Route(
        method="GET",
        path="/scheduler/wakeups/{id}",
        operation="scheduler.wakeups.get",
        summary="One wake-up",
        handler=get,
        reply=Wakeup,
        errors=(errors.WakeupNotFoundError,),
    ),
    Route(
        method="DELETE",
        path="/scheduler/wakeups/{id}",
        operation="scheduler.wakeups.cancel",
        summary="Cancel a wake-up",
        handler=cancel,
        reply=CancelledReply,
        errors=(errors.WakeupNotFoundError, errors.WakeupNotPendingError),
    ),
)
