"""The description as a page: plain HTML that runs no script and needs no other host."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

import msgspec

from actae.transport.openapi.kinds import example, explained, kind
from actae.transport.openapi.schemas import REFERENCE, Schema


def render_page(document: Schema, *, style_url: str, document_url: str) -> str:
    """The whole page. Every operation, type and error has an anchor of its own name."""
    info, components = document["info"], document["components"]
    tags = {tag["name"]: list(_tagged(document, tag["name"])) for tag in document["tags"]}
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(info["title"])} HTTP API</title>
<link rel="stylesheet" href="{escape(style_url)}">
<nav aria-label="Operations">
{"".join(_index(tag, operations) for tag, operations in tags.items())}
<h2><a href="#types">Types</a></h2>
<h2><a href="#errors">Errors</a></h2>
</nav>
<main>
<h1>{escape(info["title"])} HTTP API <small>{escape(info["version"])}</small></h1>
<p>{escape(info["summary"])}</p>
<p>Send the API key in the header <code>x-api-key</code>. The same description for programs is
<a href="{escape(document_url)}">openapi.json</a>.</p>
{"".join(_tag(tag, tags[tag["name"]], components) for tag in document["tags"])}
<h2 id="types">Types</h2>
{"".join(_type(name, schema) for name, schema in components["schemas"].items())}
<h2 id="errors">Errors</h2>
{"".join(_error(code, components) for code in sorted(components["examples"]))}
</main>
</html>
"""


Operation = tuple[str, str, Schema]


def _tagged(document: Schema, tag: str) -> Iterator[Operation]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if tag in operation["tags"]:
                yield method.upper(), path, operation


def _index(tag: str, operations: Iterable[Operation]) -> str:
    links = "".join(
        f'<li><a href="#{operation["operationId"]}">{_badge(method)} {escape(operation["summary"])}</a></li>\n'
        for method, _, operation in operations
    )
    return f'<h2><a href="#tag-{tag}">{escape(tag)}</a></h2>\n<ul>\n{links}</ul>\n'


def _tag(tag: Schema, operations: Iterable[Operation], components: Schema) -> str:
    about = f"<p>{escape(tag['description'])}</p>\n" if "description" in tag else ""
    articles = "".join(_article(*each, components) for each in operations)
    return f'<h2 id="tag-{tag["name"]}">{escape(tag["name"])}</h2>\n{about}{articles}'


def _article(method: str, path: str, operation: Schema, components: Schema) -> str:
    rows = [_field(each["name"], each, each["schema"], each["in"]) for each in operation["parameters"]]
    parts = [
        f'<article id="{operation["operationId"]}">\n',
        f"<h3>{_badge(method)} <code>{escape(path)}</code></h3>\n",
        _paragraphs(operation["description"]),
        _table("Parameters", rows),
    ]
    body = None
    if "requestBody" in operation:
        body = operation["requestBody"]["content"]["application/json"]["schema"]
        required = "" if operation["requestBody"]["required"] else ", may be left out"
        parts.append(_content(f"Body{required}", body, components))
    [(media_type, reply)] = operation["responses"]["200"]["content"].items()
    if media_type == "application/json":
        parts.append(_content("Reply", reply["schema"], components))
    else:
        parts.append(f"<h4>Reply</h4>\n<p>{escape(media_type)}</p>\n")
    parts += [_curl(method, path, operation, body, components), _errors(operation), "</article>\n"]
    return "".join(parts)


def _content(title: str, schema: Schema, components: Schema) -> str:
    """What a body or a reply holds; a named type is shown at once, so that nobody has to follow a link."""
    named = components["schemas"].get(schema.get("$ref", "").removeprefix(REFERENCE))
    rows = _rows(named) if named else []
    return f"<h4>{title}: {kind(schema)}</h4>\n" + _table("", rows)


def _rows(schema: Schema) -> list[str]:
    required = schema.get("required", [])
    return [
        _field(name, {**value, "required": name in required}, value)
        for name, value in schema.get("properties", {}).items()
    ]


def _field(name: str, about: Schema, schema: Schema, place: str = "") -> str:
    notes = [about.get("description", ""), *explained(schema)]
    where = f" <small>in the {place}</small>" if place else ""
    required = "" if about["required"] else " <small>optional</small>"
    return (
        f"<tr><td><code>{escape(name)}</code>{where}{required}<td>{kind(schema)}"
        f"<td>{_marked(' '.join(note for note in notes if note))}\n"
    )


def _table(title: str, rows: list[str]) -> str:
    if not rows:
        return ""
    heading = f"<h4>{escape(title)}</h4>\n" if title else ""
    return f"{heading}<table>\n{''.join(rows)}</table>\n"


def _curl(method: str, path: str, operation: Schema, body: Schema | None, components: Schema) -> str:
    """A command to start from."""
    for each in operation["parameters"]:
        if each["in"] == "path":
            path = path.replace("{%s}" % each["name"], str(example(each["schema"], components)))
    wanted = [each for each in operation["parameters"] if each["in"] == "query" and each["required"]]
    query = "&".join(f"{each['name']}={example(each['schema'], components)}" for each in wanted)
    words = [
        f"curl -X {method} '{path}{'?' + query if query else ''}'".replace("'/", "'http://127.0.0.1:8002/")
    ]
    if operation["security"]:
        words.append('-H "x-api-key: $ACTAE_API_KEY"')
    if body is not None:
        words.append(f"-d '{msgspec.json.encode(example(body, components)).decode()}'")
    return f"<details><summary>curl</summary><pre>{escape(' '.join(words), quote=False)}</pre></details>\n"


def _errors(operation: Schema) -> str:
    links = []
    for status, response in operation["responses"].items():
        shared = response.get("$ref", "").rpartition("/")[2]
        content = response.get("content", {}).get("application/json", {})
        for code in [shared] if shared else content.get("examples", {}):
            links.append(f'<a href="#error-{code}">{status} <code>{code}</code></a>')
    return f'<p class="errors">Errors: {" ".join(links)}</p>\n'


def _type(name: str, schema: Schema) -> str:
    return (
        f'<article id="{name}">\n<h3><code>{name}</code></h3>\n'
        f"{_paragraphs(schema.get('description', ''))}{_table('', _rows(schema))}</article>\n"
    )


def _error(code: str, components: Schema) -> str:
    shown = msgspec.json.format(msgspec.json.encode(components["examples"][code]["value"]), indent=2)
    about = components["responses"][code]["description"].partition(": ")[2]
    return (
        f'<article id="error-{code}">\n<h3><code>{code}</code></h3>\n{_paragraphs(about)}'
        f"<pre>{escape(shown.decode(), quote=False)}</pre></article>\n"
    )


def _badge(method: str) -> str:
    return f'<b class="method {method.lower()}">{method}</b>'


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{_marked(part)}</p>\n" for part in text.split("\n\n") if part)


def _marked(text: str) -> str:
    """Escaped, with `code` as code."""
    parts: list[Any] = escape(text).split("`")
    return "".join(part if at % 2 == 0 else f"<code>{part}</code>" for at, part in enumerate(parts))
