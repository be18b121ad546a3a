"""State snapshots: save, load, list, delete."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta, Raw

from actae.domain import errors
from actae.domain.fingerprint import content_digest
from actae.domain.identity import STATE_NAMESPACE, identify
from actae.domain.states import SaveState
from actae.operations import states as operations
from actae.operations.events import Dependency
from actae.store.states import Snapshot, list_state_versions
from actae.transport.digests import digest_aside
from actae.transport.fields import ChannelId, Cursor, OperationId, check_channel_id
from actae.transport.operation_ids import operation_id_of
from actae.transport.route import Asked, Route
from actae.transport.routes.events import clamp, dependencies_of
from actae.transport.services import Services

_VERSIONS_MOST = 10_000


class SaveBody(msgspec.Struct):
    """A snapshot to save."""

    cursor: Cursor
    state: Raw
    channel_id: ChannelId | None = None
    expected_version: Cursor | None = None
    expected_cursor: Cursor | None = None
    operation_id: OperationId | None = None
    dependencies: list[Dependency] | None = None


class SavedReply(msgspec.Struct):
    """The version that was given out."""

    version: int
    channel_id: str
    cursor: int
    timestamp: datetime | None


class StateReply(msgspec.Struct, omit_defaults=True):
    """A snapshot; `cursor` is null when there is none."""

    cursor: int | None
    state: Raw | None = None
    version: int | None = None
    channel_id: str | None = None
    timestamp: datetime | None = None


class VersionSummary(msgspec.Struct):
    """A snapshot without its state."""

    version: int
    cursor: int
    timestamp: datetime


class VersionsReply(msgspec.Struct):
    """Newest first."""

    versions: list[VersionSummary]
    has_more: bool


class DeletedReply(msgspec.Struct):
    """The version is not there any more."""

    version: int
    status: str = "deleted"


async def save(services: Services, asked: Asked) -> SavedReply:
    """Save a new version. The operation id may stand in the header `Idempotency-Key` instead."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("write", channel_id)
    body: SaveBody = asked.body
    if body.channel_id is not None and body.channel_id != channel_id:
        raise errors.InvalidRequestError(
            f"The body names channel {body.channel_id!r}, the path {channel_id!r}.", field="channel_id"
        )
    state = bytes(body.state)
    identity = None
    if (operation_id := operation_id_of(body.operation_id, asked.headers)) is not None:
        content = await digest_aside(len(state), content_digest, "state", str(body.cursor), state)
        identity = identify(STATE_NAMESPACE, operation_id, content)
    _, dependencies = await dependencies_of(services, asked.caller, channel_id, body.dependencies, identity)
    ask = SaveState(
        channel_id,
        body.cursor,
        state,
        len(state) + 256,
        identity,
        body.expected_version,
        body.expected_cursor,
        dependencies,
    )
    saved = await operations.save(services.db, services.writer, ask)
    return SavedReply(saved.version, saved.channel_id, saved.cursor, saved.timestamp)


async def load(services: Services, asked: Asked) -> StateReply:
    """The latest snapshot: the one with the highest version."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("read", channel_id)
    return _reply(channel_id, await operations.load_latest_state(services.db, channel_id))


async def get_version(services: Services, asked: Asked) -> StateReply:
    """One snapshot; 200 with a null cursor when there is none."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("read", channel_id)
    version = _version(asked.path["version"])
    return _reply(channel_id, await operations.load_state_version(services.db, channel_id, version))


def _reply(channel_id: str, snapshot: Snapshot | None) -> StateReply:
    if snapshot is None:
        return StateReply(None)
    return StateReply(snapshot.cursor, Raw(snapshot.state), snapshot.version, channel_id, snapshot.saved_at)


def _version(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise errors.InvalidRequestError(
            f"'version' must be a whole number; it is {text[:100]!r}.", field="version"
        )
    return int(text)


class VersionsQuery(msgspec.Struct):
    """Which page."""

    limit: Annotated[int, Meta(ge=0, description="At most 10,000; larger values are clamped.")] = 100
    offset: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0


async def list_versions(services: Services, asked: Asked) -> VersionsReply:
    """Snapshots without their states, newest first."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("observe", channel_id)
    query: VersionsQuery = asked.query
    most = clamp(query.limit, 0, _VERSIONS_MOST)
    found = await list_state_versions(services.db, channel_id, skip=query.offset, most=most + 1)
    shown = [VersionSummary(each.version, each.cursor, each.saved_at) for each in found[:most]]
    return VersionsReply(shown, len(found) > most)


async def delete_version(services: Services, asked: Asked) -> DeletedReply:
    """Delete one snapshot; a missing one is fine. The next lower version becomes the latest."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("delete", channel_id)
    version = _version(asked.path["version"])
    await operations.delete_version(services.db, channel_id, version)
    return DeletedReply(version)


_READ_ERRORS = (errors.InvalidRequestError,)

ROUTES = (
    Route(
        method="POST",
        path="/state/{channel_id}",
        operation="state.save",
        summary="Save a snapshot",
        handler=save,
        body=SaveBody,
        reply=SavedReply,
        errors=(
            errors.InvalidRequestError,
            errors.InvalidJsonError,
            errors.PayloadTooLargeError,
            errors.VersionConflictError,
            errors.IdempotencyConflictError,
            errors.ChannelClosedError,
            errors.CounterfactualBlockedError,
            errors.ChannelDeletedError,
            errors.OverloadedError,
            errors.UnavailableError,
        ),
    ),
    Route(
        method="GET",
        path="/state/{channel_id}",
        operation="state.load",
        summary="The latest snapshot",
        handler=load,
        reply=StateReply,
        errors=_READ_ERRORS,
    ),
    Route(
        method="GET",
        path="/state/{channel_id}/versions",
        operation="state.versions.list",
        summary="Snapshots without their states, newest first",
        handler=list_versions,
        query=VersionsQuery,
        reply=VersionsReply,
        errors=_READ_ERRORS,
    ),
    Route(
        method="GET",
        path="/state/{channel_id}/version/{version}",
        operation="state.version.get",
        summary="One snapshot",
        handler=get_version,
        reply=StateReply,
        errors=_READ_ERRORS,
    ),
    Route(
        method="DELETE",
        path="/state/{channel_id}/version/{version}",
        operation="state.version.delete",
        summary="Delete one snapshot",
        handler=delete_version,
        reply=DeletedReply,
        errors=_READ_ERRORS,
    ),
)
