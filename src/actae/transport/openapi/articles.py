"""One operation on the page: what it takes, what it answers, and a command to start from."""

from html import escape

import msgspec

from actae.transport.openapi.kinds import example, kind
from actae.transport.openapi.markup import badge, code_block, field_rows, marked, paragraphs, row, table
from actae.transport.openapi.schemas import REFERENCE, Schema

_JSON = "application/json"


def render_operation(method: str, path: str, operation: Schema, components: Schema) -> str:
    """The operation under an anchor of its id."""
    parts = (
        f"<h3>{badge(method)} <code>{escape(path)}</code></h3>\n",
        paragraphs(operation["description"]),
        _parameters(operation["parameters"]),
        _body(operation, components),
        _reply(operation, components),
        "<details><summary>curl</summary>",
        code_block(_curl(method, path, operation, components)),
        "</details>\n",
        _errors(operation),
    )
    return f'<article id="{operation["operationId"]}">\n{"".join(parts)}</article>\n'


def _parameters(parameters: list[Schema]) -> str:
    rows = [
        row(
            each["name"],
            each["schema"],
            required=each["required"],
            description=each.get("description", ""),
            place=each["in"],
        )
        for each in parameters
    ]
    return f"<h4>Parameters</h4>\n{table(rows)}" if rows else ""


def _body(operation: Schema, components: Schema) -> str:
    schema = _body_schema(operation)
    if schema is None:
        return ""
    required = "" if operation["requestBody"]["required"] else ", may be left out"
    return _content(f"Body{required}", schema, components)


def _reply(operation: Schema, components: Schema) -> str:
    [(media_type, reply)] = operation["responses"]["200"]["content"].items()
    if media_type != _JSON:
        return f"<h4>Reply: {escape(media_type)}</h4>\n"
    return _content("Reply", reply["schema"], components)


def _content(title: str, schema: Schema, components: Schema) -> str:
    """A named type is shown at once, so that nobody has to follow a link."""
    named = components["schemas"].get(schema.get("$ref", "").removeprefix(REFERENCE), {})
    return f"<h4>{title}: {marked(kind(schema))}</h4>\n{table(field_rows(named))}"


def _curl(method: str, path: str, operation: Schema, components: Schema) -> str:
    query = []
    for each in operation["parameters"]:
        value = str(example(each["schema"], components))
        if each["in"] == "path":
            path = path.replace(f"{{{each['name']}}}", value)
        elif each["required"]:
            query.append(f"{each['name']}={value}")
    words = [f'curl -X {method} "$ACTAE_URL{path}{"?" if query else ""}{"&".join(query)}"']
    if operation["security"]:
        words.append('-H "x-api-key: $ACTAE_API_KEY"')
    body = _body_schema(operation)
    if body is not None:
        words.append(f"-d '{msgspec.json.encode(example(body, components)).decode()}'")
    return " \\\n  ".join(words)


def _body_schema(operation: Schema) -> Schema | None:
    if "requestBody" not in operation:
        return None
    schema: Schema = operation["requestBody"]["content"][_JSON]["schema"]
    return schema


def _errors(operation: Schema) -> str:
    links: list[str] = []
    for status, response in operation["responses"].items():
        if "$ref" in response:
            named = {_component(response): _component(response)}
        else:
            examples = response["content"].get(_JSON, {}).get("examples", {})
            named = {code: _component(example) for code, example in examples.items()}
        links.extend(
            f'<a href="#error-{name}">{status} <code>{code}</code></a>' for code, name in named.items()
        )
    return f'<p class="errors">Errors: {" ".join(links)}</p>\n'


def _component(reference: Schema) -> str:
    return str(reference["$ref"]).rpartition("/")[2]
