"""JSON Schemas of what routes take and answer: from msgspec, with what msgspec leaves out."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec
import msgspec.inspect as mi

from actae.domain.redaction import REDACTED

Schema = dict[str, Any]

_REDACTED: Final = "Who may only observe gets it without its content; absent for who may read."

REFERENCE: Final = "#/components/schemas/"


class Schemas:
    """The schemas of a set of types. Those that have a name are kept once, in `components`."""

    def __init__(self, taken: Sequence[Any], answered: Sequence[Any]) -> None:
        types = [*taken, *answered]
        schemas, components = msgspec.json.schema_components(types, ref_template=REFERENCE + "{name}")
        only_answered = _structs(answered).keys() - _structs(taken).keys()
        for struct, info in _structs(types).items():
            _complete(components[_first_name(struct, components)], info, is_answer=struct in only_answered)
        named, self.components = _with_short_names(schemas, components)
        self._known = {id(each): schema for each, schema in zip(types, named, strict=True)}

    def of(self, wanted: Any) -> Schema:
        """The schema of a type; a reference if it has a name."""
        return self._known[id(wanted)]

    def spelt_out(self, struct: type) -> Schema:
        """The schema of a struct itself, not a reference."""
        schema: Schema = self.components[self.of(struct)["$ref"].removeprefix(REFERENCE)]
        return schema


def _complete(schema: Schema, info: mi.StructType, *, is_answer: bool) -> None:
    del schema["title"]  # it repeats the name
    for field in info.fields:
        value = schema["properties"][field.encode_name]
        _complete_value(value, field.type)
        if is_answer:
            value.pop("default", None)
    if is_answer and not info.cls.__struct_config__.omit_defaults:
        schema["required"] = [field.encode_name for field in info.fields if not _may_be_absent(field)]
    if info.cls in REDACTED:
        schema["properties"]["redacted"] = {"const": True, "description": _REDACTED}
    one_of = getattr(info.cls, "ONE_REQUIRED", ())
    if one_of:
        schema["anyOf"] = [{"required": [name]} for name in one_of]


def _may_be_absent(field: mi.Field) -> bool:
    """Whether its default is `UNSET`, which is to msgspec no default at all."""
    return not field.required and field.default is field.default_factory is msgspec.NODEFAULT


def _complete_value(value: Schema, info: mi.Type) -> None:
    if {} in value.get("anyOf", []):  # any JSON, so null is not worth saying
        del value["anyOf"]
    if any(isinstance(each, mi.DateTimeType) for each in _parts(info)):
        for option in value.get("anyOf", [value]):
            if option.get("type") == "string":
                option["format"] = "date-time"


def _parts(info: mi.Type) -> Iterable[mi.Type]:
    """The types that a type is made of."""
    match info:
        case mi.Metadata(type=inner):
            return _parts(inner)
        case mi.UnionType(types=types):
            return [part for each in types for part in _parts(each)]
        case mi.CollectionType(item_type=item):
            return [info, *_parts(item)]
        case mi.DictType(value_type=value):
            return [info, *_parts(value)]
        case _:
            return [info]


def _structs(types: Sequence[Any]) -> dict[type, mi.StructType]:
    """Every struct among the types and inside them."""
    found: dict[type, mi.StructType] = {}

    def walk(infos: Iterable[mi.Type]) -> None:
        for info in infos:
            for part in _parts(info):
                if isinstance(part, mi.StructType) and part.cls not in found:
                    found[part.cls] = part
                    walk(field.type for field in part.fields)

    walk(mi.multi_type_info(types))
    return found


def _full_name(struct: type) -> str:
    return f"{struct.__module__}.{struct.__qualname__}"


def _first_name(struct: type, components: Schema) -> str:
    """msgspec's name for it: where two structs have one name, both get their full ones."""
    full = _full_name(struct)
    return full if full in components else struct.__name__


def _with_short_names(schemas: Sequence[Schema], components: Schema) -> tuple[list[Schema], Schema]:
    """`actae.transport.routes.states.DeletedReply` becomes `StatesDeletedReply`."""
    text = msgspec.json.encode([schemas, components])
    for full, short in _short_names(components):
        assert short not in components, f"two types are called {short}"
        text = text.replace(f'"{REFERENCE}{full}"'.encode(), f'"{REFERENCE}{short}"'.encode())
        text = text.replace(f'"{full}":'.encode(), f'"{short}":'.encode())
    renamed: list[Any] = msgspec.json.decode(text)
    return renamed[0], renamed[1]


def _short_names(components: Schema) -> Iterator[tuple[str, str]]:
    for full in components:
        module, _, name = full.rpartition(".")
        if module:
            yield full, module.rpartition(".")[2].title().replace("_", "") + name
