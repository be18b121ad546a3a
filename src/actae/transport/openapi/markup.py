"""Small pieces of the page."""

import re
from html import escape
from typing import Final

from actae.transport.openapi.kinds import explained, kind
from actae.transport.openapi.schemas import Schema

_LINK: Final = re.compile(r"\[(\w+)\]\(#(\w+)\)")


def badge(method: str) -> str:
    """A method in its colour."""
    return f'<b class="method {method.lower()}">{method}</b>'


def paragraphs(text: str) -> str:
    """Text as paragraphs, with `code` as code."""
    return "".join(f"<p>{marked(part)}</p>\n" for part in text.split("\n\n") if part)


def marked(text: str) -> str:
    """Escaped text, with `code` as code and [links](#anchor) as links."""
    parts = _LINK.sub(r'<a href="#\2">\1</a>', escape(text)).split("`")
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))


def code_block(text: str) -> str:
    """Text as it stands."""
    return f"<pre>{escape(text, quote=False)}</pre>"


def field_rows(schema: Schema) -> list[str]:
    """A row for each field of an object."""
    required = schema.get("required", [])
    return [
        row(name, value, required=name in required, description=value.get("description", ""))
        for name, value in schema.get("properties", {}).items()
    ]


def row(name: str, schema: Schema, *, required: bool, description: str, place: str = "") -> str:
    """One value: its name, its kind, and what is to be said of it."""
    notes = " ".join(note for note in (description, *explained(schema)) if note)
    where = f" <small>in the {place}</small>" if place else ""
    optional = "" if required else " <small>optional</small>"
    return (
        f"<tr><td><code>{escape(name)}</code>{where}{optional}<td>{marked(kind(schema))}<td>{marked(notes)}\n"
    )


def table(rows: list[str]) -> str:
    """The rows, if there are any."""
    return f"<table>\n{''.join(rows)}</table>\n" if rows else ""
