"""The description as a page: plain HTML that runs no script and needs no other host."""

from collections.abc import Iterable, Iterator
from html import escape

import msgspec

from actae.transport.openapi.articles import render_operation
from actae.transport.openapi.kinds import anchor
from actae.transport.openapi.markup import badge, code_block, field_rows, paragraphs, table
from actae.transport.openapi.schemas import Schema

Operation = tuple[str, str, Schema]


def render_page(document: Schema, *, style_url: str, document_url: str) -> str:
    """The whole page. Every operation, type and error has an anchor of its own name."""
    info, components = document["info"], document["components"]
    operations = {tag["name"]: list(_tagged(document, tag["name"])) for tag in document["tags"]}
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(info["title"])} HTTP API</title>
<link rel="stylesheet" href="{escape(style_url)}">
<nav aria-label="Operations">
{"".join(_index(tag, tagged) for tag, tagged in operations.items())}
<h2><a href="#types">Types</a></h2>
<h2><a href="#errors">Errors</a></h2>
</nav>
<main>
<h1>{escape(info["title"])} HTTP API <small>{escape(info["version"])}</small></h1>
<p>{escape(info["summary"])}</p>
<p>Send the API key in the header <code>x-api-key</code>. In the examples, <code>ACTAE_URL</code> is this
server's address and <code>ACTAE_API_KEY</code> such a key. For programs, the same description is
<a href="{escape(document_url)}">openapi.json</a>.</p>
{"".join(_tag(tag, operations[tag["name"]], components) for tag in document["tags"])}
<h2 id="types">Types</h2>
{"".join(_type(name, schema) for name, schema in components["schemas"].items())}
<h2 id="errors">Errors</h2>
{"".join(_error(name, components) for name in sorted(components["examples"]))}
</main>
</html>
"""


def _tagged(document: Schema, tag: str) -> Iterator[Operation]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if tag in operation["tags"]:
                yield method.upper(), path, operation


def _index(tag: str, operations: Iterable[Operation]) -> str:
    links = "".join(
        f'<li><a href="#{operation["operationId"]}">{badge(method)} {escape(operation["summary"])}</a>\n'
        for method, _, operation in operations
    )
    return f'<h2><a href="#tag-{tag}">{escape(tag)}</a></h2>\n<ul>\n{links}</ul>\n'


def _tag(tag: Schema, operations: Iterable[Operation], components: Schema) -> str:
    articles = "".join(render_operation(*each, components) for each in operations)
    heading = f'<h2 id="tag-{tag["name"]}">{escape(tag["name"])}</h2>\n'
    return heading + paragraphs(tag.get("description", "")) + articles


def _type(name: str, schema: Schema) -> str:
    about = paragraphs(schema.get("description", "")) + table(field_rows(schema))
    return f'<article id="{anchor(name)}">\n<h3><code>{name}</code></h3>\n{about}</article>\n'


def _error(name: str, components: Schema) -> str:
    example = components["examples"][name]["value"]
    shown = msgspec.json.format(msgspec.json.encode(example), indent=2)
    about = paragraphs(components["responses"][name]["description"].partition(": ")[2])
    return (
        f'<article id="error-{name}">\n<h3><code>{example["status"]}</code></h3>\n'
        f"{about}{code_block(shown.decode())}</article>\n"
    )
