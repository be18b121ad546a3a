"""The description of the whole API, made of the same routes and types that serve it."""

import inspect
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Final, get_args, get_origin

from actae import __version__
from actae.domain.errors import UnauthorizedError
from actae.transport.endpoint import Text
from actae.transport.openapi import errors, parameters
from actae.transport.openapi.schemas import Schema, Schemas
from actae.transport.route import Route
from actae.transport.session_cookie import SESSION_COOKIE

_JSON: Final = "application/json"
_SECURITY: Final[Mapping[str, list[Schema]]] = {
    "key": [{"api_key": []}, {"bearer": []}, {"session": []}],
    "bearer": [{"bearer": []}],
    "none": [],
}
_SECURITY_SCHEMES: Final = {
    "api_key": {"type": "apiKey", "in": "header", "name": "x-api-key", "description": "An API key."},
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token from sign-up or login, or an API key. It goes before `x-api-key`.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": SESSION_COOKIE,
        "description": "The console's session. It counts where no header holds a credential, and only for "
        "requests from this server's own pages.",
    },
}
_ABOUT: Final = (
    "Effect history for AI agents: one durable, fenced record per side effect, so that a restart never "
    "repeats it."
)


def describe(routes: Sequence[Route]) -> Schema:
    """The OpenAPI 3.1 document of these routes."""
    bodies = [route.body for route in routes if route.body is not None]
    queries = [route.query for route in routes if route.query is not None]
    replies = [route.reply for route in routes if _text_type(route) is None]
    schemas, query_schemas = Schemas(bodies, replies), Schemas(queries, [])
    paths: dict[str, Schema] = {}
    for route in routes:
        paths.setdefault(route.full_path, {})[route.method.lower()] = _operation(
            route, schemas, query_schemas
        )
    used = list(dict.fromkeys(error for route in routes for error in errors.errors_of(route)))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Actae",
            "version": __version__,
            "summary": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": list(_tags(routes)),
        "paths": paths,
        "components": {
            "schemas": {"Error": errors.SCHEMA, **dict(sorted(schemas.components.items()))},
            "responses": errors.shared_responses(used),
            "examples": errors.examples(used),
            "securitySchemes": _SECURITY_SCHEMES,
        },
    }


def _operation(route: Route, schemas: Schemas, query_schemas: Schemas) -> Schema:
    operation: Schema = {
        "operationId": route.operation,
        "summary": route.summary,
        "description": (inspect.getdoc(route.handler) or route.summary).partition("\n\nRaises:")[0],
        "tags": tags_of(route),
        "security": _security(route),
        "parameters": parameters.path_parameters(route),
    }
    if route.query is not None:
        operation["parameters"] += parameters.query_parameters(query_schemas.spelt_out(route.query))
    if route.body is not None:
        operation["requestBody"] = {
            "required": not route.body_optional,
            "content": {_JSON: {"schema": schemas.of(route.body)}},
        }
    operation["responses"] = {"200": _reply(route, schemas), **errors.error_responses(route)}
    return operation


def _security(route: Route) -> list[Schema]:
    """A route that asks for no credential, but may refuse one, looks at the headers itself."""
    if route.auth == "none" and route.body is None and UnauthorizedError in route.errors:
        return [{}, *_SECURITY["key"]]
    return _SECURITY[route.auth]


def _reply(route: Route, schemas: Schemas) -> Schema:
    text_type = _text_type(route)
    if text_type is not None:
        # Of a stream a schema would describe one event, with its id, and not the text.
        media = {} if text_type == "text/event-stream" else {"schema": {"type": "string"}}
        return {"description": route.summary, "content": {text_type: media}}
    return {"description": route.summary, "content": {_JSON: {"schema": schemas.of(route.reply)}}}


def _text_type(route: Route) -> str | None:
    """The media type of a reply that is not JSON: `Text` is plain, `Annotated[Text, "text/html"]` is not."""
    if route.reply is Text:
        return "text/plain"
    if get_origin(route.reply) is Annotated and get_args(route.reply)[0] is Text:
        return str(get_args(route.reply)[1])
    return None


def tags_of(route: Route) -> list[str]:
    """Its own tags, or the concept in its operation's name."""
    return list(route.tags) or [route.operation.partition(".")[0]]


def _tags(routes: Iterable[Route]) -> Iterable[Schema]:
    """Each tag once; described by the file that its routes are from, if they are all that it holds."""
    modules: dict[str, str] = {}
    for route in routes:
        for tag in tags_of(route):
            modules.setdefault(tag, route.handler.__module__)
    tags_in = Counter(modules.values())
    for tag, module in modules.items():
        about = inspect.getdoc(sys.modules[module]) or ""
        yield {"name": tag, **({"description": about.split("\n\n")[0]} if tags_in[module] == 1 else {})}
