"""Refusals in the words of the caller: what is sent does not always have the name of the argument."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SENTENCES = ("error", "message", "hint")


def by_argument(refusal: Mapping[str, Any], arguments: Mapping[str, str]) -> Mapping[str, Any]:
    """The refusal with the name of the argument where it names the field that was sent.

    `arguments` are their names by the paths of fields; a path below one of these is one below the argument.
    """
    field = refusal.get("field")
    argument = _argument_of(field, arguments) if isinstance(field, str) else None
    if argument is None:
        return refusal
    sentences = {name: refusal[name] for name in _SENTENCES if isinstance(refusal.get(name), str)}
    told = {name: sentence.replace(f"'{field}'", f"'{argument}'") for name, sentence in sentences.items()}
    return {**refusal, **told, "field": argument}


def _argument_of(field: str, arguments: Mapping[str, str]) -> str | None:
    for path, argument in arguments.items():
        rest = field.removeprefix(path)
        if field == path or (rest != field and rest[0] in ".["):
            return argument + rest
    return None
