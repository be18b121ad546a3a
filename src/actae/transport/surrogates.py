r"""Half of a surrogate pair, such as `"\ud83d"`: legal JSON, written by tools that cut text in the middle
of a character, and refused by the decoder.

What an agent's tool returned must not be refused for its text. So each such escape is exchanged for an
escape of the same length that occurs nowhere in the body, and exchanged back in the raw values.
"""

import re
from typing import Any, TypeVar

import msgspec

from actae.domain.errors import InvalidRequestError

T = TypeVar("T")

# A whole pair is matched first, so that only halves are left for the group.
_ESCAPES = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
_PRIVATE_USE = range(0xE000, 0xF900)
# One pattern for all of them: an alternative for each would make the time grow with their number.
_MARKS = re.compile(rb"\\u(?:[eE][0-9a-fA-F]{3}|[fF][0-8][0-9a-fA-F]{2})")


def decode_lone_surrogates(raw: bytes, decoder: "msgspec.json.Decoder[T]") -> T:
    """Decode with the halves kept in every raw value.

    Raises:
        msgspec.DecodeError: it is not JSON for another reason.
        InvalidRequestError: a half stands in a name, which must be valid Unicode.
    """
    halves = dict.fromkeys(found[1] for found in _ESCAPES.finditer(raw) if found[1])
    used = {found.lower() for found in _MARKS.findall(raw)}
    unused = (mark for code in _PRIVATE_USE if (mark := b"\\u%04x" % code) not in used)
    marks = dict(zip(halves, unused, strict=False))
    if len(marks) < len(halves):
        raise InvalidRequestError("The body holds too many different halves of surrogate pairs.")
    held = _ESCAPES.sub(lambda found: marks[found[1]] if found[1] else found[0], raw)
    back = {mark: half for half, mark in marks.items()}
    characters = {mark.decode("unicode_escape") for mark in back}
    return _restore(decoder.decode(held), back, characters, "")  # type: ignore[no-any-return]


def without_halves(raw: bytes) -> bytes:
    """The same JSON for whoever wants to know the rest of it: halves become replacement characters."""
    return _ESCAPES.sub(lambda found: rb"\ufffd" if found[1] else found[0], raw)


def _restore(value: Any, back: dict[bytes, bytes], characters: set[str], path: str) -> Any:
    if isinstance(value, msgspec.Raw):
        return msgspec.Raw(_MARKS.sub(lambda found: back.get(found[0], found[0]), bytes(value)))
    if isinstance(value, str) and not characters.isdisjoint(value):
        raise InvalidRequestError(
            f"{path!r} holds half of a surrogate pair, which is no character.", field=path
        )
    if isinstance(value, msgspec.Struct):
        parts = {
            name: _restore(getattr(value, name), back, characters, f"{path}.{name}" if path else name)
            for name in value.__struct_fields__
        }
        return type(value)(**parts)
    if isinstance(value, list):
        return [_restore(each, back, characters, f"{path}[{place}]") for place, each in enumerate(value)]
    return value


__all__ = ["decode_lone_surrogates", "without_halves"]
