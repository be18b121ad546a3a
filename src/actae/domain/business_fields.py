"""Finding an operation by what it is about: a field of its params, and the value there."""

import re

import msgspec

_PLAIN = re.compile(r"[A-Za-z0-9_.:-]+")


def sieve_words(field: str, value: str) -> list[str]:
    """Words that the text of matching params holds, where no escape spells a character in another way."""
    return [word for word in (field, value) if _PLAIN.fullmatch(word)]


def has_field(params: bytes | msgspec.Raw, field: str, value: str) -> bool:
    """Whether params are an object with this value in this field; numbers and booleans go by their text."""
    try:
        fields = msgspec.json.decode(params, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        return False
    raw = fields.get(field)
    if raw is None:
        return False
    text = bytes(raw)
    if not text.startswith(b'"'):
        return text.decode() == value
    try:
        return msgspec.json.decode(text, type=str) == value
    except msgspec.DecodeError:
        return False
