"""Finding an operation by what it is about: a field of its params, and the value there."""

import re

import msgspec

from actae.domain.literal_json import members_of


def sieve(field: str, value: str) -> str:
    """A pattern that the text of matching params fits, where no escape spells a character in another way.

    What JSON has to escape is found by that. So is a NUL, which the database takes in no text.
    """
    name, text = (re.escape(word.replace("\0", "\\0")) for word in (field, value))
    return rf'"{name}"\s*:\s*("{text}"|{text})\s*[,}}]'


def has_field(params: bytes | msgspec.Raw, field: str, value: str) -> bool:
    """Whether params are an object with this value in this field; numbers and booleans go by their text."""
    raw = members_of(params).get(field)
    if raw is None:
        return False
    text = bytes(raw)
    if not text.startswith(b'"'):
        return text.decode() == value
    try:
        return msgspec.json.decode(text, type=str) == value
    except msgspec.DecodeError:
        return False
