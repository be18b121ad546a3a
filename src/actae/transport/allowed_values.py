"""Which words a value may be, for who sent another one: the decoder only says that it is none of them."""

import re
from typing import Any

import msgspec

_STEP = re.compile(r"[^.\[\]]+|\[[^\]]*\]")


def allowed_values(wanted: Any, path: str) -> list[str]:
    """The words that are allowed at a path such as `items[0].status`; none where other values are, too."""
    kinds = _alternatives(msgspec.inspect.type_info(wanted))
    for step in _STEP.findall(path):
        kinds = [last for kind in kinds for inner in _inside(kind, step) for last in _alternatives(inner)]
    return sorted({word for kind in kinds for word in _words(kind)})


def _alternatives(kind: msgspec.inspect.Type) -> list[msgspec.inspect.Type]:
    while isinstance(kind, msgspec.inspect.Metadata):
        kind = kind.type
    if isinstance(kind, msgspec.inspect.UnionType):
        return [inner for each in kind.types for inner in _alternatives(each)]
    return [kind]


def _inside(kind: msgspec.inspect.Type, step: str) -> list[msgspec.inspect.Type]:
    if isinstance(kind, msgspec.inspect.ListType) and step.startswith("["):
        return [kind.item_type]
    if isinstance(kind, msgspec.inspect.DictType) and step.startswith("["):
        return [kind.value_type]
    if isinstance(kind, msgspec.inspect.StructType):
        return [field.type for field in kind.fields if field.encode_name == step]
    return []


def _words(kind: msgspec.inspect.Type) -> list[str]:
    values = kind.values if isinstance(kind, msgspec.inspect.LiteralType) else ()
    return [value for value in values if isinstance(value, str)]
