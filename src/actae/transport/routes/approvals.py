"""Approvals: what people were asked, and what waits for them.

A request and its answers are events, recorded like any others: `approval.requested`, `approval.decided` and
`approval.expired`. Here is how they stand.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from actae.domain import errors
from actae.domain.approvals import Approval, Status
from actae.domain.executions import digest_key
from actae.domain.redaction import all_shown
from actae.operations import approvals as operations
from actae.store.approvals import ApprovalFilter
from actae.transport.fields import ChannelId, check_channel_id, check_uuid
from actae.transport.route import Asked, Route
from actae.transport.routes.events import clamp
from actae.transport.services import Services

_LIST_MOST = 1_000


class ListQuery(msgspec.Struct):
    """Which requests, and which page of them."""

    channel_id: ChannelId | None = None
    status: Annotated[Status | None, Meta(description="`pending` is what waits for somebody.")] = None
    request_id: Annotated[str | None, Meta(description="One request; needs `channel_id`.")] = None
    limit: Annotated[int, Meta(ge=0, description="At most 1,000; larger values are clamped.")] = 100
    before: Annotated[
        str | None,
        Meta(
            description="The `requested_event_id` that the page before ended with.",
            extra_json_schema={"format": "uuid"},
        ),
    ] = None


class ApprovalsReply(msgspec.Struct):
    """Requests for approval, newest first."""

    approvals: list[Approval]
    has_more: bool


async def list_newest(services: Services, asked: Asked) -> ApprovalsReply:
    """Requests for approval on all channels that may be observed, newest first."""
    query: ListQuery = asked.query
    if query.channel_id is None:
        asked.caller.require_any("observe")
        if query.request_id is not None:
            raise errors.InvalidRequestError(
                "A request id is one of a channel: name the channel too.", field="channel_id"
            )
    else:
        asked.caller.require("observe", check_channel_id(query.channel_id))
    wanted = ApprovalFilter(
        channel_id=query.channel_id,
        readable=asked.caller.permissions.observable_like(),
        request_digest=None if query.request_id is None else digest_key(query.request_id),
        status=query.status,
        before_event_id=None if query.before is None else check_uuid(query.before, "before"),
    )
    found, has_more = await operations.list_newest(
        services.db, wanted, most=clamp(query.limit, 0, _LIST_MOST)
    )
    return ApprovalsReply(all_shown(found, asked.caller.permissions), has_more)


ROUTES = (
    Route(
        method="GET",
        path="/approvals",
        operation="approvals.list",
        summary="What people were asked to approve, newest first",
        handler=list_newest,
        query=ListQuery,
        reply=ApprovalsReply,
        errors=(errors.InvalidRequestError,),
    ),
)
