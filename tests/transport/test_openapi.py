"""The published description: valid, complete, and the one that is served."""

from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
import schemathesis
from jsonschema import Draft202012Validator

from actae.transport.error_replies import STATUSES
from actae.transport.openapi import describe, render_page
from actae.transport.openapi.errors import SCHEMA, errors_of, example_body
from actae.transport.route import Route
from actae.transport.routes.all import ROUTES
from tests.support.server import RunningServer


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The description of all routes."""
    return describe(ROUTES)


def operation_of(document: dict[str, Any], route: Route) -> dict[str, Any]:
    """What the document says of a route."""
    found: dict[str, Any] = document["paths"][route.full_path][route.method.lower()]
    return found


def test_it_is_valid_openapi_3_1(document: dict[str, Any]) -> None:
    """Tools that check before they read accept it."""
    assert document["openapi"].startswith("3.1.")
    schemathesis.openapi.from_dict(document).validate()


def test_every_type_is_valid_json_schema(document: dict[str, Any]) -> None:
    """Of the dialect that OpenAPI 3.1 takes unless told otherwise."""
    for name, schema in document["components"]["schemas"].items():
        Draft202012Validator.check_schema(schema)
        assert "." not in name, "a name for people, not a module's"


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    """No `$ref` to a type, response or example that is not there."""
    for reference in references(document):
        found: Any = document
        for part in reference.removeprefix("#/").split("/"):
            assert part in found, reference
            found = found[part]


def references(value: Any) -> list[str]:
    """Every `$ref` in the document, and every target of a discriminator."""
    if isinstance(value, list):
        return [each for item in value for each in references(item)]
    if not isinstance(value, dict):
        return []
    own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
    own += (
        value["discriminator"].get("mapping", {}).values()
        if "propertyName" in value.get("discriminator", {})
        else []
    )
    return own + [each for item in value.values() for each in references(item)]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.operation)
def test_every_route_is_described(route: Route, document: dict[str, Any]) -> None:
    """By its id, with its credentials, its parameters and its body."""
    operation = operation_of(document, route)
    assert operation["operationId"] == route.operation
    assert operation["summary"] == route.summary
    assert ("requestBody" in operation) == (route.body is not None)
    in_path = [each["name"] for each in operation["parameters"] if each["in"] == "path"]
    assert all(f"{{{name}}}" in route.path for name in in_path)
    assert len(in_path) == route.path.count("{")
    assert (operation["security"] == []) <= (route.auth == "none")


def test_operation_ids_are_unique() -> None:
    """Generated clients make a function of each."""
    names = [route.operation for route in ROUTES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.operation)
def test_every_error_of_a_route_has_its_status_and_an_example(route: Route, document: dict[str, Any]) -> None:
    """Whatever a route declares is found under the status that it is answered with."""
    responses = operation_of(document, route)["responses"]
    for error in errors_of(route):
        response = responses[str(STATUSES[error])]
        if "$ref" in response:
            response = document["components"]["responses"][response["$ref"].rpartition("/")[2]]
        content = response["content"]["application/json"]
        example = content["examples"][error.code]["$ref"].rpartition("/")[2]
        assert document["components"]["examples"][example]["value"] == example_body(error)
        [_, narrowed] = content["schema"]["allOf"]
        assert error.code in narrowed["properties"]["status"]["enum"]


@pytest.mark.parametrize("error", STATUSES, ids=lambda error: error.code)
def test_every_example_of_an_error_fits_the_schema(error: Any) -> None:
    """The examples are made by the errors themselves."""
    body = example_body(error)
    Draft202012Validator(SCHEMA).validate(body)
    assert body["status"] == error.code


def test_replies_say_which_fields_are_always_there(document: dict[str, Any]) -> None:
    """A client need not ask whether a field is missing that never is."""
    schemas = document["components"]["schemas"]
    assert {*schemas["Event"]["required"], "redacted"} == set(schemas["Event"]["properties"])
    assert schemas["StateReply"]["required"] == ["cursor"]
    assert schemas["Event"]["properties"]["timestamp"] == {"type": "string", "format": "date-time"}


def test_opaque_values_may_be_anything(document: dict[str, Any]) -> None:
    """Payloads, results and states have no schema."""
    schemas = document["components"]["schemas"]
    assert schemas["RecordBody"]["properties"]["payload"] == {}
    assert schemas["CompleteBody"]["properties"]["result"] == {}


def test_the_server_publishes_it_without_a_key(server: RunningServer, document: dict[str, Any]) -> None:
    """Byte for byte what the routes say."""
    reply = server.request("GET", "/openapi.json", api_key=None)
    assert reply.status == 200
    assert reply.body == msgspec.json.decode(msgspec.json.encode(document))


class Links(HTMLParser):
    """The anchors of a page, and where its links go."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.anchors: list[str] = []
        self.targets: set[str] = set()
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect."""
        values = dict(attrs)
        self.tags.add(tag)
        if "id" in values:
            self.anchors.append(values["id"] or "")
        if "href" in values:
            self.targets.add(values["href"] or "")


def test_the_page_shows_every_operation_type_and_error(document: dict[str, Any]) -> None:
    """Each has an anchor, and no link leads nowhere."""
    page = Links(render_page(document, style_url="docs/page.css", document_url="openapi.json"))
    assert len(page.anchors) == len(set(page.anchors))
    assert {route.operation for route in ROUTES} <= set(page.anchors)
    local = {target.removeprefix("#") for target in page.targets if target.startswith("#")}
    assert local <= set(page.anchors)
    assert page.targets - {f"#{anchor}" for anchor in local} == {"docs/page.css", "openapi.json"}


def test_the_page_runs_no_script_and_loads_nothing_from_elsewhere(server: RunningServer) -> None:
    """It may do so little that its policy can forbid everything else."""
    reply = server.request("GET", "/docs", api_key=None)
    assert reply.status == 200
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    policy = reply.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    page = reply.body.decode()
    assert not {"script", "style", "img", "iframe"} & Links(page).tags
    assert " style=" not in page
    style = server.request("GET", "/docs/page.css", api_key=None)
    assert style.headers["content-type"] == "text/css; charset=utf-8"
    assert b"url(" not in style.body


def test_text_from_docstrings_cannot_become_markup(document: dict[str, Any]) -> None:
    """What is shown is escaped."""
    hostile = msgspec.json.decode(msgspec.json.encode(document))
    hostile["info"]["summary"] = "<script>alert(1)</script>"
    hostile["paths"]["/healthz"]["get"]["description"] = "<b>`<i>`</b>"
    page = render_page(hostile, style_url="s", document_url="d")
    assert "<script" not in page
    assert "&lt;b&gt;<code>&lt;i&gt;</code>&lt;/b&gt;" in page
