"""Runs: the channels as a list shows them, the most recently active first."""

import re
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from actae.domain import errors
from actae.domain.access import Permissions
from actae.domain.runs import RunSummary
from actae.operations.runs import Place
from actae.transport.fields import Name, check_channel_id, check_uuid, is_channel_id
from actae.transport.route import Asked, Route
from actae.transport.routes.events import clamp
from actae.transport.services import Services

_SILENT = re.compile(r"~(.*)")


# Described here, checked by check_channel_prefix. The beginning of an id may be what no whole id is: `.`.
ChannelPrefix = Annotated[str, Meta(extra_json_schema={"pattern": "^[A-Za-z0-9._:-]{1,256}$"})]


class ListQuery(msgspec.Struct):
    """Which page."""

    limit: Annotated[int, Meta(description="1 to 100; other values are clamped.")] = 50
    after: Annotated[Name | None, Meta(description="`next` of a page.")] = None
    prefix: Annotated[
        ChannelPrefix | None,
        Meta(description="Only channels whose ids begin so, in the order of their ids."),
    ] = None


class RunsReply(msgspec.Struct):
    """A page. It may be short, and even empty, with more to come."""

    runs: list[RunSummary]
    has_more: bool
    next: Annotated[str | UnsetType, Meta(description="What `after` takes for the next page.")] = UNSET


async def list_runs(services: Services, asked: Asked) -> RunsReply:
    """Channels with what they did in numbers. Deleted ones are left out.

    By activity, which is the time of the newest event; those without events come last. What a run spent is
    told to those who may read it.
    """
    asked.caller.require_any("observe")
    query: ListQuery = asked.query
    permissions = asked.caller.permissions
    readable = permissions.observable_like()
    most = clamp(query.limit, 1, 100)
    if query.prefix is not None:
        prefix = check_channel_prefix(query.prefix)
        after = None if query.after is None else _channel_in(query.after)
        by_id = await services.runs.list_by_prefix(prefix, readable=readable, after=after, most=most)
        return _reply(permissions, by_id.runs, by_id.next_id)
    place = None if query.after is None else _read_place(query.after)
    found = await services.runs.list_active(readable=readable, after=place, most=most)
    next_place = None if found.next_place is None else _write_place(found.next_place)
    return _reply(permissions, found.runs, next_place)


def _reply(permissions: Permissions, runs: list[RunSummary], place: str | None) -> RunsReply:
    shown = [
        run if permissions.allows("read", run.channel_id) else msgspec.structs.replace(run, tokens=None)
        for run in runs
    ]
    return RunsReply(shown, place is not None, UNSET if place is None else place)


def check_channel_prefix(value: str) -> str:
    """The beginning of a channel id, if there can be channels for it; `.` and `..` are that too.

    Raises:
        InvalidRequestError
    """
    if value not in {".", ".."}:
        check_channel_id(value, "prefix")
    return value


def _write_place(place: Place) -> str:
    return place.event_id or f"~{place.channel_id}"


def _read_place(text: str) -> Place:
    silent = _SILENT.fullmatch(text)
    if silent is None:
        return Place(event_id=check_uuid(text, "after"))
    return Place(channel_id=_channel_in(silent[1]) if silent[1] else "")


def _channel_in(text: str) -> str:
    if not is_channel_id(text):
        raise errors.InvalidRequestError("`after` is not the `next` of a page.", field="after")
    return text


ROUTES = (
    Route(
        method="GET",
        path="/runs",
        operation="runs.list",
        summary="Channels with what they did, most recent activity first",
        handler=list_runs,
        query=ListQuery,
        reply=RunsReply,
        errors=(errors.InvalidRequestError,),
    ),
)
