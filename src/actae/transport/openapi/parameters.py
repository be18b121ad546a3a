"""The parameters of a route: what stands in its path, and what in its query."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from actae.transport.fields import ChannelId, ChannelPattern
from actae.transport.openapi.schemas import Schema
from actae.transport.route import Route

_NAMES = re.compile(r"\{(\w+)\}")

_WholeNumber = Annotated[int, Meta(ge=0, lt=10**18)]
_ExecutionId = Annotated[
    str,
    Meta(
        description="The channel id, `~`, and the digest of the key.",
        examples=["run-7f2a~9f86d081884c7d659a2feaa0c55ad015"],
    ),
]

# Handlers take path values as text and check them themselves; this says what they accept.
_KINDS: Final[Mapping[str, Any]] = {
    "channel_id": ChannelId,
    "event_id": UUID,
    "group_id": ChannelId,
    "member_id": ChannelId,
    "pattern": ChannelPattern,
    "step_number": Annotated[int, Meta(ge=1, lt=10**18)],
    "version": _WholeNumber,
    "executions/id": _ExecutionId,
    "experiments/group_id": UUID,
}


def path_parameters(route: Route) -> list[Schema]:
    """One for each `{name}` in the path."""
    return [
        {"name": name, "in": "path", "required": True, **_value(_path_schema(route, name))}
        for name in _NAMES.findall(route.path)
    ]


def query_parameters(query: Schema) -> list[Schema]:
    """One for each field of the query's struct."""
    return [
        {"name": name, "in": "query", "required": name in query["required"], **_value(_not_null(schema))}
        for name, schema in query["properties"].items()
    ]


def _path_schema(route: Route, name: str) -> Schema:
    concept = route.path.split("/")[1]
    kind = _KINDS.get(f"{concept}/{name}", _KINDS.get(name, str))
    return msgspec.json.schema(kind)


def _value(schema: Schema) -> Schema:
    """The description belongs to the parameter, the rest to its value."""
    description = {"description": schema["description"]} if "description" in schema else {}
    return {**description, "schema": {key: value for key, value in schema.items() if key != "description"}}


def _not_null(schema: Schema) -> Schema:
    """A query has no null: what is absent is absent."""
    options = [option for option in schema.get("anyOf", []) if option != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    if rest.get("default", ...) is None:
        del rest["default"]
    if len(options) == 1:
        return {**options[0], **rest}
    return {**rest, "anyOf": options} if options else rest
