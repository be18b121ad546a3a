"""Whether what channels did is safe to be started again: questions that are answered from the data."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from actae.domain import errors
from actae.domain.access import bad_patterns, like_of
from actae.domain.checklist import Checklist
from actae.operations import checklist as operations
from actae.transport.fields import ChannelId, check_channel_id
from actae.transport.route import Asked, Route
from actae.transport.routes.events import clamp
from actae.transport.services import Services

_LIST_MOST = 20


class ListQuery(msgspec.Struct):
    """Which channels."""

    pattern: Annotated[
        str,
        Meta(
            description="A channel id, `prefix*`, or `*`.",
            # Described here, checked by bad_patterns, whose refusal says what may be.
            extra_json_schema={
                "pattern": r"^([A-Za-z0-9._:-]{1,256}\*?|\*)$",
                "not": {"enum": [".", ".."]},
            },
        ),
    ]
    after: Annotated[ChannelId | None, Meta(description="`next` of a page.")] = None
    limit: Annotated[int, Meta(description="1 to 20 channels; other values are clamped.")] = _LIST_MOST


class ChecklistsReply(msgspec.Struct):
    """Checklists in the order of their channels' ids."""

    checklists: list[Checklist]
    has_more: bool
    next: Annotated[str | UnsetType, Meta(description="What `after` takes for the next page.")] = UNSET


async def get(services: Services, asked: Asked) -> Checklist:
    """The questions about one channel. What a fork inherits is its ancestors', and not looked at."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("observe", channel_id)
    return await operations.check_channel(services.db, channel_id)


async def list_(services: Services, asked: Asked) -> ChecklistsReply:
    """The same about all channels that match a pattern and may be observed; deleted ones are left out."""
    asked.caller.require_any("observe")
    query: ListQuery = asked.query
    if bad_patterns([query.pattern]):
        raise errors.InvalidRequestError(
            f"'pattern' must be a channel id, the beginning of one and '*', or '*'; "
            f"it is {query.pattern[:300]!r}.",
            field="pattern",
        )
    after = "" if query.after is None else check_channel_id(query.after, "after")
    found = await operations.check_channels(
        services.db,
        like_of(query.pattern),
        readable=asked.caller.permissions.observable_like(),
        after=after,
        most=clamp(query.limit, 1, _LIST_MOST),
    )
    place = found.next_after
    return ChecklistsReply(found.checklists, place is not None, UNSET if place is None else place)


ROUTES = (
    Route(
        method="GET",
        path="/channels/{channel_id}/checklist",
        operation="channels.checklist.get",
        summary="Whether what a channel did is safe to be started again",
        handler=get,
        reply=Checklist,
        errors=(errors.InvalidRequestError, errors.ChannelNotFoundError),
    ),
    Route(
        method="GET",
        path="/checklists",
        operation="checklists.list",
        summary="The checklists of channels that match a pattern",
        handler=list_,
        query=ListQuery,
        reply=ChecklistsReply,
        errors=(errors.InvalidRequestError,),
    ),
)
