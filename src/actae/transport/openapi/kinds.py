"""What a schema says, in a few words of Markdown (`code` and links), and a value that fits it."""

from typing import Any, Final

import msgspec

from actae.transport.openapi.schemas import REFERENCE, Schema

_BOUNDS: Final = {
    ("minLength", "maxLength"): "{} to {} characters.",
    ("maxLength",): "At most {} characters.",
    ("minimum", "maximum"): "{} to {}.",
    ("minimum",): "At least {}.",
}
_AS_GOOD_AS_NONE: Final = 10**17


def kind(schema: Schema) -> str:
    """The kind of value, with links to named types."""
    name = schema.get("$ref", "").removeprefix(REFERENCE)
    if name:
        return f"[{name}](#{anchor(name)})"
    if "anyOf" in schema and "properties" not in schema:
        return " or ".join(kind(option) for option in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(f"`{_json(value)}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {kind(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type") or "any JSON")


def anchor(name: str) -> str:
    """Where a named type stands on its page."""
    return name.lower()


def explained(schema: Schema) -> list[str]:
    """Description, limits and default of a value that may be null, where they are worth saying."""
    inner = next((option for option in schema.get("anyOf", []) if option.get("type") != "null"), schema)
    notes = [] if inner is schema else [inner.get("description", "")]
    limits = {
        name: inner[name]
        for name in ("minLength", "minimum", "maxLength", "maximum")
        if name in inner and inner[name] < _AS_GOOD_AS_NONE
    }
    notes.append(_BOUNDS.get(tuple(limits), "").format(*(f"{limit:,}" for limit in limits.values())))
    if schema.get("default") is not None:
        notes.append(f"Default `{_json(schema['default'])}`.")
    return notes


def example(schema: Schema, components: Schema) -> Any:
    """A small value of the schema: of an object, the fields that it must have."""
    schema = components["schemas"].get(schema.get("$ref", "").removeprefix(REFERENCE), schema)
    if "examples" in schema:
        return schema["examples"][0]
    if "default" in schema:
        return schema["default"]
    if "anyOf" in schema and "properties" not in schema:
        return example(schema["anyOf"][0], components)
    required = [*schema.get("required", []), *_first_choice(schema)]
    fields = {name: example(schema["properties"][name], components) for name in required}
    by_type = {
        "string": "0199c4a1-7b52-7cc3-9d0e-5a4f3b2c1d0e" if schema.get("format") == "uuid" else "text",
        "integer": schema.get("minimum", 0),
        "number": 0.5,
        "boolean": False,
        "array": [],
    }
    return by_type.get(schema.get("type", "object"), fields)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _first_choice(schema: Schema) -> list[str]:
    """Of fields of which one is required, the one that an example shows."""
    choices = [each["required"] for each in schema.get("anyOf", []) if "required" in each]
    return list(choices[0]) if choices else []
