"""The errors of a route as responses: one schema for all, an example for each."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from actae.domain import errors
from actae.domain.access_errors import CrossSiteRequestError
from actae.domain.errors import ActaeError
from actae.transport.error_replies import STATUSES, error_body, error_headers
from actae.transport.openapi.samples import sample
from actae.transport.route import Route

Described = dict[str, Any]

_SAMPLE_REQUEST_ID: Final = "req_5d0a1c3f0000002a"
_JSON: Final = "application/json"
_ERRORS_BY_CODE: Final = Counter(error.code for error in STATUSES)

SCHEMA: Final[Described] = {
    "description": "What went wrong. Which other fields there are depends on `status`.",
    "type": "object",
    "properties": {
        "status": {"type": "string", "description": "A stable code to act upon; not the HTTP status."},
        "error": {"type": "string", "description": "A sentence for people."},
        "hint": {"type": "string", "description": "What to do next."},
        "retryable": {"type": "boolean", "description": "Whether the same request may succeed later."},
        "request_id": {"type": "string", "description": "Names this request in the server's log."},
        "field": {"type": "string", "description": "The path of the bad value."},
        "retry_after_seconds": {"type": "integer"},
    },
    "required": ["status", "error", "retryable", "request_id"],
    "additionalProperties": True,
}


def errors_of(route: Route) -> list[type[ActaeError]]:
    """What a route may answer: its own errors, and those that come with its kind of route."""
    found = [*route.errors, errors.InternalError, errors.PayloadTooLargeError]
    if route.auth != "none":
        found += [errors.UnauthorizedError, errors.UnavailableError]
    if route.auth == "key":
        found += [errors.ForbiddenError, CrossSiteRequestError, errors.RateLimitedError]
    if route.body is not None:
        found += [errors.InvalidRequestError, errors.InvalidJsonError]
    if route.query is not None:
        found.append(errors.InvalidRequestError)
    if "{" in route.path:
        found.append(errors.RouteNotFoundError)  # a value with a slash in it is another path
    return sorted(set(found), key=lambda error: (STATUSES[error], error.code))


def error_responses(route: Route) -> Described:
    """The responses of a route by status; those of one error are shared."""
    by_status: dict[int, list[type[ActaeError]]] = {}
    for error in errors_of(route):
        by_status.setdefault(STATUSES[error], []).append(error)
    return {
        str(status): _response(same) if len(same) > 1 else {"$ref": f"#/components/responses/{name(same[0])}"}
        for status, same in by_status.items()
    }


def shared_responses(used: Iterable[type[ActaeError]]) -> Described:
    """The responses of one error."""
    return {name(error): _response([error]) for error in used}


def examples(used: Iterable[type[ActaeError]]) -> Described:
    """One example for each error."""
    return {name(error): {"value": example_body(error)} for error in used}


def name(error: type[ActaeError]) -> str:
    """What an error is called among the components: its code, with the status where a code has two."""
    is_alone = _ERRORS_BY_CODE[error.code] == 1
    return error.code if is_alone else f"{error.code}_{STATUSES[error]}"


def example_body(error: type[ActaeError]) -> Described:
    """The body of an error of this type."""
    body: Described = msgspec.json.decode(error_body(sample(error), _SAMPLE_REQUEST_ID))
    return body


def _response(same: list[type[ActaeError]]) -> Described:
    examples_by_code = {error.code: {"$ref": f"#/components/examples/{name(error)}"} for error in same}
    content = {
        "schema": {
            "allOf": [
                {"$ref": "#/components/schemas/Error"},
                {"type": "object", "properties": {"status": {"enum": list(examples_by_code)}}},
            ]
        },
        "examples": examples_by_code,
    }
    response: Described = {
        "description": "\n".join(f"`{error.code}`: {meaning(error)}" for error in same),
        "content": {_JSON: content},
    }
    headers = {name.decode() for error in same for name, _ in error_headers(sample(error))}
    if headers:
        response["headers"] = {name.title(): {"schema": {"type": "string"}} for name in sorted(headers)}
    return response


def meaning(error: type[ActaeError]) -> str:
    """What an error says, in the first paragraph of its docstring."""
    return " ".join((error.__doc__ or error.code).split("\n\n")[0].split())
