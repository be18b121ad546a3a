"""Policies in a body: an object from names to one of a few words."""

from collections.abc import Collection
from typing import Any

import msgspec

from actae.domain.errors import InvalidRequestError
from actae.transport.fields import optional_object


def read_policies(
    value: msgspec.Raw, field: str, words: Collection[str], *, any_case: bool = False
) -> dict[str, Any]:
    """What each name is to do; nothing for null. Of a name that is there twice the last word counts.

    Raises:
        InvalidRequestError: it is no object, or a word is unknown; the path of the word is told.
    """
    raw = optional_object(value, field)
    if raw is None:
        return {}
    try:
        given = msgspec.json.decode(raw, type=dict[str, Any])
    except msgspec.DecodeError:
        raise InvalidRequestError(
            f"{field!r} holds half of a surrogate pair, which is no character.", field=field
        ) from None
    if "" in given:
        raise InvalidRequestError(f"{field!r} has an entry for a name that is empty.", field=field)
    return {name: _word(each, f"{field}.{name}", words, any_case) for name, each in given.items()}


def _word(value: Any, path: str, words: Collection[str], any_case: bool) -> str:
    word = value.lower() if any_case and isinstance(value, str) else value
    if word not in words:
        *others, last = words
        listed = f"{', '.join(others)} or {last}"
        raise InvalidRequestError(f"{path!r} must be {listed}; it is {value!r}.", field=path)
    return str(word)
