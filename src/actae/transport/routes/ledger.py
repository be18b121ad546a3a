"""Looking at operations: one, those of a channel, or those of all channels that match; and freeing a key."""

import re
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from actae.domain import errors
from actae.domain.access import Action
from actae.domain.event_ids import from_microseconds, microseconds
from actae.domain.executions import Execution
from actae.domain.late_evidence import LateEvidence
from actae.domain.redaction import all_shown, redact, redact_evidence
from actae.operations import executions as operations
from actae.store.executions import Place, Wanted
from actae.transport.fields import ChannelId, Name, check_channel_id, split_execution_id
from actae.transport.route import Asked, Route
from actae.transport.routes.events import clamp
from actae.transport.services import Services

AgeSeconds = Annotated[int, Meta(ge=0, le=100 * 366 * 86_400)]

_MICROSECONDS = re.compile(r"[0-9]{1,17}")


class ExecutionReply(msgspec.Struct):
    """One operation, and what was reported of it after it had passed to another worker, or had ended."""

    execution: Execution
    late_evidence: list[LateEvidence]


class ExecutionsReply(msgspec.Struct):
    """Operations, newest first. Across channels a page may be short, and even empty, with more to come."""

    executions: list[Execution]
    has_more: bool
    next: Annotated[
        str | UnsetType, Meta(description="Across channels: what `after` takes for the next page.")
    ] = UNSET


class DeletedReply(msgspec.Struct):
    """The key is free."""

    id: str
    status: str = "deleted"


async def get(services: Services, asked: Asked) -> ExecutionReply:
    """One operation."""
    channel_id, key_digest = split_execution_id(asked.path["id"])
    asked.caller.require("observe", channel_id)
    execution = await operations.get(services.db, channel_id, key_digest)
    evidence = await operations.get_evidence(services.db, channel_id, key_digest)
    if asked.caller.permissions.allows("read", channel_id):
        return ExecutionReply(execution, evidence)
    return ExecutionReply(redact(execution), [redact_evidence(each) for each in evidence])


class ListQuery(msgspec.Struct):
    """Whose operations, and how many."""

    channel_id: Annotated[
        ChannelId | None, Meta(description="Without it: all channels that the credential may observe.")
    ] = None
    limit: Annotated[int, Meta(description="1 to 100; other values are clamped.")] = 50
    offset: Annotated[int, Meta(ge=0, le=2**63 - 1, description="Within one channel.")] = 0
    status: Annotated[
        Literal["running", "lapsed", "ambiguous", "completed", "failed", "cancelled"] | None,
        Meta(
            description="Only these; `lapsed` are the running ones whose lease has ended, `ambiguous` those "
            "of them that nobody gets before they are resolved."
        ),
    ] = None
    tool_name: Annotated[Name | None, Meta(description="Only of this tool.")] = None
    key_prefix: Annotated[Name | None, Meta(description="Only keys that begin so.")] = None
    older_than_seconds: Annotated[
        AgeSeconds | None, Meta(description="Across channels: first claimed longer ago.")
    ] = None
    field: Annotated[
        Name | None,
        Meta(description="Across readable channels: a top-level field of `params`; needs `value`."),
    ] = None
    value: Annotated[Name | None, Meta(description="What the field holds, as text.")] = None
    text: Annotated[
        Name | None,
        Meta(
            description="Across channels: what is found in the key, the tool's name, the channel's id or "
            "`params`; case counts."
        ),
    ] = None
    after: Annotated[Name | None, Meta(description="Across channels: `next` of a page.")] = None


async def list_newest(services: Services, asked: Asked) -> ExecutionsReply:
    """The operations of a channel, or of all channels, newest first."""
    query: ListQuery = asked.query
    if query.channel_id is None:
        return await _search(services, asked)
    channel_id = check_channel_id(query.channel_id)
    _refuse_search_within_a_channel(query)
    asked.caller.require("observe", channel_id)
    found, has_more = await operations.list_newest(
        services.db,
        channel_id,
        status=query.status,
        tool_name=query.tool_name,
        key_prefix=query.key_prefix,
        skip=query.offset,
        most=clamp(query.limit, 1, 100),
    )
    return ExecutionsReply(all_shown(found, asked.caller.permissions), has_more)


def _refuse_search_within_a_channel(query: ListQuery) -> None:
    for name in ("older_than_seconds", "field", "value", "text", "after"):
        if getattr(query, name) is not None:
            raise errors.InvalidRequestError(
                f"{name!r} searches all channels; leave channel_id out.", field=name
            )


async def _search(services: Services, asked: Asked) -> ExecutionsReply:
    query: ListQuery = asked.query
    # Who finds by content learns it.
    action: Action = "observe" if query.field is None else "read"
    asked.caller.require_any(action)
    permissions = asked.caller.permissions
    if (query.field is None) != (query.value is None):
        missing = "value" if query.value is None else "field"
        raise errors.InvalidRequestError("`field` and `value` go together.", field=missing)
    if query.offset:
        raise errors.InvalidRequestError("Across channels, pages go on with `after`.", field="offset")
    found = await operations.search(
        services.db,
        Wanted(
            readable=permissions.observable_like() if query.field is None else permissions.readable_like(),
            status=query.status,
            tool_name=query.tool_name,
            key_prefix=query.key_prefix,
            older_than_seconds=query.older_than_seconds,
            text=query.text,
            searches_params=permissions.reads_all_it_observes,
        ),
        field=query.field,
        value=query.value,
        after=None if query.after is None else _read_place(query.after),
        most=clamp(query.limit, 1, 100),
    )
    place = found.next_place
    return ExecutionsReply(
        all_shown(found.executions, permissions),
        place is not None,
        UNSET if place is None else _write_place(place),
    )


def _write_place(place: Place) -> str:
    return f"{microseconds(place.created_at)}~{place.channel_id}~{place.key_digest}"


def _read_place(text: str) -> Place:
    at, _, rest = text.partition("~")
    try:
        if _MICROSECONDS.fullmatch(at) is not None:
            return Place(from_microseconds(int(at)), *split_execution_id(rest))
    except errors.ExecutionNotFoundError:
        pass
    raise errors.InvalidRequestError("`after` is not the `next` of a page.", field="after")


async def delete(services: Services, asked: Asked) -> DeletedReply:
    """Free a key; its events stay."""
    channel_id, key_digest = split_execution_id(asked.path["id"])
    asked.caller.require("delete", channel_id)
    await operations.delete(services.db, channel_id, key_digest, permissions=asked.caller.permissions)
    return DeletedReply(asked.path["id"])


ROUTES = (
    Route(
        method="GET",
        path="/executions",
        operation="executions.list",
        summary="Operations of a channel or of all, newest first",
        handler=list_newest,
        query=ListQuery,
        reply=ExecutionsReply,
        errors=(errors.InvalidRequestError,),
    ),
    Route(
        method="GET",
        path="/executions/{id}",
        operation="executions.get",
        summary="One operation",
        handler=get,
        reply=ExecutionReply,
        errors=(errors.ExecutionNotFoundError,),
    ),
    Route(
        method="DELETE",
        path="/executions/{id}",
        operation="executions.delete",
        summary="Free a key",
        handler=delete,
        reply=DeletedReply,
        errors=(errors.ExecutionNotFoundError, errors.ChannelHasForksError),
    ),
)
