"""Channels: list, metadata, steps, close, delete."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from actae.domain import errors
from actae.domain.channels import ChannelMetadata
from actae.domain.redaction import shown
from actae.operations import channels as operations
from actae.operations import deletion, steps
from actae.transport.fields import ChannelId, OperationId, Text, check_channel_id, optional_object
from actae.transport.route import Asked, Route
from actae.transport.routes.events import clamp
from actae.transport.services import Services

_LIST_MOST = 10_000
_ABSENT = Raw(b"")


class ListQuery(msgspec.Struct):
    """Which page."""

    limit: Annotated[int, Meta(ge=0, description="At most 10,000; larger values are clamped.")] = _LIST_MOST
    offset: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0


class ChannelsReply(msgspec.Struct):
    """Channel ids, most recent activity first."""

    channels: list[str]
    has_more: bool


class MetadataBody(msgspec.Struct):
    """What to overwrite; absent fields keep their value."""

    channel_id: ChannelId | None = None
    display_name: Text | UnsetType | None = UNSET
    reason: Text | UnsetType | None = UNSET
    experiment_metadata: Annotated[Raw, Meta(description="An object or null; replaced, not merged.")] = (
        msgspec.field(default_factory=lambda: _ABSENT)
    )


class CloseBody(msgspec.Struct):
    """Closing twice is the same as once, so the id is accepted and needs no memory."""

    operation_id: OperationId | None = None


class ClosedReply(msgspec.Struct):
    """When the channel was closed first."""

    channel_id: str
    closed_at: datetime
    status: str = "closed"


class DeleteQuery(msgspec.Struct):
    """How much to delete."""

    recursive: bool = False


class DeletedReply(msgspec.Struct):
    """What is deleted now."""

    deleted: list[str]
    status: str = "deleted"


class StepsReply(msgspec.Struct):
    """The highest step number; 0 for none."""

    channel_id: str
    last_step_number: int


class StepReply(msgspec.Struct):
    """Where a step stands; the cursor is in the numbering of `channel_id`."""

    channel_id: str
    step_number: int
    cursor: int
    event_id: str | None


async def list_channels(services: Services, asked: Asked) -> ChannelsReply:
    """Ids, most recent activity first; deleted ones are left out."""
    asked.caller.require_any("observe")
    query: ListQuery = asked.query
    most = clamp(query.limit, 0, _LIST_MOST)
    found = await operations.list_newest(
        services.db, readable=asked.caller.permissions.observable_like(), skip=query.offset, most=most + 1
    )
    return ChannelsReply(found[:most], len(found) > most)


async def get_metadata(services: Services, asked: Asked) -> ChannelMetadata:
    """What is known of a channel."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("observe", channel_id)
    return shown(await operations.get_metadata(services.db, channel_id), asked.caller.permissions)


async def update_metadata(services: Services, asked: Asked) -> ChannelMetadata:
    """Overwrite what is given."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("write", channel_id)
    body: MetadataBody = asked.body
    if body.channel_id is not None and body.channel_id != channel_id:
        raise errors.InvalidRequestError(
            f"The body names channel {body.channel_id!r}, the path {channel_id!r}.", field="channel_id"
        )
    experiment_metadata: bytes | UnsetType | None = UNSET
    if bytes(body.experiment_metadata):
        experiment_metadata = optional_object(body.experiment_metadata, "experiment_metadata")
    return await operations.update_metadata(
        services.db,
        channel_id,
        display_name=body.display_name,
        reason=body.reason,
        experiment_metadata=experiment_metadata,
    )


async def close(services: Services, asked: Asked) -> ClosedReply:
    """Take no more writes."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("write", channel_id)
    return ClosedReply(channel_id, await operations.close(services.db, channel_id))


async def delete(services: Services, asked: Asked) -> DeletedReply:
    """Remove what a channel holds; its id is not used again."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("delete", channel_id)
    query: DeleteQuery = asked.query
    deleted = await deletion.delete(
        services.db, channel_id, recursive=query.recursive, permissions=asked.caller.permissions
    )
    return DeletedReply(deleted)


async def latest_step(services: Services, asked: Asked) -> StepsReply:
    """The highest step number of a channel."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("observe", channel_id)
    return StepsReply(channel_id, await steps.latest_step(services.db, channel_id))


async def resolve_step(services: Services, asked: Asked) -> StepReply:
    """Where a step stands."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("observe", channel_id)
    step = await steps.resolve_step(services.db, channel_id, _step_number(asked.path["step_number"]))
    return StepReply(step.channel_id, step.step_number, step.cursor, step.event_id)


def _step_number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) == 0:
        raise errors.InvalidRequestError(
            f"'step_number' must be a whole number from 1; it is {text[:100]!r}.", field="step_number"
        )
    return int(text)


_CHANNEL_ERRORS = (errors.InvalidRequestError, errors.ChannelNotFoundError)

ROUTES = (
    Route(
        method="GET",
        path="/channels",
        operation="channels.list",
        summary="Channels, most recent activity first",
        handler=list_channels,
        query=ListQuery,
        reply=ChannelsReply,
        errors=(errors.InvalidRequestError,),
    ),
    Route(
        method="GET",
        path="/channels/{channel_id}/metadata",
        operation="channels.metadata.get",
        summary="What is known of a channel",
        handler=get_metadata,
        reply=ChannelMetadata,
        errors=_CHANNEL_ERRORS,
    ),
    Route(
        method="PUT",
        path="/channels/{channel_id}/metadata",
        operation="channels.metadata.put",
        summary="Overwrite a channel's metadata",
        handler=update_metadata,
        body=MetadataBody,
        reply=ChannelMetadata,
        errors=(*_CHANNEL_ERRORS, errors.InvalidJsonError, errors.ChannelDeletedError),
    ),
    Route(
        method="GET",
        path="/channels/{channel_id}/steps",
        operation="channels.steps.latest",
        summary="The highest step number",
        handler=latest_step,
        reply=StepsReply,
        errors=_CHANNEL_ERRORS,
    ),
    Route(
        method="GET",
        path="/channels/{channel_id}/steps/{step_number}",
        operation="channels.steps.resolve",
        summary="Where a step stands",
        handler=resolve_step,
        reply=StepReply,
        errors=(errors.InvalidRequestError, errors.StepNotFoundError),
    ),
    Route(
        method="DELETE",
        path="/channels/{channel_id}",
        operation="channels.delete",
        summary="Delete a channel",
        handler=delete,
        query=DeleteQuery,
        reply=DeletedReply,
        errors=(*_CHANNEL_ERRORS, errors.ChannelHasForksError),
    ),
    Route(
        method="POST",
        path="/channels/{channel_id}/close",
        operation="channels.close",
        summary="Close a channel for writes",
        handler=close,
        body=CloseBody,
        body_optional=True,
        reply=ClosedReply,
        errors=(*_CHANNEL_ERRORS, errors.ChannelDeletedError, errors.CounterfactualBlockedError),
    ),
)
