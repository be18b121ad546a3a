"""Finding an operation by what it is about: a field of its params with its value, or any text in them."""

import re

import msgspec

from actae.domain.literal_json import LiteralValue, members_of, read_literally


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


def has_text(params: bytes | msgspec.Raw, text: str) -> bool:
    """Whether params hold a text: as they were sent, or in a name or a string, however JSON spells it."""
    raw = bytes(params).decode()
    return text in raw or ("\\" in raw and _says(read_literally(bytes(params)), text))


def _says(value: LiteralValue, text: str) -> bool:
    if isinstance(value, str):
        return text in value
    if isinstance(value, list):
        return any(_says(each, text) for each in value)
    if isinstance(value, dict):
        return any(text in name or _says(each, text) for name, each in value.items())
    return False
